/**
 * What the page's own modules send for people of whom some answer at random, and some say No to protect themselves.
 *
 *     node people.mjs <client> < {"design": text, "digest": hex, "seed": n, "people": n, "yes": {key: share}, "random": share, "denies": share}
 *
 * prints the bodies. Each person's version of the page is drawn by the page; with a coin of one's own she tosses by the
 * table. Nobody denies a control question. Every chance comes from one seed.
 */
import { readFileSync } from "node:fs";

const client = process.argv[2];
await import(`${client}/arms.js`);
const names = ["background", "design", "extras", "random", "report", "routing"];
const [{ readCells }, { readDesign }, { extra }, { drawNonce, systemWords }, { Tickets, requestBody }, { answersToSend }] =
  await Promise.all(names.map((name) => import(`${client}/${name}.js`)));

const { design: text, digest, seed, people, yes, random, denies } = JSON.parse(readFileSync(0, "utf8"));
const design = readDesign(text);
const cells = readCells(design.background);
const Arms = extra("arms");

/** Marsaglia's xorshift of 32 bits (2003), in place of the browser's generator. */
let state = seed;
function word() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
}
const generator = { getRandomValues: (array) => array.forEach((_, i) => (array[i] = word())) };
const chance = () => word() / 2 ** 32;

/** As much of the page as a version looks at. */
function page() {
  const question = { querySelector: () => ({ id: "toss" }), querySelectorAll: () => [] };
  const moved = { dataset: {}, append() {} };
  return { dataset: {}, querySelector: () => moved, querySelectorAll: (selector) => (selector.includes("question") ? design.items.map(() => question) : []) };
}

/** What chance of their own makes of an answer, by the row of the table. */
function tossed({ table }, answer) {
  let left = Math.floor(chance() * table.tickets);
  return table.weights[answer].findIndex((tickets) => (left -= tickets) < 0);
}

function body() {
  const source = systemWords(generator);
  const arms = new Arms(page(), design);
  arms.begin(source);
  const tickets = new Tickets(design, source);
  const kind = chance();
  const control = (key) => yes[key] === 0;
  const said = design.items.map((item) => {
    const held = Number(chance() < yes[item.key]);
    if (kind < random) {
      return Number(chance() < 0.5);
    }
    if (kind < random + denies && !control(item.key)) {
      return 0;
    }
    return arms.ownCoin ? tossed(item, held) : held;
  });
  const answers = answersToSend(design.items, said, design.versions[arms.place]);
  const report = tickets.read(answers, arms.marks(answers));
  const { key } = cells.find((cell) => cell.answers[0].includes(arms.place));
  return requestBody({ design: digest, nonce: drawNonce(source), stratum: key, report });
}

console.log(JSON.stringify(Array.from({ length: people }, body)));
