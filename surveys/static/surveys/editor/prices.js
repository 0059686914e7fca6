/** The price of the draft's questions, asked for after every change of what it depends on. */
import { same } from "./changes.js";
import { priced, rowsOf } from "./definition.js";
import { later } from "./view.js";

const PAUSE = 150;
const BUDGET = 4;
const AUTOMATIC = new Set(["forced_response", "k_ary", "subset", "unary", "discrete_laplace", "one_bit"]);

export class Prices {
  found = { questions: {}, epsilon: 0, epsilon_text: "–", odds: "–", complete: true };

  /** The loss that was chosen for each question: it stays when options are added. */
  #wanted = new Map();
  #names = new Map();
  #asking = new Map();
  #draft;
  #tell;
  #last = null;
  #name;
  #ask = later(PAUSE, () => this.#fetch());

  constructor(draft, state, tell) {
    this.#draft = draft;
    this.#tell = tell;
    this.#name = `candor-plan-${state.addresses.survey}`;
    const kept = this.#kept();
    this.budget = kept.budget ?? BUDGET;
    this.respondents = kept.respondents ?? state.respondents;
    draft.listen(() => this.follow());
    this.#fetch();
  }

  follow() {
    if (!same(this.#last, this.#asked())) {
      this.#ask();
    }
  }

  /** What the author plans with; it stays in this browser. */
  plan(values) {
    Object.assign(this, values);
    localStorage.setItem(this.#name, JSON.stringify({ budget: this.budget, respondents: this.respondents }));
    this.follow();
    this.#tell();
  }

  /** Give a question the mechanism and the table for a privacy loss. */
  async protect(key, epsilon, { choose = false } = {}) {
    this.#wanted.set(key, epsilon);
    const items = priced(this.#draft.definition).filter((item) => item.key === key);
    const turn = (this.#asking.get(key) ?? 0) + 1;
    this.#asking.set(key, turn);
    const answer = await this.#draft.post(this.#draft.addresses.protect, { items, epsilon, choose });
    if (turn === this.#asking.get(key)) {
      this.#use(answer, `protect-${key}`);
    }
  }

  /** With another number of answers the table changes; the protection that was chosen stays. */
  hold(key) {
    const epsilon = this.#wanted.get(key);
    const item = this.#draft.definition.items.find((one) => one.key === key);
    if (epsilon && item && item.channel.name !== "custom") {
      this.protect(key, epsilon, { choose: AUTOMATIC.has(item.channel.name) });
    }
  }

  want(key, epsilon) {
    this.#wanted.set(key, epsilon);
  }

  /** The mechanism was set by hand: what it gives is the new choice. */
  forget(key) {
    this.#wanted.delete(key);
  }

  rename(key, name) {
    this.#names.set(key, name);
    this.#wanted.set(name, this.#wanted.get(key));
  }

  /** Let every question give way until all together are within the budget. */
  async fit() {
    const items = priced(this.#draft.definition);
    this.#wanted.clear();
    this.#use(await this.#draft.post(this.#draft.addresses.protect, { items, budget: this.budget }), "");
  }

  #use({ status, content }, tag) {
    if (status === 200) {
      this.#draft.edit(tag, (definition) => {
        for (const [key, channel] of Object.entries(content.channels)) {
          const item = definition.items.find((one) => one.key === (this.#names.get(key) ?? key));
          const rows = item ? rowsOf(definition, item.key) : [];
          rows.filter((row) => row === item || content.channels[row.key] === undefined).forEach((row) => (row.channel = structuredClone(channel)));
        }
      });
    }
  }

  async #fetch() {
    const asked = this.#asked();
    this.#last = asked;
    const { status, content } = await this.#draft.post(this.#draft.addresses.prices, asked);
    if (status === 200 && same(asked, this.#last)) {
      this.found = content;
      for (const [key, { epsilon }] of Object.entries(content.questions)) {
        if (epsilon && !this.#wanted.get(key)) {
          this.#wanted.set(key, epsilon);
        }
      }
      this.#tell();
    }
  }

  #asked() {
    return { items: priced(this.#draft.definition), respondents: this.respondents };
  }

  #kept() {
    try {
      return JSON.parse(localStorage.getItem(this.#name)) ?? {};
    } catch {
      return {};
    }
  }
}
