import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { Delivery } from "../../surveys/static/surveys/client/transport.js";
import { MOST_BITS, ProofOfWork } from "../../surveys/static/surveys/client/proof.js";
import { vectors } from "./tools.mjs";

const { subtle } = globalThis.crypto;
const CASES = vectors("work.json");
const [{ digest, nonce }] = CASES;

const work = () => new ProofOfWork(digest, nonce, subtle);

for (const one of CASES) {
  test(`the sum of ${one.bits} bits is that of the vectors`, async () => {
    assert.equal(await new ProofOfWork(one.digest, one.nonce, subtle).find(one.bits), one.sum);
  });
}

test("more bits go on from where fewer ended, and come to the same", async () => {
  const digests = [];
  const counting = { digest: (name, bytes) => { digests.push(bytes.slice().join()); return subtle.digest(name, bytes); } };
  const [steps, whole] = [new ProofOfWork(digest, nonce, counting), work()];
  for (const bits of [3, 7, 12]) steps.find(bits);
  assert.equal(await steps.find(12), await whole.find(12));
  const again = digests.length - new Set(digests).size;
  assert.ok(again <= 3 * 128, "no more than the batches in which one was found");
  assert.equal(steps.bits, 12);
});

test("fewer bits, or the same again, cost nothing", async () => {
  const one = work();
  const sum = await one.find(9);
  const found = one.find(9);
  assert.equal(found, one.find(4));
  assert.equal(await found, sum);
  assert.equal(one.bits, 9);
});

test("without bits there is no sum, and nothing is computed", async () => {
  const silent = { digest: () => assert.fail("a digest") };
  assert.equal(await new ProofOfWork(digest, nonce, silent).find(0), "");
});

test("what is no number of bits, or too many, is refused", () => {
  for (const bits of [-1, 1.5, NaN, Infinity, "12", MOST_BITS + 1]) {
    assert.throws(() => work().find(bits), { code: "page" });
  }
});

test("work that is stopped ends without a sum", async () => {
  const one = work();
  const sum = one.find(MOST_BITS);
  one.stop();
  assert.equal(await sum, "");
});

const BODY = JSON.stringify({ design: digest, nonce, stratum: "", report: "01" });
const asks = (bits) => new Response(JSON.stringify({ error: { field: "Candor-Work", message: "", bits } }), { status: 429 });
const stored = () => {
  const receipt = createHash("sha256").update(BODY).digest("hex");
  return new Response(JSON.stringify({ receipt }), { status: 201 });
};

/** Answers in a row, to a page that began with `bits`; a second of waiting takes `second` of ours. */
async function delivered(answers, { bits = 0, second = 0, one = work() } = {}) {
  const seen = { requests: [], states: [] };
  const world = {
    fetch: async (url, request) => { seen.requests.push(request); return answers.shift(); },
    sleep: (milliseconds) => new Promise((resolve) => { setTimeout(resolve, (milliseconds / 1000) * second); }),
    subtle,
    online: () => true,
  };
  one.find(bits);
  const delivery = new Delivery("/s/demo/reports", BODY, world, one);
  const outcome = await delivery.send((state, { seconds }) => seen.states.push(`${state} ${seconds}`));
  const headers = seen.requests.map((request) => request.headers["Candor-Work"]);
  return { outcome, headers, delivery, ...seen };
}

test("what the page says is asked for goes with the first try", async () => {
  const { outcome, headers, delivery } = await delivered([stored()], { bits: 10 });
  assert.equal(outcome.state, "stored");
  assert.deepEqual(headers, [await work().find(10)]);
  assert.equal(delivery.sum, headers[0]);
});

test("what the door asks for later is done at once, for the same bytes", async () => {
  const { outcome, headers, requests, states } = await delivered([asks(8), asks(11), stored()]);
  assert.equal(outcome.state, "stored");
  assert.deepEqual(headers, [undefined, await work().find(8), await work().find(11)]);
  assert.deepEqual(new Set(requests.map(({ body }) => body)), new Set([BODY]));
  assert.equal(states.some((state) => state.startsWith("waiting")), false);
});

test("a door that asks for the same again is waited for like a busy one", async () => {
  const { outcome, headers, states } = await delivered([asks(8), asks(8), stored()]);
  assert.equal(outcome.state, "stored");
  assert.equal(headers[1], headers[2]);
  assert.equal(states.filter((state) => state.startsWith("waiting")).length, 1);
});

for (const bits of [MOST_BITS + 1, 10.5, 0, -1, "12", null]) {
  test(`a door that asks for ${JSON.stringify(bits)} bits gets nothing more`, async () => {
    const { outcome, requests } = await delivered([asks(bits), stored()]);
    assert.deepEqual(outcome, { state: "refused", status: 429 });
    assert.equal(requests.length, 1);
  });
}

test("a limit that is reached asks for no work", async () => {
  const limit = new Response(JSON.stringify({ error: { field: "limit", message: "" } }), { status: 429 });
  const { outcome, headers } = await delivered([limit, stored()]);
  assert.equal(outcome.state, "stored");
  assert.deepEqual(headers, [undefined, undefined]);
});

test("whoever waits for the sum is told each second", async () => {
  const { outcome, states } = await delivered([stored()], { bits: 14, second: 5 });
  assert.equal(outcome.state, "stored");
  assert.deepEqual(states.slice(0, 3), ["sending 1", "working 1", "working 2"]);
  assert.equal(states.at(-1), "sending 0");
});

test("a delivery that is stopped while its sum is looked for sends nothing", async () => {
  const one = work();
  one.find(MOST_BITS);
  const world = { fetch: () => assert.fail("a request"), sleep: () => new Promise(() => {}), subtle, online: () => true };
  const delivery = new Delivery("/s/demo/reports", BODY, world, one);
  const sent = delivery.send(() => {});
  delivery.stop();
  one.stop();
  assert.deepEqual(await sent, { state: "stopped" });
});
