import assert from "node:assert/strict";
import { test } from "node:test";

import { canonicalText, readDesign } from "../../surveys/static/surveys/client/design.js";
import { practiceBox, sentBy } from "../../surveys/static/surveys/client/practice.js";
import { designDocument, item } from "./tools.mjs";

const THREE = [[4, 1, 1], [1, 4, 1], [1, 1, 4]];
const RATES = [[4, 2], [3, 3]];

function first(changes, channel = {}) {
  const source = { ...item("one", THREE), ...changes };
  source.channel = { ...source.channel, ...channel };
  return readDesign(canonicalText(designDocument({ items: [source] }))).items[0];
}

const single = (weights) => first(item("one", weights));
const list = first({ encoding: "one_hot" }, { weights: RATES });
const set = first({ encoding: "subset" }, { weights: [[5, 7]], size: 2 });

test("the practice is drawn from the first question's own box where it fits, else from two coins", () => {
  const uneven = [[9, 1], [2, 8]];
  assert.deepEqual(practiceBox(single(uneven), 2).table.weights, uneven);
  assert.deepEqual(practiceBox(single(THREE), 3).table.weights, THREE);
  assert.deepEqual(practiceBox(single(THREE), 2).table.weights, [[3, 1], [1, 3]]);
  assert.equal(practiceBox(list, 3).encoding, list.encoding);
  assert.equal(practiceBox(set, 3).encoding, set.encoding);
  assert.deepEqual(practiceBox(set, 2).table.weights, [[3, 1], [1, 3]]);
  const options = first({ kind: "several_choices", encoding: "each_option" }, { weights: RATES });
  assert.deepEqual(practiceBox(options, 2).table.weights, RATES);
});

test("what the tickets send adds up to the table, so that the practice is the real thing", () => {
  for (const weights of [THREE, [[3, 1], [1, 3]], [[9, 1], [2, 8]]]) {
    const box = practiceBox(single(weights), weights.length);
    const counted = weights.map((row) => row.map(() => 0));
    for (let ticket = 0; ticket < box.table.tickets; ticket += 1) {
      sentBy(box, [ticket]).forEach(([y], x) => {
        counted[x][y] += 1;
      });
    }
    assert.deepEqual(counted, weights);
  }
});

test("marked choices are told by name: each by its own ticket, a set by its two", () => {
  const box = practiceBox(list, 3);
  assert.deepEqual(sentBy(box, [3, 0, 5]), [[0, 2], [2], [2]]);
  assert.deepEqual(sentBy(box, [0, 0, 0]), [[], [], []]);
  assert.equal(box.own(1), 3);
  const sets = sentBy(practiceBox(set, 3), [11, 0, 0]);
  sets.forEach((sent, x) => assert.ok(sent.length === 2 && sent.includes(x)));
  sentBy(practiceBox(set, 3), [0, 0, 0]).forEach((sent, x) => assert.ok(sent.length === 2 && !sent.includes(x)));
});
