/** Every text of a definition with its place, and the table of them that translators get and give back. */
import { rowsOf } from "./definition.js";

const FORMULA = /^[=+\-@\t\r]/;

/** The texts on who asks, with what to write there. */
export const ABOUT = [
  ["sender", "Sender", "Who asks: a person or a team, by name.", 1],
  ["institution", "Institution", "The university, agency or company.", 1],
  ["contact", "Contact", "Whom to ask about the survey, and how. The page adds that answers never belong there.", 2],
  ["data_protection", "Data protection", "Who is responsible for the data, on what ground, and people’s rights.", 3],
  ["help_line", "Help line", "Shown at the end, and after each question or section that you mark.", 2],
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
    ...ABOUT.filter(([name]) => definition.about?.[name]).map(([name, label]) => [`about/${name}`, label, definition.about[name]]),
    ["strata/wording", "Question for the group", definition.strata.wording],
    ...definition.strata.groups.map((group, place) => [`strata/groups/${group.key}/label`, `Group ${place + 1}`, group.label]),
  ];
  for (const section of definition.sections ?? []) {
    found.push([`sections/${section.key}/title`, "Section", section.title], [`sections/${section.key}/introduction`, "Below it", section.introduction]);
  }
  definition.items.forEach((item, number) => {
    const [path, name] = [`items/${item.key}`, `Question ${number + 1}`];
    const [first, ...others] = rowsOf(definition, item.key);
    if (item.heading && first === item) {
      found.push([`${path}/heading`, `${name}, heading`, item.heading, others.map((row) => row.heading)]);
    }
    found.push([`${path}/wording`, name, item.wording]);
    if (first !== item) {
      return; // what the rows of a grid share is translated once
    }
    item.choices.forEach((choice, place) => found.push([`${path}/choices/${place}`, `${name}, option ${place + 1}`, choice, others.map((row) => row.choices[place])]));
    if (item.prefer_not) {
      found.push([`${path}/prefer_not`, `${name}, last option`, item.prefer_not, others.map((row) => row.prefer_not)]);
    }
  });
  const own = definition.languages[0];
  return found.map(([path, label, text, same = []]) => ({ path, label, text, same: same.filter(Boolean) })).filter(({ text }) => text[own]?.trim());
}

/** How many texts a language has, and of how many. */
export function progressOf(definition, code) {
  const texts = textsOf(definition);
  return [texts.filter(({ text }) => text[code]?.trim()).length, texts.length];
}

/** Write a text in one language. */
export function setText(definition, path, code, words) {
  const found = textsOf(definition).find((one) => one.path === path);
  if (found) {
    [found.text, ...found.same].forEach((text) => (text[code] = words));
  }
  return Boolean(found);
}

/** The table as CSV: a column for each language; no cell is taken for a formula. */
export function tableOf(definition) {
  const codes = definition.languages;
  const rows = textsOf(definition).map(({ path, text }) => [path, ...codes.map((code) => text[code] ?? "")]);
  const cell = (words) => `"${(FORMULA.test(words) ? `'${words}` : words).replaceAll('"', '""')}"`;
  return `\ufeff${[["text", ...codes], ...rows].map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

/**
 * Take what translators wrote; an empty cell changes nothing.
 * @returns {{taken: number, unknown: string[], fault: string}} how many texts, and rows whose text is not there any more
 */
export function takeTable(definition, csv) {
  const [head = [], ...rows] = parsed(csv.replace(/^\ufeff/, ""));
  const codes = head.slice(1).map((code) => code.trim());
  const known = codes.filter((code) => definition.languages.includes(code) && code !== definition.languages[0]);
  if (head[0]?.trim() !== "text" || !known.length) {
    const wanted = definition.languages.slice(1).join(", ");
    return { taken: 0, unknown: [], fault: `The first line must be text, then codes of languages, like ${wanted}; got ${head.join(", ").slice(0, 80)}.` };
  }
  const [unknown, now] = [[], new Map(textsOf(definition).map(({ path, text, same }) => [path, [text, ...same]]))];
  let taken = 0;
  for (const [path, ...cells] of rows.filter((row) => row[0])) {
    const texts = now.get(path);
    if (!texts) {
      unknown.push(path);
      continue;
    }
    known.forEach((code) => {
      const words = (cells[codes.indexOf(code)] ?? "").replace(/^'(?=[=+\-@\t\r])/, "").replaceAll("\r\n", "\n").trim();
      if (words && words !== texts[0][code]) {
        texts.forEach((text) => (text[code] = words));
        taken += 1;
      }
    });
  }
  return { taken, unknown, fault: "" };
}

/** CSV with commas, semicolons or tabs, whichever the first line has most of. */
function parsed(csv) {
  const [line] = csv.split("\n", 1);
  const by = [",", ";", "\t"].sort((one, other) => line.split(other).length - line.split(one).length)[0];
  const rows = [[]];
  const cells = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\r\\n${by}]*))(${by}|\\r\\n|\\n|\\r|$)`, "gy");
  for (let found = cells.exec(csv); found; found = cells.exec(csv)) {
    rows.at(-1).push(found[1] === undefined ? found[2] : found[1].replaceAll('""', '"'));
    if (cells.lastIndex >= csv.length) {
      break;
    }
    if (found[3] !== by) {
      rows.push([]);
    }
  }
  return rows;
}
