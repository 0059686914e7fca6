import { offer } from "./extras.js";
import { Field } from "./field.js";
import { part } from "./parts.js";
import { Refusal } from "./refusal.js";
import { INVITATIONS } from "./report.js";

/** Crockford's base 32: no i, l, o, u, so that a code can be read from a card. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

const LENGTH = 28;

/** Spaces, dashes, dots and invisible marks: what people and programs put between groups of four. */
const BETWEEN = /[\s\p{Pd}\p{Cf}._]/gu;

const MEANT = { i: "1", l: "1", o: "0" };

/**
 * A code as it was written, typed or pasted with its link, read as people mean it.
 *
 * @param {string} text
 * @returns {{invitation: string, fault: "" | "length" | "wrong", count: number}}
 */
export function readCode(text) {
  const invitation = pasted(text).replace(BETWEEN, "").toLowerCase().replace(/[ilo]/g, (letter) => MEANT[letter]);
  const sound = INVITATIONS.secret.test(invitation) && checkSymbol(invitation.slice(0, -1)) === invitation.at(-1);
  const count = [...invitation].length;
  return { invitation, fault: sound ? "" : count === LENGTH ? "wrong" : "length", count };
}

/**
 * A token, pasted alone or with its link.
 *
 * @param {string} text
 * @returns {{invitation: string, fault: "" | "token", count: number}}
 */
export function readToken(text) {
  const invitation = pasted(text).replace(/\s/g, "");
  return { invitation, fault: INVITATIONS.blind.test(invitation) ? "" : "token", count: invitation.length };
}

/** The last symbol of a code, of those before it: Luhn's sum in base 32 (collector/invitations.py). */
function checkSymbol(symbols) {
  let total = 0;
  [...symbols].reverse().forEach((symbol, place) => {
    const doubled = ALPHABET.indexOf(symbol) * (2 - (place % 2));
    total += Math.floor(doubled / ALPHABET.length) + (doubled % ALPHABET.length);
  });
  return ALPHABET[(ALPHABET.length - (total % ALPHABET.length)) % ALPHABET.length];
}

/** Of a whole link what it names as the invitation. */
function pasted(text) {
  return /&invitation=([^&]*)/i.exec(text)?.[1] ?? text;
}

/**
 * The invitation of a survey that asks for one: from the link, or typed. It is here and in the field, and nowhere else,
 * until it goes into the body.
 */
export class Inviting extends Field {
  #input;
  #sentences;
  #read;
  #given = "";

  /**
   * @param {HTMLElement} root
   * @param {"secret" | "blind"} kind
   * @param {import("./sentences.js").Sentences} sentences
   */
  constructor(root, kind, sentences) {
    super(part(root, "inviting"), () => {});
    [this.#input] = this.nameless([...this.element.querySelectorAll("input[type=text]")]);
    this.demand(this.#input !== undefined);
    this.#sentences = sentences;
    this.#read = kind === "secret" ? readCode : readToken;
    this.element.addEventListener("input", () => this.showError(""));
  }

  /**
   * A new visit. A link with a damaged invitation is refused: nobody should answer what cannot be sent.
   *
   * @param {string | null} named  by the link
   */
  begin(named) {
    const { invitation, fault } = this.#read(named ?? "");
    if (named !== null && fault !== "") {
      throw new Refusal("invitation");
    }
    this.#given = named === null ? "" : invitation;
    part(this.element, "invitation-named").hidden = named === null;
    part(this.element, "invitation-asked").hidden = named !== null;
  }

  /** What goes into the body. */
  get text() {
    return this.#given === "" ? this.#read(this.#input.value).invitation : this.#given;
  }

  /** @returns {boolean}  whether there is one that could be good; what is wrong with it is said, and takes the focus */
  complete() {
    const { fault, count } = this.#given === "" ? this.#read(this.#input.value) : { fault: "" };
    if (fault !== "") {
      this.showError(this.#sentences.say(count === 0 ? "invitation-missing" : `invitation-${fault}`, { count }));
      this.#input.focus();
    }
    return fault === "";
  }

  /** The field is made anew: for as long as one lives, Undo brings back what was written in it. */
  clear() {
    this.#given = "";
    this.#input.value = "";
    this.#input.defaultValue = "";
    const fresh = this.#input.cloneNode();
    this.#input.replaceWith(fresh);
    this.#input = fresh;
    this.showError("");
  }

  showError(message) {
    super.showError(message);
    this.#input.setAttribute("aria-invalid", String(message !== ""));
  }
}

offer("inviting", Inviting);
