/** What comes before the first question: consent statements, and the screening question. Nothing of it is ever sent. */
import { emptyText } from "./definition.js";
import { TextField, Texts } from "./fields.js";
import { html } from "./view.js";

export function Statements({ draft, language }) {
  const { definition } = draft;
  const statements = definition.consent_statements ?? [];
  const change = (made, tag = "") => draft.edit(tag, (it) => {
    it.consent_statements = made;
    if (!made.length) {
      delete it.consent_statements;
    }
  });
  return html`<details class="editor-advanced" open=${statements.length > 0}><summary>Consent statements</summary>
    <p class="candor-quiet">Respondents must tick each statement before the first question; those who do not agree see a closing page. Ticks are not sent.</p>
    <${Texts} texts=${statements} language=${language} definition=${definition} path="consent_statements" name="Statement" onChange=${change} />
  </details>`;
}

export function Screening({ draft, language }) {
  const { definition } = draft;
  const { screening } = definition;
  const edit = (tag, change) => draft.edit(tag && `screening-${tag}`, (it) => change(it.screening, it));
  const begin = () => draft.edit("", (it) => {
    it.screening = { wording: emptyText(it), choices: [emptyText(it), emptyText(it)], ends: [1], text: emptyText(it) };
  });
  const change = (choices, tag, from) => edit(tag && `choices-${tag}`, (it) => {
    it.ends = from.flatMap((place, now) => (it.ends.includes(place) ? [now] : []));
    it.choices = choices;
  });
  const end = (place, on) => edit("", (it) => (it.ends = [...it.ends.filter((one) => one !== place), ...(on ? [place] : [])].sort((a, b) => a - b)));
  const words = (name, label, help, rows) => html`<${TextField} label=${label} help=${help} rows=${rows} text=${screening[name]} path=${`screening/${name}`}
    language=${language} definition=${definition} onInput=${(text) => edit(`${name}-${language}`, (it) => (it[name][language] = text))} />`;
  return html`<details class="editor-advanced" open=${Boolean(screening)}><summary>Screening question</summary>
    <p class="candor-quiet">Asked before all others; options that you select end the survey. Neither the answer nor a screen-out is sent. Ask nothing
      sensitive: every response shows that its sender passed the screening.</p>
    ${screening ? html`${words("wording", "Question", "", 2)}
      <${Texts} texts=${screening.choices} language=${language} definition=${definition} path="screening/choices" name="Answer" onChange=${change}>
        ${(place) => html`<label class="editor-check"><input type="checkbox" data-path=${place === 0 ? "screening/ends" : undefined} checked=${screening.ends.includes(place)}
          onChange=${(event) => end(place, event.target.checked)} /><span>ends the survey</span></label>`}</${Texts}>
      ${words("text", "Screen-out text", "Explains to respondents who are screened out why the survey ends.", 3)}
      <button type="button" class="editor-text editor-danger" onClick=${() => draft.edit("", (it) => delete it.screening)}>Remove screening question</button>`
    : html`<button type="button" class="editor-text" onClick=${begin}>+ Add screening question</button>`}
  </details>`;
}
