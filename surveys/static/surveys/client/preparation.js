import { Choices } from "./choices.js";
import { digestOf, readDesign } from "./design.js";
import { extra } from "./extras.js";
import { linkNames } from "./link.js";
import { part } from "./elements.js";
import { Refusal } from "./refusal.js";
import { demandSame, demandTexts, plain } from "./shown.js";

/**
 * Everything that must be true before a ticket is drawn.
 *
 * @typedef {import("./design.js").Design} Design
 *
 * @typedef {object} Prepared
 * @property {Design} design
 * @property {string} digest
 * @property {import("./field.js").Question[]} questions
 * @property {Choices | null} group
 * @property {object | null} background  the background questions (background.js)
 */

/**
 * Check the connection, the design, its digest, and that the page shows the questions of the design.
 *
 * @param {HTMLElement} root
 * @param {Window} window
 * @param {string} fragment  of the link
 * @param {import("./sentences.js").Sentences} sentences
 * @param {() => void} changed  called after every change of an answer
 * @returns {Promise<Prepared>}
 */
export async function prepare(root, window, fragment, sentences, changed) {
  if (!window.isSecureContext) {
    throw new Refusal("insecure");
  }
  const text = part(root, "design").textContent;
  const digest = await digestOf(text, window.crypto?.subtle);
  if (digest !== root.dataset.digest) {
    throw new Refusal("digest", { digest });
  }
  linkNames(fragment, digest);
  const design = readDesign(text);
  const bound = boundQuestions(root, design, sentences, changed);
  if (design.logo || design.items.some(({ beside }) => beside) || root.querySelector("[data-part=before], img")) {
    extra("beside")(root, window.location, design, bound.questions);
  }
  return { design, digest, ...bound };
}

function boundQuestions(root, design, sentences, changed) {
  const elements = [...root.querySelectorAll("[data-part=question]")];
  demandSame(elements.length, design.items.length, "questions");
  const questions = design.items.map((item, i) => bound(elements[i], item, changed));
  questions.forEach((question, i) => demandShown(question, design.items[i], root.lang));
  demandSections(root, design);
  const group = root.querySelector("[data-part=group]");
  demandSame(Number(group !== null), Number(design.groups.length > 0), "strata questions");
  const open = design.background !== null || root.querySelector("[data-part=background]") !== null;
  return {
    questions,
    group: group === null ? null : boundGroup(group, design, root.lang, changed),
    background: open ? new (extra("background"))(root, design, sentences, changed) : null,
  };
}

/** @returns {import("./field.js").Question} */
function bound(element, item, changed) {
  switch (item.kind) {
    case "several_choices":
      return new (extra("multiple"))(element, item, changed);
    case "number":
      return new (extra("number"))(element, item.grid, changed);
    default:
      return item.dropdown ? new (extra("dropdown"))(element, changed) : new Choices(element, changed);
  }
}

function boundGroup(element, design, language, changed) {
  const group = new Choices(element, changed);
  demandTexts(group.labels, design.groups.map(({ label }) => label), language, ["groups", "a group's label"]);
  return group;
}

/** The words that are answered must be the words of the frozen design, or the report would mean something else. */
function demandShown(question, item, language) {
  demandSame(question.wording, plain(item.wording[language]), "a question's wording");
  demandTexts(question.labels, item.choices, language, ["choices", "a choice's label"]);
}

/** A question reads on from the title above it; each must stand in the section that the design gives it. */
function demandSections(root, design) {
  const elements = [...root.querySelectorAll("[data-part=section]")];
  demandSame(elements.length, Math.max(design.sections.length, 1), "sections");
  design.sections.forEach(({ key, title, introduction }, i) => {
    const text = (name) => plain(elements[i].querySelector(`[data-part=${name}]`)?.textContent);
    demandSame(text("section-title"), plain(title[root.lang]), "a section's title");
    demandSame(text("section-introduction"), plain(introduction[root.lang]), "a section's introduction");
    const questions = elements[i].querySelectorAll("[data-part=question]").length;
    demandSame(questions, design.items.filter(({ section }) => section === key).length, "questions of a section");
  });
}
