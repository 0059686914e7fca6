import { fill, gettext } from "./words.js";
import { opened } from "./folding.js";

/**
 * The order of questions, groups and sections: by buttons, by drag, and by the number that each row has, which is all there
 * is without this script. Questions are duplicated, and rows that were never saved are taken away, without a reload.
 */

/** @param {Element} list */
function rowsOf(list) {
  return [...list.querySelectorAll(":scope > .form-group:not(.empty-form)")].filter((row) => !row.hidden);
}

function field(row, name) {
  return row.querySelector(`[name$="-${name}"]:not([type=hidden])`);
}

function nameOf(row) {
  return field(row, "key")?.value || row.dataset.key || gettext("unnamed");
}

function announce(words) {
  document.querySelector("[data-announce]").textContent = words;
}

/** Give the rows the numbers of their places, and their buttons names that tell them apart. */
function number(list, changed) {
  rowsOf(list).forEach((row, index) => {
    const position = field(row, "position");
    if (changed && position !== null) {
      position.value = String(index + 1);
    }
    row.querySelectorAll("[data-named]").forEach((button) => {
      button.setAttribute("aria-label", button.dataset.named.replace("#", `${index + 1}, ${nameOf(row)}`));
    });
  });
  if (changed) {
    field(rowsOf(list)[0], "position")?.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

function move(row, step) {
  const list = row.parentElement;
  const rows = rowsOf(list);
  const place = rows.indexOf(row) + step;
  if (place < 0 || place >= rows.length) {
    announce(fill(step < 0 ? gettext("{name} is already first.") : gettext("{name} is already last."), { name: nameOf(row) }));
    return;
  }
  put(row, rows[place], step > 0);
}

/** Put a row before or behind another, and say where it is now. */
function put(row, other, behind) {
  const list = row.parentElement;
  list.insertBefore(row, behind ? other.nextSibling : other);
  number(list, true);
  announce(fill(gettext("{name} is now number {number} of {total}."), { name: nameOf(row), number: rowsOf(list).indexOf(row) + 1, total: rowsOf(list).length }));
}

/** A key that no row has yet. */
function freeKey(list, key) {
  const taken = new Set(rowsOf(list).map(nameOf));
  const begin = key.slice(0, 56);
  let count = 2;
  while (taken.has(`${begin}_${count}`)) {
    count += 1;
  }
  return `${begin}_${count}`;
}

async function duplicate(row) {
  if (!(await opened(row))) {
    return;
  }
  const list = row.parentElement;
  list.querySelector(".add-row").click();
  const copy = rowsOf(list).at(-1);
  const own = ["id", "survey", "position", "DELETE"];
  row.querySelectorAll("input, select, textarea").forEach((control) => {
    const name = control.name.replace(/^\w+-\d+-/, "");
    const target = copy.querySelector(`[name$="-${name}"]`);
    if (target !== null && !own.includes(name)) {
      target.value = control.value;
      target.checked = control.checked;
    }
  });
  const key = field(copy, "key");
  key.value = freeKey(list, nameOf(row));
  put(copy, row, true);
  copy.querySelector("select")?.dispatchEvent(new Event("change", { bubbles: true }));
  announce(fill(gettext("{copy} is a copy of {name} and comes after it."), { copy: key.value, name: nameOf(row) }));
  key.focus();
}

/**
 * Take away a row that was never saved. The theme would renumber the rows behind it by the places they stand at, which are
 * not their numbers any more, and forget what was written in them; here the row stays and says that it is deleted.
 */
function takeAway(row) {
  const any = row.querySelector("[name]:not([name$=TOTAL_FORMS])");
  const [prefix] = any.name.match(/^\w+-\d+-/);
  const gone = document.createElement("input");
  gone.type = "hidden";
  gone.name = `${prefix}DELETE`;
  gone.value = "on";
  row.append(gone);
  const next = rowsOf(row.parentElement).find((other) => row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
  announce(fill(gettext("{name} is removed."), { name: nameOf(row) }));
  row.hidden = true;
  number(row.parentElement, false);
  (next?.querySelector("[data-move]") ?? row.parentElement.querySelector(".add-row"))?.focus();
  document.dispatchEvent(new CustomEvent("formset:removed"));
}

function button(words, named, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "candor-row-tool";
  made.textContent = words;
  made.dataset.named = named;
  made.addEventListener("click", act);
  return made;
}

/** A handle to drag a row by, and the buttons that move it. */
function movers(row) {
  const handle = document.createElement("span");
  handle.className = "candor-row-tool candor-row-handle";
  handle.draggable = true;
  handle.setAttribute("aria-hidden", "true");
  handle.textContent = "⠿";
  handle.title = gettext("Drag to move");
  const steps = [["↑", gettext("Move up: #"), -1], ["↓", gettext("Move down: #"), 1]];
  return [
    handle,
    ...steps.map(([words, named, step]) => {
      const mover = button(words, named, () => {
        move(row, step);
        mover.focus();
      });
      mover.dataset.move = String(step);
      return mover;
    }),
  ];
}

/** A question's line has a place for its tools, and its own button to duplicate it, which else saves the whole form. */
function equipRow(row) {
  const line = row.querySelector(".candor-row-tools");
  if (line === null) {
    const tools = document.createElement("span");
    tools.className = "candor-row-tools";
    tools.append(...movers(row));
    field(row, "position").after(tools);
    return;
  }
  const copier = line.querySelector("[data-duplicate]") ?? button("Duplicate", "Duplicate: #", () => {});
  copier.type = "button";
  copier.addEventListener("click", () => duplicate(row));
  line.prepend(...movers(row), copier);
}

/** @type {Element | null}  the row that is being dragged */
let dragged = null;

function equip(list) {
  rowsOf(list).filter((row) => row.querySelector("[data-move]") === null).forEach(equipRow);
  number(list, false);
}

function bindDrag(list) {
  list.addEventListener("dragstart", (event) => {
    if (event.target.matches?.(".candor-row-handle")) {
      dragged = event.target.closest(".form-group");
      dragged.classList.add("candor-dragged");
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setDragImage(dragged, 0, 0);
    }
  });
  list.addEventListener("dragover", (event) => {
    const over = event.target.closest(".form-group:not(.empty-form)");
    if (dragged?.parentElement === list && over?.parentElement === list) {
      event.preventDefault();
    }
  });
  list.addEventListener("drop", (event) => {
    const over = event.target.closest(".form-group:not(.empty-form)");
    if (dragged !== null && over !== null && over !== dragged && over.parentElement === dragged.parentElement) {
      event.preventDefault();
      const { top, height } = over.getBoundingClientRect();
      put(dragged, over, event.clientY > top + height / 2);
    }
  });
  list.addEventListener("dragend", () => {
    dragged?.classList.remove("candor-dragged");
    dragged = null;
  });
}

const lists = document.querySelectorAll(".formset[data-inline-formset]");
lists.forEach(bindDrag);
lists.forEach(equip);
document.addEventListener("formset:added", () => lists.forEach(equip));
document.addEventListener("input", ({ target }) => {
  if (/-key$/.test(target.name)) {
    number(target.closest(".formset"), false);
  }
});
document.addEventListener(
  "click",
  (event) => {
    const taking = event.target.closest?.(".delete-template");
    if (taking) {
      event.preventDefault();
      event.stopImmediatePropagation();
      takeAway(taking.closest(".form-group"));
    }
  },
  true,
);
