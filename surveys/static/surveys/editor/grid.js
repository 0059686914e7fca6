/** The rows of a grid, typed below each other as options are: Enter adds the next one, a pasted list becomes rows. */
import { fill, gettext } from "../panel/words.js";
import { addRows, emptyText, isUnnamed, itemOf, nameItem, passBefore, removeItem } from "./definition.js";
import { editList, linesOf } from "./options.js";
import { html, useLayoutEffect, useRef } from "./view.js";

export function Heading({ draft, rows, language }) {
  const [first] = rows;
  const keys = rows.map((row) => row.key);
  const write = (event) =>
    draft.edit(`heading-${first.key}-${language}`, (it) => keys.forEach((key) => (itemOf(it, key).heading[language] = event.target.value)));
  return html`<label class="editor-field editor-wording">${gettext("Heading of the grid")}
    <textarea class="candor-field" rows="2" lang=${language} dir="auto" data-path="heading" value=${first.heading[language] ?? ""}
      placeholder=${first.heading[draft.definition.languages[0]] || gettext("What do all rows ask?")} onInput=${write}></textarea></label>`;
}

const rowName = (place) => fill(gettext("Row {number}"), { number: place + 1 });

export function Rows({ draft, rows, item, language, onSelect, onRename }) {
  const list = useRef(null);
  const focus = useRef(-1);
  const own = draft.definition.languages[0];
  // Before the browser takes the next key: none may go into the row before.
  useLayoutEffect(() => {
    const place = focus.current;
    focus.current = -1;
    if (place >= 0) {
      list.current?.querySelectorAll("input")[place]?.focus();
    }
  });
  const write = (place, words) => draft.edit(`wording-${rows[place].key}-${language}`, (it) => (itemOf(it, rows[place].key).wording[language] = words));
  const insert = (place, lines) => {
    draft.edit("", (it) => addRows(it, rows[place].key, lines.map((words) => ({ ...emptyText(it), [language]: words }))));
    focus.current = place + lines.length;
  };
  const remove = (place) => {
    const gone = rows[place].key;
    focus.current = Math.max(place - 1, 0);
    draft.edit("", (it) => {
      if (place === 0) {
        passBefore(itemOf(it, gone), itemOf(it, rows[1].key));
      }
      removeItem(it, gone);
    });
    if (gone === item.key) {
      onSelect(`item:${rows[place === 0 ? 1 : place - 1].key}`);
    }
  };
  const move = (place, by) => {
    if (rows[place + by]) {
      focus.current = place + by;
      draft.edit("", (it) => {
        const from = it.items.findIndex(({ key }) => key === rows[place].key);
        [it.items[from], it.items[from + by]] = [it.items[from + by], it.items[from]];
        if (Math.min(place, place + by) === 0) {
          passBefore(itemOf(it, rows[0].key), itemOf(it, rows[1].key));
        }
      });
    }
  };
  const named = () => {
    const fresh = rows.map((row) => row.key).filter(isUnnamed);
    if (fresh.length) {
      const names = draft.edit("", (it) => new Map(fresh.map((key) => [key, nameItem(it, key)])));
      if (names?.get(item.key) && names.get(item.key) !== item.key) {
        onRename(item.key, names.get(item.key));
      }
    }
  };
  const keys = (event, place) =>
    editList(event, rows.length, { add: () => insert(place, [""]), remove: () => remove(place), move: (by) => move(place, by) });
  const paste = (event, place) => {
    const lines = linesOf(event.clipboardData.getData("text/plain"));
    if (lines.length < 2) {
      return;
    }
    event.preventDefault();
    const keep = event.target.value.trim() !== "" || language !== own;
    if (!keep) {
      write(place, lines[0]);
    }
    insert(place, keep ? lines : lines.slice(1));
  };
  const leave = (event) => !event.currentTarget.contains(event.relatedTarget) && named();
  return html`<fieldset class="editor-options" onFocusOut=${leave}><legend>${gettext("Rows")}</legend>
    <ol ref=${list}>${rows.map((row, place) => html`<li key=${place}>
      <span class="editor-mark" aria-hidden="true">${place + 1}</span>
      <input class="candor-field" lang=${language} dir="auto" value=${row.wording[language] ?? ""} aria-label=${rowName(place)}
        data-path=${row === item ? "wording" : `row-${place}`} placeholder=${row.wording[own] || rowName(place)}
        onInput=${(event) => write(place, event.target.value)} onKeyDown=${(event) => keys(event, place)} onPaste=${(event) => paste(event, place)} />
      <button type="button" aria-label=${fill(gettext("Move up: {name}"), { name: rowName(place) })} disabled=${place === 0} onClick=${() => move(place, -1)}>↑</button>
      <button type="button" aria-label=${fill(gettext("Move down: {name}"), { name: rowName(place) })} disabled=${place === rows.length - 1} onClick=${() => move(place, 1)}>↓</button>
      <button type="button" aria-label=${fill(gettext("Delete: {name}"), { name: rowName(place) })} disabled=${rows.length === 1} onClick=${() => remove(place)}>×</button>
    </li>`)}</ol>
    <button type="button" class="editor-text" onClick=${() => insert(rows.length - 1, [""])}>${gettext("+ Add row")}</button>
    <span class="candor-quiet"> ${gettext("Each row is randomised by itself; a pasted list becomes rows.")}</span>
  </fieldset>`;
}
