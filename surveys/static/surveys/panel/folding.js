/**
 * A question is a line until it is unfolded: then its fields are fetched, as they are saved, and from there on they are
 * sent with the form. Folding hides them again, and what was written stays. Without this script the button of a line saves
 * the draft and comes back with that question open.
 */

import { gettext } from "./words.js";
import { fetchedDocument } from "./fetching.js";

function bodyOf(row) {
  return row.querySelector(".candor-line-fields");
}

/**
 * Have the fields of a row in the form, shown or not.
 * @param {HTMLElement} row
 * @returns {Promise<boolean>}  false where they could not be fetched, which is said then
 */
export async function opened(row) {
  const mark = row.querySelector("[data-closed]");
  if (mark === null) {
    return true;
  }
  const [index] = mark.name.match(/\d+/);
  const fields = await fetchedDocument(`${row.dataset.fields}?row=${index}`).catch(() => null);
  if (fields === null) {
    document.querySelector("[data-announce]").textContent = "";
    row.querySelector("[data-facts]").textContent = gettext("The fields could not be loaded. Check the connection and try again.");
    return false;
  }
  if (mark.isConnected) {
    bodyOf(row).replaceChildren(...fields.body.childNodes);
    row.querySelectorAll(".candor-line .candor-still").forEach((words) => words.remove());
    mark.remove();
    row.dispatchEvent(new CustomEvent("formset:added", { bubbles: true }));
  }
  return true;
}

async function unfold(button) {
  const row = button.closest(".form-group");
  if (await opened(row)) {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    bodyOf(row).hidden = !open;
  }
}

/** The line says what is written below it. */
function retell(row, target) {
  const facts = row.querySelector("[data-facts]");
  if (facts !== null && bodyOf(row).contains(target)) {
    facts.textContent = gettext("Changed, not saved yet");
    if (/-wording$/.test(target.name)) {
      row.querySelector("[data-words]").textContent = target.value || gettext("No text yet");
    }
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-unfold]");
  if (button !== null) {
    event.preventDefault();
    unfold(button);
  }
});
for (const change of ["input", "change"]) {
  document.addEventListener(change, ({ target }) => {
    const row = target.closest?.(".candor-lines > .form-group");
    if (row) {
      retell(row, target);
    }
  });
}
