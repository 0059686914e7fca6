import { ratioOf } from "./channel.js";
import { oddsUp, ofHundred } from "./figures.js";
import { pointAt } from "./grid.js";
import { halfWithin, kindsOf, shapeOf, pairOf, sharesOf, upperHalf } from "./shapes.js";

/** Shapes that share sentences with another one. */
const ALIKE = { list: "set", end: "values", two: "choice" };

/**
 * What is said of one question. Every question has a shape (see shapes.js); where the page has a sentence for it,
 * `key-shape`, that is said, else the sentence for all. The numbers come from the live table and from nowhere else.
 *
 * @typedef {import("./design.js").Item} Item
 */
export class Phrases {
  #sentences;

  /** @param {import("./sentences.js").Sentences} sentences */
  constructor(sentences) {
    this.#sentences = sentences;
  }

  /**
   * A sentence on a question, in its shape and with its numbers.
   *
   * @param {string} key
   * @param {Item} item
   * @param {Record<string, string | number>} [more]  what the sentence speaks of besides
   * @returns {string}
   */
  say(key, item, more = {}) {
    const shape = shapeOf(item);
    const keys = [`${key}-${shape}`, `${key}-${ALIKE[shape]}`];
    const worded = keys.find((one) => this.#sentences.has(one)) ?? key;
    return this.#sentences.say(worded, { ...this.#values(item), ...more });
  }

  /** A sentence that has a list in it, each part of which is worded by a sentence of its own. */
  list(key, values, partKey, parts) {
    const list = this.#sentences.list(parts.map((part) => this.#sentences.say(partKey, part)));
    return this.#sentences.say(key, { ...values, list });
  }

  /** @returns {string}  the words of an answer: a choice, or a number of the grid */
  label({ grid, choices }, answer) {
    return grid === null ? this.#sentences.text(choices[answer]) : this.#sentences.point(pointAt(grid, answer));
  }

  /** @returns {string}  the words of what is sent; it is not always one of the answers */
  sent(item, symbol) {
    switch (shapeOf(item)) {
      case "end":
        return this.#sentences.say(["lowest", "highest"][symbol]);
      case "values":
        return this.#sentences.say("report-number", { number: symbol + 1 });
      default:
        return this.label(item, symbol);
    }
  }

  /** The tickets as the opening tells them: of the first question, or of all where all have the same box. */
  opening(items) {
    const [first] = items;
    if (["two", "choice"].includes(shapeOf(first)) && items.every((item) => sameBox(item, first))) {
      return this.say("tickets-all", first);
    }
    const text = this.say("opening", first);
    return items.length === 1 ? text : `${text} ${this.#sentences.say("others", { number: 1 })}`;
  }

  /** The odds of one question and what belongs to them, a sentence each. */
  odds(item) {
    const further = {
      spread: ["half"],
      ticks: [item.most < item.choices.length ? "together-most" : "together"],
    }[shapeOf(item)] ?? [];
    const choice = item.preferNot === null ? [] : ["prefer-not"];
    return ["odds", ...further, ...choice, "claim"].map((key) => this.say(key, item));
  }

  /** Everything that a sentence on a question may speak of. */
  #values(item) {
    const { table, encoding, choices, preferNot } = item;
    const [answer, other] = pairOf(item);
    const { own, cross } = sharesOf(item);
    return {
      answer: this.label(item, answer),
      other: this.label(item, other),
      sent: this.sent(item, table.weights[0].length - 1),
      own: ofHundred(own, this.#sentences.numbers),
      cross: ofHundred(cross, this.#sentences.numbers),
      tickets: table.tickets,
      choices: choices.length,
      values: table.weights[0].length,
      refusal: preferNot === null ? "" : this.label(item, preferNot),
      ...this.#ofManner(item, encoding),
    };
  }

  #ofManner(item, { size, ratio }) {
    const { weights } = item.table;
    switch (shapeOf(item)) {
      case "two":
        return { sides: this.#kinds(item) };
      case "choice":
        return this.#sides(
          ["scale", "number"].includes(item.kind) ? item.kind : "choice",
          weights[0][0],
          item.table.tickets - weights[0][0],
        );
      case "list":
        return this.#sides("list", weights[1][1], weights[0][1]);
      case "ticks":
        return {
          ...this.#sides("ticks", weights[1][1], weights[0][1]),
          most: item.most,
          odds: oddsUp(ratio),
          one: oddsUp(ratioOf(item.table)),
        };
      case "set":
        return { size, count: weights[0][1] };
      case "spread":
        return this.#spread(item);
      default:
        return {};
    }
  }

  /** "3 send your answer, 1 sends another", worded for the kind of question. */
  #sides(word, own, rest) {
    const pair = [["own", own], ["rest", rest]].map(([side, count]) => this.#sentences.say(`${side}-${word}`, { count }));
    return { sides: this.#sentences.say("sides", { own: pair[0], rest: pair[1] }) };
  }

  /** "2 send your answer, 1 always sends “Yes”, 1 always sends “No”". */
  #kinds(item) {
    const { given, always } = kindsOf(item.table);
    const constant = pairOf(item).map((answer) => ["always", always[answer], { sent: this.label(item, answer) }]);
    const said = [["own-choice", given, {}], ...constant]
      .filter(([, count]) => count > 0)
      .map(([key, count, more]) => this.#sentences.say(key, { count, ...more }));
    const [own, rest, third] = said;
    return third === undefined ? this.#sentences.say("sides", { own, rest }) : this.#sentences.say("kinds", { own, rest, third });
  }

  /** From where on a number counts as high, and how far from it half of what is sent lies: in the middle, at the end. */
  #spread(item) {
    const { table, grid } = item;
    const [middle, end] = [Math.floor((grid.count - 1) / 2), grid.count - 1];
    const reach = (x) => this.#sentences.point((halfWithin(table, x) * grid.step) / 10 ** grid.digits);
    return {
      from: this.label(item, upperHalf(table)),
      middle: this.label(item, middle),
      middleReach: reach(middle),
      endReach: reach(end),
    };
  }
}

function sameBox(item, other) {
  const box = ({ kind, preferNot, table }) => JSON.stringify([kind, preferNot, table.weights]);
  return box(item) === box(other);
}
