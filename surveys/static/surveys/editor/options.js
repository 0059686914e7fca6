/** The options of a question, typed in place: Enter adds the next one, a pasted list becomes options. */
import { fill, gettext } from "../panel/words.js";
import { emptyText, setChoices } from "./definition.js";
import { html, memo, useLayoutEffect, useRef, useState } from "./view.js";

/** With "prefer not to say"; the same as in collector/designs/items.py. */
const MOST_ANSWERS = 256;

export function Options({ draft, item, language, points = false }) {
  const list = useRef(null);
  const focus = useRef(-1);
  const { choices } = item;
  const [left, setLeft] = useState(0);
  const own = draft.definition.languages[0];
  const room = MOST_ANSWERS - (item.prefer_not ? 1 : 0) - choices.length;
  // Before the browser takes the next key: none may go into the option before.
  useLayoutEffect(() => {
    const place = focus.current;
    focus.current = -1;
    if (place >= 0) {
      list.current?.querySelectorAll("input")[place]?.focus();
    }
  });
  const change = (made, from, tag = "") => draft.edit(tag, (it) => setChoices(it, item.key, made, from));
  const all = choices.map((_, place) => place);
  const write = (place, words) =>
    change(choices.map((choice, n) => (n === place ? { ...choice, [language]: words } : choice)), all, `option-${item.key}-${place}`);
  /** Add as many lines as there is room for, behind the options that are `written` by now. */
  const insert = (place, lines, written = choices) => {
    const empty = emptyText(draft.definition);
    const made = lines.slice(0, Math.max(room, 0)).map((words) => ({ ...empty, [language]: words }));
    setLeft(lines.length - made.length);
    change(written.toSpliced(place, 0, ...made), all.toSpliced(place, 0, ...made.map(() => -1)));
    focus.current = place + made.length - 1;
  };
  const remove = (place) => {
    setLeft(0);
    change(choices.toSpliced(place, 1), all.toSpliced(place, 1));
    focus.current = Math.max(place - 1, 0);
  };
  const move = (place, by) => {
    if (place + by >= 0 && place + by < choices.length) {
      const swapped = (list) => list.with(place, list[place + by]).with(place + by, list[place]);
      change(swapped(choices), swapped(all));
      focus.current = place + by;
    }
  };
  const press = (event, place) =>
    editList(event, choices.length, { add: () => insert(place + 1, [""]), remove: () => remove(place), move: (by) => move(place, by) });
  const paste = (event, place) => {
    const lines = linesOf(event.clipboardData.getData("text/plain"));
    if (lines.length < 2) {
      return;
    }
    event.preventDefault();
    if (language !== own && choices.length > 1) {
      const made = choices.map((choice, n) => (n >= place && lines[n - place] ? { ...choice, [language]: lines[n - place] } : choice));
      change(made, all);
      return;
    }
    const keep = event.target.value.trim() !== "";
    const first = keep ? choices : choices.with(place, { ...choices[place], [language]: lines[0] });
    insert(place + 1, keep ? lines : lines.slice(1), first);
  };
  const acts = useRef({});
  acts.current = { write, press, paste, move, remove };
  return html`<fieldset class="editor-options"><legend>${points ? gettext("Points") : gettext("Options")}</legend>
    <ol ref=${list}>${choices.map((choice, place) => html`<${Option} key=${place} name=${fill(points ? gettext("Point {number}") : gettext("Option {number}"), { number: place + 1 })} place=${place} last=${place === choices.length - 1}
      choice=${choice} language=${language} own=${own} acts=${acts} />`)}</ol>
    <button type="button" class="editor-text" data-path="choices" onClick=${() => insert(choices.length, [""])}>${gettext("+ Add option")}</button>
    <span class="candor-quiet"> ${gettext("Enter adds the next one; a pasted list becomes options.")}</span>
    <p aria-live="polite" class=${left > 0 ? "editor-stop" : "candor-out"}>${left > 0 && fill(gettext("At most {limit} answers, “prefer not to say” included. Left out: {count}."), { limit: MOST_ANSWERS, count: left })}</p>
  </fieldset>`;
}

/** `acts` are those of the list as it is by now: an option that stays as it is is not drawn again when another one changes. */
const Option = memo(({ name, place, last, choice, language, own, acts }) => html`<li>
  <span class="editor-mark" aria-hidden="true">${place + 1}</span>
  <input class="candor-field" lang=${language} dir="auto" value=${choice[language] ?? ""} aria-label=${name}
    data-path=${`choices/${place}`} placeholder=${choice[own] || name} maxlength="300" onInput=${(event) => acts.current.write(place, event.target.value)}
    onKeyDown=${(event) => acts.current.press(event, place)} onPaste=${(event) => acts.current.paste(event, place)} />
  <button type="button" aria-label=${fill(gettext("Move up: {name}"), { name })} disabled=${place === 0} onClick=${() => acts.current.move(place, -1)}>↑</button>
  <button type="button" aria-label=${fill(gettext("Move down: {name}"), { name })} disabled=${last} onClick=${() => acts.current.move(place, 1)}>↓</button>
  <button type="button" aria-label=${fill(gettext("Delete: {name}"), { name })} onClick=${() => acts.current.remove(place)}>×</button>
</li>`);

/**
 * What a key does in one of `count` fields of a list: Enter adds the next one, Backspace removes an empty one, Alt with an
 * arrow moves it.
 */
export function editList(event, count, { add, remove, move }) {
  if (event.key === "Enter") {
    event.preventDefault();
    add();
  } else if (event.key === "Backspace" && event.target.value === "" && count > 1) {
    event.preventDefault();
    remove();
  } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    event.preventDefault();
    move(event.key === "ArrowUp" ? -1 : 1);
  }
}

/** The lines of a pasted list, without its bullets and numbers. */
export function linesOf(text) {
  return text.split(/\r?\n|\r/).map((line) => line.replace(/^\s*(?:[-*•·–▪◦☐□○]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+/, "").trim()).filter(Boolean);
}
