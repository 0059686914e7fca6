import { Field, arrange, labelOf } from "./field.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/**
 * One of some choices: native radio inputs that exclude each other although they have no name.
 *
 * A name would let a browser submit, store or refill the answer. What a name gives for free - one choice at a time, one
 * stop for the Tab key, arrow keys - is done here, so that keyboard and screen reader meet an ordinary radio group. Only
 * the input that has the focus has a name, the same word for each.
 */
export class Choices extends Field {
  #inputs;
  /** The same inputs in the order of the screen. */
  #shown;

  /**
   * @param {HTMLFieldSetElement} element
   * @param {() => void} [changed]
   */
  constructor(element, changed = () => {}) {
    super(element, changed);
    this.#inputs = this.nameless([...element.querySelectorAll("input[type=radio]")]);
    this.demand(this.#inputs.length >= 2);
    this.#place(this.#inputs);
    element.addEventListener("change", (event) => this.#choose(event.target));
    element.addEventListener("keydown", (event) => this.#handleKey(event));
    element.addEventListener("focusin", ({ target }) => this.#standApart(target));
    element.addEventListener("focusout", ({ target }) => target.removeAttribute("name"));
    this.clear();
  }

  /** @returns {number | null}  index of the choice in the design, null where there is none */
  get answer() {
    const index = this.#inputs.findIndex((input) => input.checked);
    return index === -1 ? null : index;
  }

  get blank() {
    return this.answer === null;
  }

  get count() {
    return this.#inputs.length;
  }

  get labels() {
    return this.#inputs.map(labelOf);
  }

  /** @returns {string}  the words of one choice */
  label(index) {
    return labelOf(this.#inputs[index]);
  }

  /** Choose for the person, who sees it and can choose another. */
  choose(index) {
    this.#choose(this.#inputs[index]);
  }

  /** Choose for the person, who sees it and cannot change it. */
  fix(index) {
    this.#choose(this.#inputs[index]);
    this.#inputs.forEach((input) => {
      input.closest("label").hidden = !input.checked;
      input.disabled = true;
    });
    this.fixed = true;
  }

  clear() {
    this.fixed = false;
    for (const input of this.#inputs) {
      input.checked = false;
      input.defaultChecked = false;
      input.disabled = false;
      input.closest("label").hidden = false;
    }
    this.#moveTabStop(this.#shown[0]);
    this.showError("");
  }

  showError(message) {
    super.showError(message);
    this.element.setAttribute("aria-invalid", String(message !== ""));
  }

  focus() {
    (this.#inputs.find((input) => input.checked) ?? this.#shown[0]).focus();
  }

  arrange(order) {
    arrange(this.#inputs, order);
    const rest = this.#inputs.filter((_, index) => !order.includes(index));
    this.#place([...order.map((index) => this.#inputs[index]), ...rest]);
    this.#moveTabStop(this.#shown[0]);
  }

  #place(shown) {
    this.#shown = shown;
    shown.forEach((input, i) => {
      input.setAttribute("aria-posinset", i + 1);
      input.setAttribute("aria-setsize", shown.length);
    });
  }

  #handleKey(event) {
    const step = STEPS[event.key] ?? this.#sideways(event.key);
    const from = this.#shown.indexOf(event.target);
    if (step === undefined || from === -1 || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    const to = this.#shown[(from + step + this.#shown.length) % this.#shown.length];
    to.focus();
    this.#choose(to);
  }

  #sideways(key) {
    const forward = getComputedStyle(this.element).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    return { ArrowRight: -1, ArrowLeft: -1, [forward]: 1 }[key];
  }

  #choose(chosen) {
    if (!this.#inputs.includes(chosen)) {
      return;
    }
    this.#inputs.forEach((input) => {
      input.checked = input === chosen;
    });
    this.#moveTabStop(chosen);
    this.showError("");
    this.changed();
  }

  /** WebKit lets the Tab key pass every radio input of the focused one's name: without this, all questions but one. */
  #standApart(input) {
    if (this.#inputs.includes(input)) {
      input.name = "focused";
    }
  }

  #moveTabStop(stop) {
    this.#inputs.forEach((input) => {
      input.tabIndex = input === stop ? 0 : -1;
    });
  }
}
