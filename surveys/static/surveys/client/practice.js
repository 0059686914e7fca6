import { checkedTable, readTicket } from "./channel.js";
import { Choices } from "./choices.js";
import { element, part } from "./parts.js";
import { drawTicket, systemWords } from "./random.js";

/** For a first question with more choices than the practice question offers. */
const TWO_COINS = checkedTable([[3, 1], [1, 3]]);

/** Which of the check question's choices is right. */
const RIGHT = 1;

/**
 * The practice question: harmless, with a ticket of its own that is shown openly. It never meets the real tickets, and
 * what is answered here goes nowhere.
 */
export class Practice {
  #root;
  #sentences;
  #table;
  #choices;
  #ticket = null;

  /**
   * @param {HTMLDetailsElement} root  folded until somebody wants to practise
   * @param {import("./sentences.js").Sentences} sentences
   * @param {import("./channel.js").Table} first  of the first question
   * @param {(action: () => void) => void} guard  runs what may fail
   */
  constructor(root, sentences, first, guard) {
    this.#root = root;
    this.#sentences = sentences;
    this.#choices = new Choices(part(root, "practice-choices"), () => guard(() => this.#show()));
    this.#table = practiceTable(first, this.#choices.count);
    root.addEventListener("toggle", () => root.open && this.#ticket === null && guard(() => this.#draw()));
    part(root, "practice-again").addEventListener("click", () => guard(() => this.#draw()));
    root.hidden = false;
  }

  /** Forget the answer and the ticket, and fold. */
  clear() {
    this.#root.open = false;
    this.#ticket = null;
    this.#choices.clear();
    ["practice-ticket", "practice-lines", "practice-said"].forEach((name) => part(this.#root, name).replaceChildren());
  }

  #draw() {
    const source = systemWords(window.crypto);
    this.#ticket = drawTicket(source, this.#table.tickets);
    source.wipe();
    this.#show();
  }

  #show() {
    const sent = sentBy(this.#table, this.#ticket);
    const title = { number: this.#ticket + 1, tickets: this.#table.tickets };
    part(this.#root, "practice-ticket").textContent = this.#sentences.say("practice-ticket", title);
    part(this.#root, "practice-lines").replaceChildren(...sent.map((y, x) => this.#line(x, y)));
    part(this.#root, "practice-said").textContent = this.#said(sent);
  }

  #line(x, y) {
    const values = { answer: this.#choices.label(x), sent: this.#choices.label(y) };
    return element("li", this.#sentences.say("practice-line", values), x === this.#choices.answer ? "chosen" : "");
  }

  #said(sent) {
    const x = this.#choices.answer;
    if (x === null) {
      return this.#sentences.say("practice-waits");
    }
    return this.#sentences.say(sent[x] === x ? "practice-own" : "practice-other", {
      answer: this.#choices.label(x),
      sent: this.#choices.label(sent[x]),
      own: this.#table.weights[x][x],
      tickets: this.#table.tickets,
    });
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

/** The table of the first question where it has one row for each choice of the practice question; else two coins. */
export function practiceTable(first, count) {
  return first.weights.length === count ? first : TWO_COINS;
}

/** @returns {number[]}  what the ticket sends, for each answer */
export function sentBy(table, ticket) {
  return table.weights.map((row) => readTicket(row, ticket));
}
