import assert from "node:assert/strict";
import { test } from "node:test";

import { readCells } from "../../surveys/static/surveys/client/background.js";

const three = [{ en: "yes" }, { en: "no" }, { en: "prefer not to say" }];
const questions = [{ choices: three }, { choices: three }];
const cells = [[[0], [0]], [[0], [1, 2]], [[1, 2], null]];

test("a cell has a key by its place, and all answers where it says none", () => {
  assert.deepEqual(readCells({ questions, cells }), [
    { key: "c0001", answers: [[0], [0]] },
    { key: "c0002", answers: [[0], [1, 2]] },
    { key: "c0003", answers: [[1, 2], [0, 1, 2]] },
  ]);
});

test("cells that cannot be read are refused", () => {
  const wrong = [
    undefined, {}, [], [[null, null]], [[[0]], [[1, 2]]], [[[3], null], [null, null]], [[[], null], [[0], null]],
    [[0, null], [null, null]], [null, null], [["0", null], [null, null]],
  ];
  for (const one of wrong) {
    assert.throws(() => readCells({ questions, cells: one }), { code: "design" }, JSON.stringify(one));
  }
  assert.throws(() => readCells({ questions: {}, cells }), { code: "design" });
});
