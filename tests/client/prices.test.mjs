/** The privacy budget in the editor: what is divided, what is left alone, and what a question set by hand does. */
import assert from "node:assert/strict";
import test from "node:test";

import { Prices } from "../../surveys/static/surveys/editor/prices.js";

const STATE = {
  addresses: { survey: "/panel/survey/campus/" },
  respondents: 300,
  usual_budget: 4,
  automatic: ["forced_response", "k_ary"],
  kinds: [{ name: "yes_no", channel: { name: "k_ary", truth: "2/5" } }],
};

const question = (key, channel = { name: "k_ary", truth: "2/5" }) => ({ key, kind: "yes_no", wording: {}, choices: [{}, {}], channel });

/** The draft without its page: edits in place, and a server that divides as it is told. */
function written(...items) {
  const draft = {
    definition: { languages: ["en"], items },
    addresses: { prices: "prices", protect: "protect" },
    asked: [],
    edits: [],
    channels: {},
    listen() {},
    edit(tag, change, how = {}) {
      this.edits.push({ tag, ...how });
      this.definition = structuredClone(this.definition);
      change(this.definition);
    },
    async post(address, body) {
      if (address === "prices") {
        return { status: 0 };
      }
      this.asked.push(body);
      await this.meanwhile?.();
      return { status: 200, content: { channels: structuredClone(this.channels) } };
    },
  };
  return [draft, new Prices(draft, STATE, () => {})];
}

const settled = () => new Promise((done) => setTimeout(done, 5));

test("prices: the budget is the draft's, and only a number of its own stands there", async () => {
  const [draft, prices] = written(question("a"));
  assert.equal(prices.budget, 4);
  prices.budget = 2.5;
  assert.equal(draft.definition.privacy_budget, "2.5");
  assert.equal(draft.asked.at(-1).budget, 2.5);
  prices.budget = 4;
  assert.ok(!("privacy_budget" in draft.definition));
  await settled();
});

test("prices: a question that is marked gets its share, in the same step back", async () => {
  const [draft, prices] = written(question("a"), question("b"));
  draft.channels = { a: { name: "forced_response", truth: "1/4", yes: "1/2" } };
  prices.mark("a", "very");
  await settled();
  assert.deepEqual(draft.asked.at(-1).items.map(({ sensitivity }) => sensitivity), ["very", undefined]);
  assert.equal(draft.asked.at(-1).everything, false);
  assert.equal(draft.definition.items[0].channel.truth, "1/4");
  assert.equal(draft.definition.items[1].channel.truth, "2/5");
  assert.deepEqual(draft.edits, [{ tag: "" }, { tag: "", follows: true }]);
});

test("prices: marking gives a table of one's own back to be chosen", async () => {
  const [draft, prices] = written(question("a", { name: "custom", weights: [[3, 1], [1, 3]] }));
  prices.mark("a", "somewhat");
  assert.deepEqual(draft.definition.items[0].channel, { name: "k_ary", truth: "2/5" });
  await settled();
});

test("prices: a protection that is slid by hand takes the question out of the division", async () => {
  const [draft, prices] = written({ ...question("a"), sensitivity: "very" });
  draft.channels = { a: { name: "k_ary", truth: "1/2" } };
  await prices.slide("a", 1.7);
  assert.ok(!("sensitivity" in draft.definition.items[0]));
  assert.equal(draft.definition.items[0].channel.truth, "1/2");
  assert.equal(draft.asked.at(-1).epsilon, 1.7);
});

test("prices: a question that changes while the budget is divided keeps its change", async () => {
  const [draft, prices] = written(question("a"), question("b"));
  draft.channels = { a: { name: "k_ary", truth: "1/9" }, b: { name: "k_ary", truth: "1/9" } };
  draft.meanwhile = () => draft.edit("", (it) => (it.items[0].channel = { name: "warner", truth: "2/3" }));
  await prices.spend();
  assert.equal(draft.definition.items[0].channel.name, "warner");
  assert.equal(draft.definition.items[1].channel.truth, "1/9");
});

test("prices: of two divisions only the last one counts", async () => {
  const [draft, prices] = written(question("a"));
  draft.channels = { a: { name: "k_ary", truth: "1/9" } };
  const first = prices.spend();
  draft.channels = { a: { name: "k_ary", truth: "1/7" } };
  await Promise.all([first, prices.spend()]);
  assert.equal(draft.definition.items[0].channel.truth, "1/7");
  assert.equal(draft.edits.length, 1);
});

test("prices: fitting is a step of its own, and says where nothing can give way", async () => {
  const [draft, prices] = written(question("a"));
  draft.channels = { a: { name: "k_ary", truth: "1/9" } };
  await prices.fit();
  assert.equal(draft.asked.at(-1).everything, true);
  assert.deepEqual([draft.edits, prices.stuck], [[{ tag: "", follows: false }], false]);
  draft.channels = {};
  await prices.fit();
  assert.equal(prices.stuck, true);
});
