/** All texts side by side in two languages, with what is still missing; as a table for translators, out and in. */
import { progressOf, setText, tableOf, takeTable, textsOf } from "./texts.js";
import { html, useState } from "./view.js";

const KEPT = 60_000; // until the browser has read the file that it is given

export function Translations({ draft, language, names, onLanguage }) {
  const [missing, setMissing] = useState(false);
  const [said, setSaid] = useState("");
  const { definition } = draft;
  const [own, ...others] = definition.languages;
  const code = language === own ? others[0] : language;
  const rows = textsOf(definition).filter(({ text }) => !missing || !text[code]?.trim());
  const upload = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) {
      const csv = await file.text();
      const { taken, unknown, fault } = draft.edit("", (it) => takeTable(it, csv));
      const gone = unknown.length ? ` ${unknown.length} rows name texts that are not here: ${unknown.slice(0, 3).join(", ")}.` : "";
      setSaid(fault || `${taken === 1 ? "1 text is" : `${taken} texts are`} taken over.${gone}`);
    }
  };
  return html`<article class="editor-card" aria-labelledby="editor-title">
    <header><h2 id="editor-title">Translations</h2>
      <div class="editor-switch" role="group" aria-label="Language to translate into">${others.map((one) => {
        const [done, all] = progressOf(definition, one);
        return html`<button type="button" aria-pressed=${String(one === code)} onClick=${() => onLanguage(one)}><span lang=${one}>${names.get(one)}</span> ${done} of ${all}</button>`;
      })}</div>
      <span class="editor-tools"><button type="button" class="editor-text" onClick=${() => download(draft)}>Download CSV</button>
        <label class="editor-text">Upload CSV<input type="file" class="candor-out" accept=".csv,text/csv" onChange=${upload} /></label></span></header>
    <p role="status" class=${said ? "" : "candor-out"}>${said}</p>
    <label class="editor-check"><input type="checkbox" role="switch" checked=${missing} onChange=${(event) => setMissing(event.target.checked)} /><span>Only what is missing</span></label>
    <div class="editor-texts">${rows.map(({ path, label, text }) => html`<div key=${path}>
      <p lang=${own} dir="auto"><small class="candor-quiet">${label}</small>${text[own]}</p>
      <textarea class="candor-field" rows="1" lang=${code} dir="auto" aria-label=${`${label} in ${names.get(code)}`} value=${text[code] ?? ""}
        onInput=${(event) => draft.edit(`translate-${path}-${code}`, (it) => setText(it, path, code, event.target.value))}></textarea></div>`)}
      ${!rows.length && html`<p class="candor-quiet">Nothing is missing.</p>`}</div>
  </article>`;
}

function download(draft) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([tableOf(draft.definition)], { type: "text/csv" }));
  link.download = `${draft.definition.slug}-translations.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}
