import { Refusal } from "./refusal.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/**
 * One question: native radio inputs that exclude each other although they have no name.
 *
 * A name would let a browser submit, store or refill the answer. What a name gives for free - one choice at a time, one
 * stop for the Tab key, arrow keys - is done here, so that keyboard and screen reader meet an ordinary radio group.
 */
export class Choices {
  #inputs;
  #error;
  #changed;

  /**
   * @param {HTMLFieldSetElement} element
   * @param {() => void} changed  called after every choice
   */
  constructor(element, changed = () => {}) {
    this.element = element;
    this.#inputs = [...element.querySelectorAll("input[type=radio]")];
    this.#error = element.querySelector("[data-part=error]");
    this.#changed = changed;
    if (this.#inputs.length < 2 || this.#error === null || this.#inputs.some((input) => input.name !== "")) {
      throw new Refusal("page", { detail: `question "${element.id}" is incomplete` });
    }
    this.#inputs.forEach((input, i) => {
      input.setAttribute("aria-posinset", i + 1);
      input.setAttribute("aria-setsize", this.count);
    });
    element.addEventListener("change", (event) => this.#handleChange(event));
    element.addEventListener("keydown", (event) => this.#handleKey(event));
    this.clear();
  }

  /** @returns {number | null}  index of the choice, null where there is none */
  get answer() {
    const index = this.#inputs.findIndex((input) => input.checked);
    return index === -1 ? null : index;
  }

  get count() {
    return this.#inputs.length;
  }

  get wording() {
    return plainText(this.element.querySelector("[data-part=wording]"));
  }

  /** @returns {string}  the words of one choice */
  label(index) {
    return plainText(this.#inputs[index].closest("label"));
  }

  /** Forget the answer, also the one that a browser may have filled in again. */
  clear() {
    for (const input of this.#inputs) {
      input.checked = false;
      input.defaultChecked = false;
    }
    this.#moveTabStop(0);
    this.showError("");
  }

  /** @param {string} message  empty: no error */
  showError(message) {
    this.#error.textContent = message;
    this.#error.hidden = message === "";
    this.element.toggleAttribute("data-invalid", message !== "");
    this.element.setAttribute("aria-invalid", String(message !== ""));
  }

  focus() {
    (this.#inputs.find((input) => input.checked) ?? this.#inputs[0]).focus();
  }

  #handleChange(event) {
    this.#choose(this.#inputs.indexOf(event.target));
  }

  #handleKey(event) {
    const step = STEPS[event.key] ?? this.#sideways(event.key);
    const from = this.#inputs.indexOf(event.target);
    if (step === undefined || from === -1 || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    const to = (from + step + this.#inputs.length) % this.#inputs.length;
    this.#inputs[to].focus();
    this.#choose(to);
  }

  #sideways(key) {
    const forward = getComputedStyle(this.element).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    return { ArrowRight: -1, ArrowLeft: -1, [forward]: 1 }[key];
  }

  #choose(index) {
    if (index === -1) {
      return;
    }
    this.#inputs.forEach((input, i) => {
      input.checked = i === index;
    });
    this.#moveTabStop(index);
    this.showError("");
    this.#changed();
  }

  #moveTabStop(index) {
    this.#inputs.forEach((input, i) => {
      input.tabIndex = i === index ? 0 : -1;
    });
  }
}

function plainText(element) {
  return element.textContent.trim().replace(/\s+/g, " ");
}
