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

/** The last symbol of a code, of those before it: Luhn's sum in base 32 (collector/invitations/codes.py). */
function checkSymbol(symbols) {
  let total = 0;
  [...symbols].reverse().forEach((symbol, place) => {
    const doubled = ALPHABET.indexOf(symbol) * (2 - (place % 2));
    total += Math.floor(doubled / ALPHABET.length) + (doubled % ALPHABET.length);
  });
  return ALPHABET[(ALPHABET.length - (total % ALPHABET.length)) % ALPHABET.length];
}

/** @returns {string}  of a whole link what it names as the invitation or the code */
export function pasted(text) {
  return /&(?:invitation|code)=([^&]*)/i.exec(text)?.[1] ?? text;
}
