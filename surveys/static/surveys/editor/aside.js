/** What stands beside the question: its problems, the revisions, and what two people wrote in the same place. */
import { html, memo, useEffect, useRef, useState } from "./view.js";

/** Drawn anew only where the problems, or the `order` of the questions that they are of, have changed. */
export const Problems = memo(({ draft, problems, checked, onOpen }) => {
  const stops = problems.filter(({ level }) => level === "stops");
  const advice = problems.filter(({ level, dismissed }) => level === "advice" && !dismissed);
  const dismissed = problems.filter((one) => one.dismissed);
  return html`<section class="editor-problems" aria-labelledby="editor-problems-title">
    <h2 id="editor-problems-title">${!checked ? "Reading the draft …" : stops.length ? `To do before opening (${stops.length})` : "Ready to open"}</h2>
    <${List} draft=${draft} problems=${stops} onOpen=${onOpen} />
    ${advice.length > 0 && html`<details data-advice><summary>Advice (${advice.length})</summary><${List} draft=${draft} problems=${advice} onOpen=${onOpen} /></details>`}
    ${dismissed.length > 0 && html`<details data-dismissed><summary>Dismissed (${dismissed.length})</summary><${List} draft=${draft} problems=${dismissed} onOpen=${onOpen} /></details>`}
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
    setSaid(status === 200 ? "" : (content?.message ?? "This could not be saved. Try again."));
  };
  if (problem.dismissed) {
    return html`<p class="editor-dismissed"><span dir="auto">${problem.dismissed}</span>
      <button type="button" class="editor-text" onClick=${() => send({})}>Show again</button></p>`;
  }
  const submit = (event) => {
    event.preventDefault();
    send({ reason: field.current.value });
  };
  return asked
    ? html`<form class="editor-dismissed" onSubmit=${submit} onKeyDown=${(event) => event.key === "Escape" && setAsked(false)}>
        <label class="editor-field">Why it does not apply<input class="candor-field" maxlength="300" required ref=${field} /></label>
        <button class="candor-button editor-small-button">Dismiss</button>
        <button type="button" class="editor-text" onClick=${() => setAsked(false)}>Cancel</button>
        ${said && html`<small class="candor-fault" role="alert">${said}</small>`}</form>`
    : html`<button type="button" class="editor-text editor-dismiss" onClick=${() => setAsked(true)}>Dismiss …</button>`;
}

/** Where a path leads, in words. */
export function placeOf(definition, [list, key, ...more]) {
  if (list === "items") {
    const place = definition.items.findIndex((item) => item.key === key);
    const field = String(more[0] ?? "").replace("choices", "options").replace("_", " ");
    return place < 0 ? "Questions" : `Question ${place + 1}${field && field !== "wording" ? `, ${field}` : ""}`;
  }
  return { strata: "Groups", sections: "Section" }[list] ?? (list ? `${list[0].toUpperCase()}${list.slice(1)}` : "Survey");
}

export function Clash({ draft }) {
  const words = (value) => (value === undefined ? "deleted" : typeof value === "string" ? value || "(empty)" : JSON.stringify(value));
  return html`<${Dialog} title="Someone else has changed the same fields">
    <p>Choose which version to keep. All other changes by both of you are kept.</p>
    <dl class="editor-clashes">${draft.clashes.map(({ path, theirs, yours }) => html`<div><dt>${placeOf(draft.definition, path)}</dt>
      <dd><span class="candor-quiet">Theirs</span> <span dir="auto">${words(theirs)}</span></dd><dd><span class="candor-quiet">Yours</span> <span dir="auto">${words(yours)}</span></dd></div>`)}</dl>
    <p class="candor-acts"><button type="button" class="candor-button" onClick=${() => draft.settle(true)}>Keep mine</button>
      <button type="button" class="candor-button candor-plain" onClick=${() => draft.settle(false)}>Take theirs</button></p>
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
    <header><h2>${title}</h2>${onClose && html`<button type="button" class="editor-text" onClick=${onClose}>Close</button>`}</header>${children}</dialog>`;
}

// Made once: the browser takes longer to make one than to draw the editor, and each key asks for a time.
const CLOCK = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", hour12: false });
const DAY = new Intl.DateTimeFormat();

export function when(at) {
  const time = new Date(at);
  const today = time.toDateString() === new Date().toDateString();
  return today ? CLOCK.format(time) : `${DAY.format(time)} ${CLOCK.format(time)}`;
}
