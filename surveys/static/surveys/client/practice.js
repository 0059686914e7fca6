import { checkedTable } from "./channel.js";
import { Choices } from "./choices.js";
import { single } from "./encoding.js";
import { shapeOf } from "./shapes.js";
import { element, part } from "./elements.js";
import { drawTicket, systemWords } from "./random.js";

/** For a first question that has no match in the practice question. */
const TWO_COINS = checkedTable([[3, 1], [1, 3]]);

/** Which of the check question's choices is right. */
const RIGHT = 1;

/**
 * The practice question: harmless, with tickets of its own that are shown openly. They never meet the real tickets, and
 * what is answered here goes nowhere.
 */
export class Practice {
  #root;
  #sentences;
  #box;
  #choices;
  #tickets = null;

  /**
   * @param {HTMLDetailsElement} root  folded until somebody wants to practise
   * @param {import("./sentences.js").Sentences} sentences
   * @param {import("./design.js").Item} first  question of the survey
   * @param {(action: () => void) => void} guard  runs what may fail
   */
  constructor(root, sentences, first, guard) {
    this.#root = root;
    this.#sentences = sentences;
    this.#choices = new Choices(part(root, "practice-choices"), () => guard(() => this.#show()));
    this.#box = practiceBox(first, this.#choices.count);
    root.addEventListener("toggle", () => root.open && this.#tickets === null && guard(() => this.#draw()));
    part(root, "practice-again").addEventListener("click", () => guard(() => this.#draw()));
    root.hidden = false;
  }

  /** Forget the answer and the tickets, and fold. */
  clear() {
    this.#root.open = false;
    this.#tickets = null;
    this.#choices.clear();
    ["practice-ticket", "practice-lines", "practice-said"].forEach((name) => part(this.#root, name).replaceChildren());
  }

  #draw() {
    const source = systemWords(window.crypto);
    this.#tickets = this.#box.encoding.boxes.map((tickets) => drawTicket(source, tickets));
    source.wipe();
    this.#show();
  }

  #show() {
    const sent = sentBy(this.#box, this.#tickets);
    part(this.#root, "practice-ticket").textContent = this.#say("practice-ticket", this.#shown());
    part(this.#root, "practice-lines").replaceChildren(...sent.map((choices, x) => this.#line(x, choices)));
    part(this.#root, "practice-said").textContent = this.#text(sent);
  }

  /** The tickets as people count them, from 1. */
  #shown() {
    const [first] = this.#tickets;
    const numbers = this.#tickets.map((ticket) => this.#sentences.numbers.format(ticket + 1));
    return { number: first + 1, numbers: this.#sentences.list(numbers), tickets: this.#box.table.tickets };
  }

  #line(x, sent) {
    const values = { answer: this.#choices.label(x), sent: this.#listed(sent) };
    return element("li", this.#say("practice-line", values), x === this.#choices.answer ? "chosen" : "");
  }

  #text(sent) {
    const x = this.#choices.answer;
    if (x === null) {
      return this.#say("practice-waits");
    }
    return this.#say(sent[x].includes(x) ? "practice-own" : "practice-other", {
      answer: this.#choices.label(x),
      sent: this.#listed(sent[x]),
      own: this.#box.own(x),
      tickets: this.#box.table.tickets,
    });
  }

  #listed(sent) {
    return sent.length === 0 ? this.#say("practice-none") : this.#sentences.list(sent.map((y) => this.#choices.label(y)));
  }

  #say(key, values) {
    const keys = [`${key}-${this.#box.shape}`, `${key}-${this.#box.shared}`];
    return this.#sentences.say(keys.find((one) => this.#sentences.has(one)) ?? key, values);
  }
}

/** One question back: what does a report tell about its sender? The reply stays here; a wrong one shows the odds again. */
export class CheckQuestion {
  #root;
  #choices;
  #say;
  #fillOdds;

  /**
   * @param {HTMLElement} root
   * @param {(key: string) => string} say  a sentence with the first question's own odds
   * @param {(place: HTMLElement) => void} fillOdds
   */
  constructor(root, say, fillOdds) {
    this.#root = root;
    this.#say = say;
    this.#fillOdds = fillOdds;
    part(root, "wording").textContent = say("check-question");
    root.querySelectorAll("label span").forEach((label, i) => {
      label.textContent = say(`check-choice-${i}`);
    });
    this.#choices = new Choices(root, () => this.#judge());
  }

  /** Forget the reply. */
  clear() {
    this.#choices.clear();
    part(this.#root, "check-said").textContent = "";
    part(this.#root, "check-odds").replaceChildren();
  }

  #judge() {
    const right = this.#choices.answer === RIGHT;
    part(this.#root, "check-odds").replaceChildren();
    part(this.#root, "check-said").textContent = this.#say(right ? "check-right" : "check-wrong");
    if (!right) {
      this.#fillOdds(part(this.#root, "check-odds"));
    }
  }
}

/**
 * The box that is practised with: the first question's own where its choices are as many as the practice question's;
 * for several choices that of one option; else two coins.
 *
 * @param {import("./design.js").Item} first
 * @param {number} count  of the practice question's choices
 * @returns {{shape: string, shared?: string, table: import("./channel.js").Table, encoding: import("./encoding.js").Encoding, own: (x: number) => number}}
 */
export function practiceBox(first, count) {
  const shape = shapeOf(first);
  const { table, encoding } = first;
  if (encoding.symbols === count && (shape === "list" || shape === "set")) {
    return { shape, shared: "set", table, encoding, own: () => table.weights.at(-1)[1] };
  }
  const fits = [table.weights, table.weights[0]].every(({ length }) => length === count);
  const used = fits ? table : TWO_COINS;
  return { shape: "choice", table: used, encoding: single(used), own: (x) => used.weights[x][x] };
}

/** @returns {number[][]}  the choices that the tickets send, for each answer */
export function sentBy({ table, encoding }, tickets) {
  const answers = Array.from({ length: encoding.symbols === 1 ? table.weights.length : encoding.symbols }, (_, x) => x);
  const marked = (symbols) => answers.filter((y) => symbols[y] === 1);
  return answers.map((x) => {
    const symbols = encoding.read(tickets, x);
    return encoding.symbols === 1 ? symbols : marked(symbols);
  });
}

/**
 * What may be tried before the questions, about the first of them.
 *
 * @param {HTMLElement} root
 * @param {import("./sentences.js").Sentences} sentences
 * @param {import("./explain.js").Explanation} explanation
 * @param {import("./design.js").Item} first
 * @param {(action: () => unknown) => Promise<void>} guard
 */
export function bindTrials(root, sentences, explanation, first, guard) {
  const say = (key) => explanation.say(key, first);
  return [
    new Practice(part(root, "practice"), sentences, first, guard),
    new CheckQuestion(part(root, "check-question"), say, (place) => explanation.fillOdds(place, first)),
  ];
}
