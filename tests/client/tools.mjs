import { readFileSync } from "node:fs";

/** A source that plays recorded words and counts them. */
export function tape(words, size = 2 ** 32) {
  return {
    size,
    used: 0,
    next() {
      if (this.used === words.length) throw new Error("the tape is at its end");
      this.used += 1;
      return words[this.used - 1];
    },
  };
}

/** A file of tests/vectors, which the Python tests read as well. */
export function vectors(name) {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), "utf8"));
}

export const TWO_COINS = [[3, 1], [1, 3]];

/** A design that passes; tests change one thing in it. */
export function designDocument(changes = {}) {
  return {
    format: 1,
    slug: "demo",
    version: 1,
    rehearsal: false,
    languages: ["en"],
    title: { en: "Demo" },
    introduction: { en: "" },
    consent: { en: "" },
    strata: { wording: { en: "" }, groups: [] },
    items: [item("first"), item("second", [[4, 1, 1], [1, 4, 1], [1, 1, 4]])],
    ...changes,
  };
}

export function item(key, weights = TWO_COINS) {
  return {
    key,
    kind: weights.length === 2 ? "yes_no" : "one_choice",
    wording: { en: `${key}?` },
    choices: weights.map((_, i) => ({ en: `choice ${i}` })),
    encoding: "single",
    channel: { name: "custom", weights },
  };
}

/**
 * As much of a window as remembering needs.
 *
 * @param {object} kept  what is in its storage, by name; null where it is forbidden
 */
export function device(kept = {}, crypto = globalThis.crypto) {
  return {
    crypto,
    get localStorage() {
      if (kept === null) throw new DOMException("forbidden", "SecurityError");
      return {
        getItem: (name) => kept[name] ?? null,
        setItem: (name, text) => { kept[name] = text; },
        removeItem: (name) => { delete kept[name]; },
      };
    },
  };
}

/** Words that come again with the same seed (xorshift32). */
export function seeded(seed) {
  let state = seed;
  return {
    size: 2 ** 32,
    next() {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state >>> 0;
    },
  };
}
