import { totalRatio } from "./channel.js";
import { epsilonUp, oddsUp } from "./figures.js";
import { element, part } from "./elements.js";

/**
 * What all questions together can reveal, as odds; and for experts, as epsilon and as the tables themselves.
 */

/** A table with more rows is shown by its first and its last. */
const MOST_ROWS = 12;

/**
 * @param {HTMLElement} root
 * @param {readonly import("./design.js").Item[]} items
 * @param {import("./sentences.js").Sentences} sentences
 * @param {import("./phrases.js").Phrases} phrases
 */
export function fillTotal(root, items, sentences, phrases) {
  const each = items.map(({ encoding }) => encoding.ratio);
  const total = totalRatio(each);
  const sums = {
    "sum-one": { odds: Math.max(...each.map(oddsUp)) },
    "sum-all": { count: items.length, odds: oddsUp(total) },
    experts: { epsilon: epsilonUp(total) },
  };
  Object.entries(sums).forEach(([key, values]) => {
    part(root, key).textContent = sentences.say(key, values);
  });
  const tables = part(root, "tables");
  tables.replaceChildren(...items.map((item, i) => tableLine(item, i + 1, sentences, phrases)));
}

function tableLine(item, number, sentences, phrases) {
  const { weights } = item.table;
  const text = [phrases.say("table-line", item, { number, epsilon: epsilonUp(item.encoding.ratio) })];
  const long = weights.length > MOST_ROWS;
  if (long) {
    text.push(sentences.say("table-ends", { rows: weights.length }));
  }
  const line = element("li", `${text.join(" ")} `);
  line.append(element("code", JSON.stringify(long ? [weights[0], weights.at(-1)] : weights)));
  return line;
}
