import { offer } from "./extras.js";
import { Field } from "./field.js";
import { placeOf, pointAt } from "./grid.js";

/** Where the digits of other scripts begin: Arabic-Indic, and those of Persian and Urdu. */
const ZEROS = [0x0660, 0x06f0];

const MARKS = /[\s\u200e\u200f\u061c]/g;

const NUMBER = /^-?[0-9]{1,9}(\.[0-9]{1,6})?$/;

/**
 * A number, written as people write it: with a decimal comma or a point, with Arabic digits.
 *
 * A separator before exactly three digits could be one of thousands, so it is only read where the question has so many
 * decimal places.
 *
 * @param {string} text
 * @param {number} digits  decimal places of the question's numbers
 * @returns {number | null}  null where it is no number
 */
export function readNumber(text, digits) {
  const plain = westernDigits(text).replace(MARKS, "").replace("\u2212", "-").replace(/[,\u066b]/, ".");
  const decimals = plain.split(".")[1]?.length ?? 0;
  return NUMBER.test(plain) && (decimals !== 3 || digits >= 3) ? Number(plain) : null;
}

/**
 * A number from a grid: a native text input. One of type `number` would change under a mouse wheel, and would read commas
 * as the browser's language has it, not the page's.
 */
export class NumberField extends Field {
  #input;
  #grid;

  /**
   * @param {HTMLElement} element
   * @param {import("./grid.js").Grid} grid
   * @param {() => void} changed
   */
  constructor(element, grid, changed) {
    super(element, changed);
    const inputs = this.nameless([...element.querySelectorAll("input[type=text]")]);
    this.demand(inputs.length === 1);
    [this.#input] = inputs;
    this.#grid = grid;
    element.addEventListener("input", () => this.#write());
    this.clear();
  }

  /** @returns {number | null}  place on the grid; null where there is none */
  get answer() {
    const number = this.#number();
    return number === null ? null : placeOf(this.#grid, number);
  }

  get blank() {
    return this.#input.value.trim() === "";
  }

  get fault() {
    const number = this.#number();
    const faults = [
      ["number-unread", number === null],
      ["number-low", number < pointAt(this.#grid, 0)],
      ["number-high", number > pointAt(this.#grid, this.#grid.count - 1)],
      ["number-between", this.answer === null],
    ];
    const found = this.blank ? undefined : faults.find(([, holds]) => holds);
    return found === undefined ? null : { key: found[0], values: { value: this.#input.value.trim() } };
  }

  /** The field is made anew: for as long as one lives, Undo brings back what was written in it. */
  clear() {
    this.#input.value = "";
    this.#input.defaultValue = "";
    const fresh = this.#input.cloneNode();
    this.#input.replaceWith(fresh);
    this.#input = fresh;
    this.showError("");
  }

  showError(message) {
    super.showError(message);
    this.#input.setAttribute("aria-invalid", String(message !== ""));
  }

  focus() {
    this.#input.focus();
  }

  #number() {
    return readNumber(this.#input.value, this.#grid.digits);
  }

  #write() {
    this.showError("");
    this.changed();
  }
}

function westernDigits(text) {
  return [...text].map((character) => {
    const zero = ZEROS.find((first) => character.codePointAt(0) >= first && character.codePointAt(0) < first + 10);
    return zero === undefined ? character : String(character.codePointAt(0) - zero);
  }).join("");
}

offer("number", NumberField);
