/** Changed copies of a draft: the original stays as it was, and what was not written is the same object in both. */
import assert from "node:assert/strict";
import test from "node:test";

import { changedCopy } from "../../surveys/static/surveys/editor/copies.js";
import { duplicateItem, itemOf, moveItem, removeItem, setChoices } from "../../surveys/static/surveys/editor/definition.js";

const question = (key) => ({ key, kind: "one_choice", wording: { en: key }, choices: [{ en: "A" }, { en: "B" }], channel: { name: "k_ary", truth: "2/5" } });
const draft = () => ({ languages: ["en"], title: { en: "Campus" }, items: [question("a"), question("b"), question("c")] });

/** The change made in a copy, and in place; what was there before must not be written. */
function both(change) {
  const [before, inPlace] = [draft(), draft()];
  const made = changedCopy(before, change);
  assert.deepEqual(change(inPlace), made.result);
  assert.deepEqual(made.after, inPlace);
  assert.deepEqual(before, draft());
  return { before, ...made };
}

test("copies: an edit of one question shares the others", () => {
  const { before, after } = both((it) => void (itemOf(it, "b").wording.en = "New words"));
  assert.equal(after.items[1].wording.en, "New words");
  assert.deepEqual(after.items.map((item, place) => item === before.items[place]), [true, false, true]);
  assert.equal(after.items[1].choices, before.items[1].choices);
  assert.equal(after.title, before.title);
});

test("copies: what is only read is the original", () => {
  const before = draft();
  assert.equal(changedCopy(before, (it) => JSON.stringify(it.items)).after, before);
});

test("copies: lists are moved, added to and cut as in place", () => {
  const { before, after } = both((it) => moveItem(it, "a", 1));
  assert.deepEqual(after.items, [before.items[1], before.items[0], before.items[2]]);
  assert.equal(after.items[0], before.items[1]);
  both((it) => removeItem(it, "b"));
  both((it) => void it.items.sort((one, other) => (one.key < other.key ? 1 : -1)));
  both((it) => void delete it.items[1].channel.truth);
  both((it) => setChoices(it, "a", [{ en: "C" }, ...it.items[0].choices], [-1, 0, 1]));
});

test("copies: a duplicate is changed by itself", () => {
  const { after } = both((it) => duplicateItem(it, "a"));
  const changed = changedCopy(after, (it) => (it.items[1].choices[0].en = "Of the copy")).after;
  assert.equal(changed.items[0].choices[0].en, "A");
  assert.equal(changed.items[1].choices[0].en, "Of the copy");
});
