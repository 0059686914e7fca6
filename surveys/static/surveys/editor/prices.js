/** The price of the draft's questions, asked for after every change of what it depends on. */
import { same } from "./changes.js";
import { ofPart } from "./copies.js";
import { itemOf, rowsOf, setOption } from "./definition.js";
import { armsOf } from "./instead.js";
import { later } from "./view.js";

const PAUSE = 150;

/** What the server needs to know of the questions for their price: no text. */
export const priced = (definition) => definition.items.map(pricedItem);

const PRICED = ["key", "kind", "channel", "known_share", "minimum", "maximum", "step", "most", "sensitivity"];

const pricedItem = ofPart((item) => ({
  ...Object.fromEntries(PRICED.filter((name) => item[name] !== undefined && item[name] !== "").map((name) => [name, item[name]])),
  choices: item.choices.map(() => ""),
  ...(item.prefer_not && item.kind !== "number" ? { prefer_not: true } : {}),
}));

export class Prices {
  found = { questions: {}, epsilon: 0, epsilon_text: "–", odds: "–", complete: true };

  /** The loss that was chosen for each question: it stays when options are added. */
  #wanted = new Map();
  #names = new Map();
  #asking = new Map();
  #turn = 0;
  #fitted = false;
  #open = 0;
  /** Whether the questions have given way as far as they can. */
  stuck = false;

  #draft;
  #state;
  #tell;
  #last = null;
  #name;
  #ask = later(PAUSE, () => this.#fetch());

  constructor(draft, state, tell) {
    this.#draft = draft;
    this.#state = state;
    this.#tell = tell;
    this.#name = `candor-plan-${state.addresses.survey}`;
    this.respondents = this.#kept().respondents ?? state.respondents;
    draft.listen(() => this.follow());
  }

  /** Whether the price that is shown is that of the questions as they are, and no change of their protection is under way. */
  get settled() {
    return !this.#open && same(this.#last, this.#asked());
  }

  /** Ask for the price if what it depends on is not what it was. */
  follow() {
    if (!same(this.#last, this.#asked())) {
      this.#ask();
    }
  }

  /** How many responses the author expects; it stays in this browser. */
  expect(respondents) {
    this.respondents = respondents;
    localStorage.setItem(this.#name, JSON.stringify({ respondents }));
    this.follow();
    this.#tell();
  }

  /** The loss that all questions together keep to. */
  get budget() {
    return Number(this.#draft.definition.privacy_budget) || this.#state.usual_budget;
  }

  set budget(total) {
    this.#draft.edit("", (it) => setOption(it, "privacy_budget", String(total), String(this.#state.usual_budget)));
    this.spend();
  }

  /** Say how sensitive a question is: its protection is then Candor's to choose. */
  mark(key, sensitivity) {
    this.#draft.edit("", (it) => {
      for (const item of rowsOf(it, key)) {
        item.sensitivity = sensitivity;
        if (!this.#state.automatic.includes(item.channel.name)) {
          item.channel = structuredClone(this.#state.kinds.find(({ name }) => name === item.kind).channel);
        }
      }
    });
    this.spend();
  }

  /** Protect a question by hand, whatever the budget. */
  async slide(key, epsilon) {
    this.#draft.edit(`protect-${key}`, (it) => rowsOf(it, key).forEach((item) => delete item.sensitivity));
    await this.protect(key, epsilon);
  }

  /** Let the questions that are marked as sensitive share what the others leave of the budget. */
  spend() {
    return this.#divide({ everything: false });
  }

  /** Let every question give way until all together are within the budget. */
  fit() {
    return this.#divide({ everything: true });
  }

  async #divide({ everything }) {
    const turn = (this.#turn += 1);
    const items = priced(this.#draft.definition);
    const answer = await this.#post(this.#draft.addresses.protect, { items, budget: this.budget, everything, instead: this.#instead });
    if (turn === this.#turn && answer.status === 200) {
      const { channels } = answer.content;
      for (const { key, kind, channel } of items) {
        const now = itemOf(this.#draft.definition, this.nameOf(key));
        if (!now || now.kind !== kind || !same(now.channel, channel)) {
          delete channels[key]; // it was changed while the server was asked
        } else if (channels[key]) {
          this.#wanted.delete(now.key);
        }
      }
      this.#use(answer, "", { follows: !everything });
      this.#fitted = everything;
      this.stuck = everything && !Object.keys(channels).length;
      this.#tell();
    }
  }

  /** Give a question the mechanism and the table for a privacy loss. */
  async protect(key, epsilon, { choose = false } = {}) {
    this.#wanted.set(key, epsilon);
    const items = priced(this.#draft.definition).filter((item) => item.key === key);
    const turn = (this.#asking.get(key) ?? 0) + 1;
    this.#asking.set(key, turn);
    const answer = await this.#post(this.#draft.addresses.protect, { items, epsilon, choose });
    if (turn === this.#asking.get(key)) {
      this.#use(answer, `protect-${key}`);
    }
  }

  /** With another number of answers the table changes; the protection that was chosen stays. */
  hold(key, { choose = true } = {}) {
    const epsilon = this.#wanted.get(key);
    const item = itemOf(this.#draft.definition, key);
    if (epsilon && item && item.channel.name !== "custom") {
      this.protect(key, epsilon, { choose: choose && this.#state.automatic.includes(item.channel.name) });
    }
  }

  want(key, epsilon) {
    this.#wanted.set(key, epsilon);
  }

  /** The mechanism was set by hand: what it gives is the new choice. */
  forget(key) {
    this.#wanted.delete(key);
  }

  /** The key that a question has now. */
  nameOf(key) {
    return this.#names.get(key) ?? key;
  }

  rename(key, name) {
    this.#names.set(key, name);
    this.#wanted.set(name, this.#wanted.get(key));
  }

  #use({ status, content }, tag, how) {
    if (status === 200) {
      this.#draft.edit(tag, (definition) => {
        for (const [key, channel] of Object.entries(content.channels)) {
          const item = definition.items.find((one) => one.key === this.nameOf(key));
          const rows = item ? rowsOf(definition, item.key) : [];
          rows.filter((row) => row === item || content.channels[row.key] === undefined).forEach((row) => (row.channel = structuredClone(channel)));
        }
      }, how);
    }
  }

  async #fetch() {
    const asked = this.#asked();
    this.#last = asked;
    const { status, content } = await this.#post(this.#draft.addresses.prices, asked);
    if (status === 200 && same(asked, this.#last)) {
      this.found = content;
      this.stuck = this.#fitted; // where it is too much even now
      this.#fitted = false;
      for (const [key, { epsilon }] of Object.entries(content.questions)) {
        if (epsilon && !this.#wanted.get(key)) {
          this.#wanted.set(key, epsilon);
        }
      }
      this.#tell();
    }
  }

  /** Ask the server; what it does not answer is over, too. */
  async #post(address, body) {
    this.#open += 1;
    const answer = await this.#draft.post(address, body);
    this.#open -= 1;
    if (answer.status !== 200) {
      this.#tell();
    }
    return answer;
  }

  /** What each version of the page asks instead of others. */
  get #instead() {
    return armsOf(this.#draft.definition).map((arm) => arm.instead ?? {});
  }

  #asked() {
    return { items: priced(this.#draft.definition), respondents: this.respondents, instead: this.#instead };
  }

  #kept() {
    try {
      return JSON.parse(localStorage.getItem(this.#name)) ?? {};
    } catch {
      return {};
    }
  }
}
