import assert from "node:assert/strict";
import { test } from "node:test";

import { drawNonce, drawTicket, systemWords } from "../../surveys/static/surveys/client/random.js";
import { tape } from "./tools.mjs";

test("with words of 8 bits every ticket has the same number of words, for every box", () => {
  for (let tickets = 1; tickets <= 256; tickets += 1) {
    const counts = new Array(tickets).fill(0);
    for (let word = 0; word < 256; word += 1) {
      const source = tape([word, 0], 256);
      const ticket = drawTicket(source, tickets);
      counts[ticket] += source.used === 1 ? 1 : 0;
    }
    assert.deepEqual(new Set(counts), new Set([Math.floor(256 / tickets)]), `${tickets} tickets`);
  }
});

test("the number of words depends on the words and the box alone, one for each box that divides", () => {
  for (const tickets of [1, 2, 4, 256]) {
    for (let word = 0; word < 256; word += 1) {
      const source = tape([word], 256);
      drawTicket(source, tickets);
      assert.equal(source.used, 1);
    }
  }
});

test("a box holds 1 to as many tickets as there are words", () => {
  for (const tickets of [0, -1, 257, 1.5, NaN, Infinity, "4", null, undefined]) {
    assert.throws(() => drawTicket(tape([0], 256), tickets), { code: "table" });
  }
  assert.equal(drawTicket(tape([255], 256), 256), 255);
});

test("words that are rejected for ever end in a refusal, not in a page that hangs", () => {
  const stuck = { size: 256, next: () => 255 };
  assert.throws(() => drawTicket(stuck, 3), { code: "generator-stuck" });
});

test("words come from the generator in their order, each once", () => {
  const given = Uint32Array.from({ length: 32 }, (_, i) => i * 7 + 1);
  const source = systemWords(generatorOf(given));
  assert.equal(source.size, 2 ** 32);
  assert.deepEqual(Array.from({ length: 32 }, () => source.next()), [...given]);
});

test("each word is wiped as it is handed out, and the rest on demand", () => {
  let block = null;
  const source = systemWords({
    getRandomValues(array) {
      block = array;
      array.forEach((_, i) => { array[i] = i + 1; });
    },
  });
  assert.equal(source.next(), 1);
  assert.deepEqual([...block].slice(0, 3), [0, 2, 3]);
  source.wipe();
  assert.deepEqual(new Set(block), new Set([0]));
  assert.equal(source.next(), 1, "wiped words are not handed out: a new block is fetched");
});

test("no generator, a throwing one, one that is stuck or does nothing: refused", () => {
  const broken = [
    [undefined, "no-generator"],
    [{}, "no-generator"],
    [{ getRandomValues: "yes" }, "no-generator"],
    [{ getRandomValues() { throw new Error("quota"); } }, "no-generator"],
    [{ getRandomValues() {} }, "generator-stuck"],
    [{ getRandomValues: (array) => array.fill(0) }, "generator-stuck"],
    [{ getRandomValues: (array) => array.fill(2 ** 32 - 1) }, "generator-stuck"],
  ];
  for (const [generator, code] of broken) {
    assert.throws(() => systemWords(generator).next(), { code });
  }
});

test("a generator that stops working later is noticed too", () => {
  let calls = 0;
  const source = systemWords({
    getRandomValues(array) {
      calls += 1;
      if (calls === 1) array.forEach((_, i) => { array[i] = i; });
    },
  });
  for (let i = 0; i < 16; i += 1) source.next();
  assert.throws(() => source.next(), { code: "generator-stuck" });
});

test("a nonce is 128 bits as 32 hex digits, leading zeros kept", () => {
  assert.equal(drawNonce(tape([0, 1, 2 ** 32 - 1, 0xabc])), "0000000000000001ffffffff00000abc");
});

test("the machine's own generator gives a fair box of six", () => {
  const source = systemWords(globalThis.crypto);
  const counts = new Array(6).fill(0);
  for (let i = 0; i < 60_000; i += 1) counts[drawTicket(source, 6)] += 1;
  const statistic = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
  // chi-squared, 5 degrees of freedom: above 36.4 once in 1.3 million runs of a fair generator.
  assert.ok(statistic < 36.4, `chi-squared ${statistic}`);
});

function generatorOf(words) {
  let at = 0;
  return {
    getRandomValues(array) {
      array.set(words.subarray(at, at + array.length));
      at += array.length;
    },
  };
}
