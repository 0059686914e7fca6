import assert from "node:assert/strict";
import { test } from "node:test";

import { checkedTable } from "../../surveys/static/surveys/client/channel.js";
import { epsilonUp, filledOfHundred, oddsUp, ofHundred, shareOf } from "../../surveys/static/surveys/client/figures.js";

const numbers = new Intl.NumberFormat("en");
const ratio = (number, divisor = 1) => ({ number: BigInt(number), divisor: BigInt(divisor) });

test("natural frequencies: to the nearest person, never a false none or all", () => {
  const table = checkedTable([[3, 1], [1, 3]]);
  const said = (of, x, y) => ofHundred(shareOf(of, x, y), numbers);
  assert.deepEqual([said(table, 1, 1), said(table, 0, 1)], ["75", "25"]);
  const thirds = checkedTable([[2, 1], [1, 2]]);
  assert.deepEqual([said(thirds, 0, 0), said(thirds, 0, 1)], ["67", "33"]);
  const extreme = checkedTable([[999, 1], [1, 999]]);
  assert.deepEqual([said(extreme, 0, 0), said(extreme, 0, 1)], [">99", "<1"]);
  const certain = checkedTable([[4, 0], [2, 2]]);
  assert.deepEqual([said(certain, 0, 0), said(certain, 0, 1)], ["100", "0"]);
  assert.equal(filledOfHundred(shareOf(table, 1, 1)), 75);
});

test("odds are rounded up", () => {
  const cases = [[1, 1, 1], [3, 1, 3], [7, 3, 2.4], [5, 3, 1.7], [10 ** 6 + 1, 10 ** 6, 1.1], [99, 10, 9.9], [991, 100, 10], [27, 1, 27], [28, 3, 9.4], [271, 10, 28]];
  for (const [number, divisor, shown] of cases) {
    assert.equal(oddsUp(ratio(number, divisor)), shown, `${number}/${divisor}`);
  }
});

test("epsilon is rounded up: never below the logarithm, never a hundredth above it", () => {
  assert.equal(epsilonUp(ratio(1)), 0);
  assert.equal(epsilonUp(ratio(3)), 1.1);
  assert.equal(epsilonUp(ratio(27)), 3.3);
  assert.equal(epsilonUp(ratio(5, 3)), 0.52);
  assert.equal(epsilonUp(ratio(7)), 1.95);
  assert.equal(epsilonUp(ratio(2n ** 32n + 1n, 2n ** 32n)), 0.01);
  for (let number = 2; number < 3000; number += 7) {
    for (const divisor of [1, 3, 7, 1000]) {
      if (number > divisor) {
        const [shown, exact] = [epsilonUp(ratio(number, divisor)), Math.log(number / divisor)];
        assert.ok(shown >= exact && shown < exact + 0.01 + 1e-9, `${number}/${divisor}: ${shown}, ${exact}`);
      }
    }
  }
});

test("epsilon of enormous fractions is still a number", () => {
  assert.equal(epsilonUp({ number: 3n ** 2000n, divisor: 3n ** 1999n }), 1.1);
});
