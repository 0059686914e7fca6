/** Every text of a definition with its place: the same places as in the files of translators. */
import { rowsOf } from "./definition.js";

/** The texts on who asks, with what to write there. */
export const ABOUT = [
  ["sender", "Sender", "Name of the person or team that runs the survey.", 1],
  ["institution", "Institution", "University, agency or company that is responsible.", 1],
  ["contact", "Contact", "Person or office for questions about the survey, with email or telephone. The page adds a warning never to send answers there.", 2],
  ["data_protection", "Data protection", "Data controller, legal basis and respondents’ rights.", 3],
  ["help_line", "Help line", "Where respondents find support on this topic. Shown at the end, and after every question or section for which you select it.", 2],
];

/**
 * What the rows of a grid share is written once, with the first of them; `same` are those of the others.
 *
 * @returns {{path: string, label: string, text: Record<string, string>, same: Record<string, string>[]}[]}  as respondents read them
 */
export function textsOf(definition) {
  const found = [
    ["title", "Title", definition.title],
    ["introduction", "Introduction", definition.introduction],
    ["consent", "Consent", definition.consent],
    ...(definition.consent_statements ?? []).map((text, place) => [`consent_statements/${place}`, `Consent statement ${place + 1}`, text]),
    ...screeningTexts(definition.screening),
    ...ABOUT.filter(([name]) => definition.about?.[name]).map(([name, label]) => [`about/${name}`, label, definition.about[name]]),
    ...(definition.look?.logo ? [["look/logo/alternative", "Logo", definition.look.logo.alternative]] : []),
    ...(definition.ending?.text ? [["ending/text", "Closing text", definition.ending.text]] : []),
    ...(definition.ending?.link ? [["ending/link/label", "Closing link text", definition.ending.link.label]] : []),
    ["strata/wording", "Question that assigns the group", definition.strata.wording],
    ...definition.strata.groups.map((group, place) => [`strata/groups/${group.key}/label`, `Group ${place + 1}`, group.label]),
  ];
  for (const section of definition.sections ?? []) {
    found.push([`sections/${section.key}/title`, "Section", section.title], [`sections/${section.key}/introduction`, "Introduction of the section", section.introduction]);
  }
  definition.items.forEach((item, number) => {
    const [path, name] = [`items/${item.key}`, `Question ${number + 1}`];
    for (const [part, text] of textsBefore(item)) {
      found.push([`${path}/before/${part}`, `Before question ${number + 1}`, text]);
    }
    const [first, ...others] = rowsOf(definition, item.key);
    if (item.heading && first === item) {
      found.push([`${path}/heading`, `${name}, heading`, item.heading, others.map((row) => row.heading)]);
    }
    found.push([`${path}/wording`, name, item.wording]);
    if (first !== item) {
      return; // what the rows of a grid share is translated once
    }
    item.choices.forEach((choice, place) => found.push([`${path}/choices/${place}`, `${name}, option ${place + 1}`, choice, others.map((row) => row.choices[place])]));
    item.choice_pictures?.forEach((picture, place) => picture &&
      found.push([`${path}/choice_pictures/${place}/alternative`, `${name}, image of option ${place + 1}`, picture.alternative]));
    if (item.prefer_not) {
      found.push([`${path}/prefer_not`, `${name}, last option`, item.prefer_not, others.map((row) => row.prefer_not)]);
    }
  });
  const own = definition.languages[0];
  return found.map(([path, label, text, same = []]) => ({ path, label, text, same: same.filter(Boolean) })).filter(({ text }) => text[own]?.trim());
}

function textsBefore({ before = {} }) {
  const { heading, text, picture } = before;
  return [["heading", heading], ["text", text], ["picture/alternative", picture?.alternative]].filter(([, words]) => words);
}

function screeningTexts(screening) {
  return !screening ? [] : [
    ["screening/wording", "Screening question", screening.wording],
    ...screening.choices.map((text, place) => [`screening/choices/${place}`, `Screening option ${place + 1}`, text]),
    ["screening/text", "Screen-out text", screening.text],
  ];
}

/** How many of some texts each of some languages has, and of how many. */
export function progressOf(texts, codes) {
  return new Map(codes.map((code) => [code, [texts.filter(({ text }) => text[code]?.trim()).length, texts.length]]));
}

/** What the rows of a grid share. */
const SHARED = new Set(["heading", "choices", "prefer_not"]);

/** Write a text in one language, in all rows of a grid where they share it. @returns {boolean} whether there is one */
export function setText(definition, path, code, words) {
  const [list, key, ...rest] = path.split("/");
  const rows = list === "items" && SHARED.has(rest[0]) ? rowsOf(definition, key) : [];
  const texts = rows.length ? rows.map((row) => partAt(row, rest)) : [partAt(definition, [list, key, ...rest])];
  if ((rows.length && rows[0].key !== key) || !texts[0]?.[definition.languages[0]]?.trim?.()) {
    return false;
  }
  texts.filter(Boolean).forEach((text) => (text[code] = words));
  return true;
}

/** The part at a path, in lists by key or by place. */
function partAt(whole, path) {
  const inside = (part, step) => (Array.isArray(part) ? (part.find((one) => one?.key === step) ?? part[step]) : part?.[step]);
  return path.filter((step) => step !== undefined).reduce(inside, whole);
}
