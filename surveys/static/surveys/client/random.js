import { Refusal } from "./refusal.js";

/**
 * Where chance comes from, and how a word becomes a ticket.
 *
 * @typedef {object} WordSource
 * @property {number} size  number of different words; a word is an integer from 0 to size - 1
 * @property {() => number} next  one fresh uniform word
 */

const BLOCK = 16;

/** A fair source rejects a word at most every second time, so this many in a row happen once in 2^128. */
const MOST_REJECTIONS = 128;

/**
 * The browser's own generator as a source of 32-bit words.
 *
 * Words are fetched in blocks, because a single word says nothing about the generator's health: a block of equal words
 * (a generator that is stuck, or one that leaves the array as it was) happens by chance once in 2^480. Each word is
 * wiped as it is handed out, so it can be neither read nor used again.
 *
 * @param {{getRandomValues?: (array: Uint32Array) => unknown} | undefined} generator  `crypto` in the page
 * @returns {WordSource & {wipe: () => void}}  `wipe` forgets the words that are left
 */
export function systemWords(generator) {
  const block = new Uint32Array(BLOCK);
  let used = BLOCK;
  return {
    size: 2 ** 32,
    next() {
      if (used === BLOCK) {
        fill(block, generator);
        used = 0;
      }
      const word = block[used];
      block[used] = 0;
      used += 1;
      return word;
    },
    wipe() {
      block.fill(0);
      used = BLOCK;
    },
  };
}

/**
 * One ticket: a uniform integer from 0 to `tickets - 1`.
 *
 * Words at the top that would favour the low tickets are thrown away, so every ticket is exactly as likely.
 *
 * @param {WordSource} source
 * @param {number} tickets  how many are in the box, from 1 to the number of words
 * @returns {number}
 */
export function drawTicket(source, tickets) {
  if (!Number.isInteger(tickets) || tickets < 1 || tickets > source.size) {
    throw new Refusal("table", { detail: `a box must hold 1 to ${source.size} tickets; got ${tickets}` });
  }
  const fair = source.size - (source.size % tickets);
  for (let rejected = 0; rejected < MOST_REJECTIONS; rejected += 1) {
    const word = source.next();
    if (word < fair) {
      return word % tickets;
    }
  }
  throw new Refusal("generator-stuck");
}

/**
 * A random number of 128 bits that lets the collector recognise a repeated report.
 *
 * @param {WordSource} source  of 32-bit words
 * @returns {string}  32 hex digits
 */
export function drawNonce(source) {
  return inHex(source, 4);
}

/**
 * A random number of 256 bits that remembered tickets are derived from.
 *
 * @param {WordSource} source  of 32-bit words
 * @returns {string}  64 hex digits
 */
export function drawSecret(source) {
  return inHex(source, 8);
}

function inHex(source, words) {
  return Array.from({ length: words }, () => source.next().toString(16).padStart(8, "0")).join("");
}

function fill(block, generator) {
  if (typeof generator?.getRandomValues !== "function") {
    throw new Refusal("no-generator");
  }
  try {
    generator.getRandomValues(block);
  } catch {
    throw new Refusal("no-generator");
  }
  if (block.every((word) => word === block[0])) {
    throw new Refusal("generator-stuck");
  }
}
