/** Options made of dates or of times of day: the author says which classes, the server writes them in every language. */
import { fill, gettext, ngettext } from "../panel/words.js";
import { itemOf, setChoices, setOption } from "./definition.js";
import { html, useRef, useState } from "./view.js";

/** Kinds whose options may be classes, and of these those whose list may unfold. */
export const CLASSED = new Set(["one_choice", "several_choices", "scale"]);
const UNFOLDS = new Set(["one_choice", "scale"]);
const LONG = 20;

const YEAR = new Date().getFullYear();
/** What a new question on a date or on a time of day has at first. */
export const USUAL = {
  date: { by: "year", from: String(YEAR - 4), to: String(YEAR), earlier: true },
  time: { by: "time", hours: 6, from: "00:00" },
};
const ways = () => ({ month: gettext("Month"), quarter: gettext("Quarter"), year: gettext("Year"), date: gettext("Dates that you enter"), time: gettext("Time of day") });
const FIELDS = { month: ["from", "to", "earlier", "later"], quarter: ["from", "to", "earlier", "later"], year: ["from", "to", "earlier", "later"], date: ["at"], time: ["hours", "from"] };
const labels = () => ({ by: gettext("Classes"), from: gettext("From"), to: gettext("To"), at: gettext("Dates"), hours: gettext("Hours") });

/** The classes of questions that were added as dates or times, by the key that each had first: their options come later. */
const fresh = new Map();

/** @returns {Promise<{choices?: object[], fault?: string}>} the options, or what is wrong with the classes */
async function classChoices(draft, classes) {
  const { status, content } = await draft.post(draft.addresses.options, { languages: draft.definition.languages, classes });
  return status === 200 ? content : { fault: inWords(content?.message ?? gettext("The options cannot be made now. Try again.")) };
}

/** @returns {Promise<object | null>} the classes that a question's options were made of, if they are still as they were made */
async function classesOf(draft, item) {
  const { languages } = draft.definition;
  const { status, content } = await draft.post(draft.addresses.options, { languages, choices: item.choices });
  const found = status === 200 ? content.classes : null;
  return found?.by === "date" ? { ...found, at: found.at.join("\n") } : found;
}

/** The first options of a new question, while its words are typed; those that the author was faster to write stay. */
export async function fillNew(draft, prices, key, classes) {
  fresh.set(key, classes); // so that its card shows what they are made of
  const { choices } = await classChoices(draft, classes);
  const now = prices.nameOf(key);
  if (choices && itemOf(draft.definition, now)?.choices.length === 0) {
    draft.edit("", (definition) => replaceOptions(definition, now, choices));
  }
  prices.spend(); // only now are its answers counted
}

export function Classes({ draft, item }) {
  const [classes, setClasses] = useState(fresh.get(item.key) ?? USUAL.date);
  const touched = useRef(false);
  const [opened] = useState(fresh.has(item.key));
  const [said, setSaid] = useState({});
  const change = (next) => {
    touched.current = true;
    setClasses(next);
  };
  const set = (name, value) => change((now) => ({ ...now, [name]: value }));
  const make = async () => {
    const { choices, fault } = await classChoices(draft, sent(classes));
    setSaid({ fault, made: choices?.length });
    if (choices) {
      draft.edit("", (definition) => replaceOptions(definition, item.key, choices));
    }
  };
  const recover = async (open) => {
    const found = open && item.choices.length ? await classesOf(draft, item) : null;
    if (found && !touched.current) { // the author may have been faster, even than the event of opening
      setClasses(found);
    }
  };
  const field = (name, type, more = {}) => html`<label class="editor-field">${labels()[name]}<input class="candor-field" type=${type} autocomplete="off" ...${more}
    data-path=${`classes/${name}`} value=${classes[name] ?? ""} onInput=${(event) => set(name, event.target.value)} /></label>`;
  const flag = (name, words) => html`<label class="editor-check"><input type="checkbox" checked=${classes[name] === true}
    onChange=${(event) => set(name, event.target.checked)} /><span>${words}</span></label>`;
  const { by } = classes;
  const period = by === "year" ? ["text", { inputmode: "numeric", placeholder: String(YEAR) }] : ["month", { placeholder: `${YEAR}-01` }];
  return html`<details class="editor-advanced editor-classes" open=${opened} onToggle=${(event) => recover(event.currentTarget.open)}><summary>${gettext("Options from dates or times")}</summary>
    <div class="editor-classes-form"><div class="editor-grid">
      <label class="editor-field">${labels().by}<select class="candor-field" aria-label=${labels().by} value=${by} onChange=${(event) => change(turned(classes, event.target.value))}>
        ${Object.entries(ways()).map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select></label>
      ${by === "time" && html`<label class="editor-field">${labels().hours}<select class="candor-field" aria-label=${labels().hours} value=${String(classes.hours)} onChange=${(event) => set("hours", Number(event.target.value))}>
        ${[1, 2, 3, 4, 6, 8, 12].map((hours) => html`<option value=${String(hours)}>${hours}</option>`)}</select></label>`}
      ${by === "time" && field("from", "time")}
      ${"to" in classes && field("from", ...period)}
      ${"to" in classes && field("to", ...period)}</div>
    ${by === "date" && html`<label class="editor-field">${labels().at}<textarea class="candor-field" rows="3" aria-label=${labels().at} placeholder=${`${YEAR - 1}-07-01\n${YEAR}-01-01`} value=${classes.at}
      onInput=${(event) => set("at", event.target.value)}></textarea><small class="candor-quiet">${gettext("Years, months or days, one per line. Each begins a class.")}</small></label>`}
    ${"to" in classes && html`<div class="editor-switches">${flag("earlier", gettext("An option for earlier"))}${flag("later", gettext("An option for later"))}</div>`}
    <p><button type="button" class="candor-button candor-plain" onClick=${make}>${gettext("Make options")}</button></p>
    <p aria-live="polite" class=${said.fault ? "candor-fault" : "candor-quiet"}>${said.fault ?? (said.made ? fill(ngettext("{count} option was made, in every language.", "{count} options were made, in every language.", said.made), { count: said.made }) : gettext("They replace the options above, in every language."))}</p></div>
  </details>`;
}

/** Options whose words are as before keep the conditions that lead from them. */
function replaceOptions(definition, key, choices) {
  const item = itemOf(definition, key);
  if (!item) {
    return;
  }
  const words = (choice) => choice[definition.languages[0]];
  setChoices(definition, key, choices, choices.map((choice) => item.choices.findIndex((old) => words(old) === words(choice))));
  if (choices.length > LONG && UNFOLDS.has(item.kind)) {
    setOption(item, "dropdown", true, false);
  }
}

/** The same classes made in another way, as far as what was written fits it. */
function turned(classes, by) {
  if (by === "date" || by === "time") {
    return by === "time" ? USUAL.time : { by, at: "" };
  }
  const start = "to" in classes ? classes : USUAL.date;
  const part = (written, month) => (by === "year" ? written.slice(0, 4) : written.length === 4 ? `${written}-${month}` : written);
  return { ...start, by, from: part(start.from, "01"), to: part(start.to, "12") };
}

/** As a definition has them. */
function sent(classes) {
  const made = Object.fromEntries(["by", ...FIELDS[classes.by]].filter((name) => name in classes).map((name) => [name, classes[name]]));
  return classes.by === "date" ? { ...made, at: made.at.split(/[\s,;]+/).filter(Boolean) } : made;
}

/** What is wrong, by the name of the field. */
function inWords(message) {
  return message.replace(/^classes(?:\.(\w+)(?:\[(\d+)\])?)?/, (_, name, place) => (place === undefined ? labels()[name] ?? gettext("They") : fill(gettext("Date {number}"), { number: Number(place) + 1 })));
}
