/**
 * Numbers as people read them. What is said about privacy is rounded to the unfavourable side; what is said about
 * people is rounded to the nearest person.
 *
 * @typedef {import("./channel.js").Table} Table
 * @typedef {import("./channel.js").Ratio} Ratio
 */

/**
 * Of 100 people with answer x, how many send y: "75", "<1", ">99".
 *
 * @returns {string}
 */
export function ofHundred(table, x, y, numbers) {
  const share = (100 * table.weights[x][y]) / table.tickets;
  if (share > 0 && share < 1) {
    return `<${numbers.format(1)}`;
  }
  if (share > 99 && share < 100) {
    return `>${numbers.format(99)}`;
  }
  return numbers.format(Math.round(share));
}

/**
 * How many of 100 figures are filled in a picture of the same share.
 *
 * @returns {number}
 */
export function filledOfHundred(table, x, y) {
  return Math.round((100 * table.weights[x][y]) / table.tickets);
}

/**
 * A factor of odds, rounded up: to a tenth below ten, to a whole number from there.
 *
 * @param {Ratio} ratio  with a bound
 * @returns {number}
 */
export function oddsUp({ number, divisor }) {
  const tenths = ceilDivide(10n * number, divisor);
  return tenths < 100n ? Number(tenths) / 10 : Number(ceilDivide(number, divisor));
}

/**
 * Epsilon, the natural logarithm of the ratio, rounded up to a hundredth.
 *
 * @param {Ratio} ratio  with a bound
 * @returns {number}
 */
export function epsilonUp({ number, divisor }) {
  if (number === divisor) {
    return 0;
  }
  // The quotient in 64 binary places, rounded up, then a hair more than the error that a logarithm may have.
  const quotient = Number(ceilDivide(number << 64n, divisor)) / 2 ** 64;
  return Math.ceil(Math.log(quotient) * 100 * (1 + 2 ** -48)) / 100;
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

function ceilDivide(number, divisor) {
  return (number + divisor - 1n) / divisor;
}
