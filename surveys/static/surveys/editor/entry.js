/** What comes before the first question: consent statements, and the screening question. Nothing of it is ever sent. */
import { fill, gettext } from "../panel/words.js";
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
  return html`<details class="editor-advanced" open=${statements.length > 0}><summary>${gettext("Consent to tick before the first question")}</summary>
    <p class="candor-quiet">${gettext("Respondents have to tick each statement; those who do not agree see a friendly end page. None of it is sent.")}</p>
    <${Texts} texts=${statements} language=${language} definition=${definition} name=${(number) => fill(gettext("Statement {number}"), { number })} add=${gettext("+ Add statement")}
      path="consent_statements" onChange=${change} />
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
  return html`<details class="editor-advanced" open=${Boolean(screening)}><summary>${gettext("Screening question")}</summary>
    <p class="candor-quiet">${gettext("Asked before all other questions: some answers lead to an end page. The answer is never sent, and nothing is sent by people who are screened out. Ask nothing sensitive here: everyone who sends a response is known to have given an answer that continues.")}</p>
    ${screening ? html`${words("wording", gettext("Question"), "", 2)}
      <${Texts} texts=${screening.choices} language=${language} definition=${definition} name=${(number) => fill(gettext("Answer {number}"), { number })} add=${gettext("+ Add answer")}
        path="screening/choices" onChange=${change}>
        ${(place) => html`<label class="editor-check"><input type="checkbox" data-path=${place === 0 ? "screening/ends" : undefined} checked=${screening.ends.includes(place)}
          onChange=${(event) => end(place, event.target.checked)} /><span>${gettext("ends the survey")}</span></label>`}</${Texts}>
      ${words("text", gettext("Text of the end page"), gettext("For people who do not belong to the study."), 3)}
      <button type="button" class="editor-text editor-danger" onClick=${() => draft.edit("", (it) => delete it.screening)}>${gettext("Remove screening question")}</button>`
    : html`<button type="button" class="editor-text" onClick=${begin}>${gettext("+ Add screening question")}</button>`}
  </details>`;
}
