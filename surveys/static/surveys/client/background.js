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
  /** The names of all answers to each question, also to the one that the browser answers. */
  #labels;
  #wording;
  /** @type {object | null}  where the browser draws a version of the page (arms.js), as the first answer */
  #arms;

  /**
   * @param {HTMLElement} root
   * @param {import("./design.js").Design} design
   * @param {import("./sentences.js").Sentences} sentences
   * @param {() => void} changed  called after every change of an answer
   */
  constructor(root, design, sentences, changed) {
    const { background } = design;
    this.#cells = readCells(background);
    this.#sentences = sentences;
    const { arms, wording } = background.questions[0];
    this.#labels = background.questions.map(({ choices }) => choices.map((choice) => plain(choice[root.lang])));
    this.#wording = plain(wording[root.lang]);
    this.#arms = arms === undefined ? null : new (extra("arms"))(root, design);
    const asked = background.questions.slice(this.#arms === null ? 0 : 1);
    const elements = [...root.querySelectorAll("[data-part=background]")];
    demandSame(elements.length, asked.length, "background questions");
    this.questions = asked.map(({ wording, choices }, i) => {
      const list = elements[i].querySelector("select") !== null;
      const question = list ? new (extra("dropdown"))(elements[i], changed) : new Choices(elements[i], changed);
      demandSame(question.wording, plain(wording[root.lang]), "a background question's wording");
      demandTexts(question.labels, choices, root.lang, ["choices", "a choice's label"]);
      return question;
    });
  }

  /** @param {import("./random.js").WordSource} source  that the version of the page is drawn from */
  begin(source) {
    this.#arms?.begin(source);
  }

  /** @returns {number}  the place of the version of the page */
  get version() {
    return this.#arms?.place ?? 0;
  }

  /** @returns {boolean}  whether people toss a coin of their own in this version */
  get ownCoin() {
    return this.#arms?.ownCoin ?? false;
  }

  /** @returns {string | undefined}  what the review says of answers, instead of their tickets */
  get note() {
    return this.ownCoin ? this.#sentences.say("review-coin") : undefined;
  }

  /** @returns {Readonly<Record<number, number[]>>}  the symbols of items that a coin has decided, by their places */
  marks(answers) {
    return this.#arms?.marks(answers) ?? {};
  }

  /** A response of an earlier visit is on its way. */
  resume() {
    this.#arms?.resume();
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
    const shown = this.#labels.map((labels, i) => {
      const taken = answers[i];
      const key = taken.length === labels.length ? "background-dropped" : taken.length === 1 ? "background-kept" : "background-pooled";
      const note = this.#sentences.say(key, { answers: this.#words(i, taken) });
      return { item: null, answer: labels[this.#answers()[i]], note };
    });
    const drawn = this.#arms === null ? [] : [{ ...shown.shift(), question: { wording: this.#wording, fixed: true }, note: this.#sentences.say("background-drawn") }];
    return [...drawn, ...this.questions.map((question, i) => ({ ...shown[i], question }))];
  }

  /** @returns {string}  what was sent, by the key of its cell */
  line(key) {
    const { answers } = this.#cells.find((cell) => cell.key === key);
    const told = answers.flatMap((taken, i) => (taken.length === this.#labels[i].length ? [] : [this.#words(i, taken)]));
    return told.length === 0 ? this.#sentences.say("background-none") : this.#sentences.say("background-line", { answers: told.join(" · ") });
  }

  /** Who leaves a question out is counted with those who prefer not to say. */
  #answers() {
    const given = this.questions.map(({ answer, labels }) => answer ?? labels.length - 1);
    return this.#arms === null ? given : [this.#arms.place, ...given];
  }

  #cell() {
    const given = this.#answers();
    return this.#cells.find(({ answers }) => answers.every((taken, i) => taken.includes(given[i])));
  }

  #words(place, taken) {
    return taken.map((answer) => this.#labels[place][answer]).join(" / ");
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
