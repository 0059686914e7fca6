import { drawTicket } from "./random.js";
import { Refusal } from "./refusal.js";

/**
 * Where an answer becomes a report. This is the only place that sees both the answers and the tickets.
 *
 * @typedef {import("./encoding.js").Answer} Answer
 */

/**
 * Tickets that are drawn before any answer exists, read once, then gone.
 *
 * Reading twice would let two different answers meet the same ticket, and the difference would give the answer away.
 */
class ReadOnce {
  #design;
  #drawn;
  #pick;

  /**
   * @param {import("./design.js").Design} design
   * @param {number[][][]} drawn  for each item its draws, for each draw its tickets
   * @param {(drawn: number[][], encoding: import("./encoding.js").Encoding, answer: Answer) => number[]} pick
   */
  constructor(design, drawn, pick) {
    this.#design = design;
    this.#drawn = drawn;
    this.#pick = pick;
  }

  /**
   * Read every ticket for its answer, and forget the tickets.
   *
   * @param {readonly Answer[]} answers  one per question, in order
   * @param {Record<number, number[]>} [marks]  by their places what a coin has decided: no ticket meets it
   * @returns {string}  two hex digits a symbol
   */
  read(answers, marks = {}) {
    if (this.#drawn === null) {
      throw new Refusal("tickets-used");
    }
    const symbols = this.#design.items.flatMap(({ encoding }, i) =>
      marks[i] ?? encoding.read(this.#pick(this.#drawn[i], encoding, answers[i]), answers[i]));
    this.forget();
    return symbols.map((symbol) => symbol.toString(16).padStart(2, "0")).join("");
  }

  /** Forget the tickets; nothing can be read from them any more. */
  forget() {
    this.#drawn?.flat().forEach((tickets) => tickets.fill(0));
    this.#drawn = null;
  }
}

/** The tickets of one visit, the same whatever will be answered. */
export class Tickets extends ReadOnce {
  /**
   * @param {import("./design.js").Design} design
   * @param {import("./random.js").WordSource} source
   */
  constructor(design, source) {
    const drawn = design.items.map(({ encoding }) => [encoding.boxes.map((box) => drawTicket(source, box))]);
    super(design, drawn, ([tickets]) => tickets);
  }
}

/** Tickets that come again in the next wave: every answer has its own, as `remembered.js` derives them. */
export class RecalledTickets extends ReadOnce {
  constructor(design, drawn) {
    super(design, drawn, (draws, encoding, answer) => encoding.recall(draws, answer));
  }
}

/** How an invitation of each kind is written in a body: a code of 28 symbols, or 448 bytes in base64url. */
export const INVITATIONS = { "": /^$/, secret: /^[0-9a-hjkmnp-tv-z]{28}$/, blind: /^[A-Za-z0-9_-]{597}[AQgw]$/ };

/**
 * The body of the request: always these keys in this order, so that every body of a design has one length. The last one
 * is there where the design asks for an invitation.
 *
 * @param {{design: string, nonce: string, stratum: string, report: string, invitation?: string}} parts
 * @returns {string}
 */
export function requestBody({ design, nonce, stratum, report, invitation = "" }) {
  return JSON.stringify({ design, nonce, stratum, report, ...(invitation === "" ? {} : { invitation }) });
}

/**
 * Whether a text is, to the byte, a body that this page could have made of this design.
 *
 * @param {string} text  from a storage, where anybody may have changed it
 * @param {import("./preparation.js").Prepared} prepared
 * @returns {boolean}
 */
export function isBodyFor(text, { design, digest, background }) {
  const { nonce, stratum, report, invitation = "" } = parsed(text) ?? {};
  const symbols = design.items.reduce((total, { encoding }) => total + encoding.symbols, 0);
  return (
    isHex(nonce, 32) &&
    isHex(report, 2 * symbols) &&
    (background?.keys ?? (design.groups.length === 0 ? [""] : design.groups.map(({ key }) => key))).includes(stratum) &&
    INVITATIONS[design.invitations].test(invitation) &&
    text === requestBody({ design: digest, nonce, stratum, report, invitation }) &&
    readBody(text, design).symbols.every((made, i) => design.items[i].encoding.makes(made))
  );
}

function isHex(value, digits) {
  return typeof value === "string" && value.length === digits && /^[0-9a-f]+$/.test(value);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * What a report says, for the receipt: the symbols that were sent for each question.
 *
 * @param {string} body
 * @param {import("./design.js").Design} design
 * @returns {{stratum: string, symbols: number[][]}}
 */
export function readBody(body, design) {
  const { stratum, report } = JSON.parse(body);
  const symbols = (report.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  return { stratum, symbols: design.items.map(({ encoding }) => symbols.splice(0, encoding.symbols)) };
}
