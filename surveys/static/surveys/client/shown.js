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

/**
 * The pictures within an element are those of the design, each by the name that its bytes have.
 *
 * @param {HTMLElement | null} element
 * @param {readonly import("./design.js").Picture[]} pictures
 */
export function demandPictures(element, pictures, language) {
  const shown = [...(element?.querySelectorAll("img") ?? [])];
  demandSame(shown.length, pictures.length, "pictures");
  pictures.forEach(({ digest, type, alternative }, i) => {
    demandSame(shown[i].getAttribute("src").split("/").at(-1), `${digest}.${type}`, "a picture");
    demandSame(plain(shown[i].alt), plain(alternative[language]), "a picture's alternative text");
  });
}

/** As the browser shows it: line breaks and double spaces are one space. */
export function plain(text) {
  return String(text ?? "").trim().replace(/\s+/g, " ");
}
