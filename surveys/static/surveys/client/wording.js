import { pointAt } from "./grid.js";

/**
 * Answers and symbols in words: for the review, and for the receipt.
 *
 * @typedef {import("./design.js").Item} Item
 * @typedef {import("./sentences.js").Sentences} Sentences
 */

/**
 * @param {Item} item
 * @param {import("./encoding.js").Answer | null} answer  null: left blank
 * @param {Sentences} sentences
 * @returns {string}
 */
export function answerInWords(item, answer, sentences) {
  if (answer === null) {
    return sentences.say(item.kind === "several_choices" ? "blank-unticked" : "blank-prefer-not");
  }
  if (Array.isArray(answer)) {
    return marked(item, answer, sentences) || sentences.say("none-ticked");
  }
  return item.grid === null ? sentences.text(item.choices[answer]) : sentences.point(pointAt(item.grid, answer));
}

/**
 * @param {Item} item
 * @param {readonly number[]} symbols  what was sent for it
 * @param {Sentences} sentences
 * @returns {string}
 */
export function sentInWords(item, symbols, sentences) {
  if (item.encoding.name === "single") {
    return item.grid === null ? sentences.say("sent-line", { answer: sentences.text(item.choices[symbols[0]]) })
      : sentNumber(item, symbols[0], sentences);
  }
  const answers = marked(item, symbols, sentences);
  const key = item.encoding.name === "each_option" ? "sent-marked" : "sent-set";
  return sentences.say(answers === "" ? `${key}-none` : key, { answers });
}

/**
 * The numbers that may be answered.
 *
 * @param {import("./grid.js").Grid} grid
 * @param {Sentences} sentences
 * @returns {{minimum: string, maximum: string, step: string}}
 */
export function rangeInWords(grid, sentences) {
  const ends = { minimum: pointAt(grid, 0), maximum: pointAt(grid, grid.count - 1), step: grid.step / 10 ** grid.digits };
  return Object.fromEntries(Object.entries(ends).map(([name, number]) => [name, sentences.point(number)]));
}

/** A number may be sent as one of its own points, as one of its two ends, or as the symbol of another table. */
function sentNumber({ grid, table }, symbol, sentences) {
  const columns = table.weights[0].length;
  if (columns === grid.count) {
    return sentences.say("sent-line", { answer: sentences.point(pointAt(grid, symbol)) });
  }
  if (columns === 2) {
    const [key, place] = symbol === 0 ? ["sent-lowest", 0] : ["sent-highest", grid.count - 1];
    return sentences.say(key, { number: sentences.point(pointAt(grid, place)) });
  }
  return sentences.say("sent-place", { number: symbol + 1, columns });
}

function marked(item, bits, sentences) {
  return sentences.list(item.choices.filter((_, i) => bits[i] === 1).map((choice) => sentences.text(choice)));
}
