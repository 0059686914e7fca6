import assert from "node:assert/strict";
import { test } from "node:test";

import { canonicalText, readDesign } from "../../surveys/static/surveys/client/design.js";
import { Tickets, isBodyFor, readBody, requestBody } from "../../surveys/static/surveys/client/report.js";
import { designDocument, item, tape } from "./tools.mjs";

const K_ARY = [[4, 1, 1], [1, 4, 1], [1, 1, 4]];
const design = (items) => readDesign(canonicalText(designDocument({ items })));

test("tickets are drawn when they are made, one a question, before any answer is known", () => {
  const source = tape([3, 5, 0]);
  const tickets = new Tickets(design([item("a"), item("b", K_ARY), item("c")]), source);
  assert.equal(source.used, 3);
  assert.equal(tickets.read([0, 1, 1]), "010200");
  assert.equal(source.used, 3, "reading draws nothing");
});

test("each question is read with its own ticket and its own row, at every place of thirty", () => {
  const almostFair = [[1001, 999], [999, 1001]];
  const thirty = design(Array.from({ length: 30 }, (_, i) => item(`q${i}`, almostFair)));
  for (let place = 0; place < 30; place += 1) {
    const words = Array.from({ length: 30 }, (_, i) => (i === place ? 1000 : 0));
    const report = (answer) => new Tickets(thirty, tape(words)).read(Array.from({ length: 30 }, (_, i) => (i === place ? answer : 0)));
    const expected = (symbol) => "00".repeat(place) + symbol + "00".repeat(29 - place);
    assert.equal(report(0), expected("00"));
    assert.equal(report(1), expected("01"));
  }
});

test("tickets are read once: not for a second answer, not for the same one again, not after they were forgotten", () => {
  const tickets = new Tickets(design([item("a")]), tape([0]));
  tickets.read([1]);
  assert.throws(() => tickets.read([1]), { code: "tickets-used" });
  assert.throws(() => tickets.read([0]), { code: "tickets-used" });
  const left = new Tickets(design([item("a")]), tape([0]));
  left.forget();
  left.forget();
  assert.throws(() => left.read([0]), { code: "tickets-used" });
});

test("tickets show nothing of themselves", () => {
  const tickets = new Tickets(design([item("a")]), tape([3]));
  assert.equal(JSON.stringify(tickets), "{}");
  assert.deepEqual(Object.getOwnPropertyNames(tickets), []);
});

test("a question without an answer makes no report", () => {
  for (const answers of [[], [undefined], [null], [2], [-1], ["0 "]]) {
    assert.throws(() => new Tickets(design([item("a")]), tape([0])).read(answers), TypeError);
  }
});

test("the body: four keys in one order, one length for every answer and every ticket", () => {
  const parts = { report: "0001", stratum: "a", nonce: "0".repeat(32), design: "f".repeat(64) };
  const body = requestBody(parts);
  assert.equal(body, `{"design":"${parts.design}","nonce":"${parts.nonce}","stratum":"a","report":"0001"}`);
  const lengths = ["0000", "0001", "0100", "ff00"].map((report) => requestBody({ ...parts, report }).length);
  assert.equal(new Set(lengths).size, 1);
  const read = (text) => readBody(text, design([item("a"), item("b")]));
  assert.deepEqual(read(body), { stratum: "a", symbols: [[0], [1]] });
  assert.deepEqual(read(requestBody({ ...parts, report: "ff10" })).symbols, [[255], [16]]);
});

test("a stored text is a body of this design only where each symbol of it can be sent", () => {
  const neverLast = [[3, 1, 0], [1, 3, 0], [1, 3, 0]];
  const bits = [[3, 1], [1, 3]];
  const shape = (key, encoding, weights, more = {}) => ({
    ...item(key, K_ARY),
    encoding,
    channel: { name: "custom", weights, ...more },
  });
  const prepared = {
    digest: "f".repeat(64),
    design: design([item("a", neverLast), shape("b", "one_hot", bits), shape("c", "subset", [[1, 1]], { size: 1 })]),
  };
  const body = (report) => requestBody({ design: prepared.digest, nonce: "0".repeat(32), stratum: "", report });
  for (const report of ["00000000010000", "01010101000100", "01000100000001"]) {
    assert.equal(isBodyFor(body(report), prepared), true, report);
  }
  for (const report of ["02000000010000", "00000200010000", "00000000000000", "00000000010100", "00000000020000", "0000000001"]) {
    assert.equal(isBodyFor(body(report), prepared), false, report);
  }
});
