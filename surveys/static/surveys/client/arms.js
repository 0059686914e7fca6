import { exceeds, totalRatio } from "./channel.js";
import { part } from "./elements.js";
import { offer } from "./extras.js";
import { drawTicket } from "./random.js";
import { Refusal } from "./refusal.js";

const OWN_COIN = "own_coin";

/**
 * The versions of the page, of which one is drawn as the page begins. Nothing else of the page depends on chance before
 * an answer. Tickets are drawn for the questions of all versions, and a response has one shape whatever was asked. A
 * version is drawn once for as long as the page is open, and anew when it is loaded again: nothing that could tell it is
 * kept on the device.
 */
class Arms {
  #root;
  #arms;
  #design;
  /** @type {number | null}  the place of the arm that was drawn */
  #drawn = null;

  /**
   * @param {HTMLElement} root  the `html` element of the page
   * @param {import("./design.js").Design} design
   */
  constructor(root, design) {
    this.#root = root;
    this.#arms = checked(design.background.questions[0].arms);
    this.#design = design;
    demandConsent(this.#arms, design);
    demandMarks(this.#arms, design);
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

  /** @returns {boolean}  whether people toss a coin of their own in the version that was drawn */
  get ownCoin() {
    return this.#arms[this.place].explanation === OWN_COIN;
  }

  /**
   * What was marked by a coin is what is sent. No mark is no symbol.
   *
   * @param {readonly import("./encoding.js").Answer[]} answers  one per item
   * @returns {Readonly<Record<number, number[]>>}  symbols by the places of the items; none where tickets are drawn
   */
  marks(answers) {
    const { items, versions } = this.#design;
    return Object.fromEntries((this.ownCoin ? versions[this.place] : []).map((i) => {
      if (!Number.isInteger(answers[i]) || !items[i].encoding.makes([answers[i]])) {
        throw new TypeError("there is no mark to make a report of");
      }
      return [i, [answers[i]]];
    }));
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
      this.#explainLater();
    } else if (explanation === OWN_COIN) {
      this.#describeTosses();
    }
  }

  /** A response of an earlier visit is on its way, and which version that saw is not kept: it is explained once more. */
  resume() {
    if (this.#arms.some(({ explanation }) => explanation === "after")) {
      this.#explainLater();
    }
  }

  /** What to toss stands with each question, and is said with each choice to those who go from choice to choice. */
  #describeTosses() {
    const questions = this.#root.querySelectorAll("[data-part=question]");
    for (const question of this.#design.versions[this.#drawn].map((i) => questions[i])) {
      const { id } = part(question, "toss");
      question.querySelectorAll("input").forEach((input) => input.setAttribute("aria-describedby", id));
    }
  }

  /** The explanation stands where a response has arrived. */
  #explainLater() {
    const explanation = part(this.#root, "promise");
    delete explanation.dataset.armOnly;
    part(this.#root, "explained-later").append(explanation);
  }
}

function checked(arms) {
  const fits = ({ explanation, weight }) => ["before", "after", OWN_COIN].includes(explanation) && Number.isInteger(weight) && weight > 0 && weight <= 100;
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

/** What is marked by a coin is sent as it is marked: one mark of a few, by everybody. */
function demandMarks(arms, { items, versions }) {
  const asked = arms.flatMap(({ explanation }, place) => (explanation === OWN_COIN ? versions[place] : []));
  if (!asked.every((i) => items[i].encoding.name === "single" && items[i].grid === null && items[i].askedIf === null)) {
    throw new Refusal("design", { detail: "a version with a coin asks what is not answered with one mark" });
  }
}

const total = (arms) => arms.reduce((sum, { weight }) => sum + weight, 0);

/** Of as many tickets as all weights, each arm has its weight in a row. */
function placeOf(ticket, arms) {
  let left = ticket;
  return arms.findIndex(({ weight }) => (left -= weight) < 0);
}

offer("arms", Arms);
