/** What stands beside the question: its problems, the revisions, and what two people wrote in the same place. */
import { fill, gettext } from "../panel/words.js";
import { html, memo, useEffect, useRef, useState } from "./view.js";

/** Drawn anew only where the problems, or the `order` of the questions that they are of, have changed. */
export const Problems = memo(({ draft, problems, checked, onOpen }) => {
  const stops = problems.filter(({ level }) => level === "stops");
  const advice = problems.filter(({ level, dismissed }) => level === "advice" && !dismissed);
  const dismissed = problems.filter((one) => one.dismissed);
  return html`<section class="editor-problems" aria-labelledby="editor-problems-title">
    <h2 id="editor-problems-title">${!checked ? gettext("Reading the draft …") : stops.length ? fill(gettext("Before it can be opened ({count})"), { count: stops.length }) : gettext("Ready to open")}</h2>
    <${List} draft=${draft} problems=${stops} onOpen=${onOpen} />
    ${advice.length > 0 && html`<details data-advice><summary>${fill(gettext("Advice ({count})"), { count: advice.length })}</summary><${List} draft=${draft} problems=${advice} onOpen=${onOpen} /></details>`}
    ${dismissed.length > 0 && html`<details data-dismissed><summary>${fill(gettext("Dismissed ({count})"), { count: dismissed.length })}</summary><${List} draft=${draft} problems=${dismissed} onOpen=${onOpen} /></details>`}
  </section>`;
});

const List = ({ draft, problems, onOpen }) => html`<ul>${problems.map((one) => html`<li key=${one.mark || one.path.join("/")}>
  <button type="button" onClick=${() => onOpen(one.path)}><b>${placeOf(draft.definition, one.path)}</b> ${one.text}</button>
  ${one.mark && html`<${Dismissal} draft=${draft} problem=${one} />`}</li>`)}</ul>`;

/** Dismiss an advice with a reason, which is kept with the draft until the text changes, or show it again. */
function Dismissal({ draft, problem }) {
  const [asked, setAsked] = useState(false);
  const [said, setSaid] = useState("");
  const field = useRef(null);
  useEffect(() => {
    field.current?.focus();
  }, [asked]);
  const send = async (more) => {
    const { status, content } = await draft.dismiss({ mark: problem.mark, ...more });
    setSaid(status === 200 ? "" : (content?.message ?? gettext("This could not be saved now. Try again.")));
  };
  if (problem.dismissed) {
    return html`<p class="editor-dismissed"><span dir="auto">${problem.dismissed}</span>
      <button type="button" class="editor-text" onClick=${() => send({})}>${gettext("Show again")}</button></p>`;
  }
  const submit = (event) => {
    event.preventDefault();
    send({ reason: field.current.value });
  };
  return asked
    ? html`<form class="editor-dismissed" onSubmit=${submit} onKeyDown=${(event) => event.key === "Escape" && setAsked(false)}>
        <label class="editor-field">${gettext("Reason why it does not apply")}<input class="candor-field" maxlength="300" required ref=${field} /></label>
        <button class="candor-button editor-small-button">${gettext("Dismiss")}</button>
        <button type="button" class="editor-text" onClick=${() => setAsked(false)}>${gettext("Cancel")}</button>
        ${said && html`<small class="candor-fault" role="alert">${said}</small>`}</form>`
    : html`<button type="button" class="editor-text editor-dismiss" onClick=${() => setAsked(true)}>${gettext("Dismiss …")}</button>`;
}

/** Where a path leads, in words. */
export function placeOf(definition, [list, key, ...more]) {
  if (list === "items") {
    const place = definition.items.findIndex((item) => item.key === key);
    const question = place < 0 ? gettext("Questions") : fill(gettext("Question {number}"), { number: place + 1 });
    const field = place < 0 || !more.length || more[0] === "wording" ? "" : fieldName(String(more[0]));
    return field ? fill(gettext("{question}, {field}"), { question, field }) : question;
  }
  if (list === "background_questions") {
    const number = key === "questions" && typeof more[0] === "number" ? more[0] + 1 : 0;
    return number ? fill(gettext("Background question {number}"), { number }) : gettext("Background questions");
  }
  return list ? partName(list) : gettext("Survey");
}

/** A field of a question, as its card calls it. */
function fieldName(field) {
  return {
    asked_if: gettext("condition"),
    before: gettext("text or picture before it"),
    channel: gettext("protection"),
    choice_pictures: gettext("pictures of options"),
    choices: gettext("options"),
    heading: gettext("heading"),
    key: gettext("key"),
    maximum: gettext("maximum"),
    minimum: gettext("minimum"),
    most: gettext("most answers"),
    prefer_not: gettext("prefer not to say"),
    section: gettext("section"),
    step: gettext("step"),
    unasked: gettext("answer for everyone else"),
  }[field] ?? field.replaceAll("_", " ");
}

/** A part of the survey that is no question. */
function partName(part) {
  return {
    about: gettext("Who asks, and help"),
    consent: gettext("Consent"),
    consent_statements: gettext("Consent statements"),
    ending: gettext("End of the survey"),
    introduction: gettext("Introduction"),
    languages: gettext("Languages"),
    look: gettext("Look"),
    privacy_budget: gettext("Privacy loss"),
    screening: gettext("Screening question"),
    sections: gettext("Section"),
    strata: gettext("Groups"),
    title: gettext("Title"),
  }[part] ?? `${part[0].toUpperCase()}${part.slice(1).replaceAll("_", " ")}`;
}

export function Clash({ draft }) {
  const words = (value) => (value === undefined ? gettext("deleted") : typeof value === "string" ? value || gettext("(empty)") : JSON.stringify(value));
  return html`<${Dialog} title=${gettext("Somebody else has changed the same place")}>
    <p>${gettext("Nothing is lost: choose which version stays. All other changes of both of you are kept.")}</p>
    <dl class="editor-clashes">${draft.clashes.map(({ path, theirs, yours }) => html`<div><dt>${placeOf(draft.definition, path)}</dt>
      <dd><span class="candor-quiet">${gettext("Theirs")}</span> <span dir="auto">${words(theirs)}</span></dd><dd><span class="candor-quiet">${gettext("Yours")}</span> <span dir="auto">${words(yours)}</span></dd></div>`)}</dl>
    <p class="candor-acts"><button type="button" class="candor-button" onClick=${() => draft.settle(true)}>${gettext("Keep mine")}</button>
      <button type="button" class="candor-button candor-plain" onClick=${() => draft.settle(false)}>${gettext("Take theirs")}</button></p>
  </${Dialog}>`;
}

export function Dialog({ title, onClose, children }) {
  const box = useRef(null);
  useEffect(() => {
    const opener = document.activeElement;
    box.current.showModal();
    return () => setTimeout(() => opener.focus()); // once the dialog is gone: until then nothing else can have it
  }, []);
  return html`<dialog class="editor-dialog candor" ref=${box} aria-label=${title} onCancel=${(event) => (onClose ? onClose() : event.preventDefault())}>
    <header><h2>${title}</h2>${onClose && html`<button type="button" class="editor-text" onClick=${onClose}>${gettext("Close")}</button>`}</header>${children}</dialog>`;
}

// Made once: the browser takes longer to make one than to draw the editor, and each key asks for a time.
const CLOCK = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", hour12: false });
const DAY = new Intl.DateTimeFormat();

export function when(at) {
  const time = new Date(at);
  const today = time.toDateString() === new Date().toDateString();
  return today ? CLOCK.format(time) : `${DAY.format(time)} ${CLOCK.format(time)}`;
}
