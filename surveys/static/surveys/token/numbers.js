/** Bytes, hex digits and large integers; what of arithmetic RSA needs on the asking side. */

/** @returns {string}  two small hex digits for each byte */
export function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @returns {Uint8Array} */
export function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** @returns {bigint}  of bytes, the most significant one first */
export function numberOf(bytes) {
  return BigInt(`0x${hexOf(bytes) || "0"}`);
}

/** @returns {Uint8Array}  a number as that many bytes */
export function bytesOfNumber(number, length) {
  return bytesOf(number.toString(16).padStart(2 * length, "0"));
}

/** @returns {number}  how many binary digits a number has */
export function bitsOf(number) {
  return number.toString(2).length;
}

/** @returns {string}  base64url without padding (RFC 4648, section 5) */
export function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @returns {Uint8Array}  one after the other */
export function joined(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** @returns {bigint}  base ** exponent, modulo `modulus` */
export function power(base, exponent, modulus) {
  let result = 1n;
  for (let square = base % modulus, left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) {
      result = (result * square) % modulus;
    }
    square = (square * square) % modulus;
  }
  return result;
}

/** @returns {bigint | null}  what `number` is multiplied with to give 1 modulo `modulus`; null where nothing does */
export function inverse(number, modulus) {
  let [above, below] = [modulus, number % modulus];
  let [before, now] = [0n, 1n];
  while (below !== 0n) {
    const times = above / below;
    [above, below] = [below, above - times * below];
    [before, now] = [now, before - times * now];
  }
  return above === 1n ? ((before % modulus) + modulus) % modulus : null;
}
