import assert from "node:assert/strict";
import { test } from "node:test";

import { draw, finish, isPending, modulusOf } from "../../surveys/static/surveys/token/blinding.js";
import { fileOf } from "../../surveys/static/surveys/token/file.js";
import { answeringLink, readLink } from "../../surveys/static/surveys/token/link.js";
import { bytesOf, bytesOfNumber, hexOf, inverse, joined, power } from "../../surveys/static/surveys/token/numbers.js";
import { blind, finalize, verify } from "../../surveys/static/surveys/token/rsabssa.js";
import { systemWords } from "../../surveys/static/surveys/client/random.js";
import { tape, vectors } from "./tools.mjs";

const { subtle } = globalThis.crypto;
const RFC = vectors("rfc9474.json");
const number = (hex) => BigInt(`0x${hex}`);
const [n, d] = [number(RFC.n), number(RFC.d)];
const PREPARED = bytesOf(RFC.msg_prefix + RFC.msg);

const { ours, stranger } = vectors("keys.json");
const keyOf = ({ p, q }) => {
  const [one, other] = [number(p), number(q)];
  return { modulus: one * other, d: inverse(65537n, (one - 1n) * (other - 1n)) };
};
const OURS = keyOf(ours);
const words = () => systemWords(globalThis.crypto);
const signedBy = ({ modulus, d: exponent }, { blinded }) => power(number(blinded), exponent, modulus).toString(16).padStart(768, "0");

test("the vector of RFC 9474, appendix A.1: what is sent is that of the RFC to the digit", async () => {
  const factor = inverse(number(RFC.inv), n);
  const made = await blind(PREPARED, n, bytesOf(RFC.salt), factor, subtle);
  assert.equal(made.blinded.toString(16), RFC.blinded_msg);
  assert.equal(made.inverse, number(RFC.inv));
});

test("the vector of RFC 9474: what comes back becomes the signature of the RFC", async () => {
  assert.equal(power(number(RFC.blinded_msg), d, n), number(RFC.blind_sig));
  const signature = await finalize(PREPARED, n, number(RFC.blind_sig), number(RFC.inv), subtle);
  assert.equal(hexOf(signature), RFC.sig);
});

test("a signature of something else, or with a digit changed, is refused", async () => {
  const wrong = finalize(PREPARED, n, number(RFC.blind_sig) ^ 1n, number(RFC.inv), subtle);
  await assert.rejects(wrong, { code: "signature" });
  const other = bytesOf(RFC.msg + RFC.msg_prefix);
  assert.equal(await verify(other, n, bytesOf(RFC.sig), subtle), false);
});

test("a token that is drawn here verifies, and is 598 symbols", async () => {
  const pending = await draw(OURS.modulus, words(), subtle);
  assert.ok(isPending(pending));
  const token = await finish(pending, signedBy(OURS, pending), OURS.modulus, subtle);
  assert.match(token, /^[A-Za-z0-9_-]{598}$/);
});

test("two tokens have nothing in common, also what is sent of them", async () => {
  const pending = await Promise.all([1, 2].map(() => draw(OURS.modulus, words(), subtle)));
  for (const name of ["message", "randomizer", "inverse", "blinded"]) {
    assert.notEqual(pending[0][name], pending[1][name]);
  }
});

test("what is sent says nothing of the message: every message fits every number that could be sent", async () => {
  const pending = await draw(OURS.modulus, words(), subtle);
  const other = await draw(OURS.modulus, words(), subtle);
  const m = OURS.modulus;
  const hidden = (number(other.blinded) * power(number(other.inverse), 65537n, m)) % m;
  const factor = power((number(pending.blinded) * inverse(hidden, m)) % m, OURS.d, m);
  assert.equal((hidden * power(factor, 65537n, m)) % m, number(pending.blinded));
});

test("a reply by another key, a short one, or none at all is no token", async () => {
  const pending = await draw(OURS.modulus, words(), subtle);
  const theirs = keyOf(stranger);
  const replies = [signedBy({ ...theirs, modulus: OURS.modulus }, pending), "00".repeat(384), "ff", undefined, 7, "g".repeat(768)];
  for (const reply of replies) {
    await assert.rejects(finish(pending, reply, OURS.modulus, subtle), { code: "signature" });
  }
});

test("chance that is stuck makes no token", async () => {
  const high = tape(Array(13_000).fill(0xffffffff));
  await assert.rejects(draw(OURS.modulus, high, subtle), { code: "generator-stuck" });
});

test("only a key of 3,072 bits is one", () => {
  const modulus = OURS.modulus.toString(16);
  assert.equal(modulusOf({ invitations: { kind: "blind", modulus } }), OURS.modulus);
  for (const invitations of [undefined, { kind: "secret" }, { kind: "blind" }, { kind: "blind", modulus: RFC.n },
    { kind: "blind", modulus: `${modulus.slice(0, -1)}0` }, { kind: "blind", modulus: `1${modulus.slice(1)}` }]) {
    assert.throws(() => modulusOf({ invitations }), { code: "key" });
  }
});

test("powers and inverses are those of the integers", () => {
  for (const [base, exponent, modulus] of [[3n, 0n, 7n], [0n, 5n, 7n], [123n, 456n, 789n], [2n, 65537n, 10n ** 40n + 7n]]) {
    assert.equal(power(base, exponent, modulus), base ** exponent % modulus);
  }
  assert.equal(inverse(3n, 7n), 5n);
  assert.equal(inverse(6n, 9n), null);
  assert.equal(hexOf(joined(bytesOfNumber(1n, 2), [255])), "0001ff");
});

test("a link is read whole or not at all", () => {
  const digest = "ab".repeat(32);
  assert.deepEqual(readLink(""), { digest: "", group: "", code: "" });
  assert.deepEqual(readLink(`#${digest}&group=y1&code=0000`), { digest, group: "y1", code: "0000" });
  for (const damaged of ["#x", `#${digest}&code=`, `#${digest}&code=1&group=y1`, `#${digest.slice(1)}`, `#${digest}&other=1`]) {
    assert.throws(() => readLink(damaged), { code: "link-damaged" });
  }
  assert.equal(answeringLink("https://x.example/s/a/", digest, "y1", "T"), `https://x.example/s/a/#${digest}&group=y1&invitation=T`);
});

test("a title stays a text in the file", () => {
  const file = fileOf('https://x.example/?"<', { title: "</title><script>", lead: "&", open: "\"" }, { lang: "en", dir: "ltr" });
  assert.ok(!file.includes("<script>"));
  assert.ok(file.includes('href="https://x.example/?&quot;&lt;"'));
  assert.doesNotMatch(file, /src=|<link/);
});
