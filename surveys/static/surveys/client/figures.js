/**
 * Numbers as people read them. What is said about privacy is rounded to the unfavourable side; what is said about
 * people is rounded to the nearest person.
 *
 * @typedef {import("./channel.js").Table} Table
 * @typedef {import("./channel.js").Ratio} Ratio  here also a share: how many of how many
 */

/**
 * The share of people with answer x who send y.
 *
 * @returns {Ratio}
 */
export function shareOf(table, x, y) {
  return { number: BigInt(table.weights[x][y]), divisor: BigInt(table.tickets) };
}

/**
 * A share as people of 100: "75", "<1", ">99".
 *
 * @param {Ratio} share
 * @returns {string}
 */
export function ofHundred(share, numbers) {
  const [people, whole] = [100n * share.number, share.divisor];
  if (people > 0n && people < whole) {
    return `<${numbers.format(1)}`;
  }
  if (people > 99n * whole && people < 100n * whole) {
    return `>${numbers.format(99)}`;
  }
  return numbers.format(filledOfHundred(share));
}

/**
 * How many of 100 figures are filled in a picture of the same share.
 *
 * @param {Ratio} share
 * @returns {number}
 */
export function filledOfHundred({ number, divisor }) {
  return Number((200n * number + divisor) / (2n * divisor));
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

function ceilDivide(number, divisor) {
  return (number + divisor - 1n) / divisor;
}
