import assert from "node:assert/strict";
import { test } from "node:test";

import "../../surveys/static/surveys/client/arms.js";
import { extra } from "../../surveys/static/surveys/client/extras.js";

const Arms = extra("arms");
const before = { explanation: "before", weight: 3 };
const after = { explanation: "after", weight: 1 };

/** A page without introductions, whose explanation may be moved. */
function page() {
  const moved = [];
  const parts = { promise: { dataset: { armOnly: "before" } }, "explained-later": { append: (one) => moved.push(one) } };
  return {
    dataset: {},
    moved,
    querySelectorAll: () => [],
    querySelector: (selector) => parts[/"(.*)"/.exec(selector)[1]] ?? null,
  };
}

const words = (word) => ({ size: 2 ** 32, next: () => word });

test("of as many tickets as all weights each arm has its weight", () => {
  const places = [0, 1, 2, 3, 4].map((word) => {
    const arms = new Arms(page(), [before, after]);
    arms.begin(words(word));
    return arms.place;
  });
  assert.deepEqual(places, [0, 0, 0, 1, 0]);
});

test("an arm is drawn once", () => {
  const root = page();
  const arms = new Arms(root, [before, after]);
  arms.begin(words(3));
  arms.begin(words(0));
  assert.equal(arms.place, 1);
  assert.equal(root.dataset.arm, "after");
  assert.equal(root.moved.length, 1);
});

test("before it is drawn there is no arm", () => {
  assert.throws(() => new Arms(page(), [before, after]).place, { code: "design" });
});

test("arms that cannot be read are refused", () => {
  const wrong = [null, [], [before], [before, { ...after, weight: 0 }], [before, { ...after, weight: 1.5 }], [before, { ...after, explanation: "never" }]];
  for (const one of wrong) {
    assert.throws(() => new Arms(page(), one), { code: "design" }, JSON.stringify(one));
  }
});
