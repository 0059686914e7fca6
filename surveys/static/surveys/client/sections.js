import { part } from "./elements.js";

/**
 * The sections of the survey, one on the screen at a time, and how far the answers have come. A survey without sections
 * has one section, which is the whole of it.
 *
 * What is shown is decided here and asked of nobody: Next and Back make no request.
 */

/** A survey of more questions than these says how far it has come. */
const FEW = 5;

const PARTS = ["previous-button", "next-button", "review-button", "answered-said", "answered-bar"];

export class Sections {
  #root;
  #sentences;
  #parts;
  /** @type {{element: HTMLElement, members: number[]}[]} */
  #sections;
  #now = 0;
  #shown = [];
  #done = 0;
  #reviewed = false;
  /** Whether something comes before the first section, to which Back leads. */
  #entered;

  /**
   * @param {HTMLElement} root
   * @param {import("./design.js").Design} design
   * @param {import("./sentences.js").Sentences} sentences
   */
  constructor(root, { items, sections, entered }, sentences) {
    this.#root = root;
    this.#entered = entered;
    this.#sentences = sentences;
    const elements = [...root.querySelectorAll("[data-part=section]")];
    this.#sections = elements.map((element, place) => ({
      element,
      members: [...items.keys()].filter((i) => sections.length === 0 || items[i].section === sections[place].key),
    }));
    this.#parts = Object.fromEntries(PARTS.map((name) => [name, part(root, name)]));
    part(root, "answered").hidden = elements.length === 1 && items.length <= FEW;
  }

  /** @returns {readonly number[]}  the places of the questions that are on the screen now, also of those not asked */
  get members() {
    return this.#sections[this.#now].members;
  }

  /** @returns {boolean}  whether an earlier section has something to ask */
  get later() {
    return this.#neighbour(-1) !== undefined;
  }

  /** A new visit: the first section, and Review only at the end. */
  begin() {
    this.#reviewed = false;
    this.#show(0);
  }

  /** From the first review on it can be had from every section. */
  review() {
    this.#reviewed = true;
    this.#showDoors();
  }

  /**
   * @param {readonly boolean[]} shown  for each question
   * @param {number} done  how many of those that are asked have an answer
   */
  update(shown, done) {
    this.#shown = shown;
    this.#done = done;
    this.#showDoors();
    this.#showProgress();
  }

  /** Show the section with this question. */
  open(index) {
    this.#show(this.#sections.findIndex(({ members }) => members.includes(index)));
  }

  /**
   * @param {1 | -1} step  to the next section in which something is asked, or to the one before
   * @returns {boolean}  whether there is one
   */
  go(step) {
    const place = this.#neighbour(step);
    if (place === undefined) {
      return false;
    }
    this.#show(place);
    const title = this.#sections[this.#now].element.querySelector("[data-part=section-title]");
    title.focus();
    return true;
  }

  #show(place) {
    this.#now = place;
    this.#sections.forEach(({ element }, i) => {
      element.hidden = i !== place;
    });
    this.#root.dataset.section = place === 0 ? "first" : "later";
    this.#showDoors();
    this.#showProgress();
  }

  #neighbour(step) {
    const places = this.#filled();
    return step === 1 ? places.find((place) => place > this.#now) : places.findLast((place) => place < this.#now);
  }

  /** Sections in which something is asked. */
  #filled() {
    return [...this.#sections.keys()].filter((i) => this.#sections[i].members.some((member) => this.#shown[member]));
  }

  #showDoors() {
    const last = this.#neighbour(1) === undefined;
    this.#parts["previous-button"].hidden = this.#neighbour(-1) === undefined && !this.#entered;
    this.#parts["next-button"].hidden = last;
    this.#parts["review-button"].hidden = !last && !this.#reviewed;
  }

  #showProgress() {
    const done = this.#done;
    const shown = this.#shown.filter(Boolean).length;
    const filled = this.#filled();
    const values = { done, asked: shown, section: filled.indexOf(this.#now) + 1, sections: filled.length };
    const key = this.#sections.length === 1 ? "progress" : "progress-sections";
    this.#parts["answered-said"].textContent = this.#sentences.say(key, values);
    Object.assign(this.#parts["answered-bar"], { max: shown, value: done });
  }
}
