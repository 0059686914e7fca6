import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import "../../surveys/static/surveys/client/arms.js";
import { exceeds, ratioOfEpsilon } from "../../surveys/static/surveys/client/channel.js";
import { canonicalText, digestOf, readDesign } from "../../surveys/static/surveys/client/design.js";
import { designDocument, item } from "./tools.mjs";

const { subtle } = globalThis.crypto;
const DIGEST = "0123456789abcdef".repeat(4);
const read = (document) => readDesign(canonicalText(document));

test("a design that passes is read, and frozen", () => {
  const design = read(designDocument());
  assert.deepEqual(design.items.map(({ key, table }) => [key, table.tickets]), [["first", 4], ["second", 6]]);
  assert.throws(() => design.items.push(1), TypeError);
});

test("canonical: sorted keys at every depth, no spaces, text as it is", () => {
  assert.equal(canonicalText({ b: [{ d: 1, c: "ä\u2028\n" }], a: null }), '{"a":null,"b":[{"c":"ä\u2028\\n","d":1}]}');
});

test("a text that is not canonical is refused: spaces, order, a key twice, a float, an exponent, a minus zero", () => {
  const text = canonicalText(designDocument());
  const changed = [
    ` ${text}`, `${text}\n`, `\ufeff${text}`, text.replace('"format":1', '"format": 1'),
    text.replace('"format":1', '"format":1.0'), text.replace('"format":1', '"format":1e0'),
    text.replace('"format":1', '"format":2,"format":1'), text.replace("[[3,1]", "[[-0,4]"),
    JSON.stringify(designDocument()), "", "{", "null", "[]", "1", '"design"',
  ];
  for (const other of changed) {
    assert.throws(() => readDesign(other), { code: "design" }, other.slice(0, 60));
  }
});

test("what the client does not know, it does not guess", () => {
  const wrong = [
    { format: 2 }, { format: "1" }, { rehearsal: true }, { items: [] }, { items: {} },
    { items: [{ ...item("a"), kind: "number" }] }, { items: [{ ...item("a"), encoding: "one_hot" }] },
    { items: [{ ...item("a"), choices: [] }] }, { items: [{ ...item("a"), choices: [{ en: "only one" }] }] },
    { items: [{ ...item("a", [[5, 2, 0], [0, 2, 5]]), kind: "yes_no" }] }, { items: [null] },
    { strata: { wording: {}, groups: [{ key: "a" }, { key: "bb" }] } },
    { strata: { wording: {}, groups: [{ key: "a" }, { key: "ä" }] } },
    { strata: { wording: {}, groups: [{ label: {} }] } },
  ];
  for (const changes of wrong) {
    assert.throws(() => read(designDocument(changes)), { code: "design" }, JSON.stringify(changes));
  }
});

test("a malformed table names its question", () => {
  const items = [item("a"), item("b", [[3, 1], [1, 4]])];
  const problem = caught(() => read(designDocument({ items })));
  assert.equal(problem.code, "table");
  assert.deepEqual(problem.values, { number: 2, detail: "row 1 must sum to 4 like row 0; it sums to 5" });
});

test("of versions that ask different questions, the one that can reveal the most counts", () => {
  const items = [item("a", [[50, 1], [1, 50]]), item("b", [[60, 1], [1, 60]]), item("c", [[40, 1], [1, 40]])];
  const drawn = { explanation: "before", weight: 1 };
  const arms = (...changes) => ({ background_questions: { questions: [{ arms: changes.map((one) => ({ ...drawn, ...one })) }] } });
  const made = read(designDocument({ items, ...arms({}, { instead: { a: "b" } }) }));
  assert.deepEqual(made.versions, [[0, 2], [1, 2]]);
  assert.equal(made.most, 1, "60 times 40 is within the limit, 50 times 60 times 40 would not be");
  assert.throws(() => read(designDocument({ items: items.slice(1).concat(item("d", [[80, 1], [1, 80]])), ...arms({}, { instead: { b: "d" } }) })), { code: "too-much" });
  assert.throws(() => read(designDocument({ items, ...arms({}, { instead: { a: "x" } }) })), { code: "design" });
});

test("the client's own limit: odds of 2980 to 1 over all questions, not a hair more", () => {
  const within = [item("a", [[2980, 1], [1, 2980]])];
  const above = [item("a", [[2981, 1], [1, 2981]])];
  const seven = Array.from({ length: 7 }, (_, i) => item(`q${i}`));
  assert.equal(read(designDocument({ items: within })).items.length, 1);
  assert.equal(read(designDocument({ items: seven })).items.length, 7, "3^7 = 2187");
  for (const items of [above, [...seven, item("q7")], [item("a", [[4, 0], [0, 4]])], [item("a", [[9, 1], [0, 10]])]]) {
    assert.throws(() => read(designDocument({ items })), { code: "too-much" });
  }
});

test("the digest is SHA-256 of the text in UTF-8", async () => {
  for (const text of ["", "abc", "Sí, “نعم” 🎫"]) {
    assert.equal(await digestOf(text, subtle), createHash("sha256").update(text, "utf8").digest("hex"));
  }
  await assert.rejects(digestOf("", undefined), { code: "no-digest" });
  await assert.rejects(digestOf("", {}), { code: "no-digest" });
});


test("a hundred single changes, a hundred other digests", async () => {
  const text = canonicalText(designDocument());
  const places = Array.from({ length: 100 }, (_, i) => Math.floor((i * text.length) / 100));
  const changed = places.map((at) => text.slice(0, at) + (text[at] === "~" ? "!" : "~") + text.slice(at + 1));
  const digests = await Promise.all([text, ...changed].map((one) => digestOf(one, subtle)));
  assert.equal(new Set(digests).size, 101);
});

function caught(action) {
  try {
    action();
  } catch (problem) {
    return problem;
  }
  return assert.fail("nothing was refused");
}

test("ceilings: above one that the design names a reason must stand, and a design without them is as before", () => {
  const [below, above] = [item("a", [[20, 1], [1, 20]]), item("a", [[21, 1], [1, 21]])];
  const ceilings = { question: "3", total: "4" };
  const several = [item("a", [[9, 1], [1, 9]]), item("b", [[9, 1], [1, 9]])];
  assert.equal(read(designDocument({ items: [below], ceilings })).items.length, 1);
  for (const items of [[above], several]) {
    assert.equal(read(designDocument({ items })).items.length, items.length);
    assert.equal(read(designDocument({ items, ceilings: { ...ceilings, reason: "A pilot." } })).items.length, items.length);
    const problem = caught(() => read(designDocument({ items, ceilings })));
    assert.match(problem.values.detail, /is above the ceiling of epsilon that it names, and it gives no reason/);
  }
  const spent = { waves: { repeats: "fresh", spent: "3/1" } };
  assert.throws(() => read(designDocument({ items: [below], ceilings, ...spent })), { code: "design" });
  const most = [item("a", [[2981, 1], [1, 2981]])];
  assert.throws(() => read(designDocument({ items: most, ceilings: { ...ceilings, reason: "A pilot." } })), { code: "too-much" });
  for (const wrong of [null, [], {}, { question: "3" }, { question: 3, total: "4" }, { question: "0", total: "4" },
    { question: "8.1", total: "4" }, { question: "3", total: "1e9" }, { ...ceilings, reason: " " }, { ...ceilings, reason: 1 }]) {
    assert.throws(() => read(designDocument({ ceilings: wrong })), { code: "design" }, JSON.stringify(wrong));
  }
});

test("e^epsilon is exact to 70 digits: the fractions next to e^3 fall on their own sides", () => {
  const [below, above] = [["20085536923187667740928529654581", 10n ** 30n], ["20085536923187667740928529654582", 10n ** 30n]];
  const cubed = ratioOfEpsilon("3");
  assert.equal(exceeds({ number: BigInt(below[0]), divisor: below[1] }, cubed), false);
  assert.equal(exceeds({ number: BigInt(above[0]), divisor: above[1] }, cubed), true);
  assert.deepEqual(["", "0", "0.0", "9", "8.000001", "-1", 3, null, "1e1", " 3"].map(ratioOfEpsilon), Array(10).fill(null));
  assert.equal(exceeds({ number: 2981n, divisor: 1n }, ratioOfEpsilon("8.0")), true);
});
