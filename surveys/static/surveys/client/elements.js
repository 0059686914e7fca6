import { Refusal } from "./refusal.js";

/**
 * The element of the page with `data-part="name"`. A page without it is not the page that this script belongs to.
 *
 * @returns {HTMLElement}
 */
export function part(root, name) {
  const element = root.querySelector(`[data-part="${name}"]`);
  if (element === null) {
    throw new Refusal("page", { detail: `no part "${name}"` });
  }
  return element;
}

/**
 * A new element with a text; texts are set as text, never as markup.
 *
 * @returns {HTMLElement}
 */
export function element(name, text = "", className = "") {
  const created = document.createElement(name);
  created.textContent = text;
  if (className !== "") {
    created.className = className;
  }
  return created;
}
