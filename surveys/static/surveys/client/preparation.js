import { Choices } from "./choices.js";
import { digestOf, linkNames, readDesign } from "./design.js";
import { part } from "./parts.js";
import { Refusal } from "./refusal.js";

/**
 * Everything that must be true before a ticket is drawn.
 *
 * @typedef {import("./design.js").Design} Design
 *
 * @typedef {object} Prepared
 * @property {Design} design
 * @property {string} digest
 * @property {Choices[]} questions
 * @property {Choices | null} group
 */

/**
 * Check the connection, the design, its digest, and that the page shows the questions of the design.
 *
 * @returns {Promise<Prepared>}
 */
export async function prepare(root, window) {
  if (!window.isSecureContext) {
    throw new Refusal("insecure");
  }
  const text = part(root, "design").textContent;
  const digest = await digestOf(text, window.crypto?.subtle);
  if (digest !== root.dataset.digest) {
    throw new Refusal("digest", { digest });
  }
  checkedLink(window, digest);
  const design = readDesign(text);
  return { design, digest, ...boundQuestions(root, design) };
}

/** @returns {boolean}  whether the link names this digest; one that names another is refused */
export function checkedLink(window, digest) {
  return linkNames(window.location.hash, digest);
}

function boundQuestions(root, design) {
  const questions = [...root.querySelectorAll("[data-part=question]")].map((element) => new Choices(element));
  const group = root.querySelector("[data-part=group]");
  demandSame(questions.length, design.items.length, "questions");
  questions.forEach((question, i) => demandShown(question, design.items[i], root.lang));
  demandSame(Number(group !== null), Number(design.groups.length > 0), "strata questions");
  return { questions, group: group === null ? null : boundGroup(group, design, root.lang) };
}

function boundGroup(element, design, language) {
  const group = new Choices(element);
  demandSame(group.count, design.groups.length, "groups");
  design.groups.forEach(({ label }, i) => demandSame(group.label(i), plain(label[language]), "a group's label"));
  return group;
}

/** The words that are answered must be the words of the frozen design, or the report would mean something else. */
function demandShown(question, item, language) {
  demandSame(question.wording, plain(item.wording[language]), "a question's wording");
  demandSame(question.count, item.choices.length, "choices");
  item.choices.forEach((choice, i) => demandSame(question.label(i), plain(choice[language]), "a choice's label"));
}

function demandSame(shown, expected, what) {
  if (shown !== expected) {
    throw new Refusal("page", { detail: `${what}: the page shows ${shown}, the design has ${expected}` });
  }
}

/** As the browser shows it: line breaks and double spaces are one space. */
function plain(text) {
  return String(text ?? "").trim().replace(/\s+/g, " ");
}
