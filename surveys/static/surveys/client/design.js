import { LARGEST_ODDS, checkedTable, exceeds, totalRatio } from "./channel.js";
import { Refusal } from "./refusal.js";

/**
 * The frozen design: the page embeds its canonical text, and these very characters are what is hashed and parsed.
 *
 * @typedef {Readonly<Record<string, string>>} Text  by language
 * @typedef {import("./channel.js").Table} Table
 *
 * @typedef {object} Item
 * @property {string} key
 * @property {"yes_no" | "one_choice"} kind
 * @property {Text} wording
 * @property {readonly Text[]} choices
 * @property {Table} table
 *
 * @typedef {object} Design
 * @property {string} slug
 * @property {readonly string[]} languages
 * @property {readonly {key: string, label: Text}[]} groups  empty where the survey has no strata question
 * @property {readonly Item[]} items
 */

const FORMAT = 1;
const KINDS = ["yes_no", "one_choice"];
const HEX_DIGEST = /^[0-9a-f]{64}$/;

/**
 * Read and check a design; nothing is drawn from one that did not pass here.
 *
 * A text that is not canonical is refused: it could hold a key twice, and two readers could see two designs.
 *
 * @returns {Design}
 */
export function readDesign(text) {
  const source = parsed(text);
  demand(canonicalText(source) === text, "it is not in canonical form");
  demand(source.format === FORMAT, `its format must be ${FORMAT}`);
  demand(source.rehearsal === false, "it is a rehearsal");
  demand(Array.isArray(source.items) && source.items.length > 0, "it has no questions");
  const design = Object.freeze({
    slug: source.slug,
    languages: source.languages,
    groups: checkedGroups(source.strata?.groups ?? []),
    items: Object.freeze(source.items.map(checkedItem)),
  });
  refuseTooMuch(totalRatio(design.items.map((item) => item.table)));
  return design;
}

/**
 * The one way to write a design: sorted keys, no spaces.
 *
 * @returns {string}
 */
export function canonicalText(value) {
  return JSON.stringify(value, (_key, part) => {
    if (part === null || typeof part !== "object" || Array.isArray(part)) {
      return part;
    }
    return Object.fromEntries(Object.keys(part).sort().map((key) => [key, part[key]]));
  });
}

/**
 * SHA-256 of a text in UTF-8.
 *
 * @param {string} text
 * @param {SubtleCrypto | undefined} subtle  `crypto.subtle` in the page
 * @returns {Promise<string>}  64 hex digits
 */
export async function digestOf(text, subtle) {
  if (typeof subtle?.digest !== "function") {
    throw new Refusal("no-digest");
  }
  const bytes = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Compare the digest with the one in the link, `#<64 hex digits>`.
 *
 * @param {string} fragment  `location.hash`
 * @param {string} digest
 * @returns {boolean}  whether the link names a digest at all; another digest is refused
 */
export function linkNames(fragment, digest) {
  const named = fragment.replace(/^#/, "").toLowerCase();
  if (named === "") {
    return false;
  }
  if (!HEX_DIGEST.test(named)) {
    throw new Refusal("link-damaged");
  }
  if (named !== digest) {
    throw new Refusal("link-other", { named, digest });
  }
  return true;
}

function parsed(text) {
  let source = null;
  try {
    source = JSON.parse(text);
  } catch {
    source = null;
  }
  demand(source !== null && typeof source === "object", "it is not a JSON document");
  return source;
}

function checkedItem(item, index) {
  demand(KINDS.includes(item?.kind), `question ${index + 1} is of an unknown kind`);
  demand(item.encoding === "single", `question ${index + 1} has an unknown encoding`);
  const table = checkedItemTable(item.channel?.weights, index);
  const fits = item.choices?.length === table.weights.length && item.choices.length === table.weights[0].length;
  demand(fits, `question ${index + 1} and its table have different numbers of choices`);
  return Object.freeze({ key: item.key, kind: item.kind, wording: item.wording, choices: item.choices, table });
}

function checkedItemTable(weights, index) {
  try {
    return checkedTable(weights);
  } catch (problem) {
    throw problem instanceof Refusal ? new Refusal("table", { number: index + 1, ...problem.values }) : problem;
  }
}

function checkedGroups(groups) {
  const lengths = new Set(groups.map((group) => new TextEncoder().encode(JSON.stringify(group?.key)).length));
  demand(groups.every((group) => typeof group?.key === "string"), "a group has no key");
  demand(lengths.size <= 1, "its group keys differ in length, so the size of a request would show the group");
  return groups;
}

function refuseTooMuch(total) {
  if (exceeds(total, { number: LARGEST_ODDS, divisor: 1n })) {
    throw new Refusal("too-much", { limit: Number(LARGEST_ODDS) });
  }
}

function demand(holds, detail) {
  if (!holds) {
    throw new Refusal("design", { detail });
  }
}
