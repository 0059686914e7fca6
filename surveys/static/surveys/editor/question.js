/** The question that is edited: its words first, then its options, then how it is asked and protected. */
import { fill, gettext } from "../panel/words.js";
import { Before, ChoicePictures } from "./before.js";
import { CLASSED, Classes } from "./classes.js";
import { answersOf, duplicateItem, isUnnamed, itemOf, nameItem, platform, removeItem, renameItem, rowsOf, setChoices, setOption, sharedDraft, withheld } from "./definition.js";
import { Said } from "./fields.js";
import { Heading, Rows } from "./grid.js";
import { kindName } from "./kinds.js";
import { Options } from "./options.js";
import { Mechanism, Protection } from "./protection.js";
import { html, useEffect, useRef, useState } from "./view.js";

const WITH_OPTIONS = (item) => item.kind !== "number";
const HOLD = 200;
const IN_GRID = new Set(["yes_no", "one_choice", "scale"]);
const UNFOLDS = new Set(["one_choice", "scale"]);
const SHUFFLED = new Set(["one_choice", "several_choices"]);

export function Question({ draft, state, item, language, prices, onSelect, onRename, names }) {
  const { definition } = draft;
  const rows = rowsOf(definition, item.key);
  const grid = Boolean(item.heading);
  const shared = grid ? sharedDraft(draft, item.key) : draft;
  const edit = (tag, change) => shared.edit(tag && `${item.key}-${tag}`, (it) => change(itemOf(it, item.key), it));
  const number = definition.items.indexOf(rows[0]) + 1;
  const title = rows.length > 1 ? fill(gettext("Questions {first} to {last}"), { first: number, last: number + rows.length - 1 }) : fill(gettext("Question {number}"), { number });
  const answers = item.choices.length + (item.prefer_not ? 1 : 0);
  const detecting = prices.found.questions[item.key]?.detecting;
  useHeldProtection(item, answers, prices);
  useSharedBudget(rows.length, prices);
  const named = () => {
    const key = isUnnamed(item.key) ? draft.edit("", (it) => nameItem(it, item.key)) : item.key;
    if (key && key !== item.key) {
      onRename(item.key, key);
    }
  };
  const removed = () => {
    const next = definition.items[number + rows.length - 1] ?? definition.items[number - 2];
    draft.edit("", (it) => rows.forEach(({ key }) => removeItem(it, key)));
    onSelect(next ? `item:${next.key}` : "survey", "card", fill(rows.length > 1 ? gettext("{questions} are deleted.") : gettext("{question} is deleted."), { questions: title, question: title }));
    prices.spend();
  };
  const duplicated = () => {
    onSelect(`item:${draft.edit("", (it) => duplicateItem(it, item.key))}`, "card");
    prices.spend();
  };
  return html`<article class="editor-card" aria-labelledby="editor-title" tabindex="-1" data-path="card">
    <header><h2 id="editor-title">${title}</h2>
      <select class="candor-field editor-small" aria-label=${gettext("Kind of question")} value=${item.kind} data-path="kind"
        onChange=${(event) => changeKind(shared, item, event.target.value, state, prices)}>
        ${state.kinds.filter(({ name }) => !grid || IN_GRID.has(name)).map(({ name, label }) => html`<option value=${name}>${kindName(name, label)}</option>`)}</select>
      <span class="editor-tools">
        ${!grid && html`<button type="button" class="editor-text" onClick=${duplicated}>${gettext("Duplicate")}</button>`}
        <button type="button" class="editor-text editor-danger" onClick=${removed}>${gettext("Delete")}</button></span></header>
    ${grid ? html`<${Heading} draft=${draft} rows=${rows} language=${language} />
      <${Rows} draft=${draft} rows=${rows} item=${item} language=${language} onSelect=${onSelect} onRename=${onRename} />` : html`<label class="editor-field editor-wording">${gettext("Question")}${names.size > 1 ? html` <small class="candor-quiet">${names.get(language)}</small>` : ""}
      <textarea class="candor-field" rows="2" lang=${language} dir="auto" data-path="wording" value=${item.wording[language] ?? ""}
        placeholder=${item.wording[definition.languages[0]] || gettext("What do you want to know?")}
        onInput=${(event) => edit(`wording-${language}`, (it) => (it.wording[language] = event.target.value))} onBlur=${named}></textarea></label>`}
    <${Before} draft=${draft} item=${rows[0]} language=${language} />
    ${WITH_OPTIONS(item) ? html`<${Options} draft=${shared} item=${item} language=${language} points=${item.kind === "scale"} />` : html`<${Grid} draft=${draft} item=${item} edit=${edit} />`}
    ${CLASSED.has(item.kind) && !grid && html`<${Classes} draft=${draft} item=${item} />`}
    ${WITH_OPTIONS(item) && !grid && !item.dropdown && html`<${ChoicePictures} draft=${draft} item=${item} language=${language} edit=${edit} />`}
    <div class="editor-switches">
      ${WITH_OPTIONS(item) && html`<${Switch} label=${gettext("Offer “prefer not to say”")} on=${Boolean(item.prefer_not)} path="prefer_not"
        onChange=${() => toggleWithheld(shared, item, state)} />`}
      ${WITH_OPTIONS(item) && html`<${Switch} label=${gettext("Required")} on=${item.required !== false} path="required"
        onChange=${(on) => edit("", (it) => setOption(it, "required", on, true))} />`}
      ${UNFOLDS.has(item.kind) && !grid && !item.choice_pictures && html`<${Switch} label=${gettext("Dropdown")} on=${item.dropdown === true} path="dropdown"
        onChange=${(on) => edit("", (it) => setOption(it, "dropdown", on, false))} />`}
      ${SHUFFLED.has(item.kind) && !grid && html`<${Switch} label=${gettext("Shuffle options")} on=${item.shuffle === true} path="shuffle"
        onChange=${(on) => edit("", (it) => shuffle(it, on))} />`}
      ${item.shuffle && html`<${Switch} label=${gettext("Last option stays last")} on=${item.keep_last === true} path="keep_last"
        onChange=${(on) => edit("", (it) => setOption(it, "keep_last", on, false))} />`}
      <${Switch} label=${gettext("Show the help line after it")} on=${rows.at(-1).help_after === true} path="help_after"
        onChange=${(on) => draft.edit("", (it) => setOption(itemOf(it, rows.at(-1).key), "help_after", on, false))} />
      ${item.kind === "yes_no" && html`<label class="editor-most">${gettext("Control question: known share of Yes")} <input class="candor-field editor-inline" data-path="known_share" size="6"
        inputmode="decimal" value=${item.known_share ?? ""} placeholder="–" onInput=${(event) => draft.edit(`known-${item.key}`, (it) => control(itemOf(it, item.key), event.target.value.trim()))} />
        ${detecting && html` <small class="candor-quiet">${fill(gettext("{count} responses show it in 80 % of surveys if 8 % of people answer at random."), { count: new Intl.NumberFormat(document.documentElement.lang).format(detecting) })}</small>`}</label>`}
      ${item.kind === "several_choices" && html`<label class="editor-most">${gettext("At most")} <input type="number" min="1" max=${item.choices.length} class="candor-field editor-inline" data-path="most"
        value=${item.most ?? ""} onInput=${(event) => edit("most", (it) => setOption(it, "most", Number(event.target.value) || null, null))} /> ${gettext("ticked")}</label>`}
    </div>
    <${Protection} draft=${shared} state=${state} item=${item} prices=${prices} />
    <${Condition} draft=${shared} item=${item} language=${language} edit=${edit} />
    <details class="editor-advanced"><summary>${gettext("Advanced: mechanism, exact numbers, key")}</summary>
      <${Mechanism} draft=${shared} state=${state} item=${item} prices=${prices} />
      <${Key} item=${item} draft=${draft} onRename=${onRename} />
    </details>
  </article>`;
}

/** Another number of answers needs another table; the kind has its own when it is chosen. */
function useHeldProtection(item, answers, prices) {
  const before = useRef({ answers, kind: item.kind });
  useEffect(() => {
    const { answers: last, kind } = before.current;
    before.current = { answers, kind: item.kind };
    if (kind === item.kind && last !== answers) {
      const timer = setTimeout(() => prices.hold(item.key), HOLD);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [item.kind, answers]);
}

/** Each row of a grid is a question of its own: with another number of them the budget is divided anew. */
function useSharedBudget(rows, prices) {
  const before = useRef(rows);
  useEffect(() => {
    if (before.current !== rows) {
      before.current = rows;
      prices.spend();
    }
  }, [rows]);
}

function changeKind(draft, item, kind, state, prices) {
  draft.edit("", (it) => {
    const changed = itemOf(it, item.key);
    if (changed.kind === "number") {
      changed.prefer_not = withheld(it, state);
    }
    changed.kind = kind;
    changed.channel = structuredClone(state.kinds.find(({ name }) => name === kind).channel);
    if (!UNFOLDS.has(kind)) {
      delete changed.dropdown;
    }
    for (const name of ["known_share", "most", "shuffle", "keep_last", "minimum", "maximum", "step"]) {
      delete changed[name];
    }
    delete changed.unasked;
    if (kind === "number") {
      setChoices(it, item.key, [], []);
      delete changed.prefer_not;
      Object.assign(changed, { minimum: "0", maximum: "10", step: "1" });
    } else if (kind === "yes_no" && changed.choices.length !== 2) {
      setChoices(it, item.key, [0, 1].map((answer) => platform(it, (code) => state.yes_no[code]?.[answer])), [-1, -1]);
    }
    if (changed.asked_if && kind !== "several_choices") {
      changed.unasked = kind === "number" ? changed.minimum : 0;
    }
  });
  prices.protect(item.key, prices.found.questions[item.key]?.epsilon ?? 1, { choose: true });
}

function shuffle(item, on) {
  setOption(item, "shuffle", on, false);
  if (!on) {
    delete item.keep_last;
  }
}

/** A control question asks everybody: nobody may prefer not to say. */
function control(item, share) {
  setOption(item, "known_share", share, "");
  if (share !== "" && item.prefer_not) {
    withdraw(item);
  }
}

function withdraw(item) {
  delete item.prefer_not;
  if (item.unasked === item.choices.length) {
    item.unasked = 0;
  }
}

function toggleWithheld(draft, item, state) {
  draft.edit("", (it) => {
    const changed = itemOf(it, item.key);
    if (changed.prefer_not) {
      withdraw(changed);
    } else {
      changed.prefer_not = withheld(it, state);
      delete changed.known_share;
    }
  });
}

function NumberField({ draft, item, edit, name, label }) {
  return html`<label class="editor-field">${label}<input class="candor-field" inputmode="decimal" autocomplete="off"
    data-path=${name} value=${item[name] ?? ""} onInput=${(event) => edit(name, (it) => (it[name] = event.target.value.trim().replace(",", ".")))} />
    <${Said} draft=${draft} path=${`items/${item.key}/${name}`} /></label>`;
}

function Grid(props) {
  const labels = { minimum: gettext("From"), maximum: gettext("To"), step: gettext("In steps of") };
  return html`<div class="editor-grid">${Object.entries(labels).map(([name, label]) => html`<${NumberField} key=${name} ...${props} name=${name} label=${label} />`)}</div>`;
}

export function Switch({ label, on, onChange, path }) {
  return html`<label class="editor-check"><input type="checkbox" role="switch" checked=${on} data-path=${path}
    onChange=${(event) => onChange(event.target.checked)} /><span>${label}</span></label>`;
}

/** Asked only after some answers to an earlier question; the others' devices send the answer that is chosen here. */
function Condition({ draft, item, language, edit }) {
  const { items } = draft.definition;
  const earlier = items.slice(0, items.indexOf(rowsOf(draft.definition, item.key)[0])).filter((one) => one.kind !== "number" && one.choices.length > 1);
  const on = items.find((one) => one.key === item.asked_if?.item);
  if (!earlier.length && !item.asked_if) {
    return null;
  }
  const pick = (key) =>
    edit("", (it) => {
      if (!key) {
        delete it.asked_if;
        delete it.unasked;
        return;
      }
      it.asked_if = { item: key, answers: [items.find((one) => one.key === key).choices.length - 1] };
      if (it.kind !== "several_choices") {
        it.unasked ??= it.kind === "number" ? it.minimum : 0;
      }
    });
  const tick = (place, ticked) =>
    edit("", (it) => {
      const answers = new Set(it.asked_if.answers);
      answers[ticked ? "add" : "delete"](place);
      it.asked_if.answers = [...answers].sort((a, b) => a - b);
    });
  return html`<fieldset class="editor-condition"><legend class="candor-out">${gettext("Condition")}</legend>
    <label class="editor-field">${gettext("Ask")} <select class="candor-field" aria-label=${gettext("Who is asked")} value=${item.asked_if?.item ?? ""} data-path="asked_if" onChange=${(event) => pick(event.target.value)}>
      <option value="">${gettext("everybody")}</option>
      ${earlier.map((one) => html`<option value=${one.key}>${fill(gettext("only after some answers to: {question}"), { question: one.wording[language] || one.key })}</option>`)}
      ${item.asked_if && !earlier.includes(on) && html`<option value=${item.asked_if.item}>${fill(gettext("after {question}, which is not earlier"), { question: item.asked_if.item })}</option>`}</select></label>
    ${on && html`<div class="editor-switches" role="group" aria-label=${gettext("Asked after these answers")}>${answersOf(on, language).map((words, place) => html`<label class="editor-check">
      <input type="checkbox" checked=${item.asked_if.answers.includes(place)} onChange=${(event) => tick(place, event.target.checked)} /><span dir="auto">${words}</span></label>`)}</div>
      <${Unasked} draft=${draft} item=${item} language=${language} edit=${edit} />`}
  </fieldset>`;
}

/** What is sent for those who are not asked, so that nobody sees who they are. */
function Unasked({ draft, item, language, edit }) {
  const label = gettext("Answer randomised and sent for everyone else");
  if (item.kind === "several_choices") {
    return html`<p class="candor-quiet">${gettext("For everyone else, no option ticked is randomised and sent.")}</p>`;
  }
  if (item.kind === "number") {
    return html`<${NumberField} draft=${draft} item=${item} edit=${edit} name="unasked" label=${label} />`;
  }
  return html`<label class="editor-field">${label}
    <select class="candor-field" value=${String(item.unasked ?? 0)} data-path="unasked" onChange=${(event) => edit("", (it) => (it.unasked = Number(event.target.value)))}>
    ${answersOf(item, language).map((words, place) => html`<option value=${String(place)}>${words}</option>`)}</select></label>`;
}

function Key({ item, draft, onRename }) {
  const [written, setWritten] = useState(null);
  const taken = draft.definition.items.some((one) => one !== item && one.key === written);
  const fault = written === null ? "" : taken ? gettext("Another question has this key.") : /^[a-z0-9][a-z0-9_-]{0,63}$/.test(written) ? "" : gettext("Use a-z, 0-9, - and _, at most 64 characters.");
  const keep = () => {
    if (written !== null && !fault && written !== item.key) {
      draft.edit("", (it) => renameItem(it, item.key, written));
      onRename(item.key, written);
    }
    setWritten(null);
  };
  return html`<label class="editor-field">${gettext("Key in exported data")}<input class="candor-field" autocomplete="off" spellcheck="false" data-path="key"
    value=${written ?? (isUnnamed(item.key) ? "" : item.key)} placeholder=${gettext("made from the question")} onInput=${(event) => setWritten(event.target.value)} onBlur=${keep} />
    ${fault && html`<small class="candor-fault">${fault}</small>`}</label>`;
}
