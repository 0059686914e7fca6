import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { Delivery } from "../../surveys/static/surveys/client/transport.js";
import { ProofOfWork } from "../../surveys/static/surveys/client/proof.js";

const BODY = '{"design":"d","nonce":"n","stratum":"","report":"01"}';
const RECEIPT = createHash("sha256").update(BODY).digest("hex");
const IDLE = new ProofOfWork("d", "00", globalThis.crypto.subtle);
const stored = (status = 201) => new Response(JSON.stringify({ receipt: RECEIPT }), { status });

/** A browser whose network answers from a list; the last answer is repeated. Time passes at once. */
function world(answers) {
  const seen = { requests: [], waits: [], states: [] };
  const fetch = async (url, request) => {
    const answer = answers[Math.min(seen.requests.length, answers.length - 1)];
    seen.requests.push({ url, ...request });
    if (answer instanceof Error) throw answer;
    return typeof answer === "function" ? answer() : answer.clone();
  };
  const sleep = async (milliseconds) => { seen.waits.push(milliseconds / 1000); };
  return { seen, fetch, sleep, subtle: globalThis.crypto.subtle, online: () => true };
}

async function delivered(answers, changes = {}) {
  const w = { ...world(answers), ...changes };
  const outcome = await new Delivery("/s/demo/reports", BODY, w, IDLE).send((state) => w.seen.states.push(state));
  return { outcome, ...w.seen };
}

for (const status of [200, 201]) {
  test(`${status} with the right receipt: stored, after one request`, async () => {
    const { outcome, requests, states } = await delivered([stored(status)]);
    assert.deepEqual(outcome, { state: "stored", receipt: RECEIPT });
    assert.equal(requests.length, 1);
    assert.deepEqual(states, ["sending"]);
  });
}

for (const status of [400, 403, 404, 405, 409, 410, 413, 415, 422]) {
  test(`${status} is final`, async () => {
    const { outcome, requests } = await delivered([new Response("{}", { status })]);
    assert.deepEqual(outcome, { state: "refused", status, field: "" });
    assert.equal(requests.length, 1);
  });
}

test("a refusal says which field it is about, where it is one in the collector's words", async () => {
  const refusal = async (body) => (await delivered([new Response(body, { status: 403 })])).outcome;
  const of = (field) => JSON.stringify({ error: { field, message: "no" } });
  assert.deepEqual(await refusal(of("invitation")), { state: "refused", status: 403, field: "invitation" });
  assert.deepEqual(await refusal(of("Origin")), { state: "refused", status: 403, field: "Origin" });
  for (const other of ["<html>a proxy's page</html>", "null", of(7), "[]", ""]) {
    assert.deepEqual(await refusal(other), { state: "refused", status: 403, field: "" }, other);
  }
});

const passing = {
  "a lost connection": new TypeError("network"),
  "a try that took too long": new DOMException("late", "TimeoutError"),
  "408": new Response("", { status: 408 }),
  "429": new Response("", { status: 429 }),
  "500": new Response("", { status: 500 }),
  "502 with a page of a proxy": new Response("<html>", { status: 502 }),
  "503": new Response("", { status: 503 }),
  "200 with a page of a hotel": new Response("<html>Welcome", { status: 200 }),
  "201 with the receipt of something else": new Response(JSON.stringify({ receipt: "0".repeat(64) }), { status: 201 }),
  "201 without a receipt": new Response("{}", { status: 201 }),
  "201 with null": new Response("null", { status: 201 }),
  "204": new Response(null, { status: 204 }),
};
for (const [name, answer] of Object.entries(passing)) {
  test(`${name}: the same bytes are sent again`, async () => {
    const { outcome, requests, waits, states } = await delivered([answer, answer, stored()]);
    assert.equal(outcome.state, "stored");
    assert.deepEqual(requests.map(({ body }) => body), [BODY, BODY, BODY]);
    assert.deepEqual(waits, [1, 2]);
    assert.deepEqual(states, ["sending", "waiting", "sending", "waiting", "sending"]);
  });
}

test("tries end, and begin again on demand, with the same bytes", async () => {
  const w = world([new TypeError("network")]);
  const delivery = new Delivery("/s/demo/reports", BODY, w, IDLE);
  assert.deepEqual(await delivery.send(() => {}), { state: "paused" });
  assert.deepEqual(w.seen.waits, [1, 2, 4, 8, 15, 30, 30]);
  assert.equal(delivery.running, false);
  await delivery.send(() => {});
  assert.equal(w.seen.requests.length, 14);
  assert.deepEqual(new Set(w.seen.requests.map(({ body }) => body)), new Set([BODY]));
});

test("a double click is one request", async () => {
  const w = world([stored()]);
  const delivery = new Delivery("/s/demo/reports", BODY, w, IDLE);
  const outcomes = await Promise.all([delivery.send(() => {}), delivery.send(() => {}), delivery.send(() => {})]);
  assert.equal(w.seen.requests.length, 1);
  assert.equal(new Set(outcomes).size, 1);
});

test("a wait can be ended: back online, or by hand", async () => {
  const w = world([new TypeError("offline"), stored()]);
  const forever = { ...w, sleep: () => new Promise(() => {}), online: () => false };
  const delivery = new Delivery("/s/demo/reports", BODY, forever, IDLE);
  const states = [];
  const sent = delivery.send((state) => states.push(state));
  while (states.at(-1) !== "offline") await new Promise((resolve) => { setTimeout(resolve); });
  await new Promise((resolve) => { setTimeout(resolve); });
  delivery.hurry();
  assert.equal((await sent).state, "stored");
  assert.deepEqual(states, ["sending", "offline", "sending"]);
});

test("every request says the same, and carries nothing of the person", async () => {
  const { requests } = await delivered([new TypeError("network"), stored()]);
  for (const { signal, ...request } of requests) {
    assert.ok(signal instanceof AbortSignal);
    assert.deepEqual(request, {
      url: "/s/demo/reports",
      method: "POST",
      body: BODY,
      headers: { "Content-Type": "application/json" },
      mode: "cors",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      redirect: "error",
      keepalive: true,
    });
  }
});

test("a delivery that is stopped sends no more, and its outcome is that", async () => {
  const w = world([new TypeError("network")]);
  const forever = { ...w, sleep: () => new Promise(() => {}) };
  const delivery = new Delivery("/s/demo/reports", BODY, forever, IDLE);
  const states = [];
  const sent = delivery.send((state) => states.push(state));
  while (states.at(-1) !== "waiting") await new Promise((resolve) => { setTimeout(resolve); });
  await new Promise((resolve) => { setTimeout(resolve); });
  delivery.stop();
  assert.deepEqual(await sent, { state: "stopped" });
  assert.deepEqual(states, ["sending", "waiting"]);
  assert.equal(w.seen.requests.length, 1);
});

test("a try that is being made is broken off", async () => {
  const hanging = (url, { signal }) => new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const delivery = new Delivery("/s/demo/reports", BODY, { ...world([]), fetch: hanging }, IDLE);
  const sent = delivery.send(() => {});
  delivery.stop();
  assert.deepEqual(await sent, { state: "stopped" });
});
