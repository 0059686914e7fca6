/** One-time codes, as people type them: with spaces, dashes and capitals, and with letters that look like digits. */

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const CODE = new RegExp(`^[${ALPHABET}]{28}$`);

/** @returns {string}  the 28 symbols of a code; empty where it is none, be it that a symbol is wrong */
export function codeIn(text) {
  const plain = text.toLowerCase().replace(/[\s-]/g, "").replaceAll("o", "0").replace(/[il]/g, "1");
  return CODE.test(plain) && checks(plain) ? plain : "";
}

/** Luhn's sum in base 32 comes out even; collector/invitations.py makes it so. */
function checks(code) {
  const total = [...code].reverse().reduce((sum, symbol, place) => {
    const doubled = ALPHABET.indexOf(symbol) * (1 + (place % 2));
    return sum + Math.floor(doubled / ALPHABET.length) + (doubled % ALPHABET.length);
  }, 0);
  return total % ALPHABET.length === 0;
}
