import { readTicket } from "./channel.js";
import { drawTicket } from "./random.js";
import { Refusal } from "./refusal.js";

/**
 * Where an answer becomes a report. This is the only place that sees both the answers and the tickets.
 */

/**
 * The tickets of one visit: drawn before any answer exists, read once, then gone.
 *
 * Reading twice would let two different answers meet the same ticket, and the difference would give the answer away.
 */
export class Tickets {
  #design;
  #drawn;

  constructor(design, source) {
    this.#design = design;
    this.#drawn = Uint32Array.from(design.items, (item) => drawTicket(source, item.table.tickets));
  }

  /**
   * Read every ticket against the row of its answer, and forget the tickets.
   *
   * @param {readonly number[]} answers  one per question, in order: the index of the choice
   * @returns {string}  two hex digits a question
   */
  read(answers) {
    if (this.#drawn === null) {
      throw new Refusal("tickets-used");
    }
    const symbols = this.#design.items.map((item, i) => readTicket(item.table.weights[answers[i]], this.#drawn[i]));
    this.forget();
    return symbols.map((symbol) => symbol.toString(16).padStart(2, "0")).join("");
  }

  /** Forget the tickets; nothing can be read from them any more. */
  forget() {
    this.#drawn?.fill(0);
    this.#drawn = null;
  }
}

/**
 * The body of the request: always these keys in this order, so that every body of a design has one length.
 *
 * @param {{design: string, nonce: string, stratum: string, report: string}} parts
 * @returns {string}
 */
export function requestBody({ design, nonce, stratum, report }) {
  return JSON.stringify({ design, nonce, stratum, report });
}

/**
 * What a report says, for the receipt: the index of the choice that was sent for each question.
 *
 * @returns {{stratum: string, symbols: number[]}}
 */
export function readBody(body) {
  const { stratum, report } = JSON.parse(body);
  return { stratum, symbols: (report.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)) };
}
