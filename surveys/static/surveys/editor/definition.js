/** What the editor does to a definition: each function changes the one that it is given, and nothing else. */
import { changeInstead } from "./instead.js";
const NEW = "new-";
const LONGEST_KEY = 40;

/** @returns {object | undefined} the question with this key */
export const itemOf = (definition, key) => definition.items.find((item) => item.key === key);

/** A text by language with the same words missing in all of them. */
export const emptyText = (definition) => Object.fromEntries(definition.languages.map((code) => [code, ""]));

const newKey = () => `${NEW}${Math.random().toString(36).slice(2, 8)}`;

/** What the rows of a grid have in common. */
const SHARED = ["kind", "heading", "choices", "prefer_not", "required", "channel", "sensitivity", "section", "asked_if", "unasked"];

/** The rows of the grid in which a question stands: its neighbours with the same heading; alone where it has none. */
export function rowsOf({ items }, key) {
  const place = items.findIndex((item) => item.key === key);
  const same = (item) => item && item.section === items[place].section && sameText(item.heading, items[place].heading);
  if (place < 0 || !items[place].heading) {
    return place < 0 ? [] : [items[place]];
  }
  let [from, to] = [place, place + 1];
  while (same(items[from - 1])) {
    from -= 1;
  }
  while (same(items[to])) {
    to += 1;
  }
  return items.slice(from, to);
}

/** What stands above a grid goes on to another row that becomes its first. */
export function passBefore(first, next) {
  if (first.before) {
    next.before = first.before;
    delete first.before;
  }
}

/** A draft whose changes to one row are changes to all rows of its grid. */
export function sharedDraft(draft, key) {
  const edit = (tag, change) =>
    draft.edit(tag, (definition) => {
      const rows = rowsOf(definition, key);
      const made = change(definition);
      const changed = itemOf(definition, key);
      rows.filter((row) => changed && row !== changed).forEach((row) => share(changed, row));
      return made;
    });
  return { definition: draft.definition, edit };
}

/** Add rows behind one of a grid. @returns {string} the key of the last */
export function addRows(definition, behind, texts) {
  const place = definition.items.findIndex(({ key }) => key === behind);
  const made = texts.map((wording) => share(definition.items[place], { key: newKey(), wording }));
  definition.items.splice(place + 1, 0, ...made);
  return made.at(-1).key;
}

function share(from, to) {
  for (const name of SHARED) {
    if (from[name] === undefined) {
      delete to[name];
    } else {
      to[name] = from[name];
    }
  }
  return to;
}

const sameText = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Add a question behind the one with this key, or at the end. Nobody has to answer it: it offers "prefer not to say",
 * which only a number cannot, and a control question does not.
 *
 * @returns {string} its key until it has words
 */
export function addItem(definition, kind, channel, state, behind, parts = {}) {
  const item = { key: newKey(), kind, wording: emptyText(definition), choices: [], channel, sensitivity: "somewhat", ...parts };
  if (kind === "yes_no") {
    item.choices = [0, 1].map((answer) => platform(definition, (code) => state.yes_no[code]?.[answer]));
  }
  if (kind === "number") {
    Object.assign(item, { minimum: "0", maximum: "10", step: "1" });
  } else if (!parts.known_share) {
    item.prefer_not = withheld(definition, state);
  }
  const last = rowsOf(definition, behind).at(-1)?.key;
  const place = definition.items.findIndex(({ key }) => key === last);
  const section = definition.items[place]?.section ?? definition.sections?.at(-1)?.key;
  if (section) {
    item.section = section;
  }
  definition.items.splice(place < 0 ? definition.items.length : place + 1, 0, item);
  return item.key;
}

/** "Prefer not to say" in the platform's words. */
export const withheld = (definition, state) => platform(definition, (code) => state.prefer_not[code]);

/** @returns {string} the key of the copy */
export function duplicateItem(definition, key) {
  const place = definition.items.findIndex((item) => item.key === key);
  const copy = { ...definition.items[place] };
  copy.key = freeKey(definition, key.replace(/_\d+$/, ""), "items");
  definition.items.splice(place + 1, 0, copy);
  return copy.key;
}

/** Remove a question, the conditions of others on it, and where versions of the page ask it or leave it out. */
export function removeItem(definition, key) {
  definition.items = definition.items.filter((item) => item.key !== key);
  changeInstead(definition, (pair) => (pair.includes(key) ? [] : [pair]));
  for (const item of definition.items) {
    if (item.asked_if?.item === key) {
      delete item.asked_if;
      delete item.unasked;
    }
  }
}

/** Give a new question the key that its words make; others keep theirs, which exports and conditions name. */
export function nameItem(definition, key) {
  const item = itemOf(definition, key);
  const words = item?.wording[definition.languages[0]] || Object.values(item?.wording ?? {}).find(Boolean);
  return key.startsWith(NEW) && words?.trim() ? renameItem(definition, key, freeKey(definition, slugOf(words), "items")) : key;
}

export function renameItem(definition, key, name) {
  changeInstead(definition, (pair) => [pair.map((one) => (one === key ? name : one))]);
  for (const item of definition.items) {
    if (item.key === key) {
      item.key = name;
    }
    if (item.asked_if?.item === key) {
      item.asked_if.item = name;
    }
  }
  return name;
}

/** Whether the key is one that stands in for words. */
export const isUnnamed = (key) => key.startsWith(NEW);

/** Move a question up or down by one, across the border of a section if it stands there. */
export function moveItem(definition, key, by) {
  const { items } = definition;
  const place = items.findIndex((item) => item.key === key);
  const [item, other] = [items[place], items[place + by]];
  const keys = (definition.sections ?? []).map((section) => section.key);
  if (keys.length && item.section !== other?.section) {
    const next = keys[keys.indexOf(item.section) + by];
    if (next !== undefined) {
      item.section = next;
      inOrder(definition);
    }
    return;
  }
  if (other) {
    [items[place], items[place + by]] = [other, item];
  }
}

/** Put a question in front of another one, or at the end of a section. */
export function placeItem(definition, key, before, section) {
  const item = itemOf(definition, key);
  const rest = definition.items.filter((one) => one !== item);
  const place = rest.findIndex((one) => one.key === before);
  rest.splice(place < 0 ? rest.length : place, 0, item);
  if (definition.sections) {
    item.section = section;
  }
  definition.items = rest;
  inOrder(definition);
}

export function addSection(definition) {
  const first = !definition.sections?.length;
  definition.sections ??= [];
  const key = freeKey(definition, `part_${definition.sections.length + 1}`, "sections");
  definition.sections.push({ key, title: emptyText(definition), introduction: emptyText(definition) });
  if (first) {
    definition.items.forEach((item) => (item.section = key));
  }
  return key;
}

/** Remove a section; its questions go to the one before it, or behind it. */
export function removeSection(definition, key) {
  const place = definition.sections.findIndex((section) => section.key === key);
  const heir = (definition.sections[place - 1] ?? definition.sections[place + 1])?.key;
  for (const item of definition.items.filter((one) => one.section === key)) {
    if (heir) {
      item.section = heir;
    } else {
      delete item.section;
    }
  }
  definition.sections.splice(place, 1);
  if (!definition.sections.length) {
    delete definition.sections;
  }
  inOrder(definition);
}

export function moveSection(definition, key, by) {
  const { sections } = definition;
  const place = sections.findIndex((section) => section.key === key);
  if (sections[place + by]) {
    [sections[place], sections[place + by]] = [sections[place + by], sections[place]];
    inOrder(definition);
  }
}

function inOrder(definition) {
  const place = new Map((definition.sections ?? []).map((section, number) => [section.key, number]));
  const of = (item) => place.get(item.section) ?? -1;
  definition.items.sort((one, other) => of(one) - of(other));
}

/**
 * New options of a question. `from[n]` is the place that option n had before, or -1: conditions on answers follow them.
 */
export function setChoices(definition, key, choices, from) {
  rowsOf(definition, key).forEach((row) => setOwnChoices(definition, row, choices, from));
}

function setOwnChoices(definition, item, choices, from) {
  const count = item.choices.length;
  const now = (place) => (place >= count ? place - count + choices.length : from.indexOf(place));
  item.choices = choices;
  if (item.choice_pictures) {
    setPictures(item, from.map((place) => item.choice_pictures[place] ?? null));
  }
  if (typeof item.unasked === "number") {
    item.unasked = now(item.unasked);
    if (item.unasked < 0) {
      delete item.unasked;
    }
  }
  for (const other of definition.items.filter((one) => one.asked_if?.item === item.key)) {
    other.asked_if.answers = other.asked_if.answers.map(now).filter((place) => place >= 0).sort((a, b) => a - b);
  }
}

/** Set the pictures of a question's options, null for an option without one. */
export function setPictures(item, pictures) {
  setOption(item, "choice_pictures", pictures.some(Boolean) ? pictures : null, null);
}

/** Set or remove a part that a question has only where it differs from the usual. */
export function setOption(item, name, value, usual) {
  if (value === usual || value === "" || value === null) {
    delete item[name];
  } else {
    item[name] = value;
  }
}

/** Set the languages, the default first; every text gets a place for a new one and loses that of one taken away. */
export function setLanguages(definition, codes, state) {
  const each = (text) => Object.fromEntries(codes.map((code) => [code, text?.[code] ?? ""]));
  definition.languages = codes;
  for (const name of ["title", "introduction", "consent"]) {
    definition[name] = each(definition[name]);
  }
  if (definition.consent_statements) {
    definition.consent_statements = definition.consent_statements.map(each);
  }
  if (definition.screening) {
    const { wording, choices, text } = definition.screening;
    Object.assign(definition.screening, { wording: each(wording), choices: choices.map(each), text: each(text) });
  }
  for (const [name, text] of Object.entries(definition.about ?? {})) {
    definition.about[name] = each(text);
  }
  if (definition.look?.logo) {
    definition.look.logo.alternative = each(definition.look.logo.alternative);
  }
  if (definition.ending?.text) {
    definition.ending.text = each(definition.ending.text);
  }
  if (definition.ending?.link) {
    definition.ending.link.label = each(definition.ending.link.label);
  }
  for (const question of definition.background_questions?.questions ?? []) {
    question.wording = each(question.wording);
    question.choices = question.choices.map(each);
    question.arms?.forEach((arm) => ["introduction", "consent"].filter((name) => arm[name]).forEach((name) => (arm[name] = each(arm[name]))));
    if (question.prefer_not) {
      question.prefer_not = each(question.prefer_not);
      codes.forEach((code) => (question.prefer_not[code] ||= state.prefer_not[code] ?? ""));
    }
  }
  definition.strata.wording = each(definition.strata.wording);
  definition.strata.groups.forEach((group) => (group.label = each(group.label)));
  for (const section of definition.sections ?? []) {
    section.title = each(section.title);
    section.introduction = each(section.introduction);
  }
  for (const item of definition.items) {
    const usual = item.kind === "yes_no" && Object.values(state.yes_no).find((words) => item.choices.length === 2 &&
      item.choices.every((choice, place) => Object.values(choice).includes(words[place])));
    item.wording = each(item.wording);
    if (item.heading) {
      item.heading = each(item.heading);
    }
    for (const [part, text] of Object.entries(item.before ?? {})) {
      item.before[part] = part === "picture" ? { ...text, alternative: each(text.alternative) } : each(text);
    }
    item.choice_pictures?.forEach((picture) => picture && (picture.alternative = each(picture.alternative)));
    item.choices = item.choices.map((choice, place) => {
      const made = each(choice);
      codes.forEach((code) => (made[code] ||= usual ? state.yes_no[code]?.[place] ?? "" : ""));
      return made;
    });
    if (item.prefer_not) {
      const made = each(item.prefer_not);
      codes.forEach((code) => (made[code] ||= state.prefer_not[code] ?? ""));
      item.prefer_not = made;
    }
  }
}

/** Keys of groups are of one length, so that reports are of one size. */
export function addGroup(definition) {
  const { groups } = definition.strata;
  const taken = new Set(groups.map((group) => group.key));
  const size = groups[0]?.key.length ?? 3;
  let number = groups.length + 1;
  const named = () => `g${String(number).padStart(size - 1, "0")}`;
  while (taken.has(named())) {
    number += 1;
  }
  groups.push({ key: named(), label: emptyText(definition), share: null });
}

/** Write one of the texts on who asks; one that is empty in every language is not there. */
export function setAbout(definition, name, language, words) {
  const text = ((definition.about ??= {})[name] ??= emptyText(definition));
  text[language] = words;
  if (!Object.values(text).some(Boolean)) {
    delete definition.about[name];
  }
  if (!Object.keys(definition.about).length) {
    delete definition.about;
  }
}

/** Set a value at a path of a part that is there only where it says something; what is empty goes, and what it was in. */
export function setOptional(definition, path, value) {
  const [name, ...rest] = path;
  const said = (one) => (typeof one === "object" && one !== null ? Object.values(one).some(said) : Boolean(one));
  if (rest.length) {
    definition[name] ??= {};
    setOptional(definition[name], rest, value);
  } else {
    definition[name] = value;
  }
  if (!said(definition[name])) {
    delete definition[name];
  }
}

export function platform(definition, words) {
  return Object.fromEntries(definition.languages.map((code) => [code, words(code) ?? ""]));
}

/** The answers of a question in one language, "prefer not to say" last. */
export function answersOf(item, language) {
  return [...item.choices, ...(item.prefer_not ? [item.prefer_not] : [])].map(
    (text, place) => text[language] || Object.values(text).find(Boolean) || `Option ${place + 1}`,
  );
}

function slugOf(words) {
  const plain = words.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/ß/g, "ss").toLowerCase();
  const parts = plain.split(/[^a-z0-9]+/).filter(Boolean);
  let key = "";
  for (const part of parts) {
    if (key && key.length + part.length + 1 > LONGEST_KEY) {
      break;
    }
    key = key ? `${key}_${part}` : part.slice(0, LONGEST_KEY);
  }
  return key || "question";
}

function freeKey(definition, wanted, list) {
  const taken = new Set((definition[list] ?? []).map((one) => one.key));
  let key = wanted;
  for (let number = 2; taken.has(key); number += 1) {
    key = `${wanted}_${number}`;
  }
  return key;
}
