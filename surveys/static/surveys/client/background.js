import { Choices } from "./choices.js";
import { extra, offer } from "./extras.js";
import { Refusal } from "./refusal.js";
import { demandSame, demandTexts, plain } from "./shown.js";

/**
 * The background questions: asked openly, and sent as one cell of the design. Where few people are expected with some
 * answers, the cell takes several answers at once, so that nothing finer ever leaves this page.
 */
class Background {
  #cells;
  #sentences;

  /**
   * @param {HTMLElement} root
   * @param {import("./design.js").Design} design
   * @param {import("./sentences.js").Sentences} sentences
   * @param {() => void} changed  called after every change of an answer
   */
  constructor(root, { background }, sentences, changed) {
    this.#cells = readCells(background);
    this.#sentences = sentences;
    const elements = [...root.querySelectorAll("[data-part=background]")];
    demandSame(elements.length, background.questions.length, "background questions");
    this.questions = background.questions.map(({ wording, choices }, i) => {
      const list = elements[i].querySelector("select") !== null;
      const question = list ? new (extra("dropdown"))(elements[i], changed) : new Choices(elements[i], changed);
      demandSame(question.wording, plain(wording[root.lang]), "a background question's wording");
      demandTexts(question.labels, choices, root.lang, ["choices", "a choice's label"]);
      return question;
    });
  }

  /** @returns {string[]}  every key that a report may name */
  get keys() {
    return this.#cells.map(({ key }) => key);
  }

  /** @returns {string}  key of the cell of all answers together, which is sent as it is */
  get stratum() {
    return this.#cell().key;
  }

  /** @returns {{question: import("./field.js").Question, item: null, answer: string, note: string}[]}  for the review */
  get shown() {
    const { answers } = this.#cell();
    return this.questions.map((question, i) => {
      const { labels } = question;
      const taken = answers[i];
      const key = taken.length === labels.length ? "background-dropped" : taken.length === 1 ? "background-kept" : "background-pooled";
      const note = this.#sentences.say(key, { answers: this.#words(i, taken) });
      return { question, item: null, answer: labels[this.#answers()[i]], note };
    });
  }

  /** @returns {string}  what was sent, by the key of its cell */
  line(key) {
    const { answers } = this.#cells.find((cell) => cell.key === key);
    const told = answers.flatMap((taken, i) => (taken.length === this.questions[i].labels.length ? [] : [this.#words(i, taken)]));
    return told.length === 0 ? this.#sentences.say("background-none") : this.#sentences.say("background-line", { answers: told.join(" · ") });
  }

  /** Who leaves a question out is counted with those who prefer not to say. */
  #answers() {
    return this.questions.map(({ answer, labels }) => answer ?? labels.length - 1);
  }

  #cell() {
    const given = this.#answers();
    return this.#cells.find(({ answers }) => answers.every((taken, i) => taken.includes(given[i])));
  }

  #words(place, taken) {
    return taken.map((answer) => this.questions[place].labels[answer]).join(" / ");
  }
}

/**
 * A cell takes some answers to each question, null for all of them; its key is made of its place, all of one length.
 *
 * @returns {readonly {key: string, answers: readonly (readonly number[])[]}[]}
 */
export function readCells({ questions, cells }) {
  const demand = (holds) => {
    if (!holds) {
      throw new Refusal("design", { detail: "its background questions cannot be read" });
    }
  };
  demand(Array.isArray(questions) && Array.isArray(cells) && cells.length > 1 && cells.length < 10000);
  const all = questions.map(({ choices }) => [...choices.keys()]);
  const fits = (taken, place) => taken === null || (Array.isArray(taken) && taken.length > 0 && taken.every((answer) => all[place].includes(answer)));
  return cells.map((cell, number) => {
    demand(Array.isArray(cell) && cell.length === all.length && cell.every(fits));
    return { key: `c${String(number + 1).padStart(4, "0")}`, answers: cell.map((taken, place) => taken ?? all[place]) };
  });
}

offer("background", Background);
