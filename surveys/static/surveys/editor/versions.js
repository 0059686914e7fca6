/** The revisions of a draft: each compared with the draft of now or with another one, in words, and brought back. */
import { fill, gettext } from "../panel/words.js";
import { Dialog, placeOf, when } from "./aside.js";
import { differences } from "./changes.js";
import { html, useEffect, useState } from "./view.js";

const NOW = "now";

export function Revisions({ draft, onClose, onRestore }) {
  const [found, setFound] = useState(null);
  const [seen, setSeen] = useState(null); // the revision that is looked at
  const [other, setOther] = useState({ number: NOW, definition: null });
  const [said, setSaid] = useState("");
  useEffect(() => {
    draft.get(draft.addresses.revisions).then(({ content }) => setFound(content?.revisions ?? []));
  }, []);
  const read = async (number, then) => {
    const { status, content } = await draft.get(`${draft.addresses.revisions}?number=${number}`);
    setSaid(status === 200 ? "" : (content?.message ?? gettext("This version cannot be read now. Try again.")));
    if (status === 200) {
      then({ number, definition: content.definition });
    }
  };
  const against = (number) => (number === NOW ? setOther({ number, definition: null }) : read(Number(number), setOther));
  return html`<${Dialog} title=${gettext("Versions of this draft")} onClose=${onClose}>
    <p class="candor-quiet">${gettext("The latest twenty saves, and of older ones the last of each ten minutes. Restoring one can be undone.")}</p>
    ${said && html`<p class="candor-fault" role="alert">${said}</p>`}
    ${found === null && html`<p>…</p>`}
    <ol class="editor-revisions">${(found ?? []).map(({ number, at, by }) => html`<li key=${number}><span><b>${when(at)}</b> <span class="candor-quiet">${by || "Candor"} · ${number}</span></span>
      ${number === draft.revision ? html`<span class="candor-quiet">${gettext("now")}</span>` : html`<span class="candor-acts">
        <button type="button" class="editor-text" aria-expanded=${String(seen?.number === number)} aria-label=${fill(gettext("Compare version {number}"), { number })}
          onClick=${() => (seen?.number === number ? setSeen(null) : read(number, setSeen))}>${gettext("Compare")}</button>
        <button type="button" class="candor-button candor-plain editor-small-button" aria-label=${fill(gettext("Restore version {number}"), { number })}
          onClick=${() => read(number, ({ definition }) => onRestore(number, definition))}>${gettext("Restore")}</button></span>`}
      ${seen?.number === number && html`<div class="editor-compared">
        <label>${fill(gettext("Version {number} compared with"), { number })} <select class="candor-field editor-small" value=${String(other.number)} onChange=${(event) => against(event.target.value)}>
          <option value=${NOW}>${gettext("the current draft")}</option>
          ${found.filter((one) => one.number !== number && one.number !== draft.revision).map((one) => html`<option value=${one.number}>${fill(gettext("version {number}, {time}"), { number: one.number, time: when(one.at) })}</option>`)}</select></label>
        <${Compared} before=${seen} after=${other.definition ? other : { number: NOW, definition: draft.definition }} /></div>`}</li>`)}</ol>
  </${Dialog}>`;
}

function Compared({ before, after }) {
  const changes = differences(before.definition, after.definition);
  const name = (one) => (one.number === NOW ? gettext("Now") : fill(gettext("Version {number}"), { number: one.number }));
  if (!changes.length) {
    return html`<p class="candor-quiet">${gettext("Nothing differs.")}</p>`;
  }
  return html`<dl class="editor-clashes" data-compared>${changes.map(({ path, was, now }) => html`<div key=${path.join("/")}><dt>${placeIn(before.definition, after.definition, path)}</dt>
    <dd><span class="candor-quiet">${name(before)}</span> <span dir="auto">${inWords(was)}</span></dd>
    <dd><span class="candor-quiet">${name(after)}</span> <span dir="auto">${inWords(now)}</span></dd></div>`)}</dl>`;
}

function placeIn(before, after, path) {
  const there = path[0] !== "items" || path.length < 2 || after.items.some(({ key }) => key === path[1]);
  const code = path.at(-1);
  const several = after.languages.length > 1 && after.languages.includes(code);
  const place = placeOf(there ? after : before, path);
  const named = path.length === 1 && path[0] === "items" ? fill(gettext("{questions}, order"), { questions: place }) : place;
  return several ? `${named} (${code})` : named;
}

/** A value as its author knows it. */
function inWords(value) {
  if (value === undefined || value === null) {
    return "–";
  }
  if (typeof value === "string") {
    return value || gettext("(empty)");
  }
  if (Array.isArray(value)) {
    return value.map(inWords).join(", ") || gettext("(empty)");
  }
  if (typeof value === "object") {
    return "wording" in value ? inWords(value.wording) : Object.entries(value).map(([name, one]) => (typeof one === "string" && name.length === 2 ? one : `${name} ${inWords(one)}`)).join(", ");
  }
  return typeof value === "boolean" ? (value ? gettext("yes") : gettext("no")) : String(value);
}
