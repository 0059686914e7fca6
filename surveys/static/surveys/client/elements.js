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

/**
 * The stages of the page's life. Each element with `data-stage` is shown in the stages that it names, hidden in others.
 */
export class Stages {
  #root;
  #focusing = 0;

  constructor(root) {
    this.#root = root;
    this.now = "waiting";
  }

  /**
   * @param {string} stage
   * @param {{focus?: boolean, lasting?: number}} [options]  whether the focus goes to the title, so that a screen reader
   *   says what is new, and after how many milliseconds: of a stage that is gone by then it would say half, and less of
   *   the next one
   */
  show(stage, { focus = true, lasting = 0 } = {}) {
    clearTimeout(this.#focusing);
    this.now = stage;
    this.#root.dataset.now = stage;
    const staged = [...this.#root.querySelectorAll("[data-stage]")];
    staged.forEach((section) => {
      section.hidden = !section.dataset.stage.split(" ").includes(stage);
    });
    if (focus) {
      const title = staged.filter((section) => !section.hidden).map(titleOf).find((one) => one !== null);
      if (lasting > 0) {
        this.#focusing = setTimeout(() => title?.focus(), lasting);
      } else {
        title?.focus();
      }
    }
  }
}

function titleOf(section) {
  return section.querySelector("[data-part=stage-title]");
}
