import { Refusal } from "./refusal.js";

/** Letters that are written from right to left: Hebrew, Arabic and their neighbours. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff]/;

/**
 * The words of the page. They are rendered into it in its language, hidden, with placeholders in braces; the numbers
 * come from the design. So nothing is worded here, and nothing is counted there.
 */
export class Sentences {
  #patterns = new Map();
  #plural;
  #isolated;
  #points;
  #lists;
  #language;

  /**
   * @param {Element} element  holds elements with `data-sentence="key"`
   * @param {string} language
   */
  constructor(element, language) {
    for (const pattern of element.querySelectorAll("[data-sentence]")) {
      this.#patterns.set(pattern.dataset.sentence, pattern.textContent.trim().replace(/\s+/g, " "));
    }
    // The page's own text has these digits in every language; a digest has no others.
    this.numbers = new Intl.NumberFormat(language, { numberingSystem: "latn" });
    this.#points = new Intl.NumberFormat(language, { numberingSystem: "latn", maximumFractionDigits: 6, useGrouping: false });
    this.#lists = new Intl.ListFormat(language, { type: "unit", style: "short" });
    this.#language = language;
    this.#plural = new Intl.PluralRules(language);
    this.#isolated = getComputedStyle(element).direction === "rtl";
  }

  /**
   * A sentence with its placeholders filled. `count`, where given, chooses `key.one`, `key.other`, ... if there are such.
   *
   * @param {string} key
   * @param {Record<string, string | number>} [values]  numbers are written in the page's language
   * @returns {string}
   */
  say(key, values = {}) {
    const chosen = typeof values.count === "number" ? `${key}.${this.#plural.select(values.count)}` : key;
    const pattern = this.#patterns.get(chosen) ?? this.#patterns.get(`${key}.other`) ?? this.#patterns.get(key);
    if (pattern === undefined) {
      throw new Refusal("page", { detail: `no sentence "${key}"` });
    }
    return pattern.replace(/\{(\w+)\}/g, (whole, name) => this.#written(values[name], whole));
  }

  /** @returns {boolean}  whether the page has this sentence, or a form of it that goes by number */
  has(key) {
    return this.#patterns.has(key) || this.#patterns.has(`${key}.other`);
  }

  /** @returns {string}  a text of the design, as the page shows it */
  text(text) {
    return String(text[this.#language] ?? "").trim().replace(/\s+/g, " ");
  }

  /** @returns {string}  a number as somebody would write it who answers with it */
  point(number) {
    return this.#points.format(number);
  }

  /** @returns {string}  texts in a row; empty where there are none */
  list(texts) {
    return this.#lists.format(texts);
  }

  #written(value, whole) {
    if (typeof value === "number") {
      return this.numbers.format(value);
    }
    return this.#isolated && value !== undefined ? isolate(value) : (value ?? whole);
  }
}

/**
 * Invisible marks, so that what is put in leaves the words around it in order: a sentence from right to left; "<1", a
 * digest or an answer in Latin letters from left to right. The direction is named, because a mark that lets the browser
 * find it out does not look into the parts that are marked already.
 */
function isolate(text) {
  return `${RIGHT_TO_LEFT.test(text) ? "\u2067" : "\u2066"}${text}\u2069`;
}
