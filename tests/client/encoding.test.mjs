import assert from "node:assert/strict";
import { test } from "node:test";

import { checkedTable } from "../../surveys/static/surveys/client/channel.js";
import { eachOption } from "../../surveys/static/surveys/client/encoding.js";

test("more ticks than were promised are not sent, nor another number of options", () => {
  const two = eachOption(checkedTable([[3, 1], [1, 3]]), 3, 2);
  assert.deepEqual(two.read([0, 0, 0], [1, 0, 1]), [0, 0, 0]);
  assert.deepEqual(two.read([3, 1, 0], [1, 1, 0]), [1, 1, 0]);
  for (const wrong of [[1, 1, 1], [1, 0], [0, 0, 0, 0]]) {
    assert.throws(() => two.read([0, 0, 0], wrong), TypeError);
  }
  assert.throws(() => two.read([0, 0, 0], null), TypeError);
});
