import { base64url, bitsOf, bytesOfNumber, inverse, joined, numberOf, power } from "./numbers.js";
import { Refusal } from "../client/refusal.js";

/**
 * The asking side of blind RSA signatures, RSABSSA-SHA384-PSS of RFC 9474 (sections 4.2 and 4.4), for keys of any length.
 *
 * Preparing a message, that is putting 32 random bytes before it, is the caller's.
 *
 * @typedef {{blinded: bigint, inverse: bigint}} Blinded  what is sent, and what takes the blinding away again
 */

const EXPONENT = 65537n;
const HASH = "SHA-384";
const HASH_BYTES = 48;

/** Bytes of the salt of a signature. */
export const SALT_BYTES = 48;

/**
 * @param {Uint8Array} prepared  what is to be signed
 * @param {bigint} modulus
 * @param {Uint8Array} salt  random
 * @param {bigint} factor  random, from 1 to the modulus - 1: it hides what is signed
 * @param {SubtleCrypto} subtle
 * @returns {Promise<Blinded>}
 */
export async function blind(prepared, modulus, salt, factor, subtle) {
  const encoded = numberOf(await encode(prepared, bitsOf(modulus) - 1, salt, subtle));
  const back = inverse(factor, modulus);
  if (back === null || inverse(encoded, modulus) === null) {
    throw new Refusal("key");
  }
  return { blinded: (encoded * power(factor, EXPONENT, modulus)) % modulus, inverse: back };
}

/**
 * Take the blinding away from what came back, and make sure that it is a signature.
 *
 * @returns {Promise<Uint8Array>}  the signature; one that the key did not make is refused
 */
export async function finalize(prepared, modulus, signed, back, subtle) {
  const signature = bytesOfNumber((signed * back) % modulus, Math.ceil(bitsOf(modulus) / 8));
  if (!(await verify(prepared, modulus, signature, subtle))) {
    throw new Refusal("signature");
  }
  return signature;
}

/** @returns {Promise<boolean>}  whether the key of this modulus signed it, as the browser's own cryptography says */
export async function verify(prepared, modulus, signature, subtle) {
  const numbers = { kty: "RSA", alg: "PS384", n: base64url(bytesOfNumber(modulus, Math.ceil(bitsOf(modulus) / 8))), e: "AQAB" };
  const key = await subtle.importKey("jwk", numbers, { name: "RSA-PSS", hash: HASH }, false, ["verify"]);
  return subtle.verify({ name: "RSA-PSS", saltLength: SALT_BYTES }, key, signature, prepared);
}

/** EMSA-PSS-ENCODE of RFC 8017, section 9.1.1. */
export async function encode(message, bits, salt, subtle) {
  const length = Math.ceil(bits / 8);
  const seed = await hash(joined(new Uint8Array(8), await hash(message, subtle), salt), subtle);
  const block = joined(new Uint8Array(length - salt.length - HASH_BYTES - 2), [1], salt);
  const mask = await maskOf(seed, block.length, subtle);
  const masked = block.map((byte, i) => byte ^ mask[i]);
  masked[0] &= 0xff >> (8 * length - bits);
  return joined(masked, seed, [0xbc]);
}

/** MGF1 of RFC 8017, appendix B.2.1. */
async function maskOf(seed, length, subtle) {
  const blocks = [];
  for (let counter = 0; counter * HASH_BYTES < length; counter += 1) {
    blocks.push(await hash(joined(seed, bytesOfNumber(BigInt(counter), 4)), subtle));
  }
  return joined(...blocks).slice(0, length);
}

async function hash(bytes, subtle) {
  return new Uint8Array(await subtle.digest(HASH, bytes));
}
