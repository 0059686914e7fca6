import { Choices } from "./choices.js";
import { part } from "./elements.js";
import { offer } from "./extras.js";
import { Field, labelOf } from "./field.js";
import { demandSame, demandTexts, plain } from "./shown.js";

/** The stages that Back leads to. */
const BEFORE = { declined: "consent", screened: "screening", screening: "consent" };

/**
 * What comes before the first question: statements to agree to, then the screening question. Both stay on the device:
 * they lead to other stages of the page and into no request, whatever is ticked or chosen.
 *
 *   consent <-> declined        screening <-> screened        and from both, where they are passed, to the questions
 *
 * @typedef {import("./design.js").Design} Design
 */
export class Entry {
  #stages;
  #sentences;
  #wipe;
  /** @type {Statements | null} */
  #statements = null;
  /** @type {Choices | null} */
  #question = null;
  /** @type {readonly number[]} */
  #ends = [];

  /**
   * @param {HTMLElement} root
   * @param {Design} design
   * @param {object} page
   * @param {import("./elements.js").Stages} page.stages
   * @param {import("./sentences.js").Sentences} page.sentences
   * @param {(action: () => void) => void} page.guard
   * @param {() => void} page.wipe  forgets the answers of somebody who came back from the questions and takes no part
   */
  constructor(root, { statements, screening, background }, { stages, sentences, guard, wipe }) {
    const onClick = (name, action) => part(root, name).addEventListener("click", () => guard(action));
    this.#stages = stages;
    this.#sentences = sentences;
    this.#wipe = wipe;
    if (statements.length > 0) {
      this.#statements = new Statements(part(root, "statements"));
      const own = (background?.questions[0].arms ?? []).flatMap(({ consent }) => consent ?? []);
      demandTexts(this.#statements.labels, [...statements, ...own], root.lang, ["consent statements", "a consent statement"]);
      onClick("agree-button", () => this.#agree());
      onClick("decline-button", () => this.#end("declined"));
      onClick("declined-back", () => this.back());
    }
    if (screening !== null) {
      this.#question = new Choices(part(root, "screening"));
      demandSame(this.#question.wording, plain(screening.wording[root.lang]), "the screening question");
      demandTexts(this.#question.labels, screening.choices, root.lang, ["screening choices", "a screening choice"]);
      demandSame(plain(part(root, "screened-text").textContent), plain(screening.text[root.lang]), "the end page");
      this.#ends = screening.ends;
      onClick("screening-next", () => this.#screen());
      onClick("screening-back", () => this.back());
      onClick("screened-back", () => this.back());
    }
  }

  /** The stage in which a visit begins. */
  get first() {
    return this.#statements === null ? "screening" : "consent";
  }

  /** @param {number} version  of the page, which may have a statement of its own */
  begin(version) {
    this.#statements?.begin(version);
  }

  /** @returns {boolean}  whether Back leads to a stage of this: the same where she goes on and where she leaves */
  get ahead() {
    const { now } = this.#stages;
    return now !== this.first && (now === "questions" || now in BEFORE);
  }

  /** One stage back, from the questions too. */
  back() {
    const last = this.#question === null ? "consent" : "screening";
    this.#show(BEFORE[this.#stages.now] ?? last);
  }

  clear() {
    this.#statements?.clear();
    this.#question?.clear();
  }

  #agree() {
    if (!this.#statements.complete) {
      this.#statements.showError(this.#sentences.say("missing-statements"));
      this.#statements.focus();
    } else {
      this.#show(this.#question === null ? "questions" : "screening");
    }
  }

  #screen() {
    if (this.#question.blank) {
      this.#question.showError(this.#sentences.say("missing-one_choice"));
      this.#question.focus();
    } else if (this.#ends.includes(this.#question.answer)) {
      this.#end("screened");
    } else {
      this.#show("questions");
    }
  }

  #end(stage) {
    this.#wipe();
    this.#show(stage);
  }

  #show(stage) {
    this.#stages.show(stage);
  }
}

/** Statements, each with a box of its own without a name. */
class Statements extends Field {
  #boxes;

  constructor(element) {
    super(element, () => this.showError(""));
    this.#boxes = this.nameless([...element.querySelectorAll("input[type=checkbox]")]);
    element.addEventListener("change", () => this.changed());
    this.clear();
  }

  get complete() {
    return this.#shown.every((box) => box.checked);
  }

  /** Those of other versions of the page are not shown. */
  begin(version) {
    this.#boxes.forEach((box) => {
      const { dataset } = box.parentElement;
      box.parentElement.hidden = dataset.version !== undefined && dataset.version !== String(version);
    });
  }

  get #shown() {
    return this.#boxes.filter((box) => !box.parentElement.hidden);
  }

  get labels() {
    return this.#boxes.map(labelOf);
  }

  clear() {
    for (const box of this.#boxes) {
      box.checked = false;
      box.defaultChecked = false;
    }
    this.showError("");
  }

  /** To the first that is not ticked. */
  focus() {
    (this.#shown.find((box) => !box.checked) ?? this.#boxes[0]).focus();
  }
}

offer("entry", Entry);
