import assert from "node:assert/strict";
import { test } from "node:test";

import { canonicalText, readDesign } from "../../surveys/static/surveys/client/design.js";
import { systemWords } from "../../surveys/static/surveys/client/random.js";
import { RememberedTickets } from "../../surveys/static/surveys/client/remembered.js";
import { designDocument, device, item, seeded } from "./tools.mjs";

const NAME = "candor-secret-demo";
const LABELS = Array.from({ length: 40 }, (_, i) => ({ en: `choice ${i}` }));
const NEARLY_EVEN = [[51, 49], [49, 51]];

/** 40 symbols, 80 draws: by chance two such reports are the same less than once in 10^11. */
const options = (key) => ({
  ...item(key),
  kind: "several_choices",
  choices: LABELS,
  encoding: "each_option",
  channel: { name: "custom", weights: NEARLY_EVEN },
});
const marked = (key, more = {}) => ({
  ...options(key),
  kind: "one_choice",
  encoding: "one_hot",
  ...more,
});
const design = (items, changes = {}) => readDesign(canonicalText(designDocument({
  items,
  waves: { repeats: "remember", spent: "1/1" },
  ...changes,
})));
const ONE = design([marked("a")]);
const draw = (window, one = ONE) => RememberedTickets.draw(window, one, systemWords(globalThis.crypto));

/** The report of a whole visit. */
async function visit(kept, answers, { one = ONE, keeps = true } = {}) {
  const tickets = await draw(device(kept), one);
  await tickets.settle(keeps);
  return tickets.read(answers);
}

test("a design says whether it remembers", () => {
  assert.equal(ONE.remembers, true);
  assert.equal(design([item("a")], { waves: { repeats: "fresh", spent: "9/1" } }).remembers, false);
  assert.equal(design([item("a")], { waves: undefined }).remembers, false);
});

test("the same answer gives the same symbols in every wave, and in a later version", async () => {
  const kept = {};
  const first = await visit(kept, [7]);
  const later = design([marked("a")], { version: 2, waves: { repeats: "remember", spent: "9/1" } });
  for (const one of [ONE, ONE, later]) {
    assert.equal(await visit(kept, [7], { one }), first);
  }
});

test("another answer, another item, other words, another table, another survey: each has draws of its own", async () => {
  const kept = { [NAME]: "5a".repeat(32), "candor-secret-other": "5a".repeat(32) };
  const others = [
    [ONE, 8],
    [design([marked("b")]), 7],
    [design([marked("a", { wording: { en: "Was it a?" } })]), 7],
    [design([marked("a", { channel: { name: "custom", weights: [[102, 98], [98, 102]] } })]), 7],
  ];
  const reports = [await visit(kept, [7]), await visit({}, [7])];
  for (const [one, answer] of others) {
    reports.push(await visit(kept, [answer], { one }));
  }
  assert.equal(new Set(reports).size, reports.length);
});

test("an option that changes leaves the draws of all others as they are", async () => {
  const [kept, one, ticks] = [{}, design([options("a")]), Array(40).fill(0)];
  const before = await visit(kept, [ticks], { one });
  let changes = 0;
  for (let option = 0; option < 40; option += 1) {
    const after = await visit(kept, [ticks.with(option, 1)], { one });
    changes += Number(after !== before);
    assert.equal(after.slice(0, 2 * option), before.slice(0, 2 * option));
    assert.equal(after.slice(2 * option + 2), before.slice(2 * option + 2));
  }
  assert.ok(changes > 5, "about half of the draws differ; 5 or fewer of 40 do once in a million");
});

test("the number is written at Send, never at load, and only where it is to be kept", async () => {
  const kept = { other: "stays" };
  const tickets = await draw(device(kept));
  assert.deepEqual([kept, tickets.known], [{ other: "stays" }, false]);
  assert.equal(await tickets.settle(true), true);
  assert.match(kept[NAME], /^[0-9a-f]{64}$/);
  assert.equal((await draw(device(kept))).known, true);
  const again = await draw(device(kept));
  assert.equal(await again.settle(false), false);
  assert.deepEqual(kept, { other: "stays" });
});

test("whoever keeps the number no longer sends from it once more, and draws anew from then on", async () => {
  const kept = {};
  const first = await visit(kept, [7]);
  assert.equal(await visit(kept, [7], { keeps: false }), first);
  const [next, last] = [await visit(kept, [7], { keeps: false }), await visit(kept, [7], { keeps: false })];
  assert.deepEqual(kept, {});
  assert.equal(new Set([first, next, last]).size, 3);
});

test("a number that is erased before Send is not used any more", async () => {
  const kept = {};
  const first = await visit(kept, [7]);
  const tickets = await draw(device(kept));
  await tickets.settle(false);
  await tickets.settle(true);
  const second = tickets.read([7]);
  assert.notEqual(second, first);
  assert.equal(await visit(kept, [7]), second);
});

test("a storage that is forbidden means fresh draws, not a page that fails", async () => {
  const tickets = await draw(device(null));
  assert.deepEqual([tickets.known, await tickets.settle(true)], [false, false]);
  assert.notEqual(tickets.read([7]), await visit(null, [7]));
});

test("a number that another tab has kept meanwhile wins; one that was erased does not come back", async () => {
  const kept = {};
  const [first, second] = [await draw(device(kept)), await draw(device(kept))];
  await first.settle(true);
  await second.settle(true);
  const report = first.read([7]);
  assert.equal(second.read([7]), report);
  const late = await draw(device(kept));
  delete kept[NAME];
  await late.settle(true);
  assert.notEqual(late.read([7]), report);
});

test("a text that is no number counts as none, and is replaced", async () => {
  for (const text of ["", "5a", "5A".repeat(32), "5a".repeat(33), " ".repeat(64), "{}"]) {
    const kept = { [NAME]: text };
    const tickets = await draw(device(kept));
    assert.equal(tickets.known, false);
    assert.equal(await tickets.settle(true), true);
    assert.notEqual(kept[NAME], text);
  }
});

test("tickets are read once; once they are forgotten there is nothing to settle or to read", async () => {
  const kept = {};
  const read = await draw(device(kept));
  read.read([1]);
  assert.throws(() => read.read([1]), { code: "tickets-used" });
  const left = await draw(device(kept));
  left.forget();
  left.forget();
  assert.throws(() => left.read([1]), { code: "tickets-used" });
  await assert.rejects(left.settle(true), { code: "tickets-used" });
  assert.deepEqual([kept, JSON.stringify(left), Object.getOwnPropertyNames(left)], [{}, "{}", []]);
});

test("a page that is left while another number is derived leaves nothing behind", async () => {
  const kept = {};
  const tickets = await draw(device(kept));
  kept[NAME] = "5a".repeat(32);
  const settled = tickets.settle(true);
  tickets.forget();
  await settled;
  assert.throws(() => tickets.read([7]), { code: "tickets-used" });
});

test("an answer that there is not makes no report", async () => {
  for (const answer of [undefined, null, -1, 40, "7 ", [1]]) {
    const tickets = await draw(device());
    assert.throws(() => tickets.read([answer]), TypeError);
  }
});

test("all is derived at load, for every answer; Send derives nothing, whatever is answered", async () => {
  const { subtle } = globalThis.crypto;
  const three = design([item("a"), options("b"), marked("c")]);
  const work = new Set();
  for (const answers of [[0, Array(40).fill(0), 0], [1, Array(40).fill(1), 39]]) {
    let signed = 0;
    const counting = {
      digest: (...given) => subtle.digest(...given),
      importKey: (...given) => subtle.importKey(...given),
      sign(...given) {
        signed += 1;
        return subtle.sign(...given);
      },
    };
    const tickets = await RememberedTickets.draw(device({}, { subtle: counting }), three, seeded(9));
    const loaded = signed;
    await tickets.settle(true);
    tickets.read(answers);
    assert.equal(signed, loaded);
    work.add(loaded);
  }
  assert.deepEqual([...work], [2 + 80 + 40 * 5]);
});
