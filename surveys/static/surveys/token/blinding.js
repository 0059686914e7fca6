import { base64url, bytesOf, hexOf, joined, numberOf } from "./numbers.js";
import { SALT_BYTES, blind, finalize } from "./rsabssa.js";
import { Refusal } from "../client/refusal.js";

/**
 * A token in the making: everything of it is drawn here, and what is sent of it is the blinded message alone.
 *
 * @typedef {object} Pending  hex digits each; what it takes to finish with the reply, also after a reload
 * @property {string} message  32 bytes, random: what tells the token from every other
 * @property {string} randomizer  32 bytes, random, put before the message as RFC 9474 asks
 * @property {string} inverse  takes the blinding away
 * @property {string} blinded  what the server is asked to sign
 *
 * @typedef {import("../client/random.js").WordSource} WordSource
 */

const BYTES = 32;
const SIGNATURE_BYTES = 384;
const MODULUS = /^[89a-f][0-9a-f]{766}[13579bdf]$/;
const MOST_TRIES = 128;
const SHAPES = { message: 64, randomizer: 64, inverse: 768, blinded: 768 };

/** @returns {bigint}  the key in a design; anything but an odd number of 3,072 bits is refused */
export function modulusOf(source) {
  const blind = source?.invitations;
  if (blind?.kind !== "blind" || typeof blind.modulus !== "string" || !MODULUS.test(blind.modulus)) {
    throw new Refusal("key");
  }
  return BigInt(`0x${blind.modulus}`);
}

/**
 * @param {bigint} modulus
 * @param {WordSource} words
 * @param {SubtleCrypto} subtle
 * @returns {Promise<Pending>}
 */
export async function draw(modulus, words, subtle) {
  const [message, randomizer, salt] = [BYTES, BYTES, SALT_BYTES].map((count) => bytesFrom(words, count));
  const made = await blind(joined(randomizer, message), modulus, salt, factorBelow(modulus, words), subtle);
  const [blinded, inverse] = [made.blinded, made.inverse].map((number) => number.toString(16).padStart(SHAPES.blinded, "0"));
  return { message: hexOf(message), randomizer: hexOf(randomizer), inverse, blinded };
}

/**
 * @param {Pending} pending
 * @param {string} signed  the server's reply, 768 hex digits
 * @returns {Promise<string>}  the token: 448 bytes as 598 symbols of base64url; none that does not verify
 */
export async function finish({ message, randomizer, inverse }, signed, modulus, subtle) {
  if (typeof signed !== "string" || !isHex(signed, 2 * SIGNATURE_BYTES)) {
    throw new Refusal("signature");
  }
  const prepared = bytesOf(randomizer + message);
  const signature = await finalize(prepared, modulus, BigInt(`0x${signed}`), BigInt(`0x${inverse}`), subtle);
  return base64url(joined(bytesOf(message), bytesOf(randomizer), signature));
}

/** @returns {boolean}  whether something that was read from a storage is as `draw` makes it */
export function isPending(value) {
  return Object.entries(SHAPES).every(([name, digits]) => typeof value?.[name] === "string" && isHex(value[name], digits));
}

function isHex(text, digits) {
  return text.length === digits && /^[0-9a-f]*$/.test(text);
}

function bytesFrom(words, count) {
  return bytesOf(Array.from({ length: count / 4 }, () => words.next().toString(16).padStart(8, "0")).join(""));
}

/** By rejection, so that each is as likely as any other. */
function factorBelow(modulus, words) {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const drawn = numberOf(bytesFrom(words, SIGNATURE_BYTES));
    if (drawn > 0n && drawn < modulus) {
      return drawn;
    }
  }
  throw new Refusal("generator-stuck");
}
