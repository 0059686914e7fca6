import { shareOf } from "./figures.js";

/**
 * In which shape a question's tickets speak, read from its table: each shape has sentences and pictures of its own.
 *
 * @typedef {import("./channel.js").Table} Table
 * @typedef {import("./channel.js").Ratio} Ratio
 * @typedef {import("./design.js").Item} Item
 *
 * @typedef {"two" | "choice" | "differ" | "list" | "set" | "ticks" | "near" | "spread" | "end" | "values"} Shape
 *   two: one of two answers, and every ticket sends it as given or always the same; choice: one choice of more, every
 *   answer treated alike; differ: one choice, not alike; list: marked choices; set: a set of
 *   choices; ticks: every option by itself; near and spread: a point of a scale, a number, the more often the nearer;
 *   end: only the lowest or the highest; values: a number by any other table
 */

const OF_ENCODING = { one_hot: "list", subset: "set", each_option: "ticks" };

/** @returns {Shape} */
export function shapeOf({ kind, encoding, table, grid, preferNot }) {
  if (encoding.name !== "single") {
    return OF_ENCODING[encoding.name];
  }
  const columns = table.weights[0].length;
  if (grid !== null && columns !== grid.count) {
    return columns === 2 && rises(table) ? "end" : "values";
  }
  if (grid === null && columns === 2 && table.weights.length === 2 && rises(table)) {
    return "two";
  }
  if (isSymmetric(table)) {
    return "choice";
  }
  if (grid !== null) {
    return isNearer(table) ? "spread" : "values";
  }
  return kind === "scale" && preferNot === null && isNearer(table) ? "near" : "differ";
}

/**
 * The answer to speak of, and the one to set beside it: Yes and No, the first two choices, the two ends of a scale.
 *
 * @returns {[number, number]}
 */
export function pairOf(item) {
  const shape = shapeOf(item);
  if (["near", "spread", "end", "values"].includes(shape)) {
    return [item.table.weights.length - 1, 0];
  }
  return item.kind === "yes_no" ? [1, 0] : [0, 1];
}

/**
 * How many send what the sentences speak of: of those with the answer of the pair (`own`), and with the other (`cross`).
 *
 * @param {Item} item
 * @returns {{own: Ratio, cross: Ratio}}
 */
export function sharesOf(item) {
  const { table } = item;
  const [answer, other] = pairOf(item);
  const last = table.weights[0].length - 1;
  const both = (share) => ({ own: share(answer), cross: share(other) });
  switch (shapeOf(item)) {
    case "list":
    case "ticks":
      return { own: shareOf(table, 1, 1), cross: shareOf(table, 0, 1) };
    case "set":
      return setShares(table, item.choices.length, item.encoding.size);
    case "spread":
      return both((x) => upperShare(table, x));
    case "end":
    case "values":
      return both((x) => shareOf(table, x, last));
    default:
      return both((x) => shareOf(table, x, answer));
  }
}

/**
 * The tickets of two answers: those that send the answer as given, and those that send the same in both rows.
 *
 * @returns {{given: number, always: [number, number]}}
 */
export function kindsOf({ weights: [first, second] }) {
  return { given: second[1] - first[1], always: [second[0], first[1]] };
}

/** @returns {number}  the place from which on a number counts as high */
export function upperHalf(table) {
  return Math.ceil(table.weights[0].length / 2);
}

/** @returns {number}  within so many places of its answer at least half of what a row sends lies */
export function halfWithin(table, x) {
  const row = table.weights[x];
  let [reach, sum] = [0, row[x]];
  while (2 * sum < table.tickets) {
    reach += 1;
    sum += (row[x - reach] ?? 0) + (row[x + reach] ?? 0);
  }
  return reach;
}

/**
 * Whether every answer is treated alike: one number of tickets sends the answer, one other each other choice.
 *
 * @returns {boolean}
 */
export function isSymmetric(table) {
  const [own, rest] = [table.weights[0][0], table.weights[0][1]];
  return table.weights.every((row, x) => row.every((weight, y) => weight === (x === y ? own : rest)));
}

/** Whether each point is sent the more often the nearer the answer is to it. */
function isNearer({ weights }) {
  const nearer = (x, y) => (x < y ? x + 1 : x - 1);
  const falls = weights.every((row, x) => row.every((weight, y) => x === y || weights[nearer(x, y)][y] >= weight));
  return falls && weights.every((row, y) => weights.some((other) => other[y] < row[y]));
}

/** Whether a higher number sends the second report more often. */
function rises({ weights }) {
  const more = weights.every((row, x) => x === 0 || row[1] >= weights[x - 1][1]);
  return more && weights.at(-1)[1] > weights[0][1];
}

function upperShare(table, x) {
  const number = table.weights[x].slice(upperHalf(table)).reduce((sum, weight) => sum + weight, 0);
  return { number: BigInt(number), divisor: BigInt(table.tickets) };
}

/** A choice that is not the answer is as likely as every other such choice to be among the rest of the set. */
function setShares(table, choices, size) {
  const [lacks, holds] = table.weights[0].map(BigInt);
  const [rest, places, all] = [BigInt(choices - 1), BigInt(size), BigInt(table.tickets)];
  return {
    own: { number: holds, divisor: all },
    cross: { number: holds * (places - 1n) + lacks * places, divisor: all * rest },
  };
}
