import { Refusal } from "./refusal.js";

/**
 * The table of a question: `weights[x][y]` of its tickets send y where the answer is x. One table is drawn from,
 * checked, measured and explained, so that the words on the page cannot drift from what the page does.
 *
 * @typedef {object} Table
 * @property {readonly (readonly number[])[]} weights
 * @property {number} tickets  how many are in the box: the sum of every row
 *
 * @typedef {object} Ratio  e^epsilon as an exact fraction; a divisor of 0 means that it has no bound
 * @property {bigint} number
 * @property {bigint} divisor
 */

/** A ticket is drawn from words of 32 bits. */
const MOST_TICKETS = 2 ** 32;

/** A report is one byte. */
const MOST_REPORTS = 256;

/**
 * This client's own limit, whatever a design or a server says: all reports of one person together may change the odds
 * of a guess about them by a factor of 2980 at most (epsilon 8, as e^8 = 2980.96).
 */
export const LARGEST_ODDS = 2980n;

/**
 * Check a table before anything is drawn from it.
 *
 * @param {unknown} weights  as parsed from the design
 * @param {number} [rows]  how many it must have at least
 * @returns {Table}
 */
export function checkedTable(weights, rows = 2) {
  demand(Array.isArray(weights) && weights.length >= rows, `it must have at least ${rows} rows`);
  const width = Array.isArray(weights[0]) ? weights[0].length : 0;
  demand(width >= 2 && width <= MOST_REPORTS, `it must have 2 to ${MOST_REPORTS} columns`);
  const sums = weights.map((row, x) => checkedSum(row, x, width));
  demand(sums[0] >= 1 && sums[0] <= MOST_TICKETS, `row 0 must sum to 1 to 2^32; it sums to ${sums[0]}`);
  sums.forEach((sum, x) => demand(sum === sums[0], `row ${x} must sum to ${sums[0]} like row 0; it sums to ${sum}`));
  return Object.freeze({ weights: Object.freeze(weights.map((row) => Object.freeze([...row]))), tickets: sums[0] });
}

/**
 * What a ticket sends: its place in the row of the answer.
 *
 * The whole row is always read; stopping at the right place would take a time that depends on the answer.
 *
 * @returns {number}
 */
export function readTicket(row, ticket) {
  let bound = 0;
  let report = 0;
  for (const weight of row) {
    bound += weight;
    report += Number(ticket >= bound);
  }
  return report;
}

/**
 * e^epsilon, exact: the largest ratio of one report's probabilities under two answers.
 *
 * @returns {Ratio}
 */
export function ratioOf(table) {
  let largest = { number: 1n, divisor: 1n };
  for (let y = 0; y < table.weights[0].length; y += 1) {
    const column = table.weights.map((row) => row[y]);
    const ratio = { number: BigInt(Math.max(...column)), divisor: BigInt(Math.min(...column)) };
    if (ratio.number > 0n && exceeds(ratio, largest)) {
      largest = ratio;
    }
  }
  return largest;
}

/**
 * What several reports of one person reveal together, at most: the product.
 *
 * @param {readonly Ratio[]} ratios
 * @returns {Ratio}
 */
export function totalRatio(ratios) {
  return ratios.reduce(
    (total, one) => ({ number: total.number * one.number, divisor: total.divisor * one.divisor }),
    { number: 1n, divisor: 1n },
  );
}

/** @returns {boolean}  whether `ratio` is larger; a ratio without bound is larger than every other */
export function exceeds(ratio, other) {
  return ratio.number * other.divisor > other.number * ratio.divisor;
}

/**
 * e^epsilon of an epsilon that is written as a decimal number, at most 8: as a fraction of 2^256, rounded down.
 *
 * @param {string} epsilon
 * @returns {Ratio | null}  null where it is no such number
 */
export function ratioOfEpsilon(epsilon) {
  const [, whole, decimals = ""] = /^([0-8])(?:\.([0-9]{1,6}))?$/.exec(typeof epsilon === "string" ? epsilon : "") ?? [];
  const [number, divisor] = [BigInt(`${whole ?? 0}${decimals}`), 10n ** BigInt(decimals.length)];
  if (number === 0n || number > 8n * divisor) {
    return null;
  }
  const one = 2n ** 256n;
  let sum = 0n;
  for (let [term, k] = [one, 1n]; term > 0n; term = (term * number) / (divisor * k), k += 1n) {
    sum += term;
  }
  return { number: sum, divisor: one };
}

function checkedSum(row, x, width) {
  demand(Array.isArray(row) && row.length === width, `row ${x} must have ${width} entries like row 0`);
  row.forEach((weight, y) => demand(isCount(weight), `entry ${x}, ${y} must be an integer from 0 to 2^32`));
  return row.reduce((sum, weight) => sum + weight, 0);
}

function isCount(weight) {
  return Number.isInteger(weight) && weight >= 0 && weight <= MOST_TICKETS && !Object.is(weight, -0);
}

function demand(holds, detail) {
  if (!holds) {
    throw new Refusal("table", { detail });
  }
}
