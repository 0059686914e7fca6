/**
 * Feed every sequence of words to the client in a folder, through the class that makes the page's reports.
 *
 *     node enumeration.mjs <folder> < [{"items": [...], "answers": [...], "size": 16, "depth": 4}, ...]
 *
 * prints for each case how many sequences give each report; "open" are those that end before all tickets are drawn.
 */
import { readFileSync } from "node:fs";

const folder = process.argv[2];
const { Tickets } = await import(`${folder}/report.js`);
const { checkedTable } = await import(`${folder}/channel.js`);
const { eachOption, oneHot, single, subset } = await import(`${folder}/encoding.js`);

class End extends Error {}

function tape(words, size) {
  let used = 0;
  return {
    size,
    next() {
      if (used === words.length) throw new End();
      used += 1;
      return words[used - 1];
    },
  };
}

const ENCODINGS = { single, one_hot: oneHot, each_option: eachOption, subset };

function encodingOf({ encoding, channel, choices }) {
  return ENCODINGS[encoding](checkedTable(channel.weights, 1), choices.length, channel.size ?? undefined);
}

function enumerated({ items, answers, size, depth }) {
  const design = { items: items.map((item) => ({ encoding: encodingOf(item) })) };
  const counts = { open: 0 };
  const words = new Array(depth).fill(0);
  for (let code = 0; code < size ** depth; code += 1) {
    for (let i = 0, left = code; i < depth; i += 1, left = Math.floor(left / size)) words[i] = left % size;
    let report = "open";
    try {
      report = new Tickets(design, tape(words, size)).read(answers);
    } catch (problem) {
      if (!(problem instanceof End)) throw problem;
    }
    counts[report] = (counts[report] ?? 0) + 1;
  }
  return counts;
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(enumerated)));
