import { Refusal } from "./refusal.js";

/** More is not done: on a phone it would take minutes. */
export const MOST_BITS = 20;

/** Digests that are asked for at a time; between two such batches the page does whatever else is to do. */
const TOGETHER = 128;

/**
 * The sum of one report, where its survey asks for one: it costs whoever sends many reports, and it tells nothing.
 *
 * It is the smallest number c for which SHA-256 of "candor work 1", the design's digest, the nonce and c begins with so many
 * zero bits. It is made of digest and nonce alone, which are there before the first answer: a nonce has one sum, whatever
 * is answered and drawn.
 */
export class ProofOfWork {
  #nonce;
  #subtle;
  #bytes;
  #counter;
  #bits = 0;
  #next = 0;
  #stopped = false;
  /** @type {Promise<string>} */
  #sum = Promise.resolve("");

  /**
   * @param {string} digest  of the design, 64 hex digits
   * @param {string} nonce  32 hex digits
   * @param {SubtleCrypto} subtle
   */
  constructor(digest, nonce, subtle) {
    const start = new TextEncoder().encode(`candor work 1\n${digest}\n`);
    this.#nonce = nonce;
    this.#subtle = subtle;
    this.#bytes = new Uint8Array(start.length + 24);
    this.#bytes.set(start);
    this.#bytes.set(nonce.match(/../g).map((pair) => Number.parseInt(pair, 16)), start.length);
    this.#counter = new DataView(this.#bytes.buffer, start.length + 16);
  }

  get nonce() {
    return this.#nonce;
  }

  /** How many zero bits were asked for so far. */
  get bits() {
    return this.#bits;
  }

  /**
   * Find the sum, or go on to one with more bits. What was found is not looked for again.
   *
   * @param {number} bits  from 0, for nothing, to MOST_BITS
   * @returns {Promise<string>}  16 hex digits; empty where nothing was ever asked for, or after `stop`
   */
  find(bits) {
    if (!Number.isInteger(bits) || bits < 0 || bits > MOST_BITS) {
      throw new Refusal("page", { detail: `it asks for a sum of ${bits} bits; the most is ${MOST_BITS}` });
    }
    if (bits > this.#bits) {
      this.#bits = bits;
      this.#sum = this.#sum.then(() => this.#search(bits));
    }
    return this.#sum;
  }

  /** Look no further. */
  stop() {
    this.#stopped = true;
  }

  async #search(bits) {
    while (!this.#stopped) {
      const digests = await Promise.all(Array.from({ length: TOGETHER }, (_, place) => this.#digest(this.#next + place)));
      const found = digests.findIndex((digest) => new DataView(digest).getUint32(0) >>> (32 - bits) === 0);
      if (found !== -1) {
        // A sum with more bits can only come from here on, and it may be this one.
        this.#next += found;
        return this.#next.toString(16).padStart(16, "0");
      }
      this.#next += TOGETHER;
    }
    return "";
  }

  /** The browser copies the bytes before this returns. */
  #digest(counter) {
    this.#counter.setUint32(4, counter);
    return this.#subtle.digest("SHA-256", this.#bytes);
  }
}
