import { totalRatio } from "./channel.js";
import { epsilonUp, filledOfHundred, isSymmetric, oddsUp, ofHundred } from "./figures.js";
import { element, part } from "./parts.js";
import { iconArray, ticketStrip } from "./pictures.js";

/**
 * What the tickets do, said and drawn from the live tables.
 */

/** Fills the explaining parts of the page from its design. */
export class Explanation {
  #design;
  #sentences;
  #language;

  constructor(design, sentences, language) {
    this.#design = design;
    this.#sentences = sentences;
    this.#language = language;
  }

  /**
   * The tickets above the first question, the odds below them, what all questions add up to; and the odds of each
   * question when its fold is opened (thirty questions have six thousand small figures).
   */
  fill(root, questions) {
    const { items } = this.#design;
    part(root, "tickets-said").textContent = this.#ticketsOfAll(items[0]);
    part(root, "tickets-drawn").replaceChildren(...this.#strips(items[0]));
    this.fillOdds(part(root, "odds"), items[0]);
    this.#fillSum(root);
    questions.forEach((question, i) => {
      const place = part(question.element, "question-odds");
      place.closest("details").addEventListener("toggle", () => this.#fillQuestion(place, items[i]), { once: true });
    });
  }

  /** What the sentences on the odds of one question speak of. */
  oddsOf(item) {
    const [answer, other] = this.#pair(item);
    return {
      answer: this.#text(item.choices[answer]),
      other: this.#text(item.choices[other]),
      own: ofHundred(item.table, answer, answer, this.#sentences.numbers),
      cross: ofHundred(item.table, other, answer, this.#sentences.numbers),
    };
  }

  /** The odds of one question: sentence and two pictures of a hundred people. */
  fillOdds(place, item) {
    const [answer, other] = this.#pair(item);
    const values = this.oddsOf(item);
    const people = element("div", "", "people");
    people.append(this.#people(item, answer, answer, values), this.#people(item, other, answer, values));
    place.replaceChildren(element("p", this.#sentences.say("odds", values)), people);
  }

  /** The tickets of one question, in words and as a strip, and its odds. */
  #fillQuestion(place, item) {
    const odds = element("div");
    this.fillOdds(odds, item);
    place.replaceChildren(element("p", this.#ticketsOfOne(item)), ...this.#strips(item), odds);
  }

  #ticketsOfAll(first) {
    if (!isSymmetric(first.table)) {
      return this.#sentences.say("tickets-differ");
    }
    const alike = this.#design.items.every((item) => sameBox(item, first));
    const key = alike ? "tickets-all" : "tickets-first";
    return this.#sentences.say(key, { tickets: first.table.tickets, ...this.#sides(first) });
  }

  #ticketsOfOne(item) {
    const { tickets } = item.table;
    return isSymmetric(item.table)
      ? this.#sentences.say("tickets-one", { tickets, ...this.#sides(item) })
      : this.#sentences.say("tickets-one-differ", { tickets });
  }

  /** "3 send your answer's side, 1 sends the other", worded for the kind of question. */
  #sides(item) {
    const own = item.table.weights[0][0];
    const rest = item.table.tickets - own;
    const kind = item.kind.replace("_", "-");
    const sides = [`own-${kind}`, `rest-${kind}`].map((key, i) => this.#sentences.say(key, { count: [own, rest][i] }));
    return { sides: this.#sentences.say("sides", { own: sides[0], rest: sides[1] }) };
  }

  #strips(item) {
    if (isSymmetric(item.table)) {
      return [this.#strip(item.table.weights[0][0], item.table.tickets)];
    }
    return item.table.weights.flatMap((row, x) => [
      element("p", this.#sentences.say("strip-of", { answer: this.#text(item.choices[x]) }), "strip-name"),
      this.#strip(row[x], item.table.tickets),
    ]);
  }

  #strip(own, tickets) {
    return ticketStrip({ own, tickets, title: this.#sentences.say("strip", { own, rest: tickets - own, tickets }) });
  }

  #people(item, x, y, values) {
    const filled = filledOfHundred(item.table, x, y);
    const caption = this.#sentences.say("people", {
      truth: this.#text(item.choices[x]),
      share: x === y ? values.own : values.cross,
      answer: values.answer,
    });
    const figure = element("figure");
    figure.append(iconArray({ filled, title: caption }), element("figcaption", caption));
    return figure;
  }

  /** The choice to speak of, and another one: Yes and No; else the first two. */
  #pair(item) {
    return item.kind === "yes_no" ? [1, 0] : [0, 1];
  }

  #fillSum(root) {
    const items = this.#design.items;
    const each = items.map(({ encoding }) => encoding.ratio);
    const total = totalRatio(each);
    const largest = Math.max(...each.map(oddsUp));
    part(root, "sum-one").textContent = this.#sentences.say("sum-one", { odds: largest });
    part(root, "sum-all").textContent = this.#sentences.say("sum-all", { count: items.length, odds: oddsUp(total) });
    part(root, "experts").textContent = this.#sentences.say("experts", { epsilon: epsilonUp(total) });
    part(root, "tables").replaceChildren(...items.map((item, i) => this.#tableLine(item, each[i], i)));
  }

  #tableLine(item, ratio, index) {
    const values = { number: index + 1, epsilon: epsilonUp(ratio), tickets: item.table.tickets };
    const line = element("li", `${this.#sentences.say("table-line", values)} `);
    line.append(element("code", JSON.stringify(item.table.weights)));
    return line;
  }

  #text(text) {
    return text[this.#language] ?? text[this.#design.languages[0]];
  }
}

function sameBox(item, other) {
  return item.kind === other.kind && JSON.stringify(item.table.weights) === JSON.stringify(other.table.weights);
}
