import assert from "node:assert/strict";
import { test } from "node:test";

import { checkedTable } from "../../surveys/static/surveys/client/channel.js";
import { practiceTable, sentBy } from "../../surveys/static/surveys/client/practice.js";

const THREE = checkedTable([[4, 1, 1], [1, 4, 1], [1, 1, 4]]);

test("the practice ticket comes from the first question's table where the choices are as many, else from two coins", () => {
  const uneven = checkedTable([[9, 1], [2, 8]]);
  assert.equal(practiceTable(uneven, 2), uneven);
  assert.equal(practiceTable(THREE, 3), THREE);
  assert.deepEqual(practiceTable(THREE, 2).weights, [[3, 1], [1, 3]]);
});

test("what the tickets send adds up to the table, so that the practice is the real thing", () => {
  for (const table of [THREE, checkedTable([[3, 1], [1, 3]]), checkedTable([[9, 1], [2, 8]])]) {
    const counted = table.weights.map((row) => row.map(() => 0));
    for (let ticket = 0; ticket < table.tickets; ticket += 1) {
      sentBy(table, ticket).forEach((y, x) => {
        counted[x][y] += 1;
      });
    }
    assert.deepEqual(counted, table.weights);
  }
});
