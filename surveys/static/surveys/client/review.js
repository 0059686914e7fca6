import { element } from "./elements.js";
import { answerInWords } from "./wording.js";

/**
 * The list of answers before Send. It exists only while it is looked at; going back, sending and leaving empty it.
 *
 * @typedef {import("./field.js").Question} Question
 * @typedef {import("./design.js").Item} Item
 * @typedef {import("./sentences.js").Sentences} Sentences
 */
export class Review {
  #place;
  #sentences;
  #change;

  /**
   * @param {HTMLElement} place  the list
   * @param {Sentences} sentences
   * @param {(question: Question) => void} change  called where an answer is to be changed
   */
  constructor(place, sentences, change) {
    this.#place = place;
    this.#sentences = sentences;
    this.#change = change;
  }

  /**
   * @param {readonly {question: Question, item: Item | null}[]} shown  the group, which is sent as it is, has no item
   * @param {number} unasked  how many questions were not asked
   */
  show(shown, unasked) {
    const rows = shown.map(({ question, item }) => this.#row(question, item));
    if (unasked > 0) {
      rows.push(element("li", this.#sentences.say("review-unasked", { count: unasked }), "answers-unasked"));
    }
    this.#place.replaceChildren(...rows);
  }

  clear() {
    this.#place.replaceChildren();
  }

  #row(question, item) {
    const row = element("li", "", item === null ? "answer-plain" : "");
    const button = element("button", this.#sentences.say("change"), "button-quiet");
    button.type = "button";
    button.setAttribute("aria-label", this.#sentences.say("change-named", { wording: question.wording }));
    button.addEventListener("click", () => this.#change(question));
    row.append(
      element("p", question.wording, "answer-wording"),
      element("p", this.#answer(question, item), "answer-choice"),
      element("p", this.#sentences.say(item === null ? "review-plain" : "review-ticket"), "answer-note"),
    );
    if (question.fixed !== true) {
      row.append(button);
    }
    return row;
  }

  #answer(question, item) {
    return item === null ? question.labels[question.answer] : answerInWords(item, question.answer, this.#sentences);
  }
}
