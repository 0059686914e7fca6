import { Refusal } from "./refusal.js";

/** The words on the page must be the words of the frozen design, or what is answered would mean something else. */
export function demandSame(shown, expected, what) {
  if (shown !== expected) {
    throw new Refusal("page", { detail: `${what}: the page shows ${shown}, the design has ${expected}` });
  }
}

/**
 * @param {readonly string[]} shown
 * @param {readonly Readonly<Record<string, string>>[]} texts  of the design, by language
 * @param {string} language  of the page
 * @param {readonly [string, string]} names  of many and of one
 */
export function demandTexts(shown, texts, language, [many, one]) {
  demandSame(shown.length, texts.length, many);
  texts.forEach((text, i) => demandSame(shown[i], plain(text[language]), one));
}

/** As the browser shows it: line breaks and double spaces are one space. */
export function plain(text) {
  return String(text ?? "").trim().replace(/\s+/g, " ");
}
