import assert from "node:assert/strict";
import { test } from "node:test";

import { checkedTable, exceeds, ratioOf, readTicket, totalRatio } from "../../surveys/static/surveys/client/channel.js";
import { drawTicket } from "../../surveys/static/surveys/client/random.js";
import { TWO_COINS, tape, vectors } from "./tools.mjs";

const sampling = vectors("sampling.json");

test(`the same words give the same reports as in Python: ${sampling.cases.length} cases`, () => {
  for (const { weights, answer, words, ticket, report, words_used: used } of sampling.cases) {
    const table = checkedTable(weights);
    const source = tape(words, sampling.word_size);
    const drawn = drawTicket(source, table.tickets);
    assert.equal(drawn, ticket);
    assert.equal(source.used, used);
    assert.equal(readTicket(table.weights[answer], drawn), report, JSON.stringify({ weights, answer, words }));
  }
});

for (const { weights, reason } of sampling.malformed) {
  test(`refused: ${reason} ${JSON.stringify(weights)}`, () => {
    assert.throws(() => checkedTable(spoken(weights)), { code: "table" });
  });
}

test("refused: what JSON cannot even say, and what it can say instead of a table", () => {
  const tables = [null, undefined, 4, "[[3,1],[1,3]]", {}, [[3, 1], null], [[3n, 1n], [1n, 3n]], [[-0, 4], [1, 3]]];
  for (const weights of [...tables, [[3, 1], [1, 3], { length: 2 }], [[undefined, 4], [1, 3]], wide(257)]) {
    assert.throws(() => checkedTable(weights), { code: "table" });
  }
  assert.equal(checkedTable(wide(256)).tickets, 257);
});

test("a table cannot be changed once it was checked", () => {
  const weights = [[3, 1], [1, 3]];
  const table = checkedTable(weights);
  weights[0][0] = 4;
  assert.equal(table.weights[0][0], 3);
  assert.throws(() => { table.weights[0][0] = 4; }, TypeError);
});

test("every ticket of every row sends what the row says, exactly", () => {
  for (const weights of [TWO_COINS, [[4, 1, 1], [1, 4, 1], [1, 1, 4]], [[0, 5, 0], [2, 0, 3]], [[1, 0], [0, 1]]]) {
    const { tickets } = checkedTable(weights);
    for (const row of weights) {
      const counts = row.map(() => 0);
      for (let ticket = 0; ticket < tickets; ticket += 1) counts[readTicket(row, ticket)] += 1;
      assert.deepEqual(counts, row);
    }
  }
});

test("every sequence of four-valued words: the shipped sampler has the table's exact probabilities", () => {
  for (const weights of [TWO_COINS, [[2, 1], [1, 2]], [[1, 1, 1], [0, 2, 1], [3, 0, 0]]]) {
    weights.forEach((row) => {
      const { counts, open } = enumerated(row, checkedTable(weights).tickets, 4, 5);
      row.forEach((weight, report) => {
        const exact = weight * (4 ** 5 - open);
        assert.equal(counts[report] * sum(row), exact, `report ${report} of ${row}`);
      });
    });
  }
});

test("epsilon as an exact ratio", () => {
  const ratio = (weights) => Object.values(ratioOf(checkedTable(weights))).map(Number);
  assert.deepEqual(ratio(TWO_COINS), [3, 1]);
  assert.deepEqual(ratio([[1, 3], [3, 1]]), [3, 1]);
  assert.deepEqual(ratio([[7, 3], [3, 7]]), [7, 3]);
  assert.deepEqual(ratio([[4, 1, 1], [1, 4, 1], [1, 1, 4]]), [4, 1]);
  assert.deepEqual(ratio([[5, 5], [5, 5]]), [1, 1]);
});

test("a report that only one answer can give has no bound; a report that nobody gives does not count", () => {
  const without = ratioOf(checkedTable([[9, 1], [0, 10]]));
  assert.equal(without.divisor, 0n);
  assert.ok(exceeds(without, { number: 10n ** 30n, divisor: 1n }));
  assert.deepEqual(ratioOf(checkedTable([[3, 1, 0], [1, 3, 0]])), { number: 3n, divisor: 1n });
});

test("several reports multiply, exactly also beyond 2^53", () => {
  const ratio = ratioOf(checkedTable([[2 ** 31, 2 ** 31 - 1], [2 ** 31 - 1, 2 ** 31]]));
  const total = totalRatio([ratio, ratio, ratio]);
  assert.equal(total.number, (2n ** 31n) ** 3n);
  assert.equal(total.divisor, (2n ** 31n - 1n) ** 3n);
  assert.deepEqual(totalRatio([]), { number: 1n, divisor: 1n });
});

/** Follow every word sequence of the given length; `open` counts those that end before a ticket was accepted. */
function enumerated(row, tickets, size, depth) {
  const counts = row.map(() => 0);
  let open = 0;
  for (let code = 0; code < size ** depth; code += 1) {
    const words = Array.from({ length: depth }, (_, i) => Math.floor(code / size ** i) % size);
    try {
      counts[readTicket(row, drawTicket(tape(words, size), tickets))] += 1;
    } catch (problem) {
      assert.equal(problem.message, "the tape is at its end");
      open += 1;
    }
  }
  return { counts, open };
}

function spoken(weights) {
  const numbers = { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY };
  return weights.map((row) => row.map((weight) => numbers[weight] ?? weight));
}

function wide(columns) {
  return [0, 1].map((x) => Array.from({ length: columns }, (_, y) => (x === y ? 2 : 1)));
}

function sum(row) {
  return row.reduce((total, weight) => total + weight, 0);
}
