import { totalRatio } from "./channel.js";
import { part } from "./elements.js";
import { epsilonUp } from "./figures.js";
import { attempt } from "./store.js";

/** What the page says of a person's own ledger: that this survey is in it already, and that it was put there. */
export class OwnNote {
  #root;
  #window;
  #sentences;

  /**
   * @param {HTMLElement} root
   * @param {Window} window
   * @param {import("./sentences.js").Sentences} sentences
   */
  constructor(root, window, sentences) {
    this.#root = root;
    this.#window = window;
    this.#sentences = sentences;
  }

  /** Before an answer: the device may be somebody else's too, so nothing is refused. */
  show(design) {
    const day = dayNoted(this.#window, design);
    part(this.#root, "noted-before").hidden = day === null;
    part(this.#root, "noted-said").textContent = day === null ? "" : this.#sentences.say("noted-before", { day });
  }

  /** Only ever by a click on the button beside the words of what is noted. */
  make(design, asked, anew) {
    const title = this.#root.querySelector("h1").textContent;
    const noted = recordLoss(this.#window, design, asked, title, anew);
    part(this.#root, "note-said").textContent = this.#sentences.say(noted ? "note-done" : "note-not");
    part(this.#root, "note-button").hidden = true;
  }
}

/**
 * A person's own ledger: what this survey cost her, noted on her device by a click. Never an answer, and nothing of what
 * was sent. It is read by the page `/spent/` (surveys/static/surveys/spent/) and by nobody else.
 *
 * @param {Window} window
 * @param {import("./design.js").Design} design
 * @param {readonly {item: import("./design.js").Item}[]} asked  by the version of the page that she saw
 * @param {string} title  of the survey, as the page says it
 * @param {boolean} anew  whether everything was drawn anew; else an unchanged answer may have cost nothing
 * @returns {boolean}  whether the device keeps it
 */
export function recordLoss(window, { slug, version }, asked, title, anew) {
  const most = epsilonUp(totalRatio(asked.map(({ item }) => item.encoding.ratio)));
  // The day as 2026-11-21, and nothing finer.
  const day = new Intl.DateTimeFormat("sv-SE").format();
  const cost = JSON.stringify({ title, slug, version, day, least: anew ? most : 0, most });
  const name = nameOf(slug, version);
  return attempt(() => {
    window.localStorage.setItem(name, cost);
    return window.localStorage.getItem(name) === cost;
  }) === true;
}

/**
 * Whether this device has noted the survey already, this wave of it: whoever answers a second time should know.
 *
 * @param {Window} window
 * @param {import("./design.js").Design} design
 * @returns {string | null}  the day of the note, such as 2026-11-21; what no page of ours noted counts as none
 */
export function dayNoted(window, { slug, version }) {
  const cost = attempt(() => JSON.parse(window.localStorage.getItem(nameOf(slug, version))));
  return /^\d{4}-\d\d-\d\d$/.test(cost?.day) ? cost.day : null;
}

function nameOf(slug, version) {
  return `candor-spent-${slug}-${version}`;
}
