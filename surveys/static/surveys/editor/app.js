/** The survey editor: the list of questions, the one that is edited, and the page as respondents will see it. */
import { fill, gettext, pieces } from "../panel/words.js";
import { Clash, placeOf, Problems, when } from "./aside.js";
import { BackgroundCard } from "./background.js";
import { Draft } from "./draft.js";
import { Preview } from "./frame.js";
import { Outline } from "./outline.js";
import { Prices } from "./prices.js";
import { Budget } from "./protection.js";
import { Question } from "./question.js";
import { SectionCard, SurveyCard } from "./survey.js";
import { counted, progressOf, textsOf } from "./texts.js";
import { Translations } from "./translate.js";
import { Revisions } from "./versions.js";
import { afterPaint, html, later, render, useEffect, useLatest, useLayoutEffect, useRef, useState } from "./view.js";

const ENTRY_PARTS = new Set(["wording", "choices", "ends", "text"]);
const COUNT = 400;
const tabs = () => [["outline", gettext("Questions")], ["card", gettext("Edit")], ["preview", gettext("Preview")]];

function Editor({ draft, prices, state, listen }) {
  const [, redraw] = useState(0);
  const [at, setAt] = useState(first(draft.definition));
  const [language, setLanguage] = useState(draft.definition.languages[0]);
  const [tab, setTab] = useState("card");
  const [asked, setAsked] = useState("");
  const [said, setSaid] = useState("");
  const focus = useRef(null);
  const cards = useRef(new Map()); // a question that gets its key while it is edited stays in its card
  const body = useRef(null);
  useEffect(() => listen(() => redraw((count) => count + 1)), []);
  const { definition } = draft;
  const translated = useProgress(definition);
  const names = new Map(definition.languages.map((code) => [code, state.languages.find((one) => one.code === code)?.name ?? code]));
  const spoken = names.has(language) ? language : definition.languages[0];
  const [part, key] = at.split(":");
  const item = part === "item" ? definition.items.find((one) => one.key === key) : null;
  const section = part === "section" ? definition.sections?.find((one) => one.key === key) : null;
  draft.at = at;
  const select = useLatest((to, field = "", words = "") => {
    focus.current = field || null;
    setAt(to);
    setTab("card");
    setSaid(words);
    redraw((count) => count + 1); // also where all of it is as it was: the focus still has to move
  });
  const renamed = (old, name) => {
    cards.current.set(name, cards.current.get(old) ?? old);
    prices.rename(old, name);
    setAt(`item:${name}`);
  };
  const open = useLatest((path) => {
    const [to, field, code] = target(path);
    if (code && names.has(code)) {
      setLanguage(code);
    }
    select(to, field);
  });
  useLayoutEffect(() => {
    if (focus.current) {
      const found = body.current.querySelector(`.editor-middle [data-path="${CSS.escape(focus.current)}"]`);
      const closed = found?.closest("details:not([open])");
      if (closed) {
        closed.open = true;
      }
      found?.focus();
      selectBlank(found);
      focus.current = null;
    }
  });
  const step = (back) => {
    const to = back ? draft.undo() : draft.redo();
    setSaid(to ? (back ? gettext("Undone.") : gettext("Redone.")) : back ? gettext("There is nothing to undo.") : gettext("There is nothing to redo."));
    if (to) {
      setAt(to);
    }
  };
  useEffect(() => shortcuts(step, body));
  const restored = (number, old) => {
    draft.edit("", (it) => {
      Object.keys(it).forEach((name) => delete it[name]);
      Object.assign(it, old);
    });
    setAsked("");
    setAt(first(old));
    setSaid(fill(gettext("Version {number} is restored."), { number }));
  };
  const order = definition.items.map((one) => one.key).join(" ");
  const stops = draft.problems.filter(({ level }) => level === "stops").length;
  return html`<div class="editor" data-tab=${tab} ref=${body}>
    <div class="editor-head">
      <div class="editor-title"><a href=${draft.addresses.survey} class="editor-back" aria-label=${gettext("Back to the survey’s page")}>←</a>
        <div><h1 dir="auto">${definition.title[definition.languages[0]] || gettext("Untitled survey")}</h1><${Status} draft=${draft} onOpen=${open} /></div></div>
      <div class="editor-acts">
        ${names.size > 1 && html`<select class="candor-field editor-small" aria-label=${gettext("Language of the texts")} value=${spoken} onChange=${(event) => setLanguage(event.target.value)}>
          ${[...names].map(([code, name]) => html`<option value=${code}>${name} ${counted(translated.get(code))}</option>`)}</select>`}
        <${Budget} prices=${prices} ceiling=${state.ceiling} />
        ${names.size > 1 && html`<button type="button" class="editor-text" aria-pressed=${String(part === "translations")} onClick=${() => select("translations")}>${gettext("Translate")}</button>`}
        <button type="button" class="editor-icon" aria-label=${gettext("Undo")} title=${gettext("Undo (Ctrl+Z)")} disabled=${!draft.undoSteps.length} onClick=${() => step(true)}>↶</button>
        <button type="button" class="editor-icon" aria-label=${gettext("Redo")} title=${gettext("Redo (Ctrl+Shift+Z)")} disabled=${!draft.redoSteps.length} onClick=${() => step(false)}>↷</button>
        <button type="button" class="editor-text" onClick=${() => setAsked("revisions")}>${gettext("Versions")}</button>
      </div>
      <a class=${`candor-button${stops ? " candor-plain" : ""}`} href=${draft.addresses.opening}>${gettext("Open …")}</a>
    </div>
    <div class="editor-tabs" role="group" aria-label=${gettext("Parts of the editor")}>${tabs().map(([name, words]) => html`<button type="button" aria-pressed=${String(tab === name)} onClick=${() => setTab(name)}>${words}</button>`)}</div>
    <p class="candor-out" aria-live="polite">${said}</p>
    <div class="editor-columns">
      <${Outline} draft=${draft} state=${state} at=${at} onSelect=${select} language=${spoken} prices=${prices} />
      <div class="editor-middle">
        ${item && html`<${Question} key=${cards.current.get(item.key) ?? item.key} draft=${draft} state=${state} item=${item} language=${spoken} prices=${prices} onSelect=${select} onRename=${renamed} names=${names} />`}
        ${section && html`<${SectionCard} key=${section.key} draft=${draft} section=${section} language=${spoken} onSelect=${select} />`}
        ${part === "translations" && names.size > 1 && html`<${Translations} draft=${draft} language=${spoken} names=${names} onLanguage=${setLanguage} />`}
        ${part === "background" && html`<${BackgroundCard} draft=${draft} state=${state} language=${spoken} />`}
        ${!item && !section && part !== "background" && !(part === "translations" && names.size > 1) && html`<${SurveyCard} draft=${draft} state=${state} language=${spoken} names=${names} />`}
        <${Problems} draft=${draft} problems=${draft.problems} checked=${draft.checked} order=${order} onOpen=${open} />
      </div>
      <${Preview} key=${tab === "preview" ? "shown" : "beside"} draft=${draft} language=${spoken} number=${item ? definition.items.indexOf(item) + 1 : 0} background=${part === "background"} />
    </div>
    ${asked === "revisions" && html`<${Revisions} draft=${draft} onClose=${() => setAsked("")} onRestore=${restored} />`}
    ${draft.status === "clash" && html`<${Clash} draft=${draft} />`}
  </div>`;
}

function Status({ draft, onOpen }) {
  const words = {
    saved: draft.savedAt ? fill(gettext("Saved {time}"), { time: when(draft.savedAt) }) : gettext("Saved"),
    changed: gettext("Not saved yet"),
    saving: gettext("Saving …"),
    failed: gettext("Cannot save now. Still trying; nothing is lost."),
    clash: gettext("Not saved"),
  };
  if (draft.status === "signed-out") {
    return html`<span class="editor-status editor-stop" role="alert">${pieces(gettext("Your session has ended. {link} and come back: your texts stay here."), { link: html`<a href=${`/panel/login/?next=${encodeURIComponent(draft.addresses.edit)}`} target="_blank">${gettext("Sign in again")}</a>` })}</span>`;
  }
  if (draft.status === "refused") {
    return html`<span class="editor-status editor-stop" role="alert">${gettext("Not saved:")} <button type="button" class="editor-text" onClick=${() => onOpen(draft.path)}>${placeOf(draft.definition, draft.path)} ${draft.message}</button></span>`;
  }
  const wrong = draft.status === "failed" || draft.status === "frozen";
  return html`<span class=${`editor-status${wrong ? " editor-stop" : ""}`} role=${wrong ? "alert" : undefined}>${words[draft.status] ?? draft.message}</span>`;
}

/** What is selected at first: the survey's texts while it has none, else the first question. */
function first(definition) {
  const titled = Object.values(definition.title).some((words) => words.trim());
  return titled && definition.items.length ? `item:${definition.items[0].key}` : "survey";
}

/** The part and the field that a path leads to, and its language. */
function target([list, key, field, ...more]) {
  if (list === "items" && key !== undefined) {
    const inside = (field === "choices" && typeof more[0] === "number") || (["before", "choice_pictures"].includes(field) && more.length > 0);
    const deeper = more[1] === "alternative" ? "/alternative" : "";
    const place = inside ? `${field}/${more[0]}${deeper}` : String(field ?? "wording");
    return [`item:${key}`, place === "weights" ? "mechanism" : place, String(more.at(-1) ?? "")];
  }
  if (list === "sections" && key !== undefined) {
    return [`section:${key}`, String(field ?? "title"), String(more[0] ?? "")];
  }
  if (list === "consent_statements" || list === "screening") {
    const steps = [key, field, ...more].filter((step) => step !== undefined);
    const code = typeof steps.at(-1) === "string" && !ENTRY_PARTS.has(steps.at(-1)) ? steps.pop() : "";
    return ["survey", [list, ...steps].join("/"), code];
  }
  if (list === "background_questions") {
    return backgroundField([key, field, ...more].filter((step) => step !== undefined));
  }
  if (list === "strata") {
    const place = field === undefined ? "strata/groups" : `strata/groups/${field}/${more[0] === "share" ? "share" : "label"}`;
    return ["survey", key === "groups" ? place : "strata/wording", String(more.at(-1) ?? field ?? "")];
  }
  if (list === "look" || list === "ending") {
    const language = typeof more.at(-1) === "string" ? more.at(-1) : key === "text" ? field : "";
    const place = [list, key, ...(key === "text" || (list === "look" && field !== "alternative") ? [] : [field])].filter(Boolean).join("/");
    return ["survey", place, String(language ?? "")];
  }
  if (list === "about") {
    return ["survey", `about/${key ?? "contact"}`, String(field ?? "")];
  }
  return ["survey", String(list ?? "title"), String(key ?? "")];
}

/** The field of the background questions, by the steps below them; a question as a whole leads to its wording. */
function backgroundField(steps) {
  const code = /^[a-z]{2}$/.test(steps.at(-1)) ? steps.pop() : "";
  const [list, place, part] = steps;
  const whole = list === "questions" && place !== undefined ? ["questions", place, ...(part === "shares" ? [part] : part ? steps.slice(2) : ["wording"])] : [list === "cells" ? "questions" : list];
  return ["background", ["background_questions", ...whole].filter((step) => step !== undefined).join("/"), code];
}

/** Mark what a template leaves to be filled in, so that typing replaces it. */
function selectBlank(field) {
  const from = field?.value?.indexOf("[[") ?? -1;
  const to = from < 0 ? -1 : field.value.indexOf("]]", from);
  if (to > 0) {
    field.setSelectionRange(from, to + 2);
  }
}

/** How much of the survey is translated, by language; all of it is read for that, so it waits until the keys pause. */
function useProgress(definition) {
  const [found, setFound] = useState(new Map());
  const count = useRef(later(COUNT, (it) => {
    setFound(progressOf(textsOf(it), it.languages.slice(1)));
  }));
  useEffect(() => count.current(definition), [definition]);
  return found;
}

function shortcuts(step, body) {
  const press = (event) => {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === "z") {
      event.preventDefault();
      step(!event.shiftKey);
    } else if (command && event.key.toLowerCase() === "f" && !event.shiftKey) {
      const find = body.current.querySelector("[data-find]");
      if (find?.offsetParent) {
        event.preventDefault();
        find.focus();
      }
    }
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

const place = document.querySelector("[data-editor]");
const state = JSON.parse(document.getElementById("editor-state").textContent);
const draft = new Draft(state, place.querySelector("[name=csrfmiddlewaretoken]").value);
const listeners = new Set();
const tell = () => listeners.forEach((listener) => listener());
draft.listen(tell);
const prices = new Prices(draft, state, tell);
place.querySelector("[data-plain]")?.remove();
afterPaint(() => {
  draft.look();
  prices.follow();
});
render(html`<${Editor} draft=${draft} prices=${prices} state=${state} listen=${(listener) => listeners.add(listener)} />`, place);
