import assert from "node:assert/strict";
import { test } from "node:test";

import { groupNamed, linkNames, takeLink } from "../../surveys/static/surveys/client/link.js";

const DIGEST = "0123456789abcdef".repeat(4);

test("a link names this digest, or none; everything else is refused", () => {
  assert.equal(linkNames("", DIGEST), false);
  assert.equal(linkNames("#", DIGEST), false);
  assert.equal(linkNames(`#${DIGEST}`, DIGEST), true);
  assert.equal(linkNames(`#${DIGEST.toUpperCase()}`, DIGEST), true);
  for (const damaged of ["#x", `#${DIGEST.slice(1)}`, `#${DIGEST}0`, `#${DIGEST} `, "#question-1", `##${DIGEST}`]) {
    assert.throws(() => linkNames(damaged, DIGEST), { code: "link-damaged" }, damaged);
  }
  assert.throws(() => linkNames(`#${"0".repeat(64)}`, DIGEST), { code: "link-other" });
});

test("a link may name a group after the digest, and weakens nothing by it", () => {
  const groups = [{ key: "y1" }, { key: "y_2-b" }];
  assert.equal(linkNames(`#${DIGEST}&group=y1`, DIGEST), true);
  assert.throws(() => linkNames(`#${"0".repeat(64)}&group=y1`, DIGEST), { code: "link-other" });
  for (const damaged of ["#group=y1", "#&group=y1", `#${DIGEST}&`, `#${DIGEST}&group=`, `#${DIGEST}&group=y1&x`, `#${DIGEST}&x=1`]) {
    assert.throws(() => linkNames(damaged, DIGEST), { code: "link-damaged" }, damaged);
  }
  assert.equal(groupNamed(`#${DIGEST}&group=y_2-b`, { groups }), 1);
  assert.equal(groupNamed(`#${DIGEST}`, { groups }), null);
  assert.equal(groupNamed("", { groups: [] }), null);
  assert.throws(() => groupNamed(`#${DIGEST}&group=y3`, { groups }), { code: "link-damaged" });
  assert.throws(() => groupNamed(`#${DIGEST}&group=y1`, { groups: [] }), { code: "link-damaged" });
});

test("an invitation is taken out of the address at once; digest and group stay", () => {
  const taken = (hash) => {
    const written = [];
    const history = { replaceState: (...given) => written.push(given) };
    const link = takeLink({ location: { pathname: "/s/a/", search: "", hash }, history });
    return [link.fragment, link.invitation, ...written.map(([state, title, address]) => address)];
  };
  assert.deepEqual(taken(`#${DIGEST}&invitation=0abc`), [`#${DIGEST}`, "0abc", `/s/a/#${DIGEST}`]);
  assert.deepEqual(taken(`#${DIGEST}&group=y1&invitation=0abc`), [`#${DIGEST}&group=y1`, "0abc", `/s/a/#${DIGEST}&group=y1`]);
  assert.deepEqual(taken(`#${DIGEST}&invitation=`), [`#${DIGEST}`, "", `/s/a/#${DIGEST}`], "damaged, and taken all the same");
  assert.deepEqual(taken(`#${DIGEST}&group=y1`), [`#${DIGEST}&group=y1`, null], "nothing to take, nothing written");
  assert.deepEqual(taken(""), ["", null]);
});
