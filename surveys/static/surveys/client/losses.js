import { totalRatio } from "./channel.js";
import { epsilonUp } from "./figures.js";
import { attempt } from "./store.js";

/**
 * A person's own ledger: what this survey cost her, noted on her device by a click. Never an answer, and nothing of what
 * was sent. It is read by the page `/spent/` (surveys/static/surveys/spent/) and by nobody else.
 *
 * @param {Window} window
 * @param {import("./design.js").Design} design
 * @param {string} title  of the survey, as the page says it
 * @param {boolean} anew  whether everything was drawn anew; else an unchanged answer may have cost nothing
 * @returns {boolean}  whether the device keeps it
 */
export function recordLoss(window, { slug, version, items }, title, anew) {
  const most = epsilonUp(totalRatio(items.map(({ encoding }) => encoding.ratio)));
  // The day as 2026-11-21, and nothing finer.
  const day = new Intl.DateTimeFormat("sv-SE").format();
  const cost = JSON.stringify({ title, slug, version, day, least: anew ? most : 0, most });
  const name = `candor-spent-${slug}-${version}`;
  return attempt(() => {
    window.localStorage.setItem(name, cost);
    return window.localStorage.getItem(name) === cost;
  }) === true;
}
