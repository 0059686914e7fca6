import { filledOfHundred, ofHundred, shareOf } from "./figures.js";
import { kindsOf, shapeOf, pairOf, sharesOf } from "./shapes.js";
import { element } from "./elements.js";
import { barPicture, iconArray, ticketStrip } from "./pictures.js";

/**
 * The box of a question as pictures, each with its words: strips of tickets, bars where one of many points is sent, and
 * what comes of them among a hundred people.
 *
 * @typedef {import("./design.js").Item} Item
 */

/** With more answers only two of them have a strip of their own; more bars are not told one by one. */
const MOST_TOLD = 12;

const BARS = ["near", "spread", "values"];

/** Tickets that send the answer itself or another one; those of the other shapes mark something or leave it. */
const ANSWERS = ["two", "choice", "differ"];

export class Boxes {
  #phrases;
  #numbers;

  /**
   * @param {import("./phrases.js").Phrases} phrases
   * @param {Intl.NumberFormat} numbers
   */
  constructor(phrases, numbers) {
    this.#phrases = phrases;
    this.#numbers = numbers;
  }

  /** @returns {Element[]}  the box in short, for the opening */
  brief(item) {
    if (!BARS.includes(shapeOf(item))) {
      return this.#strips(item, pairOf(item));
    }
    return pairOf(item).flatMap((x) => [this.#name("strip-of", item, x), this.#bars(item, x)]);
  }

  /** @returns {Element[]}  the box in full, for the question's own fold */
  full(item) {
    if (BARS.includes(shapeOf(item))) {
      const figures = pairOf(item).map((x) => captioned(this.#bars(item, x), this.#barsTold(item, x)));
      return [inRow(figures, "people people-bars")];
    }
    const answers = item.table.weights.map((_, x) => x);
    return this.#strips(item, answers.length > MOST_TOLD ? pairOf(item) : answers);
  }

  /** @returns {Element}  two hundred people: a hundred with the answer of the pair, a hundred with the other */
  people(item) {
    const { own, cross } = sharesOf(item);
    const [answer, other] = pairOf(item);
    const without = shapeOf(item) === "ticks" ? "people-without" : "people";
    return inRow([this.#people("people", item, answer, own), this.#people(without, item, other, cross)]);
  }

  #strips(item, answers) {
    const { weights } = item.table;
    const named = (name, own) => [name, this.#strip(item, own)];
    switch (shapeOf(item)) {
      case "two":
        return [this.#strip(item, kindsOf(item.table).given, this.#always(item))];
      case "choice":
        return [this.#strip(item, weights[0][0])];
      case "set":
        return [this.#strip(item, weights[0][1])];
      case "differ":
        return answers.flatMap((x) => named(this.#name("strip-of", item, x), weights[x][x]));
      case "end":
        return pairOf(item).flatMap((x) => named(this.#name("strip-of", item, x), weights[x][1]));
      default:
        return [1, 0].flatMap((x) => named(this.#name(["strip-rest", "strip-own"][x], item), weights[x][1]));
    }
  }

  #strip(item, own, always = []) {
    const { tickets } = item.table;
    const title = this.#phrases.say("strip", item, { own, rest: tickets - own });
    return ticketStrip({ own, tickets, title, always, signs: ANSWERS.includes(shapeOf(item)) ? "answer" : "mark" });
  }

  #always(item) {
    const { always } = kindsOf(item.table);
    return pairOf(item).map((answer) => ({ word: this.#phrases.label(item, answer), count: always[answer] }));
  }

  #name(key, item, x = 0) {
    return element("p", this.#phrases.say(key, item, { truth: this.#phrases.label(item, x) }), "strip-name");
  }

  /** The bars of both answers have one scale. */
  #bars(item, x) {
    const { weights } = item.table;
    const largest = Math.max(...pairOf(item).flatMap((answer) => weights[answer]));
    const own = weights.length === weights[x].length ? x : null;
    return barPicture({ row: weights[x], largest, own, title: this.#barsTold(item, x) });
  }

  #barsTold(item, x) {
    const columns = item.table.weights[x].map((_, y) => y);
    if (columns.length > MOST_TOLD) {
      const { own, cross } = sharesOf(item);
      return this.#peopleTold("people", item, x, x === pairOf(item)[0] ? own : cross);
    }
    const bars = columns.map((y) => ({ share: this.#share(shareOf(item.table, x, y)), sent: this.#phrases.sent(item, y) }));
    return this.#phrases.list("bars", { truth: this.#phrases.label(item, x) }, "bar", bars);
  }

  #people(key, item, x, share) {
    const text = this.#peopleTold(key, item, x, share);
    return captioned(iconArray({ filled: filledOfHundred(share), title: text }), text);
  }

  #peopleTold(key, item, x, share) {
    return this.#phrases.say(key, item, { truth: this.#phrases.label(item, x), share: this.#share(share) });
  }

  #share(share) {
    return ofHundred(share, this.#numbers);
  }
}

function inRow(figures, className = "people") {
  const row = element("div", "", className);
  row.append(...figures);
  return row;
}

function captioned(picture, words) {
  const figure = element("figure");
  figure.append(picture, element("figcaption", words));
  return figure;
}
