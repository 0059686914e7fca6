import { answersToSend, askedItems, drawOrder } from "./routing.js";
import { part } from "./elements.js";
import { Sections } from "./sections.js";
import { rangeInWords } from "./wording.js";

/**
 * All questions of the page together: which of them are asked, what is still missing, what is to be sent.
 *
 * It keeps no answer: answers live in the inputs, and are looked up there.
 *
 * @typedef {import("./field.js").Question} Question
 */
export class Questionnaire {
  #missing;
  #appeared;
  #design;
  #questions;
  #group;
  #background;
  #sentences;
  #sections;
  /** @type {boolean[]} */
  #shown;
  /** Of the page; before one is drawn that which can reveal the most. */
  version;

  /**
   * @param {HTMLElement} root
   * @param {import("./preparation.js").Prepared} prepared
   * @param {import("./sentences.js").Sentences} sentences
   */
  constructor(root, { design, questions, group, background }, sentences) {
    this.#missing = part(root, "missing");
    this.#appeared = part(root, "appeared");
    this.#design = design;
    this.#questions = questions;
    this.#group = group;
    this.#background = background;
    this.#sentences = sentences;
    this.#sections = new Sections(root, design, sentences);
    this.#shown = design.items.map(() => true);
    this.version = design.most;
    questions.forEach((question, i) => this.#sayNote(question, design.items[i]));
  }

  /**
   * A new visit: its version of the page, its order of choices, the first section, the group of the link.
   *
   * @param {import("./random.js").WordSource} source  for what shows
   * @param {number | null} group
   * @param {boolean} fixed  whether it cannot be changed
   */
  begin(source, group, fixed) {
    this.clear();
    this.#background?.begin(source);
    this.version = this.#background?.version ?? this.version;
    this.#design.items.forEach((item, i) => item.shuffle && this.#questions[i].arrange(drawOrder(item, source)));
    this.#sections.begin();
    if (group !== null) {
      this.#group[fixed ? "fix" : "choose"](group);
    }
    this.update();
    this.#appeared.textContent = "";
  }

  /** After a change of an answer: show what is asked now, and wipe the answers to what is not. */
  update() {
    const answers = this.#answers();
    const before = this.#shown;
    this.#shown = askedItems(this.#design.items, answers, this.#version);
    const changed = [...before.keys()].filter((i) => this.#shown[i] !== before[i]);
    changed.forEach((i) => this.#ask(this.#questions[i], this.#shown[i]));
    this.#sayChange(changed);
    this.#missing.textContent = "";
    this.#sections.update(this.#shown, answers.filter((answer, i) => this.#shown[i] && answer !== null).length);
  }

  /** Forget every answer. */
  clear() {
    [...this.#first(), ...this.#questions].forEach((question) => question.clear());
    this.update();
  }

  /** To the next section, where this one is complete. */
  next() {
    if (this.#complete(this.#sections.members)) {
      this.#sections.go(1);
    }
  }

  back() {
    this.#missing.textContent = "";
    return this.#sections.go(-1);
  }

  /** @returns {boolean}  whether everything is there that must be; what is missing is said, and takes the focus */
  complete() {
    const complete = this.#complete([...this.#questions.keys()]);
    if (complete) {
      this.#sections.review();
    }
    return complete;
  }

  /** Lead to a question. */
  open(question) {
    const index = this.#questions.indexOf(question);
    this.#sections.open(Math.max(index, 0));
    question.focus();
  }

  /** All that this version of the page may ask. */
  get asked() {
    return this.#version.map((i) => ({ question: this.#questions[i], item: this.#design.items[i] }));
  }

  get #version() {
    return this.#design.versions[this.version];
  }

  /** @returns {import("./review.js").Shown[]}  those asked; what is sent as it is has no item */
  get shown() {
    const items = this.#design.items.map((item, i) => ({ question: this.#questions[i], item, note: this.#background?.note }));
    return [...this.#open(), ...items.filter((_, i) => this.#shown[i])];
  }

  /** @returns {boolean}  whether an answer is marked, also one that is faulty */
  get marked() {
    return this.#questions.some((question) => !question.blank);
  }

  /** @returns {boolean}  whether Back leads to a section before this one */
  get later() {
    return this.#sections.later;
  }

  /** @returns {number}  how many questions are not asked; they are sent all the same */
  get unasked() {
    return this.#shown.filter((shown) => !shown).length;
  }

  /** @returns {import("./encoding.js").Answer[]}  what is read against the tickets: one answer for each item */
  toSend() {
    return answersToSend(this.#design.items, this.#answers(), this.#version);
  }

  /** @returns {string}  key of the group or cell, which is sent as it is; empty where there is none */
  get stratum() {
    if (this.#background !== null) {
      return this.#background.stratum;
    }
    return this.#group === null ? "" : this.#design.groups[this.#group.answer].key;
  }

  #open() {
    const group = this.#group;
    return this.#background?.shown ?? (group === null ? [] : [{ question: group, item: null, answer: group.labels[group.answer], note: this.#sentences.say("review-plain") }]);
  }

  #first() {
    return this.#background?.questions ?? (this.#group === null ? [] : [this.#group]);
  }

  #answers() {
    return this.#questions.map((question) => question.answer);
  }

  #ask(question, shown) {
    question.element.hidden = !shown;
    if (!shown) {
      question.clear();
    }
  }

  /** What appears in sight is said to those who do not see it. */
  #sayChange(changed) {
    const count = changed.filter((i) => this.#shown[i] && this.#sections.members.includes(i)).length;
    if (changed.length > 0) {
      this.#appeared.textContent = count === 0 ? "" : this.#sentences.say("appeared", { count });
    }
  }

  #complete(places) {
    const faults = places.filter((i) => this.#shown[i]).map((i) => [this.#questions[i], this.#fault(i)]);
    if (this.#group !== null && places.includes(0)) {
      faults.unshift([this.#group, this.#group.blank ? { key: "missing-one_choice", values: {} } : null]);
    }
    const found = faults.filter(([, fault]) => fault !== null);
    found.forEach(([question, { key, values }]) => question.showError(this.#sentences.say(key, values)));
    this.#sayMissing(found.map(([question]) => question));
    return found.length === 0;
  }

  #sayMissing(questions) {
    const key = questions.every((question) => question.blank) ? "answers-missing" : "answers-faulty";
    const text = questions.length === 0 ? "" : this.#sentences.say(key, { count: questions.length });
    this.#missing.textContent = text;
    if (questions.length > 0) {
      this.open(questions[0]);
    }
  }

  #fault(index) {
    const [question, item] = [this.#questions[index], this.#design.items[index]];
    if (question.blank) {
      return item.required || this.#background?.ownCoin ? { key: `missing-${item.kind}`, values: {} } : null;
    }
    const { fault } = question;
    const range = item.grid === null ? {} : rangeInWords(item.grid, this.#sentences);
    return fault === null ? null : { key: fault.key, values: { ...range, ...fault.values } };
  }

  /** What may be answered, said before: how many may be ticked, which numbers there are. */
  #sayNote(question, item) {
    if (item.kind === "several_choices") {
      const key = item.most < item.choices.length ? "tick-most" : "tick-any";
      part(question.element, "note").textContent = this.#sentences.say(key, { count: item.most });
    } else if (item.grid !== null) {
      part(question.element, "note").textContent = this.#sentences.say("number-range", rangeInWords(item.grid, this.#sentences));
    }
  }
}
