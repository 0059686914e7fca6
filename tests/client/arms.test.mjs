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

/** A design of one question with these arms. */
const design = (arms, versions = [[0]], changes = {}) => ({
  background: { questions: [{ arms }] },
  items: [{ encoding: { ratio: { number: 3n, divisor: 1n } } }, { encoding: { ratio: { number: 7n, divisor: 2n } } }],
  statements: [],
  versions,
  ...changes,
});

const words = (word) => ({ size: 2 ** 32, next: () => word });

test("of as many tickets as all weights each arm has its weight", () => {
  const places = [0, 1, 2, 3, 4].map((word) => {
    const arms = new Arms(page(), design([before, after]));
    arms.begin(words(word));
    return arms.place;
  });
  assert.deepEqual(places, [0, 0, 0, 1, 0]);
});

test("an arm is drawn once", () => {
  const root = page();
  const arms = new Arms(root, design([before, after]));
  arms.begin(words(3));
  arms.begin(words(0));
  assert.equal(arms.place, 1);
  assert.equal(root.dataset.arm, "after");
  assert.equal(root.moved.length, 1);
});

test("an arm asks what it asks instead, and leaves out the rest", () => {
  const arms = [before, { ...after, instead: { a: "b" } }, { ...after, instead: { a: "b", c: "d" } }];
  assert.deepEqual(Arms.versions(["a", "b", "c", "d"], arms), [[0, 2], [1, 2], [1, 3]]);
  assert.deepEqual(Arms.versions(["a", "b"], [before, after]), [[0, 1], [0, 1]]);
  assert.throws(() => Arms.versions(["a"], [before, { ...after, instead: { a: "x" } }]), { code: "design" });
});

test("before it is drawn there is no arm", () => {
  assert.throws(() => new Arms(page(), design([before, after])).place, { code: "design" });
});

test("arms that cannot be read are refused", () => {
  const wrong = [null, [], [before], [before, { ...after, weight: 0 }], [before, { ...after, weight: 1.5 }], [before, { ...after, explanation: "never" }]];
  for (const one of wrong) {
    assert.throws(() => new Arms(page(), design(one)), { code: "design" }, JSON.stringify(one));
  }
});

const coin = { explanation: "own_coin", weight: 1 };
const single = { name: "single", makes: ([mark]) => mark < 2, ratio: { number: 3n, divisor: 1n } };

/** Two items, of which the second version asks the second, by a coin. */
const tossed = (changes = {}) =>
  design([before, coin], [[0], [1]], { items: [0, 1].map(() => ({ encoding: single, grid: null, askedIf: null, ...changes })) });

/** A page whose questions have rules, or have none. */
function withRules(has) {
  const attributes = [];
  const input = { setAttribute: (name, value) => attributes.push([name, value]) };
  const question = (i) => ({ querySelector: () => (has ? { id: `toss-${i}` } : null), querySelectorAll: () => [input] });
  const questions = [question(1), question(2)];
  return { ...page(), attributes, querySelectorAll: (selector) => (selector.includes("question") ? questions : []) };
}

test("what a coin decided is sent as it is marked, of the questions that the version asks", () => {
  const root = withRules(true);
  const arms = new Arms(root, tossed());
  arms.begin(words(3));
  assert.equal(root.dataset.arm, "own_coin");
  assert.deepEqual(root.attributes, [["aria-describedby", "toss-2"]]);
  assert.deepEqual(arms.marks([null, 1]), { 1: [1] });
  for (const mark of [null, undefined, 2, 0.5, "1"]) {
    assert.throws(() => arms.marks([0, mark]), TypeError, String(mark));
  }
});

test("tickets decide in the other version", () => {
  const arms = new Arms(withRules(true), tossed());
  arms.begin(words(0));
  assert.ok(!arms.ownCoin);
  assert.deepEqual(arms.marks([1, null]), {});
});

test("a version with a coin without its rules, or with more than marks, is refused", () => {
  assert.throws(() => new Arms(withRules(false), tossed()).begin(words(3)), { code: "page" });
  for (const changes of [{ encoding: { ...single, name: "one_hot" } }, { grid: {} }, { askedIf: { index: 0, answers: [1] } }]) {
    assert.throws(() => new Arms(withRules(true), tossed(changes)), { code: "design" }, JSON.stringify(changes, (_key, one) => String(one)));
  }
});

test("a version that can reveal more than another needs a consent of its own", () => {
  const versions = [[0], [1]];
  const agreed = { ...after, consent: { en: "I agree to less protection." } };
  const statements = [{ en: "I agree." }];
  const made = (arms, changes) => new Arms(page(), design(arms, versions, changes));
  assert.throws(() => made([before, after], { statements }), { code: "design", values: { detail: "a version that protects less has no consent of its own" } });
  assert.throws(() => made([before, agreed], { statements: [] }), { code: "design" });
  assert.ok(made([before, agreed], { statements }));
  assert.ok(new Arms(page(), design([before, after], [[1], [1]])), "alike");
});

test("a preview shows the version that it is asked for; a page that sends draws its own", () => {
  const chosen = (survey) => {
    const root = { ...page(), dataset: { survey, version: "1" } };
    const arms = new Arms(root, design([before, after]));
    arms.begin(words(0));
    return arms.place;
  };
  assert.deepEqual([chosen(""), chosen("/s/demo/")], [1, 0]);
});
