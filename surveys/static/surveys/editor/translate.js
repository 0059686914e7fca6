/** All texts side by side in two languages, with what is still missing; as files for translators, out and in. */
import { progressOf, setText, textsOf } from "./texts.js";
import { html, memo, useState } from "./view.js";

const SHOWN = 5;
const FORMATS = [["csv", "CSV"], ["xlsx", "Excel"], ["po", "PO"]];

export function Translations({ draft, language, names, onLanguage }) {
  const [missing, setMissing] = useState(false);
  const [said, setSaid] = useState([]);
  const { definition } = draft;
  const [own, ...others] = definition.languages;
  const code = language === own ? others[0] : language;
  const progress = progressOf(definition, others);
  const rows = textsOf(definition).filter(({ text }) => !missing || !text[code]?.trim());
  const upload = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) {
      setSaid(await takeFile(draft, file));
    }
  };
  return html`<article class="editor-card" aria-labelledby="editor-title">
    <header><h2 id="editor-title">Translations</h2>
      <div class="editor-switch" role="group" aria-label="Language to translate into">${others.map((one) => html`<button type="button"
        aria-pressed=${String(one === code)} onClick=${() => onLanguage(one)}><span lang=${one}>${names.get(one)}</span> ${progress.get(one).join(" of ")}</button>`)}</div>
      <span class="editor-tools"><span class="candor-quiet">Download</span>
        ${FORMATS.map(([form, label]) => html`<button type="button" class="editor-text" aria-label=${`Download ${label}`} onClick=${() => download(draft, form, code)}>${label}</button>`)}
        <label class="editor-text">Upload<input type="file" class="candor-out" accept=".csv,.tsv,.xlsx,.po,text/csv" aria-label="Upload translations" onChange=${upload} /></label></span></header>
    <div role="status" class=${said.length ? "editor-said" : "candor-out"}>${said.map((words) => html`<p>${words}</p>`)}</div>
    <label class="editor-check"><input type="checkbox" role="switch" checked=${missing} onChange=${(event) => setMissing(event.target.checked)} /><span>Missing texts only</span></label>
    <div class="editor-texts">${rows.map(({ path, label, text }) => html`<${TextRow} key=${path} draft=${draft} path=${path} label=${label} text=${text} own=${own} code=${code} name=${names.get(code)} />`)}
      ${!rows.length && html`<p class="candor-quiet">Nothing is missing.</p>`}</div>
  </article>`;
}

/** Drawn anew only when it changes: there may be thousands. */
const TextRow = memo(({ draft, path, label, text, own, code, name }) => html`<div>
  <p lang=${own} dir="auto"><small class="candor-quiet">${label}</small>${text[own]}</p>
  <textarea class="candor-field" rows="1" lang=${code} dir="auto" aria-label=${`${label} in ${name}`} value=${text[code] ?? ""}
    onInput=${(event) => draft.edit(`translate-${path}-${code}`, (it) => setText(it, path, code, event.target.value))}></textarea></div>`);

/** The file of the draft as it is saved; it is saved first. */
async function download(draft, format, language) {
  await draft.save();
  const link = document.createElement("a");
  link.href = `${draft.addresses.translations}?${new URLSearchParams({ format, language })}`;
  link.download = "";
  link.click();
}

/** Take what a file changes, in one step back. @returns {Promise<string[]>} what became of it, in sentences */
async function takeFile(draft, file) {
  const { status, content } = await draft.upload(draft.addresses.translated, file);
  if (status !== 200) {
    return [content?.message ?? "The file could not be read. Try again."];
  }
  const { texts, unknown, stale, unfinished, columns } = content;
  const taken = draft.edit("", (it) => texts.filter(({ place, language, words }) => setText(it, place, language, words)).length);
  const some = (list, one, more) => (list.length ? [`${list.length} ${list.length === 1 ? one : more}: ${list.slice(0, SHOWN).join(", ")}${list.length > SHOWN ? " …" : ""}`] : []);
  return [
    taken === 1 ? "1 text imported." : `${taken} texts imported.`,
    ...some(stale.map(({ place, original, now }) => `${place} (“${original}”, now “${now}”)`), "original changed since the download, its translation not imported", "originals changed since the download, their translations not imported"),
    ...some(unfinished, "text marked as fuzzy, not imported", "texts marked as fuzzy, not imported"),
    ...some(unknown, "text not in this draft", "texts not in this draft"),
    ...some(columns, "column that is not a language of this survey", "columns that are not languages of this survey"),
  ];
}
