import { offer } from "./extras.js";
import { Field, arrange, labelOf } from "./field.js";

/**
 * Any of some options: native checkboxes without names.
 *
 * "None of these" is a box of the page, not an option of the design: with it a question where nothing applies can be told
 * from one that was passed over. It excludes the options, and so does "prefer not to say".
 */
export class MultipleChoice extends Field {
  #options;
  #none;
  /** @type {Set<HTMLInputElement>}  each of these stands alone */
  #alone;
  #most;

  /**
   * @param {HTMLFieldSetElement} element
   * @param {{preferNot: number | null, most: number}} item
   * @param {() => void} changed
   */
  constructor(element, { preferNot, most }, changed) {
    super(element, changed);
    const boxes = this.nameless([...element.querySelectorAll("input[type=checkbox]")]);
    this.#none = boxes.find((box) => box.closest("[data-part=none]") !== null);
    this.#options = boxes.filter((box) => box !== this.#none);
    this.demand(this.#none !== undefined && this.#options.length >= 2);
    this.#alone = new Set(preferNot === null ? [this.#none] : [this.#none, this.#options[preferNot]]);
    this.#most = most;
    element.addEventListener("change", (event) => this.#tick(event.target));
    this.clear();
  }

  /** @returns {number[] | null}  a 0 or 1 for each option; null where not even "none of these" is ticked */
  get answer() {
    return this.blank ? null : this.#options.map((option) => Number(option.checked));
  }

  get blank() {
    return !this.#none.checked && !this.#options.some((option) => option.checked);
  }

  get fault() {
    const count = this.#options.filter((option) => option.checked).length;
    return count > this.#most ? { key: "too-many", values: { count, most: this.#most } } : null;
  }

  get labels() {
    return this.#options.map(labelOf);
  }

  clear() {
    for (const box of [...this.#options, this.#none]) {
      box.checked = false;
      box.defaultChecked = false;
    }
    this.showError("");
  }

  focus() {
    this.element.querySelector("input").focus();
  }

  arrange(order) {
    arrange(this.#options, order);
  }

  #tick(box) {
    if (box.checked) {
      const others = this.#alone.has(box) ? [...this.#options, this.#none] : [...this.#alone];
      others.filter((other) => other !== box).forEach((other) => {
        other.checked = false;
      });
    }
    this.showError("");
    this.changed();
  }
}

offer("multiple", MultipleChoice);
