import { exceeds, ratioOf, readTicket } from "./channel.js";

/**
 * How an answer becomes the symbols of a report. Each encoding says from which boxes tickets are drawn, before there is
 * an answer, and which symbols they make of it. Nothing else on the page knows how many symbols a question has.
 *
 * @typedef {import("./channel.js").Table} Table
 * @typedef {import("./channel.js").Ratio} Ratio
 * @typedef {number | readonly number[]} Answer  index of the choice; for several choices a 0 or 1 for each option
 *
 * @typedef {object} Encoding
 * @property {string} name
 * @property {number} symbols  how many symbols a report of the question has
 * @property {readonly number[]} boxes  how many tickets are in each box, in the order of drawing
 * @property {readonly (readonly number[])[]} draws  where tickets are remembered: the boxes of each draw, one draw for each
 *   possible answer
 * @property {(drawn: readonly (readonly number[])[], answer: Answer) => number[]} recall  of all these draws, the tickets of
 *   an answer
 * @property {(tickets: readonly number[], answer: Answer) => number[]} read
 * @property {(symbols: readonly number[]) => boolean} makes  whether a report can have these symbols
 * @property {Ratio} ratio  e^epsilon of the question, exact
 * @property {number} [size]  of a subset: how many choices the set holds
 */

/** @returns {Encoding}  one symbol, from the row of the answer */
export function single(table) {
  return {
    name: "single",
    symbols: 1,
    boxes: [table.tickets],
    ...eachAnswer(table.weights.length, [table.tickets]),
    read: ([ticket], answer) => [readTicket(table.weights[answer], ticket)],
    makes: ([symbol]) => table.weights.some((row) => row[symbol] > 0),
    ratio: ratioOf(table),
  };
}

/** @returns {Encoding}  a symbol for each choice: row 1 for the answer, row 0 for every other */
export function oneHot(table, choices) {
  const [up, down] = bothWays(table);
  const boxes = Array(choices).fill(table.tickets);
  return {
    name: "one_hot",
    symbols: choices,
    boxes,
    ...eachAnswer(choices, boxes),
    read(tickets, answer) {
      demandIndex(answer, choices);
      return tickets.map((ticket, y) => readTicket(table.weights[Number(y === answer)], ticket));
    },
    makes: areBits,
    ratio: { number: up.number * down.number, divisor: up.divisor * down.divisor },
  };
}

/** @returns {Encoding}  a symbol for each option: row 1 where it is ticked, row 0 where it is not */
export function eachOption(table, options, most = options) {
  const one = ratioOf(table);
  const differ = BigInt(Math.min(options, 2 * most));
  return {
    name: "each_option",
    symbols: options,
    boxes: Array(options).fill(table.tickets),
    // An option is a question of its own: where another one is ticked next time, its draws stay as they are.
    draws: Array(2 * options).fill([table.tickets]),
    recall: (drawn, answer) => answer.flatMap((bit, option) => drawn[2 * option + bit]),
    read(tickets, answer) {
      demandTicks(answer, options, most);
      return tickets.map((ticket, y) => readTicket(table.weights[answer[y]], ticket));
    },
    makes: areBits,
    ratio: { number: one.number ** differ, divisor: one.divisor ** differ },
  };
}

/**
 * A set of `size` choices: with the answer as often as the table's one row says, the others in the drawn order.
 *
 * @returns {Encoding}
 */
export function subset(table, choices, size) {
  const [lacks, holds] = table.weights[0].map(BigInt);
  const boxes = [table.tickets, ...Array.from({ length: choices - 1 }, (_, i) => choices - i)];
  return {
    name: "subset",
    size,
    symbols: choices,
    boxes,
    ...eachAnswer(choices, boxes),
    read([first, ...rest], answer) {
      demandIndex(answer, choices);
      return chosenSet(readTicket(table.weights[0], first), shuffled(rest), answer, size);
    },
    makes: (symbols) => areBits(symbols) && symbols.filter((symbol) => symbol === 1).length === size,
    ratio: { number: holds * BigInt(choices - size), divisor: lacks * BigInt(size) },
  };
}

/**
 * The choices in the order that the tickets say (Fisher-Yates).
 *
 * @param {readonly number[]} tickets  below n, n - 1, ... 2
 * @returns {number[]}  0 to n - 1
 */
export function shuffled(tickets) {
  const order = Array.from({ length: tickets.length + 1 }, (_, i) => i);
  tickets.forEach((ticket, i) => {
    const last = tickets.length - i;
    [order[last], order[ticket]] = [order[ticket], order[last]];
  });
  return order;
}

/** A draw for each answer, all of it drawn anew where the answer changes. */
function eachAnswer(answers, boxes) {
  return { draws: Array(answers).fill(boxes), recall: (drawn, answer) => drawn[answer] };
}

function areBits(symbols) {
  return symbols.every((symbol) => symbol === 0 || symbol === 1);
}

/** Every choice is looked at once, whatever the answer. */
function chosenSet(holds, order, answer, size) {
  const symbols = Array(order.length).fill(0);
  let left = size - holds;
  for (const choice of order) {
    const other = Number(choice !== answer);
    const taken = other * Number(left > 0);
    symbols[choice] = taken + (1 - other) * holds;
    left -= taken;
  }
  return symbols;
}

/** No answer is no choice: it must never be sent as if none had been the right one. */
function demandIndex(answer, choices) {
  if (!Number.isInteger(answer) || answer < 0 || answer >= choices) {
    throw new TypeError("there is no answer to make a report of");
  }
}

/** More ticks than were promised would protect less than was promised. */
function demandTicks(answer, options, most) {
  const ticked = answer.filter((bit) => bit === 1).length;
  if (answer.length !== options || ticked > most) {
    throw new TypeError(`at most ${most} of ${options} options can be sent as ticked`);
  }
}

/** The largest factor that one bit of 1 or of 0 puts on row 1 against row 0, and on row 0 against row 1. */
function bothWays({ weights: [zero, one] }) {
  return [[one, zero], [zero, one]].map(([above, below]) => {
    const ratios = above.map((weight, y) => ({ number: BigInt(weight), divisor: BigInt(below[y]) }));
    return ratios.reduce((largest, ratio) => (exceeds(ratio, largest) ? ratio : largest));
  });
}
