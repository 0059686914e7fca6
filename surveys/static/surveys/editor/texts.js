/** Every text of a definition with its place: the same places as in the files of translators. */
import { fill, gettext } from "../panel/words.js";
import { rowsOf } from "./definition.js";

/** The texts on who asks, with what to write there. */
export const aboutFields = () => [
  ["sender", gettext("Sender"), gettext("Who asks: a person or a team, by name."), 1],
  ["institution", gettext("Institution"), gettext("The university, agency or company."), 1],
  ["contact", gettext("Contact"), gettext("Whom to ask about the survey, and how. The page adds that answers never belong there."), 2],
  ["data_protection", gettext("Data protection"), gettext("Who is responsible for the data, on what legal ground, and people’s rights."), 3],
  ["help_line", gettext("Help line"), gettext("Shown at the end, and after each question or section that you mark."), 2],
];

export const groupName = (place) => fill(gettext("Group {number}"), { number: place + 1 });

/** How many of how many, from `progressOf`. */
export const counted = (progress) => (progress ? fill(gettext("{done} of {total}"), { done: progress[0], total: progress[1] }) : "");

/**
 * What the rows of a grid share is written once, with the first of them; `same` are those of the others.
 *
 * @returns {{path: string, label: string, text: Record<string, string>, same: Record<string, string>[]}[]}  as respondents read them
 */
export function textsOf(definition) {
  const found = [
    ["title", gettext("Title"), definition.title],
    ["introduction", gettext("Introduction"), definition.introduction],
    ["consent", gettext("Consent"), definition.consent],
    ...(definition.consent_statements ?? []).map((text, place) => [`consent_statements/${place}`, fill(gettext("Consent statement {number}"), { number: place + 1 }), text]),
    ...screeningTexts(definition.screening),
    ...aboutFields().filter(([name]) => definition.about?.[name]).map(([name, label]) => [`about/${name}`, label, definition.about[name]]),
    ...(definition.look?.logo ? [["look/logo/alternative", gettext("Logo"), definition.look.logo.alternative]] : []),
    ...(definition.ending?.text ? [["ending/text", gettext("End"), definition.ending.text]] : []),
    ...(definition.ending?.link ? [["ending/link/label", gettext("Link at the end"), definition.ending.link.label]] : []),
    ["strata/wording", gettext("Question that assigns the group"), definition.strata.wording],
    ...definition.strata.groups.map((group, place) => [`strata/groups/${group.key}/label`, groupName(place), group.label]),
    ...backgroundTexts(definition.background_questions?.questions ?? []),
  ];
  for (const section of definition.sections ?? []) {
    found.push([`sections/${section.key}/title`, gettext("Section"), section.title], [`sections/${section.key}/introduction`, gettext("Below it"), section.introduction]);
  }
  definition.items.forEach((item, number) => {
    const [path, name] = [`items/${item.key}`, fill(gettext("Question {number}"), { number: number + 1 })];
    for (const [part, text] of textsBefore(item)) {
      found.push([`${path}/before/${part}`, fill(gettext("Before question {number}"), { number: number + 1 }), text]);
    }
    const [first, ...others] = rowsOf(definition, item.key);
    if (item.heading && first === item) {
      found.push([`${path}/heading`, fill(gettext("{question}, heading"), { question: name }), item.heading, others.map((row) => row.heading)]);
    }
    found.push([`${path}/wording`, name, item.wording]);
    if (first !== item) {
      return; // what the rows of a grid share is translated once
    }
    item.choices.forEach((choice, place) => found.push([`${path}/choices/${place}`, fill(gettext("{question}, option {number}"), { question: name, number: place + 1 }), choice, others.map((row) => row.choices[place])]));
    item.choice_pictures?.forEach((picture, place) => picture &&
      found.push([`${path}/choice_pictures/${place}/alternative`, fill(gettext("{question}, picture of option {number}"), { question: name, number: place + 1 }), picture.alternative]));
    if (item.prefer_not) {
      found.push([`${path}/prefer_not`, fill(gettext("{question}, last option"), { question: name }), item.prefer_not, others.map((row) => row.prefer_not)]);
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
    ["screening/wording", gettext("Screening question"), screening.wording],
    ...screening.choices.map((text, place) => [`screening/choices/${place}`, fill(gettext("Screening, answer {number}"), { number: place + 1 }), text]),
    ["screening/text", gettext("Screening, end page"), screening.text],
  ];
}

function backgroundTexts(questions) {
  return questions.flatMap(({ wording, choices, prefer_not }, place) => {
    const [path, name] = [`background_questions/questions/${place}`, fill(gettext("Background question {number}"), { number: place + 1 })];
    return [[`${path}/wording`, name, wording], ...choices.map((text, choice) => [`${path}/choices/${choice}`, name, text]), [`${path}/prefer_not`, name, prefer_not]];
  });
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
