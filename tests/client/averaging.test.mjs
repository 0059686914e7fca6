import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { test } from "node:test";

import { canonicalText, readDesign } from "../../surveys/static/surveys/client/design.js";
import { RememberedTickets } from "../../surveys/static/surveys/client/remembered.js";
import { Tickets, requestBody } from "../../surveys/static/surveys/client/report.js";
import { Delivery } from "../../surveys/static/surveys/client/transport.js";
import { designDocument, device, item, seeded } from "./tools.mjs";

// Each try listens for the end of its delivery; Node takes more than ten for a fault.
setMaxListeners(0);

/**
 * The averaging attack against the shipped modules: a question with two coins (epsilon ln 3) that the same people answer in
 * the same way 25 times. All draws are seeded; a sound client would fail a share once in 16,000 (4 standard errors).
 */
const WAVES = 25;
const MAJORITY = { 1: 0.75, 3: 0.84375, 9: 0.9510727, 25: 0.9966309 };
const design = readDesign(canonicalText(designDocument({
  items: [item("a")],
  waves: { repeats: "remember", spent: "1/1" },
})));

const guess = (reports) => Number(2 * reports.filter((report) => report === "01").length > reports.length);

function demandNear(right, people, exact) {
  const error = 4 * Math.sqrt((exact * (1 - exact)) / people);
  assert.ok(Math.abs(right / people - exact) <= error, `${right} of ${people}, not ${exact}`);
}

/** For each person the reports of all waves; the answer of person p is p % 2. */
async function everybody(people, report) {
  const reports = [];
  for (let person = 0; person < people; person += 1) reports.push(await report(person));
  return reports;
}

const rightAfter = (reports, waves) => reports.filter((all, person) => guess(all.slice(0, waves)) === person % 2).length;

test("fresh draws give an unchanged answer away: .84, .95, .997 after 3, 9, 25 waves", async () => {
  const source = seeded(11);
  const visits = (person) => Array.from({ length: WAVES }, () => new Tickets(design, source).read([person % 2]));
  const reports = await everybody(2000, visits);
  for (const [waves, exact] of Object.entries(MAJORITY)) {
    demandNear(rightAfter(reports, Number(waves)), reports.length, exact);
  }
});

test("remembered draws tell after 25 waves what they told in the first: .75", async () => {
  const source = seeded(12);
  const visits = async (person) => {
    const [kept, sent] = [{}, []];
    for (let wave = 0; wave < (person < 40 ? WAVES : 3); wave += 1) {
      const tickets = await RememberedTickets.draw(device(kept), design, source);
      await tickets.settle(true);
      sent.push(tickets.read([person % 2]));
    }
    return sent;
  };
  const reports = await everybody(1000, visits);
  assert.ok(reports.every((all) => new Set(all).size === 1), "every wave brings the same report");
  demandNear(rightAfter(reports, WAVES), reports.length, 0.75);
});

test("a server that drops 25 tries has 25 times the same bytes, and guesses as after one: .75", async () => {
  const source = seeded(13);
  const idle = { bits: 0 };
  const tries = async (person) => {
    const tickets = await RememberedTickets.draw(device({}), design, source);
    await tickets.settle(true);
    const report = tickets.read([person % 2]);
    const body = requestBody({ design: "0".repeat(64), nonce: "0".repeat(32), stratum: "", report });
    const seen = [];
    const world = {
      fetch: async (_url, { body: sent }) => {
        seen.push(sent);
        throw new TypeError("dropped");
      },
      subtle: globalThis.crypto.subtle,
      sleep: async () => {},
      online: () => true,
    };
    const delivery = new Delivery("/s/demo/reports", body, world, idle);
    while (seen.length < WAVES) await delivery.send(() => {});
    assert.deepEqual([...new Set(seen)], [body]);
    return seen.slice(0, WAVES).map((sent) => JSON.parse(sent).report);
  };
  const reports = await everybody(400, tries);
  demandNear(rightAfter(reports, WAVES), reports.length, 0.75);
});

test("a changed answer costs a second draw, and reports that differ show that it changed", async () => {
  const source = seeded(14);
  const both = async (person) => {
    const [kept, sent] = [{}, []];
    for (const answer of [person % 2, 1 - (person % 2), person % 2]) {
      const tickets = await RememberedTickets.draw(device(kept), design, source);
      await tickets.settle(true);
      sent.push(tickets.read([answer]));
    }
    return sent;
  };
  const reports = await everybody(800, both);
  assert.ok(reports.every(([first, , third]) => first === third), "back to the first answer, back to its draw");
  const differ = reports.filter(([first, second]) => first !== second);
  demandNear(differ.length, reports.length, 5 / 8);
  // Who knows that it changed between the two guesses the course from both draws: right for 9 of 10 pairs that differ.
  const course = differ.filter(([first], i) => Number(first) === reports.indexOf(differ[i]) % 2).length;
  demandNear(course, differ.length, 9 / 10);
});
