import assert from "node:assert/strict";
import { test } from "node:test";

import { checkedGrid } from "../../surveys/static/surveys/client/grid.js";
import { readNumber } from "../../surveys/static/surveys/client/number.js";
import { answerInWords, rangeInWords, sentInWords } from "../../surveys/static/surveys/client/wording.js";

/** Says the key and the values, so that a test reads what would be said. */
const sentences = {
  say: (key, values = {}) => [key, ...Object.values(values)].join("|"),
  text: (text) => text.en,
  point: (number) => `<${number}>`,
  list: (texts) => texts.join("+"),
};

const CHOICES = ["a", "b", "c"].map((en) => ({ en }));
const choice = (encoding, kind = "one_choice") => ({ kind, choices: CHOICES, grid: null, encoding: { name: encoding } });

function number(columns, grid = { minimum: "0", maximum: "10", step: "0.5" }) {
  const table = { weights: [Array(columns).fill(1)] };
  return { kind: "number", choices: [], grid: checkedGrid(grid), encoding: { name: "single" }, table };
}

test("numbers as people write them", () => {
  const read = (text) => readNumber(text, 1);
  const same = ["2.5", "2,5", " 2.5 ", "٢٫٥", "۲٫۵", "٢,٥", "2.50", "02.5", "\u200f2.5\u200e"];
  same.forEach((text) => assert.equal(read(text), 2.5, text));
  ["-3", "\u22123", "-3.0", "\u061c-٣"].forEach((text) => assert.equal(read(text), -3, text));
  assert.equal(read("1 000"), 1000);
});

test("what is not a number, or could be two, is not read", () => {
  const texts = ["", " ", "x", "1e3", "0x10", "1.", ".5", "1,2,3", "1.000,5", "--1", "+1", "½", "1/2", "Infinity", "NaN", "1".repeat(10)];
  texts.forEach((text) => assert.equal(readNumber(text, 1), null, text));
  assert.equal(readNumber("1,000", 0), null, "a thousand, or one");
  assert.equal(readNumber("1,000", 3), 1);
});

test("an answer in words, for the review", () => {
  assert.equal(answerInWords(choice("single"), 1, sentences), "b");
  assert.equal(answerInWords(choice("single"), null, sentences), "blank-prefer-not");
  const several = choice("each_option", "several_choices");
  assert.equal(answerInWords(several, [1, 0, 1], sentences), "a+c");
  assert.equal(answerInWords(several, [0, 0, 0], sentences), "none-ticked");
  assert.equal(answerInWords(several, null, sentences), "blank-unticked");
  assert.equal(answerInWords(number(21), 5, sentences), "<2.5>");
});

test("what was sent, in words, for every encoding", () => {
  assert.equal(sentInWords(choice("single"), [2], sentences), "sent-line|c");
  for (const encoding of ["one_hot", "subset"]) {
    assert.equal(sentInWords(choice(encoding), [1, 1, 0], sentences), "sent-set|a+b");
    assert.equal(sentInWords(choice(encoding), [0, 0, 0], sentences), "sent-set-none|");
  }
  assert.equal(sentInWords(choice("each_option"), [0, 1, 0], sentences), "sent-marked|b");
  assert.equal(sentInWords(choice("each_option"), [0, 0, 0], sentences), "sent-marked-none|");
});

test("a number is sent as itself, as one of its ends, or as the symbol of another table", () => {
  assert.equal(sentInWords(number(21), [20], sentences), "sent-line|<10>");
  assert.deepEqual([0, 1].map((y) => sentInWords(number(2), [y], sentences)), ["sent-lowest|<0>", "sent-highest|<10>"]);
  assert.equal(sentInWords(number(5), [4], sentences), "sent-place|5|5");
  const twoPoints = number(2, { minimum: "0", maximum: "1", step: "1" });
  assert.equal(sentInWords(twoPoints, [1], sentences), "sent-line|<1>", "its points are its ends");
});

test("the range of a number", () => {
  const range = rangeInWords(checkedGrid({ minimum: "-0.3", maximum: "0.3", step: "0.1" }), sentences);
  assert.deepEqual(range, { minimum: "<-0.3>", maximum: "<0.3>", step: "<0.1>" });
});
