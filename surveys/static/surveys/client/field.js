import { Refusal } from "./refusal.js";

/**
 * What every question of the page has, whatever is answered in it. Its kinds are `Choices`, `MultipleChoice` and `NumberField`;
 * the rest of the page knows no more of them than this:
 *
 * @typedef {object} Question
 * @property {HTMLElement} element
 * @property {string} wording
 * @property {readonly string[]} labels  the words of its choices, in the order of the design
 * @property {import("./encoding.js").Answer | null} answer  as it is sent; null where there is none
 * @property {boolean} blank  whether nothing at all was answered
 * @property {{key: string, values: Record<string, string | number>} | null} fault  a sentence on an answer that cannot be sent
 * @property {() => void} clear  forget the answer, also one that a browser may have filled in again
 * @property {(message: string) => void} showError  empty: no error
 * @property {() => void} focus
 * @property {boolean} [fixed]  whether it was answered for the person, who cannot change it
 * @property {(order: readonly number[]) => void} [arrange]  show these choices first, in this order
 */
export class Field {
  #error;

  /**
   * @param {HTMLElement} element
   * @param {() => void} changed  called after every change of the answer
   */
  constructor(element, changed) {
    this.element = element;
    this.changed = changed;
    this.#error = element.querySelector("[data-part=error]");
    this.demand(this.#error !== null);
  }

  /** All that is asked: of a row of a matrix the heading above it, then its own words. */
  get wording() {
    const heading = this.element.closest("[data-part=matrix]")?.querySelector("[data-part=matrix-heading]");
    const own = plainText(this.element.querySelector("[data-part=wording]"));
    return heading ? `${plainText(heading)} – ${own}` : own;
  }

  get labels() {
    return [];
  }

  get fault() {
    return null;
  }

  showError(message) {
    this.#error.textContent = message;
    this.#error.hidden = message === "";
    this.element.toggleAttribute("data-invalid", message !== "");
  }

  /** A page without the inputs that this question needs is not the page that this script belongs to. */
  demand(holds) {
    if (!holds) {
      throw new Refusal("page", { detail: `question "${this.element.id}" is incomplete` });
    }
  }

  /** Inputs without a name and without an id: a browser has nothing under which it could submit, store or refill them. */
  nameless(inputs) {
    this.demand(inputs.every((input) => input.name === "" && input.id === ""));
    return inputs;
  }
}

/** @returns {string}  the words of a choice */
export function labelOf(input) {
  return plainText(input.closest("label"));
}

/**
 * Put choices first on the screen, in another order; their place in the design stays what it was.
 *
 * @param {readonly HTMLInputElement[]} inputs  in the order of the design
 * @param {readonly number[]} order  those that come first
 */
export function arrange(inputs, order) {
  const labels = order.map((index) => inputs[index].closest("label"));
  labels[0].parentElement.prepend(...labels);
}

/** @returns {string}  what an element says, on one line */
export function plainText(element) {
  return element.textContent.trim().replace(/\s+/g, " ");
}
