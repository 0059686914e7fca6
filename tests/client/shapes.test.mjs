import assert from "node:assert/strict";
import { test } from "node:test";

import { checkedTable, readTicket } from "../../surveys/static/surveys/client/channel.js";
import { canonicalText, readDesign } from "../../surveys/static/surveys/client/design.js";
import { halfWithin, isSymmetric, kindsOf, shapeOf, pairOf, sharesOf, upperHalf } from "../../surveys/static/surveys/client/shapes.js";
import { designDocument, item } from "./tools.mjs";

const RATES = [[4, 2], [3, 3]];
const NEAR = [[5, 2, 3], [4, 3, 3], [4, 2, 4]];

/** A question as the page reads it, with these changes to a choice of three. */
function question({ weights = [[4, 1, 1], [1, 4, 1], [1, 1, 4]], size, ...changes } = {}) {
  const channel = size === undefined ? { name: "custom", weights } : { name: "subset", size, weights };
  const source = { ...item("one", [[4, 1, 1], [1, 4, 1], [1, 1, 4]]), ...changes, channel };
  return readDesign(canonicalText(designDocument({ items: [source] }))).items[0];
}

const number = (weights, maximum = "2") =>
  question({ kind: "number", choices: [], grid: { minimum: "0", maximum, step: "1" }, weights });

test("symmetric: every answer alike", () => {
  assert.ok(isSymmetric(checkedTable([[3, 1], [1, 3]])));
  assert.ok(isSymmetric(checkedTable([[4, 1, 1], [1, 4, 1], [1, 1, 4]])));
  assert.ok(!isSymmetric(checkedTable([[4, 1], [2, 3]])));
  assert.ok(!isSymmetric(checkedTable([[4, 2, 0], [1, 4, 1], [1, 1, 4]])));
});

test("the triangular model differs by answer: more send yes than send no", () => {
  const source = item("paid", [[5, 3], [2, 6]]);
  const channel = { ...source.channel, name: "triangular", truth: "1/2", prevalence: "1/4" };
  const yesNo = { kind: "yes_no", choices: [{ en: "No" }, { en: "Yes" }] };
  const [paid] = readDesign(canonicalText(designDocument({ items: [{ ...source, ...yesNo, channel }] }))).items;
  assert.deepEqual(sharesOf(paid), { own: { number: 6n, divisor: 8n }, cross: { number: 3n, divisor: 8n } });
});

test("two answers have three kinds of ticket: as given, and each answer always", () => {
  const weights = [[5, 3], [2, 6]];
  const paid = question({ kind: "yes_no", choices: [{ en: "No" }, { en: "Yes" }], weights });
  assert.equal(shapeOf(paid), "two");
  assert.deepEqual(kindsOf(paid.table), { given: 3, always: [2, 3] });
  const sent = Array.from({ length: 8 }, (_, ticket) => weights.map((row) => readTicket(row, ticket)).join(""));
  assert.deepEqual(sent, ["00", "00", "01", "01", "01", "11", "11", "11"], "of No and of Yes, by the ticket that is drawn");
});

test("the crosswise model is a choice, of which the other answer is sent more often", () => {
  const source = item("paid", [[1, 3], [3, 1]]);
  const channel = { ...source.channel, name: "crosswise", prevalence: "1/4" };
  const yesNo = { kind: "yes_no", choices: [{ en: "No" }, { en: "Yes" }] };
  const document = designDocument({ items: [{ ...source, ...yesNo, channel }] });
  const [paid] = readDesign(canonicalText(document)).items;
  assert.equal(shapeOf(paid), "choice");
  assert.deepEqual(sharesOf(paid), { own: { number: 1n, divisor: 4n }, cross: { number: 3n, divisor: 4n } });
});

test("the shape is read from the table, not from its name", () => {
  const four = [[1, 3], [2, 2], [2, 2], [3, 1]];
  const cases = [
    ["choice", question()],
    ["differ", question({ weights: NEAR })],
    ["near", question({ weights: NEAR, kind: "scale" })],
    ["differ", question({ weights: NEAR, kind: "scale", prefer_not: true })],
    ["differ", question({ weights: [[2, 2, 1], [1, 2, 2], [1, 2, 2]], kind: "scale" })],
    ["list", question({ weights: RATES, encoding: "one_hot" })],
    ["ticks", question({ weights: RATES, kind: "several_choices", encoding: "each_option" })],
    ["set", question({ weights: [[5, 6]], size: 1, encoding: "subset" })],
    ["choice", number([[4, 1, 1], [1, 4, 1], [1, 1, 4]])],
    ["spread", number(NEAR)],
    ["values", number([[2, 2, 1], [1, 2, 2], [1, 2, 2]])],
    ["end", number([...four].reverse(), "3")],
    ["values", number(four, "3")],
    ["values", number([[1, 1, 2], [1, 1, 2], [1, 2, 1], [2, 1, 1]], "3")],
  ];
  for (const [shape, question] of cases) {
    assert.equal(shapeOf(question), shape, JSON.stringify(question.table.weights));
  }
});

test("the answers to speak of: Yes and No, the first two, the ends", () => {
  assert.deepEqual(pairOf(question({ ...item("two"), weights: [[3, 1], [1, 3]] })), [1, 0]);
  assert.deepEqual(pairOf(question()), [0, 1]);
  assert.deepEqual(pairOf(question({ weights: NEAR, kind: "scale" })), [2, 0]);
  assert.deepEqual(pairOf(number(NEAR)), [2, 0]);
});

test("shares of a set: every set of its size counted", () => {
  const { own, cross } = sharesOf(question({ weights: [[5, 7]], size: 2, encoding: "subset" }));
  // {A, B}, {A, C} hold A; 7 of 12 tickets for those two, 5 of 12 for {B, C}. With the answer B: {A, B} 7/24, {A, C} 5/12.
  assert.deepEqual([own, cross], [{ number: 7n, divisor: 12n }, { number: 17n, divisor: 24n }]);
});

test("half of what is sent: the least reach that holds it, and the upper half of the points", () => {
  const table = checkedTable([[50, 30, 15, 5], [20, 30, 30, 20], [10, 20, 20, 50], [5, 15, 30, 50]]);
  assert.deepEqual([0, 1, 2, 3].map((x) => halfWithin(table, x)), [0, 1, 1, 0]);
  assert.equal(upperHalf(table), 2);
  assert.equal(upperHalf(checkedTable(NEAR)), 2);
});
