import assert from "node:assert/strict";
import { test } from "node:test";

import { canonicalText, readDesign } from "../../surveys/static/surveys/client/design.js";
import { readCode } from "../../surveys/static/surveys/client/codes.js";
import { readToken } from "../../surveys/static/surveys/client/invitation.js";
import { isBodyFor, requestBody } from "../../surveys/static/surveys/client/report.js";
import { designDocument, vectors } from "./tools.mjs";

const { codes, mistyped } = vectors("invitations.json");
const TOKEN = "Az0-_9".repeat(100).slice(0, 597) + "Q";

test("codes as collector/invitations/codes.py makes them are read; one symbol changed at any place is not", () => {
  for (const code of codes) {
    assert.deepEqual(readCode(code), { invitation: code, fault: "", count: 28 });
  }
  assert.equal(mistyped.length, 28 * codes.length);
  for (const code of mistyped) {
    assert.equal(readCode(code).fault, "wrong", code);
  }
});

test("a code is read as people write it", () => {
  const code = codes.find((one) => one.includes("1") && one.includes("0"));
  const ways = [
    code.toUpperCase(),
    code.match(/.{4}/g).join(" "),
    ` ${code.match(/.{4}/g).join("\u2013")}\u200e.`,
    code.replaceAll("1", "l").replaceAll("0", "O"),
    code.replaceAll("1", "I"),
    `https://survey.example.org/s/a/#${"f".repeat(64)}&invitation=${code}`,
  ];
  ways.forEach((way) => assert.deepEqual(readCode(way), { invitation: code, fault: "", count: 28 }, way));
  const faults = (text) => [readCode(text).fault, readCode(text).count];
  assert.deepEqual(faults(""), ["length", 0]);
  assert.deepEqual(faults(code.slice(1)), ["length", 27]);
  assert.deepEqual(faults(`${code.slice(1)}u`), ["wrong", 28], "no code has a u");
});

test("a token is 448 bytes in base64url, written in the one way", () => {
  assert.deepEqual(readToken(`https://a/s/a/#${"f".repeat(64)}&invitation=${TOKEN}`), { invitation: TOKEN, fault: "", count: 598 });
  assert.equal(readToken(` ${TOKEN.slice(0, 99)}\n${TOKEN.slice(99)} `).fault, "");
  for (const damaged of ["", TOKEN.slice(1), `${TOKEN}A`, `${TOKEN.slice(0, -1)}R`, TOKEN.replace("-", "+")]) {
    assert.equal(readToken(damaged).fault, "token");
  }
});

test("the invitation is the last field of a body, of one length, and only where the design asks for it", () => {
  const designOf = (changes) => readDesign(canonicalText(designDocument(changes)));
  const prepared = (changes) => ({ digest: "f".repeat(64), design: designOf(changes) });
  const open = prepared({});
  const secret = prepared({ invitations: { kind: "secret" } });
  const blind = prepared({ invitations: { kind: "blind", modulus: "8".repeat(767) + "1" } });
  const body = (invitation) => requestBody({ design: "f".repeat(64), nonce: "0".repeat(32), stratum: "", report: "0001", invitation });
  assert.match(body(codes[3]), new RegExp(`,"report":"0001","invitation":"${codes[3]}"}$`));
  assert.equal(body(undefined), body(""));
  assert.equal(new Set(codes.map((code) => body(code).length)).size, 1);
  const taken = (text) => [open, secret, blind].map((one) => isBodyFor(text, one));
  assert.deepEqual(taken(body("")), [true, false, false]);
  assert.deepEqual(taken(body(codes[3])), [false, true, false]);
  assert.deepEqual(taken(body(TOKEN)), [false, false, true]);
  assert.deepEqual(taken(body(codes[3].toUpperCase())), [false, false, false]);
});

test("a design whose invitations are of an unknown kind is refused", () => {
  for (const invitations of [{}, null, { kind: "" }, { kind: "open" }, "secret"]) {
    assert.throws(() => readDesign(canonicalText(designDocument({ invitations }))), { code: "design" });
  }
});
