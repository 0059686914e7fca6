import assert from "node:assert/strict";
import { test } from "node:test";

import { canonicalText, readDesign } from "../../surveys/static/surveys/client/design.js";
import { designDocument, item } from "./tools.mjs";

const read = (waves, items = [item("a")]) => readDesign(canonicalText(designDocument({ waves, items })));

test("what was spent in earlier waves is read exactly", () => {
  assert.equal(readDesign(canonicalText(designDocument())).waves, null);
  assert.deepEqual(read({ repeats: "remember", spent: "1/1" }).waves.spent, { number: 1n, divisor: 1n });
  assert.deepEqual(read({ repeats: "fresh", spent: "81/16" }).waves, { repeats: "fresh", spent: { number: 81n, divisor: 16n } });
});

test("the client's own limit counts the waves before: spent times total, not a hair more", () => {
  assert.equal(read({ repeats: "fresh", spent: "2980/3" }).items.length, 1, "times 3 is the limit");
  for (const spent of ["2981/3", "8941/9", `${10n ** 60n}/1`]) {
    for (const repeats of ["fresh", "remember"]) {
      assert.throws(() => read({ repeats, spent }), { code: "too-much" });
    }
  }
});

test("what is said of waves in other words is refused", () => {
  const sound = { repeats: "fresh", spent: "3/1" };
  for (const spent of ["", "3", "0/1", "3/0", "1/3", "-3/1", "3/1 ", "3.0/1", 3, null, undefined]) {
    assert.throws(() => read({ ...sound, spent }), { code: "design" }, String(spent));
  }
  for (const waves of [null, {}, "fresh", { ...sound, repeats: "always" }, { spent: "3/1" }]) {
    assert.throws(() => read(waves), { code: "design" });
  }
});
