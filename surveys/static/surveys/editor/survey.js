/** What belongs to no question: the survey's title and texts, its languages and groups, and its sections. */
import { fill, gettext, pieces } from "../panel/words.js";
import { Ending, Look } from "./appearance.js";
import { addGroup, emptyText, removeSection, setAbout, setLanguages, setOption } from "./definition.js";
import { Screening, Statements } from "./entry.js";
import { Said, TextField } from "./fields.js";
import { Switch } from "./question.js";
import { aboutFields, groupName } from "./texts.js";
import { html } from "./view.js";

export function SurveyCard({ draft, state, language, names }) {
  const { definition } = draft;
  const { groups } = definition.strata;
  const text = (name, label, help, rows) => html`<${TextField} label=${label} help=${help} rows=${rows} text=${definition[name]} path=${name} language=${language}
    definition=${definition} onInput=${(words) => draft.edit(`${name}-${language}`, (it) => (it[name][language] = words))} />`;
  return html`<article class="editor-card" aria-labelledby="editor-title" tabindex="-1" data-path="card">
    <header><h2 id="editor-title">${gettext("Survey")}</h2>${names.size > 1 ? html`<span class="candor-quiet">${names.get(language)}</span>` : ""}</header>
    ${text("title", gettext("Title"), "", 1)}
    ${text("introduction", gettext("Introduction"), gettext("What respondents read first: who asks, and why."), 4)}
    ${text("consent", gettext("Consent"), gettext("What respondents agree to by taking part."), 3)}
    <${Statements} draft=${draft} language=${language} />
    <${Screening} draft=${draft} language=${language} />
    <${About} draft=${draft} language=${language} />
    <${Languages} draft=${draft} state=${state} />
    <${Look} draft=${draft} language=${language} />
    <${Ending} draft=${draft} language=${language} />
    <details class="editor-advanced" open=${groups.length > 0}><summary>${gettext("Groups that respondents name openly")}</summary>
      <p class="candor-quiet">${gettext("Such as the year or the faculty: sent as it is, not randomised. Estimates are then made for each group, too.")}</p>
      ${groups.length > 0 && html`<${TextField} label=${gettext("Question that assigns the group")} rows="1" text=${definition.strata.wording} path="strata/wording" language=${language}
        definition=${definition} onInput=${(words) => draft.edit(`strata-${language}`, (it) => (it.strata.wording[language] = words))} />`}
      <ol class="editor-groups">${groups.map((group, place) => html`<li key=${group.key}>
        <input class="candor-field" lang=${language} dir="auto" aria-label=${groupName(place)} data-path=${`strata/groups/${group.key}/label`} value=${group.label[language] ?? ""}
          placeholder=${group.label[definition.languages[0]] || groupName(place)}
          onInput=${(event) => draft.edit(`group-${group.key}-${language}`, (it) => (it.strata.groups[place].label[language] = event.target.value))} />
        <input class="candor-field editor-share" inputmode="decimal" aria-label=${fill(gettext("Known share of group {number}"), { number: place + 1 })} data-path=${`strata/groups/${group.key}/share`} placeholder=${gettext("share")} value=${group.share ?? ""}
          onInput=${(event) => draft.edit(`share-${group.key}`, (it) => (it.strata.groups[place].share = event.target.value.trim() || null))} />
        <button type="button" aria-label=${fill(gettext("Delete: {name}"), { name: groupName(place) })} onClick=${() => draft.edit("", (it) => it.strata.groups.splice(place, 1))}>×</button>
        <${Said} draft=${draft} path=${`strata/groups/${group.key}/share`} /></li>`)}</ol>
      <${Said} draft=${draft} path="strata/groups" />
      <button type="button" class="editor-text" data-path="strata/groups" onClick=${() => draft.edit("", addGroup)}>${gettext("+ Add group")}</button>
    </details>
    <p class="candor-quiet">${pieces(gettext("Who can answer, repeated waves and the link name are set in {link}."), { link: html`<a href=${draft.addresses.form}>${gettext("the plain form")}</a>` })}</p>
  </article>`;
}

/** Who asks, and whom respondents can turn to. */
function About({ draft, language }) {
  const { definition } = draft;
  return html`<fieldset class="editor-about"><legend>${gettext("Who asks, and help")}</legend>
    ${aboutFields().map(([name, label, help, rows]) => html`<${TextField} key=${name} label=${label} help=${help} rows=${rows} text=${definition.about?.[name] ?? emptyText(definition)}
      path=${`about/${name}`} language=${language} definition=${definition}
      onInput=${(words) => draft.edit(`about-${name}-${language}`, (it) => setAbout(it, name, language, words))} />`)}
  </fieldset>`;
}

export function SectionCard({ draft, section, language, onSelect }) {
  const edit = (name) => (words) => draft.edit(`${section.key}-${name}-${language}`, (it) => (it.sections.find(({ key }) => key === section.key)[name][language] = words));
  const removed = () => {
    draft.edit("", (it) => removeSection(it, section.key));
    onSelect("survey", "card", gettext("The section is deleted; its questions stay."));
  };
  return html`<article class="editor-card" aria-labelledby="editor-title" tabindex="-1" data-path="card">
    <header><h2 id="editor-title">${gettext("Section")}</h2><span class="editor-tools"><button type="button" class="editor-text editor-danger" onClick=${removed}>${gettext("Delete section")}</button></span></header>
    <${TextField} label=${gettext("Heading")} rows="1" text=${section.title} path="title" language=${language} definition=${draft.definition} onInput=${edit("title")} />
    <${TextField} label=${gettext("Text below it")} rows="2" text=${section.introduction} path="introduction" language=${language} definition=${draft.definition} onInput=${edit("introduction")} />
    <${Switch} label=${gettext("Show the help line at its end")} on=${section.help_after === true} path="help_after"
      onChange=${(on) => draft.edit("", (it) => setOption(it.sections.find(({ key }) => key === section.key), "help_after", on, false))} />
  </article>`;
}

function Languages({ draft, state }) {
  const { languages } = draft.definition;
  const set = (codes) => draft.edit("", (it) => setLanguages(it, codes, state));
  return html`<fieldset class="editor-languages"><legend>${gettext("Languages")}</legend>
    <div class="editor-switches">${state.languages.map(({ code, name }) => html`<label class="editor-check">
      <input type="checkbox" checked=${languages.includes(code)} disabled=${languages[0] === code}
        onChange=${(event) => set(event.target.checked ? [...languages, code] : languages.filter((one) => one !== code))} /><span lang=${code}>${name}</span></label>`)}</div>
    ${languages.length > 1 && html`<label class="editor-field">${gettext("Main language")}<select class="candor-field editor-small" value=${languages[0]}
      onChange=${(event) => set([event.target.value, ...languages.filter((one) => one !== event.target.value)])}>
      ${languages.map((code) => html`<option value=${code}>${state.languages.find((one) => one.code === code)?.name ?? code}</option>`)}</select></label>`}
  </fieldset>`;
}
