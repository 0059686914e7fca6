import { part } from "./elements.js";
import { offer } from "./extras.js";
import { drawTicket } from "./random.js";
import { Refusal } from "./refusal.js";

/**
 * The versions of the page, of which one is drawn as the page begins. Nothing else of the page depends on chance before
 * an answer, and every version sends through the same tickets. It is drawn once for as long as the page is open, and
 * anew when it is loaded again: nothing that could tell it is kept on the device.
 */
class Arms {
  #root;
  #arms;
  /** @type {number | null}  the place of the arm that was drawn */
  #drawn = null;

  /**
   * @param {HTMLElement} root  the `html` element of the page
   * @param {readonly {explanation: "before" | "after", weight: number}[]} arms
   */
  constructor(root, arms) {
    this.#root = root;
    this.#arms = checked(arms);
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
    this.#drawn = placeOf(drawTicket(source, total(this.#arms)), this.#arms);
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

const total = (arms) => arms.reduce((sum, { weight }) => sum + weight, 0);

/** Of as many tickets as all weights, each arm has its weight in a row. */
function placeOf(ticket, arms) {
  let left = ticket;
  return arms.findIndex(({ weight }) => (left -= weight) < 0);
}

offer("arms", Arms);
