/** The look of the respondents' page, and what stands at its end. */
import { fill, gettext } from "../panel/words.js";
import { emptyText, setOptional } from "./definition.js";
import { PictureField } from "./pictures.js";
import { html, useState } from "./view.js";

const LONGEST_LOGO = 640;
const COLOUR = /^#[0-9a-f]{6}$/;
const fonts = () => [["", gettext("The device’s own")], ["serif", gettext("Serif")], ["humanist", gettext("Humanist")], ["rounded", gettext("Rounded")]];
const colours = () => [
  [gettext("Links and buttons"), ["accent", gettext("Light screens"), "#0c6661"], ["accent_dark", gettext("Dark screens"), "#74d3c8"]],
  [gettext("Background"), ["background", gettext("Light screens"), "#f5f4ef"], ["background_dark", gettext("Dark screens"), "#10171a"]],
];

export function Look({ draft, language }) {
  const look = draft.definition.look ?? {};
  const set = (name, value) => draft.edit(`look-${name}`, (it) => setOptional(it, ["look", name], value));
  const weak = (name) => draft.problems.find(({ path }) => path.join("/") === `look/${name}`)?.text;
  const show = (picture) => draft.edit("", (it) => setOptional(it, ["look", "logo"], picture && { ...picture, alternative: look.logo?.alternative ?? emptyText(it) }));
  return html`<details class="editor-advanced" open=${Object.keys(look).length > 0}><summary>${gettext("Look")}</summary>
    <${PictureField} draft=${draft} shown=${look.logo} language=${language} path="look/logo" label=${gettext("Logo")} longest=${LONGEST_LOGO} onChange=${show}
      onAlternative=${(words) => draft.edit(`look-logo-${language}`, (it) => (it.look.logo.alternative[language] = words))} />
    <p class="candor-quiet">${gettext("Texts must stand out from what is behind them by 4.5:1. Empty: Candor’s own colours.")}</p>
    ${colours().map(([part, ...schemes]) => html`<fieldset class="editor-colours" key=${part}><legend>${part}</legend>
      ${schemes.map(([name, label, ours]) => html`<div class="editor-colour" key=${name}>
        <label class="editor-field">${label}<input class="candor-field" autocomplete="off" spellcheck="false" data-path=${`look/${name}`} placeholder=${ours} value=${look[name] ?? ""}
          onInput=${(event) => set(name, event.target.value.trim().toLowerCase())} /></label>
        <input type="color" aria-label=${fill(gettext("{part}, {screens}: choose a colour"), { part, screens: label })} value=${COLOUR.test(look[name] ?? "") ? look[name] : ours} onInput=${(event) => set(name, event.target.value)} /></div>`)}
      ${schemes.map(([name]) => weak(name)).map((words) => words && html`<p class="editor-stop">${words}</p>`)}</fieldset>`)}
    <label class="editor-field">${gettext("Typeface")}<select class="candor-field editor-small" data-path="look/font" value=${look.font ?? ""} onChange=${(event) => set("font", event.target.value)}>
      ${fonts().map(([name, words]) => html`<option value=${name}>${words}</option>`)}</select></label>
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
  return html`<details class="editor-advanced" open=${Boolean(definition.ending)}><summary>${gettext("End of the survey, completion codes")}</summary>
    <label class="editor-field">${gettext("Text at the end")}<textarea class="candor-field" rows="2" lang=${language} dir="auto" data-path="ending/text" value=${text?.[language] ?? ""}
      placeholder=${language === own ? "" : text?.[own]} onInput=${words(["ending", "text"], text)}></textarea></label>
    <label class="editor-field">${gettext("Text of a link")}<input class="candor-field" lang=${language} dir="auto" data-path="ending/link/label" value=${link?.label[language] ?? ""} onInput=${label} /></label>
    <label class="editor-field">${gettext("Link address (URL)")}<input class="candor-field" autocomplete="off" spellcheck="false" placeholder="https://" data-path="ending/link/address" value=${link?.address ?? ""} onInput=${address} /></label>
    ${field(gettext("Completion code"), ["ending", "completion", "code"], completion?.code ?? "", gettext("For panels such as Prolific or MTurk: the same for everybody, so it leads to no response."))}
    ${field(gettext("Completion address (URL)"), ["ending", "completion", "address"], completion?.address ?? "", gettext("The panel’s page that participants return to."))}
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
  return html`<label class="editor-field">${gettext("Parameters passed on")} <small class="candor-quiet">${gettext("For panels that need a parameter of the participant’s link back: survey_code=id passes ?id=7 on as survey_code=7. The device does this; nothing of it is stored here.")}</small>
    <input class="candor-field" autocomplete="off" spellcheck="false" placeholder="survey_code=id" data-path="ending/completion/carry" value=${written} onInput=${write} />
    ${!pairsOf(written).every(Boolean) && html`<span class="editor-stop">${gettext("Write survey_code=id: the name at the completion address, then the name in the participant’s link.")}</span>`}</label>`;
}
