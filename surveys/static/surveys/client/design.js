import { LARGEST_ODDS, checkedTable, exceeds, ratioOfEpsilon, totalRatio } from "./channel.js";
import { eachOption, oneHot, single, subset } from "./encoding.js";
import { extra } from "./extras.js";
import { checkedGrid } from "./grid.js";
import { Refusal } from "./refusal.js";

/**
 * The frozen design: the page embeds its canonical text, and these very characters are what is hashed and parsed.
 *
 * @typedef {Readonly<Record<string, string>>} Text  by language
 * @typedef {import("./channel.js").Table} Table
 *
 * @typedef {object} Item
 * @property {string} key
 * @property {string} text  all that the design says of it, in canonical form
 * @property {"yes_no" | "one_choice" | "several_choices" | "scale" | "number"} kind
 * @property {Text} wording  all that is asked: of a row of a matrix its heading, then the row's own words
 * @property {readonly Text[]} choices  empty for a number
 * @property {import("./grid.js").Grid | null} grid  of a number
 * @property {Table} table
 * @property {import("./encoding.js").Encoding} encoding
 * @property {number | null} preferNot  index of "prefer not to say", where it is one of the choices
 * @property {boolean} required  a question that is not may be left blank
 * @property {boolean} shuffle  whether its choices are in random order
 * @property {boolean} keepLast  whether the last of them stays last
 * @property {boolean} dropdown  whether its choices unfold
 * @property {number} most  how many options may be ticked
 * @property {object | null} beside  as it is frozen, where something stands beside it (beside.js)
 * @property {string} section  key of its section; empty where the design has none
 * @property {{index: number, answers: readonly number[]} | null} askedIf  the earlier item, and its answers that lead here
 * @property {import("./encoding.js").Answer} unasked  the answer that is sent where the question is not asked
 *
 * @typedef {object} Design
 * @property {string} slug
 * @property {number} version  each wave is one
 * @property {readonly string[]} languages
 * @property {boolean} remembers  whether an answer is sent as the same symbols in every wave
 * @property {readonly {key: string, label: Text}[]} groups  empty where the survey has no strata question
 * @property {object | null} background  the background questions as they are frozen (background.js)
 * @property {readonly Text[]} statements  each to be ticked before the first question
 * @property {{wording: Text, choices: readonly Text[], ends: readonly number[], text: Text} | null} screening
 * @property {boolean} entered  whether one of these comes first
 * @property {object | null} logo  as it is frozen (beside.js)
 * @property {readonly {key: string, title: Text, introduction: Text}[]} sections
 * @property {"" | "secret" | "blind"} invitations  what a report comes with: a code, a blindly signed token, or nothing
 * @property {Waves | null} waves  where the survey came before or remembers
 * @property {readonly Item[]} items
 * @property {readonly (readonly number[])[]} versions  of the page: the places of the items that each asks
 * @property {number} most  the place of the version that can reveal the most
 *
 * @typedef {object} Waves
 * @property {"fresh" | "remember"} repeats  whether each wave is drawn anew, or an unchanged answer is sent as before
 * @property {import("./channel.js").Ratio} spent  e^epsilon of the most that a person may have spent in earlier waves
 */

const FORMAT = 1;

const SPENT = /^([1-9][0-9]*)\/([1-9][0-9]*)$/;

/** How each kind of question may be encoded. */
const KINDS = {
  yes_no: ["single"],
  one_choice: ["single", "one_hot", "subset"],
  several_choices: ["each_option"],
  scale: ["single"],
  number: ["single"],
};

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
  const items = Object.freeze(source.items.map(checkedItem));
  const versions = versionsOf(items, source.background_questions?.questions?.[0]?.arms);
  const each = items.map(({ encoding }) => encoding.ratio);
  const totals = versions.map((places) => totalRatio(places.map((i) => each[i])));
  const most = totals.reduce((found, ratio, place) => (exceeds(ratio, totals[found]) ? place : found), 0);
  const design = Object.freeze({
    slug: source.slug,
    version: source.version,
    languages: source.languages,
    remembers: source.waves?.repeats === "remember",
    groups: checkedGroups(source.strata?.groups ?? []),
    background: source.background_questions ?? null,
    statements: source.consent_statements ?? [],
    screening: source.screening ?? null,
    entered: source.consent_statements !== undefined || source.screening !== undefined,
    logo: source.look?.logo ?? null,
    sections: source.sections ?? [],
    invitations: checkedInvitations(source.invitations),
    waves: source.waves === undefined ? null : checkedWaves(source.waves),
    items,
    versions,
    most,
  });
  const spent = design.waves === null ? [] : [design.waves.spent];
  const total = totalRatio([...spent, totals[most]]);
  refuseTooMuch(total);
  if (source.ceilings !== undefined) {
    refuseUnexplained(source.ceilings, each, total);
  }
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

function checkedItem(item, index, items) {
  demand(Object.hasOwn(KINDS, item?.kind ?? ""), `question ${index + 1} is of an unknown kind`);
  demand(KINDS[item.kind].includes(item.encoding), `question ${index + 1} has an unknown encoding`);
  demand(Array.isArray(item.choices), `question ${index + 1} has no list of choices`);
  const grid = item.kind === "number" ? checkedGrid(item.grid) : null;
  const table = checkedItemTable(item, index);
  const last = item.choices.length - 1;
  return Object.freeze({
    key: item.key,
    text: canonicalText(item),
    kind: item.kind,
    wording: item.heading === undefined ? item.wording : under(item.heading, item.wording),
    choices: item.choices,
    grid,
    table,
    encoding: checkedEncoding(item, table, grid, index),
    preferNot: item.prefer_not === true ? last : null,
    required: item.required !== false,
    shuffle: item.shuffle === true,
    keepLast: item.keep_last === true,
    dropdown: item.dropdown === true,
    most: item.most ?? item.choices.length,
    beside: item.before || item.choice_pictures ? item : null,
    section: item.section ?? "",
    askedIf: item.asked_if === undefined ? null : checkedCondition(item.asked_if, items.slice(0, index), index),
    unasked: item.kind === "several_choices" ? item.choices.map(() => 0) : (item.unasked ?? 0),
  });
}

/** The words of a matrix row below its heading, in each language. */
function under(heading, words) {
  return Object.fromEntries(Object.entries(words).map(([code, own]) => [code, `${heading[code]} – ${own}`]));
}

function checkedItemTable({ channel, encoding }, index) {
  try {
    return checkedTable(channel?.weights, encoding === "subset" ? 1 : 2);
  } catch (problem) {
    throw problem instanceof Refusal ? new Refusal("table", { number: index + 1, ...problem.values }) : problem;
  }
}

function checkedEncoding(item, table, grid, index) {
  const { weights } = table;
  const choices = item.choices.length;
  const bits = weights.length === 2 && weights[0].length === 2 && choices >= 2;
  const fits = (holds) => demand(holds, `question ${index + 1} and its table have different numbers of choices`);
  switch (item.encoding) {
    case "one_hot":
      fits(bits);
      return oneHot(table, choices);
    case "each_option":
      fits(bits);
      return eachOption(table, choices, item.most);
    case "subset":
      fits(weights.length === 1 && weights[0].length === 2 && item.channel.size >= 1 && item.channel.size < choices);
      return subset(table, choices, item.channel.size);
    default:
      fits(weights.length === (grid?.count ?? choices) && (grid !== null || weights[0].length === choices));
      return single(table);
  }
}

function checkedCondition({ item, answers }, earlier, index) {
  const found = earlier.findIndex(({ key }) => key === item);
  const known = found !== -1 && Array.isArray(answers) && earlier[found].kind !== "number";
  demand(known, `question ${index + 1} depends on a question that does not come before it`);
  return Object.freeze({ index: found, answers });
}

/** @returns {readonly (readonly number[])[]}  the places of the items that each version of the page asks */
function versionsOf(items, arms) {
  return arms === undefined ? [[...items.keys()]] : extra("arms").versions(items.map(({ key }) => key), arms);
}

function checkedGroups(groups) {
  const lengths = new Set(groups.map((group) => new TextEncoder().encode(JSON.stringify(group?.key)).length));
  demand(groups.every((group) => typeof group?.key === "string"), "a group has no key");
  demand(lengths.size <= 1, "its group keys differ in length, so the size of a request would show the group");
  return groups;
}

function checkedInvitations(invitations) {
  const kind = invitations?.kind ?? "";
  demand((kind === "") === (invitations === undefined) && ["", "secret", "blind"].includes(kind), "its invitations are of an unknown kind");
  return kind;
}

function checkedWaves(waves) {
  const [, number, divisor] = SPENT.exec(waves?.spent ?? "") ?? [];
  const spent = number === undefined ? null : { number: BigInt(number), divisor: BigInt(divisor) };
  const sound = spent !== null && !exceeds({ number: 1n, divisor: 1n }, spent);
  demand(sound && ["fresh", "remember"].includes(waves.repeats), "what it says of its waves cannot be read");
  return Object.freeze({ repeats: waves.repeats, spent });
}

function refuseTooMuch(total) {
  if (exceeds(total, { number: LARGEST_ODDS, divisor: 1n })) {
    throw new Refusal("too-much", { limit: Number(LARGEST_ODDS) });
  }
}

/** A design from before ceilings were named has none; what is above one that is named takes a reason. */
function refuseUnexplained(ceilings, each, total) {
  const [question, all] = [ratioOfEpsilon(ceilings?.question), ratioOfEpsilon(ceilings?.total)];
  const { reason } = ceilings ?? {};
  const sound = reason === undefined || (typeof reason === "string" && reason.trim() !== "");
  demand(question !== null && all !== null && sound, "what it says of its ceilings cannot be read");
  const above = each.findIndex((ratio) => exceeds(ratio, question)) + 1;
  const unexplained = "is above the ceiling of epsilon that it names, and it gives no reason";
  demand(reason !== undefined || above === 0, `question ${above} ${unexplained}`);
  demand(reason !== undefined || !exceeds(total, all), `what all questions come to ${unexplained}`);
}

function demand(holds, detail) {
  if (!holds) {
    throw new Refusal("design", { detail });
  }
}
