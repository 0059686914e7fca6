import { element } from "./parts.js";

/**
 * The list of answers before Send. It exists only while it is looked at; going back, sending and leaving empty it.
 *
 * @typedef {import("./choices.js").Choices} Choices
 * @typedef {import("./sentences.js").Sentences} Sentences
 */
export class Review {
  #place;
  #sentences;
  #change;

  /**
   * @param {HTMLElement} place  the list
   * @param {Sentences} sentences
   * @param {(question: Choices) => void} change  called where an answer is to be changed
   */
  constructor(place, sentences, change) {
    this.#place = place;
    this.#sentences = sentences;
    this.#change = change;
  }

  /**
   * @param {readonly Choices[]} questions  all answered
   * @param {Choices | null} group  the strata question, which is sent as it is
   */
  show(questions, group) {
    const rows = group === null ? [] : [this.#row(group, "review-plain")];
    this.#place.replaceChildren(...rows, ...questions.map((question) => this.#row(question, "review-ticket")));
  }

  clear() {
    this.#place.replaceChildren();
  }

  #row(question, note) {
    const row = element("li", "", note === "review-plain" ? "answer-plain" : "");
    const button = element("button", this.#sentences.say("change"), "button-quiet");
    button.type = "button";
    button.setAttribute("aria-label", this.#sentences.say("change-named", { wording: question.wording }));
    button.addEventListener("click", () => this.#change(question));
    row.append(
      element("p", question.wording, "answer-wording"),
      element("p", question.label(question.answer), "answer-choice"),
      element("p", this.#sentences.say(note), "answer-note"),
      button,
    );
    return row;
  }
}
