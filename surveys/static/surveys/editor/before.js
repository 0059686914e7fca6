/** What stands before a question, besides it: a heading and a text. */
import { emptyText } from "./definition.js";
import { TextField } from "./fields.js";
import { html } from "./view.js";

const PARTS = [["heading", "Heading", "", 1], ["text", "Text", "An empty line begins a new paragraph.", 4]];

export function Before({ definition, item, language, edit }) {
  const { before } = item;
  const set = (name, words) => edit(`before-${name}-${language}`, (it, all) => {
    it.before ??= {};
    it.before[name] ??= emptyText(all);
    it.before[name][language] = words;
    if (!Object.values(it.before[name]).some((text) => text.trim())) {
      delete it.before[name];
    }
    if (!Object.keys(it.before).length) {
      delete it.before;
    }
  });
  return html`<details class="editor-advanced" open=${Boolean(before)}><summary>Text before this question</summary>
    <p class="candor-quiet">Stands above the question, for what begins here. It is shown where the question is asked.</p>
    ${PARTS.map(([name, label, help, rows]) => html`<${TextField} key=${name} label=${label} help=${help} rows=${rows} text=${before?.[name] ?? {}}
      path=${`before/${name}`} language=${language} definition=${definition} onInput=${(words) => set(name, words)} />`)}
  </details>`;
}
