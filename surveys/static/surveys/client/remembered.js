import { digestOf } from "./design.js";
import { offer } from "./extras.js";
import { attempt } from "./store.js";
import { drawSecret, drawTicket } from "./random.js";
import { Refusal } from "./refusal.js";
import { RecalledTickets } from "./report.js";

/**
 * Tickets that come again: where a survey remembers, they are derived from a random number of this device, so that the
 * same answer gives the same symbols in every wave. Every possible answer has a draw, and all are made as the page loads:
 * neither what is computed nor what is kept depends on an answer. See docs/evidence/repeated-waves.md.
 */

const LABEL = "candor ticket 1\n";
const SECRET = /^[0-9a-f]{64}$/;
const WORDS_OF_A_BLOCK = 8;

/** The tickets of one visit to a survey that remembers. */
export class RememberedTickets {
  #window;
  #design;
  /** Drawn at this load: what counts where the device has no number. */
  #own;
  /** What the tickets are derived from. */
  #secret = "";
  /** @type {RecalledTickets | null} */
  #tickets = null;
  #gone = false;
  #known;

  constructor(window, design, source) {
    this.#window = window;
    this.#design = design;
    this.#own = drawSecret(source);
    this.#known = this.#find() !== null;
  }

  /**
   * Every draw of every answer, before there is one. Nothing is written on the device.
   *
   * @param {Window} window
   * @param {import("./design.js").Design} design
   * @param {import("./random.js").WordSource} source
   */
  static async draw(window, design, source) {
    const tickets = new RememberedTickets(window, design, source);
    await tickets.#derive(tickets.#find() ?? tickets.#own);
    return tickets;
  }

  /** Whether the device had a number as the page was loaded: from an earlier wave, or an earlier visit. */
  get known() {
    return this.#known;
  }

  /**
   * At Send, before anything is read: the device keeps its number, or has none from now on. What it has now is used once
   * more all the same, as that costs nothing more. Where another tab has kept one meanwhile, or erased it, the tickets are
   * derived again; that depends on the device alone.
   *
   * @param {boolean} keeps  what the respondent has chosen
   * @returns {Promise<boolean>}  whether the device has the number now
   */
  async settle(keeps) {
    if (this.#gone) {
      throw new Refusal("tickets-used");
    }
    const secret = this.#find() ?? this.#own;
    attempt(() => (keeps ? this.#storage.setItem(this.#name, secret) : this.#storage.removeItem(this.#name)));
    if (secret !== this.#secret) {
      await this.#derive(secret);
    }
    return this.#find() === secret;
  }

  /** @see RecalledTickets */
  read(answers) {
    return this.#tickets.read(answers);
  }

  forget() {
    this.#gone = true;
    this.#tickets?.forget();
    [this.#own, this.#secret] = ["", ""];
  }

  async #derive(secret) {
    this.#tickets?.forget();
    this.#secret = secret;
    const drawn = await derivedTickets(this.#design.items, secret, this.#window.crypto.subtle);
    this.#tickets = new RecalledTickets(this.#design, drawn);
    if (this.#gone) {
      this.forget();
    }
  }

  get #storage() {
    return this.#window.localStorage;
  }

  get #name() {
    return `candor-secret-${this.#design.slug}`;
  }

  /** @returns {string | null}  a text that is no such number counts as none */
  #find() {
    const found = attempt(() => this.#storage.getItem(this.#name));
    return SECRET.test(found ?? "") ? found : null;
  }
}

/**
 * The tickets of every answer to every item.
 *
 * HMAC-SHA-256 of "candor ticket 1", the SHA-256 of the item's canonical text, the number of the draw and a counter is read as
 * eight words; words become tickets as those of the browser's generator do.
 *
 * @param {readonly {text: string, encoding: import("./encoding.js").Encoding}[]} items
 * @param {string} secret  64 hex digits
 * @param {SubtleCrypto} subtle
 * @returns {Promise<number[][][]>}  for each item its draws, for each draw its tickets
 */
export async function derivedTickets(items, secret, subtle) {
  const key = await subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return Promise.all(items.map(async ({ text, encoding }) => {
    const message = new Uint8Array([...new TextEncoder().encode(LABEL), ...bytesOf(await digestOf(text, subtle)), ...Array(8).fill(0)]);
    const numbers = new DataView(message.buffer, message.length - 8);
    return Promise.all(encoding.draws.map((boxes, draw) => drawn(boxes, (counter) => {
      numbers.setUint32(0, draw);
      numbers.setUint32(4, counter);
      return subtle.sign("HMAC", key, message); // The browser copies the bytes before this returns.
    })));
  }));
}

/** Mostly one word a ticket. Where so many are thrown away that the words end, all is read again from twice as many. */
async function drawn(boxes, blockOf) {
  for (let blocks = Math.ceil(boxes.length / WORDS_OF_A_BLOCK); ; blocks *= 2) {
    const source = wordsOf(await Promise.all(Array.from({ length: blocks }, (_, counter) => blockOf(counter))));
    const tickets = boxes.map((box) => drawTicket(source, box));
    if (!source.ended) {
      return tickets;
    }
  }
}

/** @returns {import("./random.js").WordSource & {ended: boolean}} */
function wordsOf(blocks) {
  const views = blocks.map((block) => new DataView(block));
  let used = 0;
  return {
    size: 2 ** 32,
    ended: false,
    next() {
      const view = views[Math.floor(used / WORDS_OF_A_BLOCK)];
      this.ended ||= view === undefined;
      used += 1;
      return view?.getUint32(4 * ((used - 1) % WORDS_OF_A_BLOCK)) ?? 0;
    },
  };
}

function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
}

offer("remembered", RememberedTickets);
