import assert from "node:assert/strict";
import { test } from "node:test";

import { reverse, reversible } from "../../surveys/static/surveys/editor/reverse.js";

test("the reverse of a table exchanges what is reported", () => {
  const pairs = [
    [{ name: "warner", truth: "1/4" }, { name: "warner", truth: "3/4" }],
    [{ name: "crosswise", prevalence: "0.25" }, { name: "crosswise", prevalence: "3/4" }],
    [{ name: "forced_response", truth: "1/2", yes: "1/2" }, { name: "warner", truth: "1/4" }],
    [{ name: "forced_response", truth: "0.5" }, { name: "warner", truth: "1/4" }],
    [{ name: "k_ary", truth: "2/3" }, { name: "warner", truth: "1/6" }],
  ];
  for (const [channel, other] of pairs) {
    assert.deepEqual(reverse(channel), other, JSON.stringify(channel));
  }
});

test("a question without a reverse has none", () => {
  for (const channel of [{ name: "forced_response", truth: "1/2", yes: "1/4" }, { name: "triangular", prevalence: "1/4" }, { name: "warner", truth: "" }, { name: "k_ary", truth: "x" }]) {
    assert.equal(reverse(channel), null, JSON.stringify(channel));
  }
  const asked = { kind: "yes_no", channel: { name: "warner", truth: "1/4" } };
  assert.ok(reversible(asked));
  assert.ok(!reversible({ ...asked, kind: "scale" }) && !reversible({ ...asked, prefer_not: { en: "-" } }) && !reversible({ kind: "yes_no" }));
});
