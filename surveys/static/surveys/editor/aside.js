/** What stands beside the question: its problems, the revisions, and what two people wrote in the same place. */
import { html, useEffect, useRef, useState } from "./view.js";

export function Problems({ draft, onOpen }) {
  const stops = draft.problems.filter(({ level }) => level === "stops");
  const advice = draft.problems.filter(({ level }) => level === "advice");
  return html`<section class="editor-problems" aria-labelledby="editor-problems-title">
    <h2 id="editor-problems-title">${stops.length ? `Before it can be opened (${stops.length})` : "Ready to open"}</h2>
    <${List} draft=${draft} problems=${stops} onOpen=${onOpen} />
    ${advice.length > 0 && html`<details><summary>Advice (${advice.length})</summary><${List} draft=${draft} problems=${advice} onOpen=${onOpen} /></details>`}
  </section>`;
}

const List = ({ draft, problems, onOpen }) => html`<ul>${problems.map(({ path, text }) => html`<li>
  <button type="button" onClick=${() => onOpen(path)}><b>${placeOf(draft.definition, path)}</b> ${text}</button></li>`)}</ul>`;

/** Where a path leads, in words. */
export function placeOf(definition, [list, key, ...more]) {
  if (list === "items") {
    const place = definition.items.findIndex((item) => item.key === key);
    const field = String(more[0] ?? "").replace("choices", "options").replace("_", " ");
    return place < 0 ? "Questions" : `Question ${place + 1}${field && field !== "wording" ? `, ${field}` : ""}`;
  }
  return { strata: "Groups", sections: "Section" }[list] ?? (list ? `${list[0].toUpperCase()}${list.slice(1)}` : "Survey");
}

/** The revisions that are kept, each to be looked at and brought back. */
export function Revisions({ draft, onClose, onRestore }) {
  const [found, setFound] = useState(null);
  useEffect(() => {
    draft.get(draft.addresses.revisions).then(({ content }) => setFound(content?.revisions ?? []));
  }, []);
  const restore = async (number) => {
    const { status, content } = await draft.get(`${draft.addresses.revisions}?number=${number}`);
    if (status === 200) {
      onRestore(number, content.definition);
    }
  };
  return html`<${Dialog} title="Versions of this draft" onClose=${onClose}>
    <p class="candor-quiet">The newest twenty saves, and of older ones the last of each ten minutes. Bringing one back can be undone.</p>
    <ol class="editor-revisions">${(found ?? []).map(({ number, at, by }) => html`<li><span><b>${when(at)}</b> <span class="candor-quiet">${by || "Candor"} · ${number}</span></span>
      ${number === draft.revision ? html`<span class="candor-quiet">now</span>` : html`<button type="button" class="candor-button candor-plain" onClick=${() => restore(number)}>Bring back</button>`}</li>`)}</ol>
    ${found === null && html`<p>…</p>`}
  </${Dialog}>`;
}

export function Clash({ draft }) {
  const words = (value) => (value === undefined ? "deleted" : typeof value === "string" ? value || "(empty)" : JSON.stringify(value));
  return html`<${Dialog} title="Somebody else has changed the same place">
    <p>Nothing is lost: choose which of both stays. All other changes of both of you are kept.</p>
    <dl class="editor-clashes">${draft.clashes.map(({ path, theirs, yours }) => html`<div><dt>${placeOf(draft.definition, path)}</dt>
      <dd><span class="candor-quiet">Theirs</span> <span dir="auto">${words(theirs)}</span></dd><dd><span class="candor-quiet">Yours</span> <span dir="auto">${words(yours)}</span></dd></div>`)}</dl>
    <p class="candor-acts"><button type="button" class="candor-button" onClick=${() => draft.settle(true)}>Keep mine</button>
      <button type="button" class="candor-button candor-plain" onClick=${() => draft.settle(false)}>Take theirs</button></p>
  </${Dialog}>`;
}

function Dialog({ title, onClose, children }) {
  const box = useRef(null);
  useEffect(() => {
    box.current.showModal();
  }, []);
  return html`<dialog class="editor-dialog candor" ref=${box} aria-label=${title} onCancel=${(event) => (onClose ? onClose() : event.preventDefault())}>
    <header><h2>${title}</h2>${onClose && html`<button type="button" class="editor-text" onClick=${onClose}>Close</button>`}</header>${children}</dialog>`;
}

export function when(at) {
  const time = new Date(at);
  const today = time.toDateString() === new Date().toDateString();
  const clock = time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  return today ? clock : `${time.toLocaleDateString()} ${clock}`;
}
