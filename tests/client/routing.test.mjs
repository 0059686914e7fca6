import assert from "node:assert/strict";
import { test } from "node:test";

import { answersToSend, askedItems, blankAnswer, drawOrder } from "../../surveys/static/surveys/client/routing.js";
import { tape } from "./tools.mjs";

const ITEM = {
  kind: "one_choice", choices: [{}, {}, {}, {}], preferNot: null, keepLast: false, required: true, askedIf: null, unasked: 0,
};
const item = (changes) => ({ ...ITEM, ...changes });

test("an item without a condition is asked; one with a condition after an answer that leads to it", () => {
  const items = [item(), item({ askedIf: { index: 0, answers: [1, 3] } })];
  assert.deepEqual([null, 0, 1, 2, 3].map((answer) => askedItems(items, [answer, null])[1]), [false, false, true, false, true]);
});

test("of several choices any ticked one leads on; a blank and an empty answer lead nowhere", () => {
  const items = [item({ kind: "several_choices" }), item({ askedIf: { index: 0, answers: [1, 2] } })];
  const answers = [null, [0, 0, 0, 0], [1, 0, 0, 1], [0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]];
  assert.deepEqual(answers.map((answer) => askedItems(items, [answer, null])[1]), [false, false, false, true, true, true]);
});

test("what follows a question that is not asked is not asked either, whatever is left in it", () => {
  const items = [item(), item({ askedIf: { index: 0, answers: [1] } }), item({ askedIf: { index: 1, answers: [0] } })];
  assert.deepEqual(askedItems(items, [1, 0, null]), [true, true, true]);
  assert.deepEqual(askedItems(items, [0, 0, null]), [true, false, false]);
});

test("what is sent: the answer, the one that stands for not asked, the one that stands for a blank; nothing else", () => {
  const unticked = [0, 0, 0, 0];
  const items = [
    item(),
    item({ askedIf: { index: 0, answers: [1] }, unasked: 2 }),
    item({ preferNot: 3, required: false }),
    item({ kind: "several_choices", preferNot: 3, required: false }),
    item({ kind: "several_choices", askedIf: { index: 0, answers: [1] }, unasked: unticked }),
  ];
  assert.deepEqual(answersToSend(items, [0, 1, null, null, [1, 1, 0, 0]]), [0, 2, 3, unticked, unticked]);
  assert.deepEqual(answersToSend(items, [1, 1, 2, [0, 1, 0, 0], null]), [1, 1, 2, [0, 1, 0, 0], null], "null: required, and missing");
  assert.equal(blankAnswer(items[2]), 3);
});

test("what a version of the page does not ask is sent as not asked, and so is what follows it", () => {
  const items = [item(), item({ unasked: 0 }), item({ askedIf: { index: 0, answers: [1] }, unasked: 2 })];
  assert.deepEqual(askedItems(items, [1, 1, 1], [1]), [false, true, false]);
  assert.deepEqual(answersToSend(items, [3, 3, 3], [1]), [0, 3, 2]);
});

test("500 designs by chance: the same is asked as the words of the condition say, and every item gets an answer", () => {
  const chance = generator(20_261_121);
  for (let design = 0; design < 500; design += 1) {
    const items = Array.from({ length: 1 + chance(12) }, (_, i) => randomItem(i, chance));
    const answers = items.map((one) => (chance(4) === 0 ? null : randomAnswer(one, chance)));
    const asked = askedItems(items, answers);
    items.forEach((_, i) => assert.equal(asked[i], isAsked(items, answers, i)));
    answersToSend(items, answers).forEach((sent, i) => {
      const missing = asked[i] && items[i].required && answers[i] === null;
      assert.equal(sent === null, missing);
      assert.ok(missing || fits(items[i], sent), "an answer of its own question");
      assert.ok(missing || !asked[i] || answers[i] === null || sent === answers[i]);
    });
  }
});

test("the order of choices: all but prefer-not, each order once over all tickets", () => {
  const four = item({ choices: [{}, {}, {}, {}], preferNot: 3 });
  const orders = [0, 1, 2].flatMap((first) => [0, 1].map((second) => drawOrder(four, tape([first, second], 6)).join()));
  assert.equal(new Set(orders).size, 6);
  orders.forEach((order) => assert.deepEqual(order.split(",").sort(), ["0", "1", "2"]));
  assert.deepEqual(drawOrder(item(), tape([0, 0, 0], 12)).sort(), [0, 1, 2, 3]);
});

test("the last choice stays last, before prefer-not: each order of the others once over all tickets", () => {
  for (const kept of [item({ choices: [{}, {}, {}, {}, {}], preferNot: 4, keepLast: true }), item({ keepLast: true })]) {
    const orders = [0, 1, 2].flatMap((first) => [0, 1].map((second) => drawOrder(kept, tape([first, second], 6)).join()));
    assert.deepEqual(orders.sort(), ["0,1,2", "0,2,1", "1,0,2", "1,2,0", "2,0,1", "2,1,0"]);
  }
});

test("6,000 orders with the last kept, seeded: all six alike; false alarm 1 in 1,000,000", () => {
  const next = generator(20_261_125);
  const source = { size: 2 ** 32, next: () => next(2 ** 16) * 2 ** 16 + next(2 ** 16) };
  const counts = new Map();
  for (let load = 0; load < 6000; load += 1) {
    const order = drawOrder(item({ keepLast: true }), source).join();
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  assert.equal(counts.size, 6);
  const distance = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  assert.ok(distance < 35.9, `chi-square with 5 degrees of freedom: ${distance}`);
});

/** The condition as the documentation words it, followed back question by question. */
function isAsked(items, answers, i) {
  const { askedIf } = items[i];
  if (askedIf === null) {
    return true;
  }
  const answer = answers[askedIf.index];
  const has = Array.isArray(answer) ? (choice) => answer[choice] === 1 : (choice) => answer === choice;
  return isAsked(items, answers, askedIf.index) && askedIf.answers.filter(has).length > 0;
}

function randomItem(index, chance) {
  const several = chance(2) === 1;
  const preferNot = chance(2) === 1 ? 3 : null;
  return item({
    kind: several ? "several_choices" : "one_choice",
    preferNot,
    required: preferNot === null || chance(2) === 0,
    askedIf: index === 0 || chance(3) === 0 ? null : { index: chance(index), answers: [0, 1, 2, 3].filter(() => chance(2) === 1) },
    unasked: several ? [0, 0, 0, 0] : chance(4),
  });
}

function randomAnswer({ kind }, chance) {
  return kind === "several_choices" ? [0, 1, 2, 3].map(() => chance(2)) : chance(4);
}

function fits({ kind }, answer) {
  return kind === "several_choices" ? answer.length === 4 : answer >= 0 && answer < 4;
}

/** Numbers below a bound, the same in every run. */
function generator(seed) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
