import assert from "node:assert/strict";
import { test } from "node:test";

import { canonicalText, readDesign } from "../../surveys/static/surveys/client/design.js";
import { dayNoted, recordLoss } from "../../surveys/static/surveys/client/losses.js";
import { costsIn, eraseAll, numbersIn, oddsOf, sumOf } from "../../surveys/static/surveys/spent/ledger.js";
import { designDocument, item } from "./tools.mjs";

/** A storage as browsers have it. */
function device(content = {}) {
  const kept = new Map(Object.entries(content));
  return {
    kept,
    get length() { return kept.size; },
    key: (place) => [...kept.keys()][place] ?? null,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => kept.set(name, text),
    removeItem: (name) => kept.delete(name),
  };
}

const design = readDesign(canonicalText(designDocument({ version: 2, items: [item("a"), item("b")] })));
const asked = design.items.map((one) => ({ item: one }));

test("what is noted: name, wave, day, least and most; read again it is the same, and nothing else is there", () => {
  const localStorage = device();
  assert.equal(recordLoss({ localStorage }, design, asked, "Demo", true), true);
  assert.equal(recordLoss({ localStorage }, { ...design, version: 3 }, asked, "Demo", false), true);
  const [first, second] = costsIn(localStorage).map(({ cost }) => cost);
  assert.match(first.day, /^20\d\d-\d\d-\d\d$/);
  assert.deepEqual(first, { title: "Demo", slug: "demo", version: 2, day: first.day, least: 2.2, most: 2.2 }, "ln 9, rounded up");
  assert.deepEqual(second, { ...first, version: 3, least: 0 }, "with a number from before, an unchanged answer costs nothing");
  assert.deepEqual([...localStorage.kept.keys()], ["candor-spent-demo-2", "candor-spent-demo-3"]);
});

test("a device that does not keep says so", () => {
  const full = { ...device(), setItem: () => { throw new DOMException("full", "QuotaExceededError"); } };
  const forgetful = { ...device(), setItem: () => {} };
  for (const window of [{ localStorage: full }, { localStorage: forgetful }, {}]) {
    assert.equal(recordLoss(window, design, asked, "Demo", true), false);
  }
});

test("what others put into the storage is not shown, and erasing all leaves only what is on its way", () => {
  const cost = { title: "A", slug: "a", version: 1, day: "2026-11-21", least: 1, most: 1 };
  const text = (changes) => JSON.stringify({ ...cost, ...changes });
  const wrong = [
    "", "null", "{}", "[]", "{", text({ most: "1" }), text({ most: 9 }), text({ least: 2 }), text({ least: -1 }), text({ day: "now" }),
    text({ version: 1.5 }), text({ title: 7 }), text({ slug: "b" }),
  ];
  for (const one of wrong) {
    assert.deepEqual(costsIn(device({ "candor-spent-a-1": one })), [], one);
  }
  const storage = device({
    "candor-spent-a-1": text(), "candor-spent-x": "?", "candor-secret-a": "0".repeat(64), "candor-report-ff": "body", other: "1",
  });
  assert.deepEqual(costsIn(storage), [{ name: "candor-spent-a-1", cost }]);
  assert.deepEqual(numbersIn(storage), [{ name: "candor-secret-a", slug: "a" }]);
  eraseAll(storage);
  assert.deepEqual([...storage.kept.keys()], ["candor-report-ff", "other"]);
});

test("costs add up to the hundredth, and odds are rounded up", () => {
  assert.equal(sumOf([0.1, 0.2, 1.1, 0]), 1.4);
  assert.deepEqual([0, 0.01, 1.1, 2.3, 8].map(oddsOf), [1, 1.1, 3.1, 10, 2981]);
});

test("the day of a note is that of this wave of this survey; what no page of ours noted counts as none", () => {
  const localStorage = device();
  recordLoss({ localStorage }, design, asked, "Demo", true);
  assert.match(dayNoted({ localStorage }, design), /^20\d\d-\d\d-\d\d$/);
  assert.equal(dayNoted({ localStorage }, { ...design, version: 3 }), null);
  for (const text of ["", "{", "null", "7", '{"day":"<b>"}', '{"day":7}', '["2026-11-21"]']) {
    localStorage.setItem("candor-spent-demo-2", text);
    assert.equal(dayNoted({ localStorage }, design), null);
  }
  assert.equal(dayNoted({}, design), null, "a browser without a storage");
});
