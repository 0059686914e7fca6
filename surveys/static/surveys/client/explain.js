import { Boxes } from "./boxes.js";
import { totalRatio } from "./channel.js";
import { element, part } from "./elements.js";
import { epsilonUp, oddsUp } from "./figures.js";
import { Phrases } from "./phrases.js";

/**
 * What the tickets do, said and drawn from the live tables.
 */

/** A table with more rows is shown by its first and its last. */
const MOST_ROWS = 12;

/** Fills the explaining parts of the page from its design. */
export class Explanation {
  #asked;
  #items;
  #sentences;
  #phrases;
  #boxes;

  /** @param {Questionnaire["asked"]} asked  by this version of the page */
  constructor(asked, sentences) {
    this.#asked = asked;
    this.#items = asked.map(({ item }) => item);
    this.#sentences = sentences;
    this.#phrases = new Phrases(sentences);
    this.#boxes = new Boxes(this.#phrases, sentences.numbers);
  }

  /**
   * The tickets above the first question, the odds below them, what all questions add up to; and the odds of each
   * question when its fold is opened (thirty questions have six thousand small figures).
   */
  fill(root) {
    const [first] = this.#items;
    part(root, "tickets-said").textContent = this.#phrases.opening(this.#items);
    part(root, "tickets-drawn").replaceChildren(...this.#boxes.brief(first));
    part(root, "leaves").textContent = this.say("leaves", first);
    this.fillOdds(part(root, "odds"), first);
    fillTotal(root, this.#items, this.#sentences, this.#phrases);
    this.#asked.forEach(({ question, item }) => {
      const place = part(question.element, "question-odds");
      const fill = () => this.#fillQuestion(place, item);
      place.closest("details").addEventListener("toggle", fill, { once: true });
    });
    return this;
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

/**
 * What all questions together can reveal, as odds; and for experts, as epsilon and as the tables themselves.
 *
 * @param {HTMLElement} root
 * @param {readonly import("./design.js").Item[]} items
 * @param {import("./sentences.js").Sentences} sentences
 * @param {import("./phrases.js").Phrases} phrases
 */
function fillTotal(root, items, sentences, phrases) {
  const each = items.map(({ encoding }) => encoding.ratio);
  const total = totalRatio(each);
  const sums = {
    "sum-one": { odds: Math.max(...each.map(oddsUp)) },
    "sum-all": { count: items.length, odds: oddsUp(total) },
    experts: { epsilon: epsilonUp(total) },
  };
  Object.entries(sums).forEach(([key, values]) => {
    part(root, key).textContent = sentences.say(key, values);
  });
  const tables = part(root, "tables");
  tables.replaceChildren(...items.map((item, i) => tableLine(item, i + 1, sentences, phrases)));
}

function tableLine(item, number, sentences, phrases) {
  const { weights } = item.table;
  const text = [phrases.say("table-line", item, { number, epsilon: epsilonUp(item.encoding.ratio) })];
  const long = weights.length > MOST_ROWS;
  if (long) {
    text.push(sentences.say("table-ends", { rows: weights.length }));
  }
  const line = element("li", `${text.join(" ")} `);
  line.append(element("code", JSON.stringify(long ? [weights[0], weights.at(-1)] : weights)));
  return line;
}
