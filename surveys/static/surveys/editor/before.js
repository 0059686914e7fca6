/** What stands before a question, besides it - a heading, a text, a picture - and the pictures of its options. */
import { fill, gettext } from "../panel/words.js";
import { emptyText, itemOf, setPictures } from "./definition.js";
import { TextField } from "./fields.js";
import { PictureField } from "./pictures.js";
import { html, useState } from "./view.js";

const LONGEST_CHOICE = 400;
const parts = () => [["heading", gettext("Heading"), "", 1], ["text", gettext("Text"), gettext("An empty line begins a new paragraph."), 4]];

/** Of a grid: what stands above it, which its first row has. */
export function Before({ draft, item, language }) {
  const { before } = item;
  const { definition } = draft;
  const change = (tag, act) => draft.edit(tag && `${item.key}-${tag}`, (all) => {
    const it = itemOf(all, item.key);
    it.before ??= {};
    act(it.before, all);
    if (!Object.keys(it.before).length) {
      delete it.before;
    }
  });
  const write = (name, words) => change(`before-${name}-${language}`, (it, all) => {
    it[name] ??= emptyText(all);
    it[name][language] = words;
    if (!Object.values(it[name]).some((text) => text.trim())) {
      delete it[name];
    }
  });
  const show = (picture) => change("", (it, all) => {
    if (picture === null) {
      delete it.picture;
    } else {
      it.picture = { ...picture, alternative: it.picture?.alternative ?? emptyText(all) };
    }
  });
  return html`<details class="editor-advanced" open=${Boolean(before)}><summary>${gettext("Text or picture before this question")}</summary>
    <p class="candor-quiet">${gettext("Shown above the question, whenever the question is asked.")}</p>
    ${parts().map(([name, label, help, rows]) => html`<${TextField} key=${name} label=${label} help=${help} rows=${rows} text=${before?.[name] ?? {}}
      path=${`before/${name}`} language=${language} definition=${definition} onInput=${(words) => write(name, words)} />`)}
    <${PictureField} draft=${draft} shown=${before?.picture} language=${language} path="before/picture" onChange=${show}
      onAlternative=${(words) => change(`before-alternative-${language}`, (it) => (it.picture.alternative[language] = words))} />
  </details>`;
}

export function ChoicePictures({ draft, item, language, edit }) {
  const pictures = item.choice_pictures ?? [];
  const [open, setOpen] = useState(pictures.length > 0); // nothing of as many fields as options is drawn before
  const change = (tag, place, act) => edit(tag, (it, all) => {
    const made = it.choices.map((_, n) => it.choice_pictures?.[n] ?? null);
    made[place] = act(made[place], all);
    setPictures(it, made);
  });
  const show = (place, picture) => change("", place, (old, all) => picture && { ...picture, alternative: old?.alternative ?? emptyText(all) });
  const describe = (place, words) => change(`picture-${place}-${language}`, place, (old) => ({ ...old, alternative: { ...old.alternative, [language]: words } }));
  return html`<details class="editor-advanced" open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>${gettext("Pictures of options")}</summary>
    <p class="candor-quiet">${gettext("A small picture beside each option. Every device loads all pictures with the page, so loading reveals no answer.")}</p>
    ${open && item.choices.map((choice, place) => html`<${PictureField} key=${place} draft=${draft} shown=${pictures[place]} language=${language} longest=${LONGEST_CHOICE}
      path=${`choice_pictures/${place}`} label=${fill(gettext("Picture of {option}"), { option: choice[language] || fill(gettext("option {number}"), { number: place + 1 }) })} onChange=${(picture) => show(place, picture)}
      onAlternative=${(words) => describe(place, words)} />`)}
  </details>`;
}
