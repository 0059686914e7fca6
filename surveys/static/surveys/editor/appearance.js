/** The look of the respondents' page, and what stands at its end. */
import { emptyText, setOptional } from "./definition.js";
import { PictureField } from "./pictures.js";
import { html, useState } from "./view.js";

const LONGEST_LOGO = 640;
const COLOUR = /^#[0-9a-f]{6}$/;
const FONTS = [["", "System font"], ["serif", "Serif"], ["humanist", "Humanist"], ["rounded", "Rounded"]];
const COLOURS = [
  ["Links and buttons", ["accent", "Light mode", "#0c6661"], ["accent_dark", "Dark mode", "#74d3c8"]],
  ["Background", ["background", "Light mode", "#f5f4ef"], ["background_dark", "Dark mode", "#10171a"]],
];

export function Look({ draft, language }) {
  const look = draft.definition.look ?? {};
  const set = (name, value) => draft.edit(`look-${name}`, (it) => setOptional(it, ["look", name], value));
  const weak = (name) => draft.problems.find(({ path }) => path.join("/") === `look/${name}`)?.text;
  const show = (picture) => draft.edit("", (it) => setOptional(it, ["look", "logo"], picture && { ...picture, alternative: look.logo?.alternative ?? emptyText(it) }));
  return html`<details class="editor-advanced" open=${Object.keys(look).length > 0}><summary>Look</summary>
    <${PictureField} draft=${draft} shown=${look.logo} language=${language} path="look/logo" label="Logo" longest=${LONGEST_LOGO} onChange=${show}
      onAlternative=${(words) => draft.edit(`look-logo-${language}`, (it) => (it.look.logo.alternative[language] = words))} />
    <p class="candor-quiet">Texts must stand out from what is behind them by 4.5:1. Empty: Candor’s own colours.</p>
    ${COLOURS.map(([part, ...schemes]) => html`<fieldset class="editor-colours" key=${part}><legend>${part}</legend>
      ${schemes.map(([name, label, ours]) => html`<div class="editor-colour" key=${name}>
        <label class="editor-field">${label}<input class="candor-field" autocomplete="off" spellcheck="false" data-path=${`look/${name}`} placeholder=${ours} value=${look[name] ?? ""}
          onInput=${(event) => set(name, event.target.value.trim().toLowerCase())} /></label>
        <input type="color" aria-label=${`${part}, ${label}: choose`} value=${COLOUR.test(look[name] ?? "") ? look[name] : ours} onInput=${(event) => set(name, event.target.value)} /></div>`)}
      ${schemes.map(([name]) => weak(name)).map((words) => words && html`<p class="editor-stop">${words}</p>`)}</fieldset>`)}
    <label class="editor-field">Typeface<select class="candor-field editor-small" data-path="look/font" value=${look.font ?? ""} onChange=${(event) => set("font", event.target.value)}>
      ${FONTS.map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select></label>
  </details>`;
}

export function Ending({ draft, language }) {
  const { definition } = draft;
  const { text, link, completion } = definition.ending ?? {};
  const own = definition.languages[0];
  const set = (path, value) => draft.edit(path.join("-"), (it) => setOptional(it, path, value));
  const words = (path, there) => (event) =>
    draft.edit(`${path.join("-")}-${language}`, (it) => setOptional(it, path, { ...emptyText(it), ...there, [language]: event.target.value }));
  const field = (label, path, value, help) => html`<label class="editor-field">${label} ${help && html`<small class="candor-quiet">${help}</small>`}
    <input class="candor-field" autocomplete="off" spellcheck="false" data-path=${path.join("/")} value=${value} onInput=${(event) => set(path, event.target.value.trim())} /></label>`;
  const address = (event) =>
    draft.edit("ending-link-address", (it) => setOptional(it, ["ending", "link"], { label: link?.label ?? emptyText(it), address: event.target.value.trim() }));
  const label = (event) =>
    draft.edit(`ending-link-${language}`, (it) => setOptional(it, ["ending", "link"], { label: { ...emptyText(it), ...link?.label, [language]: event.target.value }, address: link?.address ?? "" }));
  return html`<details class="editor-advanced" open=${Boolean(definition.ending)}><summary>End of the survey, completion codes</summary>
    <label class="editor-field">Closing text<textarea class="candor-field" rows="2" lang=${language} dir="auto" data-path="ending/text" value=${text?.[language] ?? ""}
      placeholder=${language === own ? "" : text?.[own]} onInput=${words(["ending", "text"], text)}></textarea></label>
    <label class="editor-field">Closing link text<input class="candor-field" lang=${language} dir="auto" data-path="ending/link/label" value=${link?.label[language] ?? ""} onInput=${label} /></label>
    <label class="editor-field">Closing link address<input class="candor-field" autocomplete="off" spellcheck="false" placeholder="https://" data-path="ending/link/address" value=${link?.address ?? ""} onInput=${address} /></label>
    ${field("Completion code", ["ending", "completion", "code"], completion?.code ?? "", "For panels such as Prolific or MTurk: the same code for everyone, so that it cannot be linked to a response.")}
    ${field("Completion address", ["ending", "completion", "address"], completion?.address ?? "", "Page to which participants return.")}
    <${Carry} draft=${draft} carry=${completion?.carry ?? {}} />
  </details>`;
}

const PAIR = /^([A-Za-z0-9_-]{1,64})=([A-Za-z0-9_-]{1,64})$/;
const pairsOf = (written) => written.split(/[\s,]+/).filter(Boolean).map((pair) => PAIR.exec(pair));

/** Parameters as `survey_code=id`; what is none yet stays in the field, and is said. */
function Carry({ draft, carry }) {
  const [written, setWritten] = useState(Object.entries(carry).map((pair) => pair.join("=")).join(" "));
  const write = (event) => {
    setWritten(event.target.value);
    const found = pairsOf(event.target.value);
    if (found.every(Boolean)) {
      const named = Object.fromEntries(found.map(([, name, source]) => [name, source]));
      draft.edit("ending-completion-carry", (it) => setOptional(it, ["ending", "completion", "carry"], named));
    }
  };
  return html`<label class="editor-field">Parameters passed on from the survey link <small class="candor-quiet">If the completion address needs them: survey_code=id passes ?id=7 on as survey_code=7. The browser does this; the server does not store them.</small>
    <input class="candor-field" autocomplete="off" spellcheck="false" placeholder="survey_code=id" data-path="ending/completion/carry" value=${written} onInput=${write} />
    ${!pairsOf(written).every(Boolean) && html`<span class="editor-stop">Each parameter must look like survey_code=id: the name in the completion address, then the name in the survey link.</span>`}</label>`;
}
