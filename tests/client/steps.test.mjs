import assert from "node:assert/strict";
import { test } from "node:test";

import { Steps } from "../../surveys/static/surveys/client/steps.js";

/** A tab whose history moves a moment later, as browsers' do, and a page of so many stages. */
class Tab {
  entries = [null];
  place = 0;
  stage = 0;
  marked = false;
  left = false;
  listeners = new Map();
  waiting = [];

  constructor() {
    const move = (by) => this.waiting.push(by);
    const tab = this;
    this.window = {
      addEventListener: (name, listener) => this.listeners.set(name, listener),
      history: {
        get state() { return tab.entries[tab.place]; },
        pushState: (state, ...rest) => {
          assert.deepEqual(rest, [""], "the address stays");
          this.entries.splice(++this.place, Infinity, state);
        },
        back: () => move(-1),
        forward: () => move(1),
      },
    };
    this.steps = new Steps(this.window, {
      ahead: () => this.stage > 0,
      back: () => { this.stage -= 1; },
      marked: () => this.marked,
    });
    this.steps.settle();
  }

  to(stage) {
    this.stage = stage;
    this.steps.settle();
    return this;
  }

  /** Until nothing moves any more. */
  settled() {
    while (this.waiting.length > 0) {
      const place = this.place + this.waiting.shift();
      this.left ||= place < 0;
      if (place >= 0 && place < this.entries.length) {
        this.place = place;
        this.listeners.get("popstate")();
      }
    }
    return this;
  }

  press(direction) {
    this.window.history[direction]();
    return this;
  }
}

test("Back leads one stage back each time, over one entry, and away from the first stage", () => {
  const tab = new Tab().to(1).to(2).to(3).settled();
  for (const stage of [2, 1, 0]) {
    tab.press("back").settled();
    assert.equal(tab.stage, stage);
    assert.deepEqual(tab.entries, [null, "ahead"]);
    assert.equal(tab.left, false);
  }
  tab.press("back").settled();
  assert.equal(tab.left, true);
});

test("after the page's own Back no press is wasted, however soon it comes", () => {
  const tab = new Tab().to(2).to(1).to(0).to(0).settled();
  assert.equal(tab.place, 0);
  assert.equal(tab.left, false, "going back once is enough");
  tab.to(1).settled();
  assert.deepEqual([tab.entries, tab.place], [[null, "ahead"], 1]);
  tab.to(0).to(1).settled();
  assert.deepEqual([tab.entries, tab.place, tab.stage], [[null, "ahead"], 1, 1], "changed while it moved");
});

test("Forward leads nowhere, and a load that finds itself ahead goes back", () => {
  const tab = new Tab().to(1).to(0).settled();
  tab.press("forward").settled();
  assert.deepEqual([tab.stage, tab.place], [0, 0]);
  tab.place = 1;
  tab.steps.settle();
  assert.equal(tab.settled().place, 0);
});

test("a page that shows another link while it goes back goes back once", () => {
  const tab = new Tab().to(1).settled().to(0);
  tab.listeners.get("pageshow")({ persisted: false });
  tab.to(0).settled();
  assert.deepEqual([tab.place, tab.left], [0, false]);
});

test("a page that was left while it went back, and is restored, goes back", () => {
  const tab = new Tab().to(1).settled().to(0);
  tab.waiting.length = 0;
  tab.listeners.get("pageshow")({ persisted: true });
  assert.equal(tab.to(0).settled().place, 0);
});

test("leaving asks where an answer is marked", () => {
  const tab = new Tab();
  const asked = () => {
    let prevented = false;
    tab.listeners.get("beforeunload")({ preventDefault: () => { prevented = true; } });
    return prevented;
  };
  assert.equal(asked(), false);
  tab.marked = true;
  assert.equal(asked(), true);
});
