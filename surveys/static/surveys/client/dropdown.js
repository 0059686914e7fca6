import { offer } from "./extras.js";
import { Field, plainText } from "./field.js";

/**
 * One of many choices: a native list that unfolds, with what the browser gives it for free: typing finds a choice, a
 * phone shows its own list. It has neither name nor id, and its choices have no values: nothing could submit or refill it.
 */
export class Dropdown extends Field {
  #list;
  #choices;

  /**
   * @param {HTMLElement} element
   * @param {() => void} changed
   */
  constructor(element, changed) {
    super(element, changed);
    const lists = this.nameless([...element.querySelectorAll("select")]);
    this.demand(lists.length === 1);
    [this.#list] = lists;
    this.#choices = [...this.#list.options].slice(1);
    this.demand(this.#choices.length >= 2);
    this.#list.addEventListener("change", () => this.#choose());
    this.clear();
  }

  /** @returns {number | null}  index of the choice in the design, null where there is none */
  get answer() {
    const index = this.#choices.findIndex((choice) => choice.selected);
    return index === -1 ? null : index;
  }

  get blank() {
    return this.answer === null;
  }

  get labels() {
    return this.#choices.map(plainText);
  }

  clear() {
    for (const choice of this.#list.options) {
      choice.defaultSelected = false;
    }
    this.#list.selectedIndex = 0;
    this.showError("");
  }

  showError(message) {
    super.showError(message);
    this.#list.setAttribute("aria-invalid", String(message !== ""));
  }

  focus() {
    this.#list.focus();
  }

  /** "Prefer not to say" is not in the order: it stays last. */
  arrange(order) {
    this.#list.options[0].after(...order.map((index) => this.#choices[index]));
  }

  #choose() {
    this.showError("");
    this.changed();
  }
}

offer("dropdown", Dropdown);
