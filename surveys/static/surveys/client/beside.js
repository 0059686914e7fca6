import { offer } from "./extras.js";
import { demandSame, plain } from "./shown.js";

/**
 * What stands beside the questions: headings, texts and pictures before them, pictures of options, and the logo. All of it
 * must be that of the frozen design, a picture by the name that its bytes have.
 *
 * @typedef {{digest: string, type: string, alternative: Record<string, string>}} Picture
 *
 * @param {HTMLElement} root
 * @param {Location} location
 * @param {import("./design.js").Design} design
 * @param {readonly import("./field.js").Question[]} questions
 */
function demandBeside(root, location, { items, logo }, questions) {
  const shown = questions.map(({ element }) => aboveOf(element)).filter((above) => above !== null);
  demandSame(root.querySelectorAll("[data-part=before]").length, shown.length, "texts before questions");
  questions.forEach(({ element }, i) => demand(element, items[i].beside ?? {}, root.lang));
  demandPictures(root.querySelector("[data-part=logo]"), logo ? [logo] : [], root.lang);
  showCommands(root, location);
}

/** What stands above the question, or above the grid that it begins, besides it; null where nothing does. */
function aboveOf(element) {
  const grid = element.closest("[data-part=matrix]");
  const begins = grid?.querySelector("[data-part=question]") === element;
  const above = (begins ? grid : element).previousElementSibling;
  return above?.dataset.part === "before" ? above : null;
}

function demand(element, { before = {}, choice_pictures: pictures = [] }, language) {
  const above = aboveOf(element);
  for (const name of ["heading", "text"]) {
    const shown = [...(above?.querySelectorAll(`[data-part=before-${name}]`) ?? [])];
    const words = shown.map((one) => one.textContent).join(" ");
    demandSame(plain(words), plain(before[name]?.[language]), `the ${name} before a question`);
  }
  demandPictures(element, pictures.filter(Boolean), language);
  demandPictures(above, before.picture ? [before.picture] : [], language);
}

/** @param {readonly Picture[]} pictures */
function demandPictures(element, pictures, language) {
  const shown = [...(element?.querySelectorAll("img") ?? [])];
  demandSame(shown.length, pictures.length, "pictures");
  pictures.forEach(({ digest, type, alternative }, i) => {
    demandSame(shown[i].getAttribute("src").split("/").at(-1), `${digest}.${type}`, "a picture");
    demandSame(plain(shown[i].alt), plain(alternative[language]), "a picture's alternative text");
  });
}

/** The addresses of the pictures become commands that print their digests. */
function showCommands(root, { origin }) {
  const place = root.querySelector("[data-part=check-pictures]");
  const lines = place?.textContent.trim().split("\n") ?? [];
  if (lines[0]?.startsWith("/")) {
    place.textContent = lines.map((line) => `curl -s ${origin}${line} | sha256sum`).join("\n");
  }
}

offer("beside", demandBeside);
