/** Fields for texts by language. */
import { fill, gettext } from "../panel/words.js";
import { emptyText } from "./definition.js";
import { html } from "./view.js";

export function TextField({ label, help, rows, text, path, language, definition, onInput }) {
  const own = definition.languages[0];
  return html`<label class="editor-field">${label}${help && html` <small class="candor-quiet">${help}</small>`}
    <textarea class="candor-field" rows=${rows} lang=${language} dir="auto" data-path=${path} value=${text[language] ?? ""}
      placeholder=${language === own ? "" : text[own]} onInput=${(event) => onInput(event.target.value)}></textarea></label>`;
}

/** What keeps the part at a path from being opened, beside its field: it is listed below the card, too. */
export function Said({ draft, path }) {
  const found = draft.problems.find((one) => one.level === "stops" && one.path.join("/") === path);
  return found && html`<small class="candor-fault">${found.text}</small>`;
}

/**
 * A list of texts that grows and shrinks.
 *
 * `name(number)`: what one is called; `add`: the button that adds one.
 * `onChange(texts, tag, from)`: `from[n]` is the place that text n had before, or -1. `children(place)`: what stands beside one.
 */
export function Texts({ texts, language, definition, path, name, add, onChange, children }) {
  const own = definition.languages[0];
  const all = texts.map((_, place) => place);
  const write = (place, words) => onChange(texts.with(place, { ...texts[place], [language]: words }), `${path}-${place}-${language}`, all);
  return html`<ol class="editor-groups">${texts.map((text, place) => html`<li key=${place}>
      <input class="candor-field" lang=${language} dir="auto" aria-label=${name(place + 1)} data-path=${`${path}/${place}`} value=${text[language] ?? ""}
        placeholder=${text[own] || name(place + 1)} onInput=${(event) => write(place, event.target.value)} />
      ${children?.(place)}
      <button type="button" aria-label=${fill(gettext("Delete: {name}"), { name: name(place + 1) })} onClick=${() => onChange(texts.toSpliced(place, 1), "", all.toSpliced(place, 1))}>×</button></li>`)}</ol>
    <button type="button" class="editor-text" data-path=${path} onClick=${() => onChange([...texts, emptyText(definition)], "", [...all, -1])}>${add}</button>`;
}
