import { exceeds, totalRatio } from "./channel.js";
import { part } from "./elements.js";
import { offer } from "./extras.js";
import { drawTicket } from "./random.js";
import { Refusal } from "./refusal.js";

/**
 * The versions of the page, of which one is drawn as the page begins. Nothing else of the page depends on chance before
 * an answer. Tickets are drawn for the questions of all versions, and a response has one shape whatever was asked. A
 * version is drawn once for as long as the page is open, and anew when it is loaded again: nothing that could tell it is
 * kept on the device.
 */
class Arms {
  #root;
  #arms;
  /** @type {number | null}  the place of the arm that was drawn */
  #drawn = null;

  /**
   * @param {HTMLElement} root  the `html` element of the page
   * @param {import("./design.js").Design} design
   */
  constructor(root, design) {
    this.#root = root;
    this.#arms = checked(design.background.questions[0].arms);
    demandConsent(this.#arms, design);
  }

  /**
   * Which items each arm asks: it may ask some instead of others.
   *
   * @param {readonly string[]} keys  of the items
   * @param {readonly {instead?: Readonly<Record<string, string>>}[]} arms
   * @returns {readonly (readonly number[])[]}  places of items
   */
  static versions(keys, arms) {
    const changes = checked(arms).map(({ instead }) => instead ?? {});
    const others = changes.flatMap((instead) => Object.values(instead));
    if (!changes.every((instead) => [...Object.keys(instead), ...others].every((key) => keys.includes(key)))) {
      throw new Refusal("design", { detail: "a version asks a question that it does not have" });
    }
    const asks = (instead, key) => !Object.hasOwn(instead, key) && (!others.includes(key) || Object.values(instead).includes(key));
    return changes.map((instead) => [...keys.keys()].filter((i) => asks(instead, keys[i])));
  }

  /** @returns {number} */
  get place() {
    if (this.#drawn === null) {
      throw new Refusal("design", { detail: "its arm was not drawn" });
    }
    return this.#drawn;
  }

  /** @param {import("./random.js").WordSource} source */
  begin(source) {
    if (this.#drawn !== null) {
      return;
    }
    const { survey, version } = this.#root.dataset;
    const chosen = survey === "" && version !== undefined; // in a preview, which has no survey to send to
    this.#drawn = chosen ? Number(version) : placeOf(drawTicket(source, total(this.#arms)), this.#arms);
    const { explanation } = this.#arms[this.#drawn];
    this.#root.dataset.arm = explanation;
    const introductions = [...this.#root.querySelectorAll("[data-introduction]")];
    const own = introductions.find(({ dataset }) => dataset.introduction === String(this.#drawn));
    introductions.forEach((one) => {
      one.hidden = one !== (own ?? introductions.find(({ dataset }) => dataset.introduction === ""));
    });
    if (explanation === "after") {
      this.explainLater();
    }
  }

  /** The explanation stands where a response has arrived. */
  explainLater() {
    const explanation = part(this.#root, "promise");
    delete explanation.dataset.armOnly;
    part(this.#root, "explained-later").append(explanation);
  }
}

function checked(arms) {
  const fits = ({ explanation, weight }) => ["before", "after"].includes(explanation) && Number.isInteger(weight) && weight > 0 && weight <= 100;
  if (!Array.isArray(arms) || arms.length < 2 || !arms.every(fits)) {
    throw new Refusal("design", { detail: "its arms cannot be read" });
  }
  return arms;
}

/** A version that can reveal more than another is agreed to by a sentence of its own. */
function demandConsent(arms, { items, versions, statements }) {
  const totals = versions.map((places) => totalRatio(places.map((i) => items[i].encoding.ratio)));
  const weaker = totals.map((ratio) => totals.some((other) => exceeds(ratio, other)));
  const agreed = arms.map(({ consent }) => consent !== undefined && statements.length > 0);
  if (weaker.some((less, place) => less && !agreed[place])) {
    throw new Refusal("design", { detail: "a version that protects less has no consent of its own" });
  }
}

const total = (arms) => arms.reduce((sum, { weight }) => sum + weight, 0);

/** Of as many tickets as all weights, each arm has its weight in a row. */
function placeOf(ticket, arms) {
  let left = ticket;
  return arms.findIndex(({ weight }) => (left -= weight) < 0);
}

offer("arms", Arms);
