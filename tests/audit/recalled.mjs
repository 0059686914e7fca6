/**
 * What the client in a folder sends for the cases of tests/vectors/remembered.json.
 *
 *     node recalled.mjs <folder> < remembered.json
 *
 * prints the reports to `cases`, and those to `wrong`, whose item is the last one.
 */
import { readFileSync } from "node:fs";

const folder = process.argv[2];
const modules = ["channel", "design", "encoding", "remembered", "report"].map((name) => import(`${folder}/${name}.js`));
const [{ checkedTable }, { canonicalText }, { eachOption, oneHot, single, subset }, { derivedTickets }, { RecalledTickets }] =
  await Promise.all(modules);
const { subtle } = globalThis.crypto;
const ENCODINGS = { single, one_hot: oneHot, each_option: eachOption, subset };

/** As much of a design's item as derivation needs: boxes alone, some of them too wide for any design. */
function asRead(item) {
  const table = checkedTable(item.channel.weights, 1);
  const details = item.encoding === "each_option" ? item.most : item.channel.size;
  return { text: canonicalText(item), encoding: ENCODINGS[item.encoding](table, item.choices.length, details) };
}

const { items, secrets, cases, wrong } = JSON.parse(readFileSync(0, "utf8"));
const read = items.map(asRead);
const drawn = await Promise.all(secrets.map((secret) => derivedTickets(read, secret, subtle)));
const copied = (draws) => draws.map((tickets) => [...tickets]);
const sent = (item, draws, answer) => new RecalledTickets({ items: [item] }, [copied(draws)]).read([answer]);
const others = wrong.map(async ([secret, answer]) => {
  const [draws] = await derivedTickets(read.slice(-1), secret, subtle);
  return sent(read.at(-1), draws, answer);
});
console.log(JSON.stringify({
  cases: cases.map(([item, number, answer]) => sent(read[item], drawn[number][item], answer)),
  wrong: await Promise.all(others),
}));
