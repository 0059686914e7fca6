/**
 * What a browser keeps of this site: what surveys cost, as `client/losses.js` notes it, and the random numbers of surveys
 * that remember (`client/remembered.js`). What is found in a storage is untrusted: other texts count as none.
 *
 * @typedef {{title: string, slug: string, version: number, day: string, least: number, most: number}} Cost
 *   of one wave; least and most as epsilon, rounded up to a hundredth
 */

const COST = /^candor-spent-/;

const NUMBER = /^candor-secret-(.+)$/;

/** More than any survey may cost; a greater number was not noted by a page of ours. */
const MOST = 8;

/**
 * @param {Storage} storage
 * @returns {{name: string, cost: Cost}[]}  by day, then by survey and wave
 */
export function costsIn(storage) {
  return namesIn(storage)
    .filter((name) => COST.test(name))
    .map((name) => ({ name, cost: read(storage.getItem(name)) }))
    .filter(({ name, cost }) => isCost(cost) && name === `candor-spent-${cost.slug}-${cost.version}`)
    .sort((one, other) => compare(keyOf(one.cost), keyOf(other.cost)));
}

/** @returns {{name: string, slug: string}[]}  the surveys whose random number is on the device */
export function numbersIn(storage) {
  return namesIn(storage).filter((name) => NUMBER.test(name)).map((name) => ({ name, slug: NUMBER.exec(name)[1] }));
}

/** Erase every cost and every number, also what cannot be read. A report that is on its way stays. */
export function eraseAll(storage) {
  namesIn(storage).filter((name) => COST.test(name) || NUMBER.test(name)).forEach((name) => storage.removeItem(name));
}

/** @returns {number}  what several costs come to, to the hundredth */
export function sumOf(numbers) {
  return numbers.reduce((total, one) => total + Math.round(100 * one), 0) / 100;
}

/** e^epsilon, rounded up: to a tenth below ten, to a whole number from there. */
export function oddsOf(epsilon) {
  const odds = Math.exp(epsilon) * (1 - 2 ** -40);
  return odds < 9.9 ? Math.ceil(10 * odds) / 10 : Math.ceil(odds);
}

function namesIn(storage) {
  return Array.from({ length: storage.length }, (_, i) => storage.key(i)).sort();
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isCost(cost) {
  const numbers = [cost?.least, cost?.most];
  return (
    numbers.every((number) => typeof number === "number" && number >= 0 && number <= MOST) &&
    cost.least <= cost.most &&
    [cost.title, cost.slug].every((text) => typeof text === "string") &&
    Number.isInteger(cost.version) &&
    /^\d{4}-\d\d-\d\d$/.test(cost.day)
  );
}

function keyOf({ day, slug, version }) {
  return [day, slug, String(version).padStart(9, "0")].join(" ");
}

function compare(one, other) {
  return Number(one > other) - Number(one < other);
}
