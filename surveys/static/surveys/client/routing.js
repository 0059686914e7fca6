import { shuffled } from "./encoding.js";
import { drawTicket } from "./random.js";

/**
 * Which questions are asked, in which order their choices are shown, and what is sent of those that are not asked or left
 * blank. The page decides all of it; the report has one shape whatever it decides.
 *
 * @typedef {import("./design.js").Item} Item
 * @typedef {import("./encoding.js").Answer} Answer
 */

/**
 * An item that depends on another is asked where that one is asked and has one of the answers that lead to it. A blank
 * leads nowhere.
 *
 * @param {readonly Item[]} items
 * @param {readonly (Answer | null)[]} answers  so far
 * @param {readonly number[]} version  the places of its items, of this version of the page
 * @returns {boolean[]}  whether each is asked
 */
export function askedItems(items, answers, version = [...items.keys()]) {
  const shown = [];
  for (const [i, { askedIf }] of items.entries()) {
    const follows = askedIf === null || (shown[askedIf.index] && isOneOf(answers[askedIf.index], askedIf.answers));
    shown.push(version.includes(i) && follows);
  }
  return shown;
}

/**
 * The answer that is read against each item's ticket.
 *
 * @param {readonly Item[]} items
 * @param {readonly (Answer | null)[]} answers
 * @param {readonly number[]} [version]
 * @returns {(Answer | null)[]}  null only for an item that is asked, required and has no answer
 */
export function answersToSend(items, answers, version) {
  const shown = askedItems(items, answers, version);
  return items.map((item, i) => {
    if (!shown[i]) {
      return item.unasked;
    }
    return answers[i] ?? (item.required ? null : blankAnswer(item));
  });
}

/** What a blank is sent as: "prefer not to say"; for several choices, nothing ticked. */
export function blankAnswer(item) {
  return item.kind === "several_choices" ? item.choices.map(() => 0) : item.preferNot;
}

/**
 * The choices in an order that chance decides; those that stay last are not among them: "prefer not to say", and a last one.
 *
 * @param {Item} item
 * @param {import("./random.js").WordSource} source
 * @returns {number[]}  indices of choices
 */
export function drawOrder(item, source) {
  const count = item.choices.length - (item.preferNot === null ? 0 : 1) - Number(item.keepLast);
  return shuffled(Array.from({ length: count - 1 }, (_, i) => drawTicket(source, count - i)));
}

function isOneOf(answer, leading) {
  return Array.isArray(answer) ? leading.some((index) => answer[index] === 1) : leading.includes(answer);
}
