/** The list of the draft's parts: questions and sections in order, moved by dragging, by buttons and by keys. */
import { fill, gettext, ngettext } from "../panel/words.js";
import { fillNew, USUAL } from "./classes.js";
import { addItem, addRows, addSection, answersOf, emptyText, isUnnamed, moveItem, moveSection, nameItem, placeItem, platform } from "./definition.js";
import { armsOf } from "./instead.js";
import { KindMenu, Picture, PRESETS } from "./kinds.js";
import { html, memo, useRef, useState } from "./view.js";

const BACKGROUND = Symbol("background");

export function Outline({ draft, state, at, onSelect, language, prices }) {
  const [adding, setAdding] = useState(false);
  const [wanted, setWanted] = useState("");
  const opener = useRef(null);
  const { definition } = draft;
  const add = (name) => {
    const kind = PRESETS[name] ?? name;
    const behind = at.startsWith("item:") ? at.slice(5) : undefined;
    const channel = structuredClone(state.kinds.find((one) => one.name === kind).channel);
    const key = draft.edit("", (it) => {
      const parts = { dropdown: { dropdown: true }, grid: { heading: emptyText(it) } }[name];
      const made = addItem(it, kind, channel, state, behind, parts);
      if (name === "grid") {
        addRows(it, made, [emptyText(it)]);
      }
      return made;
    });
    setAdding(false);
    onSelect(`item:${key}`, name === "grid" ? "heading" : "wording");
    prices.want(key, state.usual_loss);
    if (name in USUAL) {
      fillNew(draft, prices, key, USUAL[name]);
    } else {
      prices.spend();
    }
  };
  const addControl = (name) => {
    const { wording, known_share } = state.controls[name];
    const behind = at.startsWith("item:") ? at.slice(5) : undefined;
    const channel = structuredClone(state.kinds.find((one) => one.name === "yes_no").channel);
    const key = draft.edit("", (it) => nameItem(it, addItem(it, "yes_no", channel, state, behind, { wording: platform(it, (code) => wording[code]), known_share })));
    setAdding(false);
    onSelect(`item:${key}`, "wording");
    prices.want(key, state.usual_loss);
    prices.spend();
  };
  const closed = () => {
    setAdding(false);
    opener.current.focus();
  };
  const section = () => onSelect(`section:${draft.edit("", addSection)}`, "title");
  const missing = new Map(); // by the question's key, and of the background questions together
  for (const { level, path: [list, key] } of draft.problems) {
    const of = { items: key, background_questions: BACKGROUND }[list];
    if (level === "stops" && of) {
      missing.set(of, (missing.get(of) ?? 0) + 1);
    }
  }
  const here = (of) => draft.others.filter((one) => one.at === of).map(({ name }) => name).join("\n");
  const words = wanted.trim().toLowerCase();
  const shown = parts(definition, ({ item }) => matches(item, words, definition.languages)).filter(({ items }) => !words || items.length);
  return html`<nav class="editor-outline" aria-label=${gettext("Questions")}>
    <div class="editor-outline-head">
      <button type="button" class="candor-button" aria-expanded=${String(adding)} ref=${opener} onClick=${() => setAdding(!adding)}>${gettext("+ Add question")}</button>
      <input type="search" class="candor-field editor-small" placeholder=${gettext("Find")} aria-label=${gettext("Find a question")} data-find
        value=${wanted} onInput=${(event) => setWanted(event.target.value)} />
    </div>
    ${adding && html`<${KindMenu} kinds=${state.kinds} refused=${state.refused} onPick=${add} onControl=${addControl} onClose=${closed} />`}
    <ol class="editor-rows">
      <${Row} selected=${at === "survey"} of="survey" onSelect=${onSelect} words=${gettext("Title, introduction, languages")} mark="⌂" others=${here("survey")} />
      <${Row} selected=${at === "background"} of="background" onSelect=${onSelect} words=${gettext("Background questions")} mark="○" others=${here("background")}
        note=${openly(definition)} problems=${missing.get(BACKGROUND) ?? 0} />
      ${shown.map(({ section: one, items }) => html`
        ${one && html`<${SectionRow} section=${one} selected=${at === `section:${one.key}`} onSelect=${onSelect} language=${language} draft=${draft}
          others=${here(`section:${one.key}`)} />`}
        ${items.map(({ item, number }) => html`<${ItemRow} key=${item.key} item=${item} number=${number}
          selected=${at === `item:${item.key}`} onSelect=${onSelect} language=${language} draft=${draft} others=${here(`item:${item.key}`)}
          problems=${missing.get(item.key) ?? 0} />`)}`)}
    </ol>
    ${words && !shown.length && html`<p class="candor-quiet editor-outline-foot" aria-live="polite">${gettext("No question matches.")}</p>`}
    <p class="editor-outline-foot"><button type="button" class="editor-text" onClick=${section}>${gettext("+ Section")}</button></p>
  </nav>`;
}

/** Drawn anew only when it changes: a survey may have a hundred, and each key in the question beside them draws the list. */
const ItemRow = memo(({ item, number, selected, onSelect, language, draft, others, problems }) => {
  const words = item.wording[language] || Object.values(item.wording).find(Boolean) || gettext("No text yet");
  const move = (by) => draft.edit("", (it) => moveItem(it, item.key, by));
  const version = armsOf(draft.definition).findIndex(({ instead }) => Object.values(instead ?? {}).includes(item.key)) + 1;
  return html`<${Row} selected=${selected} of=${`item:${item.key}`} words=${words} mark=${number} kind=${item.heading ? "grid" : item.dropdown ? "dropdown" : item.kind}
    onSelect=${onSelect} others=${others}
    onMove=${move} problems=${isUnnamed(item.key) ? 0 : problems} faint=${!item.wording[language]}
    note=${item.heading ? fill(gettext("row of: {heading}"), { heading: item.heading[language] || gettext("a grid") }) : item.asked_if ? gettext("conditional") : version ? fill(gettext("version {number} only"), { number: version }) : ""}
    drag=${{ key: item.key, onDrop: (key) => draft.edit("", (it) => placeItem(it, key, item.key, item.section)) }} />`;
});

function SectionRow({ section, selected, onSelect, language, draft, others }) {
  const words = section.title[language] || Object.values(section.title).find(Boolean) || gettext("Section");
  return html`<${Row} selected=${selected} of=${`section:${section.key}`} words=${words} mark="§" onSelect=${onSelect} others=${others}
    onMove=${(by) => draft.edit("", (it) => moveSection(it, section.key, by))} section
    drag=${{ onDrop: (key) => draft.edit("", (it) => placeItem(it, key, firstOf(it, section.key), section.key)) }} />`;
}

/** `others`: who else is there, a name to a line. */
function Row({ selected, of, words, mark, kind, onSelect, onMove, others, problems = 0, note, faint, drag, section }) {
  const keys = (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by && event.altKey && onMove) {
      event.preventDefault();
      onMove(by);
    } else if (by) {
      event.preventDefault();
      const rows = [...event.currentTarget.closest("ol").querySelectorAll(".editor-row-main")];
      rows[rows.indexOf(event.currentTarget) + by]?.focus();
    }
  };
  const over = (event) => drag && event.dataTransfer.types.includes("application/x-candor") && event.preventDefault();
  const dropped = (event) => {
    const key = event.dataTransfer.getData("application/x-candor");
    if (drag && key && key !== drag.key) {
      event.preventDefault();
      drag.onDrop(key);
    }
  };
  return html`<li class=${`editor-row${section ? " editor-row-section" : ""}`} onDragOver=${over} onDrop=${dropped}>
    <button type="button" class="editor-row-main" data-of=${of} aria-current=${selected ? "true" : undefined} draggable=${Boolean(drag?.key)}
      onDragStart=${(event) => event.dataTransfer.setData("application/x-candor", drag.key)} onKeyDown=${keys} onClick=${(event) => onSelect(of, event.detail ? "" : "card")}
      aria-keyshortcuts=${onMove ? "Alt+ArrowUp Alt+ArrowDown" : undefined}>
      <span class="editor-mark">${mark}</span>
      <span class=${`editor-row-words${faint ? " candor-quiet" : ""}`}><span dir="auto">${words}</span>${note && html`<small dir="auto">${note}</small>`}</span>
      ${[...new Set(others.split("\n").filter(Boolean))].map((name) => html`<span class="editor-other" title=${fill(gettext("{name} is here"), { name })}>${name.slice(0, 2)}</span>`)}
      ${problems > 0 && html`<span class="editor-count" title=${gettext("Still missing")}>${problems}<span class="candor-out"> ${gettext("missing")}</span></span>`}
      ${kind && html`<${Picture} kind=${kind} />`}
    </button>
    ${onMove && selected && html`<span class="editor-row-tools">
      <button type="button" aria-label=${fill(gettext("Move up: {name}"), { name: words })} onClick=${() => onMove(-1)}>↑</button>
      <button type="button" aria-label=${fill(gettext("Move down: {name}"), { name: words })} onClick=${() => onMove(1)}>↓</button></span>`}
  </li>`;
}

/** Sections with those of their questions that fit, each with its number; questions of no section first. */
function parts(definition, fits) {
  const numbered = definition.items.map((item, place) => ({ item, number: place + 1 })).filter(fits);
  const keys = new Set((definition.sections ?? []).map((section) => section.key));
  return [
    { section: null, items: numbered.filter(({ item }) => !keys.has(item.section)) },
    ...(definition.sections ?? []).map((section) => ({ section, items: numbered.filter(({ item }) => item.section === section.key) })),
  ];
}

/** How many background questions are asked; those that browsers answer by drawing a version are none. */
function openly({ background_questions: background }) {
  const count = (background?.questions ?? []).filter(({ arms }) => !arms).length;
  return count ? fill(ngettext("{count} question, sent openly", "{count} questions, sent openly", count), { count }) : "";
}

const firstOf = (definition, section) => definition.items.find((item) => item.section === section)?.key;

function matches(item, wanted, languages) {
  return !wanted || languages.some((code) => [item.wording[code] ?? "", item.key, item.heading?.[code] ?? "", ...answersOf(item, code)].join("\n").toLowerCase().includes(wanted));
}
