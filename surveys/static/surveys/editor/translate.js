/** All texts side by side in two languages, with what is still missing; as files for translators, out and in. */
import { fill, gettext, ngettext } from "../panel/words.js";
import { counted, progressOf, setText, textsOf } from "./texts.js";
import { html, memo, useLayoutEffect, useRef, useState } from "./view.js";

const SHOWN = 5;
const TEXTS = 100;
const FORMATS = [["csv", "CSV"], ["xlsx", "Excel"], ["po", "PO"]];

export function Translations({ draft, language, names, onLanguage }) {
  const [missing, setMissing] = useState(false);
  const [said, setSaid] = useState([]);
  const { definition } = draft;
  const [own, ...others] = definition.languages;
  const code = language === own ? others[0] : language;
  const texts = textsOf(definition);
  const progress = progressOf(texts, others);
  const kept = useMissing(texts, missing ? code : "");
  const rows = missing ? texts.filter(({ path }) => kept.has(path)) : texts;
  const upload = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) {
      setSaid(await takeFile(draft, file));
    }
  };
  return html`<article class="editor-card" aria-labelledby="editor-title">
    <header><h2 id="editor-title">${gettext("Translations")}</h2>
      <div class="editor-switch" role="group" aria-label=${gettext("Language to translate into")}>${others.map((one) => html`<button type="button"
        aria-pressed=${String(one === code)} onClick=${() => onLanguage(one)}><span lang=${one}>${names.get(one)}</span> ${counted(progress.get(one))}</button>`)}</div>
      <span class="editor-tools"><span class="candor-quiet">${gettext("Download")}</span>
        ${FORMATS.map(([form, label]) => html`<button type="button" class="editor-text" aria-label=${fill(gettext("Download {format}"), { format: label })} onClick=${() => download(draft, form, code)}>${label}</button>`)}
        <label class="editor-text">${gettext("Upload")}<input type="file" class="candor-out" accept=".csv,.tsv,.xlsx,.po,text/csv" aria-label=${gettext("Upload translations")} onChange=${upload} /></label></span></header>
    <div role="status" class=${said.length ? "editor-said" : "candor-out"}>${said.map((words) => html`<p>${words}</p>`)}</div>
    <label class="editor-check"><input type="checkbox" role="switch" checked=${missing} onChange=${(event) => setMissing(event.target.checked)} /><span>${gettext("Only what is missing")}</span></label>
    <${Pages} key=${missing} rows=${rows} draw=${(page) => html`<div class="editor-texts">${page.map(({ path, label, text }) => html`<${TextRow} key=${path}
      draft=${draft} path=${path} label=${label} text=${text} own=${own} code=${code} name=${names.get(code)} />`)}</div>`} />
    ${!rows.length && html`<p class="candor-quiet">${gettext("Nothing is missing.")}</p>`}
  </article>`;
}

/** The places of the texts that were missing in a language when it was asked: one that is being written stays. */
function useMissing(texts, code) {
  const asked = useRef({ code: "", paths: new Set() });
  if (asked.current.code !== code) {
    asked.current = { code, paths: new Set(texts.filter(({ text }) => !text[code]?.trim()).map(({ path }) => path)) };
  }
  return asked.current.paths;
}

/** A page of rows at a time: a browser takes a second to lay out the thousands of texts of a long survey. */
function Pages({ rows, draw }) {
  const [wanted, setWanted] = useState(0);
  const top = useRef(null);
  const turned = useRef(false);
  const last = Math.max(0, Math.ceil(rows.length / TEXTS) - 1);
  const page = Math.min(wanted, last);
  const turn = (to) => {
    turned.current = true;
    setWanted(to);
  };
  useLayoutEffect(() => {
    if (turned.current) {
      turned.current = false;
      top.current.scrollIntoView({ block: "nearest" });
      top.current.focus();
    }
  });
  const name = (number) => `${number * TEXTS + 1}–${Math.min(rows.length, (number + 1) * TEXTS)}: ${rows[number * TEXTS].label}`;
  return html`${last > 0 && html`<label class="editor-field">${gettext("Texts")} <select class="candor-field" ref=${top} value=${page} onChange=${(event) => turn(Number(event.target.value))}>
      ${Array.from({ length: last + 1 }, (_, number) => html`<option value=${number}>${name(number)}</option>`)}</select></label>`}
    ${draw(rows.slice(page * TEXTS, (page + 1) * TEXTS))}
    ${page < last && html`<p><button type="button" class="editor-text" onClick=${() => turn(page + 1)}>${gettext("Next texts")}</button></p>`}`;
}

/** Drawn anew only when it changes. */
const TextRow = memo(({ draft, path, label, text, own, code, name }) => html`<div>
  <p lang=${own} dir="auto"><small class="candor-quiet">${label}</small>${text[own]}</p>
  <textarea class="candor-field" rows="1" lang=${code} dir="auto" aria-label=${fill(gettext("{text} in {language}"), { text: label, language: name })} value=${text[code] ?? ""}
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
    return [content?.message ?? gettext("The file could not be read now. Try again.")];
  }
  const { texts, unknown, stale, unfinished, columns } = content;
  const taken = draft.edit("", (it) => texts.filter(({ place, language, words }) => setText(it, place, language, words)).length);
  const some = (list, words) => (list.length ? [fill(words, { count: list.length, list: `${list.slice(0, SHOWN).join(", ")}${list.length > SHOWN ? " …" : ""}` })] : []);
  return [
    fill(ngettext("{count} text is taken over.", "{count} texts are taken over.", taken), { count: taken }),
    ...some(stale.map(({ place, original, now }) => fill(gettext("{place} (“{before}”, now “{now}”)"), { place, before: original, now })),
      ngettext("{count} original has changed since, so its text is left as it was: {list}", "{count} originals have changed since, so their texts are left as they were: {list}", stale.length)),
    ...some(unfinished, ngettext("{count} text is marked as fuzzy and left out: {list}", "{count} texts are marked as fuzzy and left out: {list}", unfinished.length)),
    ...some(unknown, ngettext("{count} place is not in this draft: {list}", "{count} places are not in this draft: {list}", unknown.length)),
    ...some(columns, ngettext("{count} column is no language of this survey: {list}", "{count} columns are no languages of this survey: {list}", columns.length)),
  ];
}
