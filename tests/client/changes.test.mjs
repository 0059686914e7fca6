/** Changes of definitions in the browser: the same vectors that the server is tested with. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { applyChanges, differences, inverse } from "../../surveys/static/surveys/editor/changes.js";

const vectors = JSON.parse(readFileSync(new URL("../vectors/changes.json", import.meta.url), "utf8"));
const plain = (value) => JSON.parse(JSON.stringify(value));
const sorted = (changes) => plain(changes).map((one) => JSON.stringify(one)).sort();

for (const { name, before, mine, theirs, changes, merged, clashes } of vectors) {
  test(`changes: ${name}`, () => {
    assert.deepEqual(sorted(differences(before, mine)), sorted(changes));
    const found = applyChanges(theirs, changes);
    assert.deepEqual(plain(found.definition), merged);
    assert.deepEqual(plain(found.clashes), clashes);
    const there = applyChanges(before, differences(before, mine)).definition;
    assert.deepEqual(applyChanges(there, inverse(differences(before, mine))).definition, before);
  });
}
