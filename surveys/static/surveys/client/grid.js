import { Refusal } from "./refusal.js";

/**
 * The numbers that may be answered: from a minimum to a maximum in steps. Counted in whole units of the last decimal
 * place, so that 0.1 is 0.1.
 *
 * @typedef {object} Grid
 * @property {number} low  the minimum, in units
 * @property {number} step  in units
 * @property {number} count  how many points there are
 * @property {number} digits  decimal places of a unit
 */

const DECIMAL = /^-?[0-9]{1,9}(\.[0-9]{1,6})?$/;

/** A report is one byte. */
const MOST_POINTS = 256;

/** @returns {Grid} */
export function checkedGrid(grid) {
  const texts = [grid?.minimum, grid?.maximum, grid?.step];
  demand(texts.every((text) => typeof text === "string" && DECIMAL.test(text)), "its numbers must be decimal texts");
  const digits = Math.max(...texts.map((text) => (text.split(".")[1] ?? "").length));
  const [low, high, step] = texts.map((text) => Math.round(Number(text) * 10 ** digits));
  demand(step > 0 && high > low && (high - low) % step === 0, "it must go up from minimum to maximum in whole steps");
  const count = (high - low) / step + 1;
  demand(count <= MOST_POINTS, `it must have at most ${MOST_POINTS} points`);
  return Object.freeze({ low, step, count, digits });
}

/** @returns {number}  the number at a place of the grid */
export function pointAt({ low, step, digits }, index) {
  return (low + index * step) / 10 ** digits;
}

/** @returns {number | null}  the place of a number on the grid; null where it is not one of its points */
export function placeOf({ low, step, count, digits }, number) {
  const units = number * 10 ** digits;
  const place = (Math.round(units) - low) / step;
  const near = Math.abs(units - Math.round(units)) < 1e-6;
  return near && Number.isInteger(place) && place >= 0 && place < count ? place : null;
}

function demand(holds, detail) {
  if (!holds) {
    throw new Refusal("design", { detail: `the range of a number: ${detail}` });
  }
}
