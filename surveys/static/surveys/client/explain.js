import { Boxes } from "./boxes.js";
import { element, part } from "./elements.js";
import { Phrases } from "./phrases.js";
import { fillTotal } from "./total.js";

/**
 * What the tickets do, said and drawn from the live tables.
 */

/** Fills the explaining parts of the page from its design. */
export class Explanation {
  #items;
  #sentences;
  #phrases;
  #boxes;

  constructor(design, sentences) {
    this.#items = design.items;
    this.#sentences = sentences;
    this.#phrases = new Phrases(sentences);
    this.#boxes = new Boxes(this.#phrases, sentences.numbers);
  }

  /**
   * The tickets above the first question, the odds below them, what all questions add up to; and the odds of each
   * question when its fold is opened (thirty questions have six thousand small figures).
   */
  fill(root, questions) {
    const [first] = this.#items;
    part(root, "tickets-said").textContent = this.#phrases.opening(this.#items);
    part(root, "tickets-drawn").replaceChildren(...this.#boxes.brief(first));
    part(root, "leaves").textContent = this.say("leaves", first);
    this.fillOdds(part(root, "odds"), first);
    fillTotal(root, this.#items, this.#sentences, this.#phrases);
    questions.forEach((question, i) => {
      const place = part(question.element, "question-odds");
      const fill = () => this.#fillQuestion(place, this.#items[i]);
      place.closest("details").addEventListener("toggle", fill, { once: true });
    });
  }

  /** A sentence on one question, with its numbers. */
  say(key, item) {
    return this.#phrases.say(key, item);
  }

  /** The odds of one question: sentences and two pictures of a hundred people. */
  fillOdds(place, item) {
    const lines = this.#phrases.odds(item).map((line) => element("p", line));
    place.replaceChildren(...lines, this.#boxes.people(item));
  }

  /** The tickets of one question, in words and as pictures, and its odds. */
  #fillQuestion(place, item) {
    const odds = element("div");
    this.fillOdds(odds, item);
    place.replaceChildren(element("p", this.say("tickets", item)), ...this.#boxes.full(item), odds);
  }
}
