import { Explanation } from "./explain.js";
import { extra } from "./extras.js";
import { carryLink, groupNamed, linkNames, takeLink } from "./link.js";
import { OwnNote } from "./losses.js";
import { Stages, part } from "./elements.js";
import { bindTrials } from "./practice.js";
import { prepare } from "./preparation.js";
import { Questionnaire } from "./questionnaire.js";
import { drawNonce, systemWords } from "./random.js";
import { Refusal } from "./refusal.js";
import { Tickets, requestBody } from "./report.js";
import { CheckThisPage, Review } from "./review.js";
import { Sending } from "./sending.js";
import { Sentences } from "./sentences.js";
import { Steps } from "./steps.js";

/**
 * The respondent's page, from load to "clear this screen".
 *
 * Its life is a row of stages:
 *
 *   waiting -> questions <-> review -> sending -> sent | failed -> cleared        and from everywhere: refused
 *
 * Where the design asks for consent or screens, that comes between `waiting` and `questions` (entry.js).
 * From `sending` on no click can send anything but the bytes that were frozen then.
 */
export class RespondentPage {
  #root;
  #window;
  #stages;
  #sentences;
  #review;
  #check;
  #sending;
  #note;
  /** @type {import("./preparation.js").Prepared | null} */
  #prepared = null;
  /** @type {Promise<import("./preparation.js").Prepared> | null} */
  #preparing = null;
  /** @type {Questionnaire | null} */
  #questionnaire = null;
  /** @type {Tickets | import("./remembered.js").RememberedTickets | null} */
  #tickets = null;
  #freezing = false; // from the click on Send on, as long as that lasts
  #nonce = "";
  /** @type {import("./entry.js").Entry | null}  where something comes before the questions */
  #entry = null;
  /** What the link says after #; its invitation is taken from the address bar as soon as this script runs. */
  #link = { fragment: "", invitation: null };
  /** @type {import("./invitation.js").InvitationField | null}  where the survey asks for an invitation */
  #invitation = null;
  /** @type {import("./waves.js").Waves | null}  where the survey comes again */
  #waves = null;
  /** @type {Steps | null}  a preview leaves the history of the panel's tab alone, and has nothing to lose */
  #steps = null;
  /** @type {ReturnType<typeof bindTrials> | null}  what may be tried before the questions */
  #trials = null;

  /**
   * @param {HTMLElement} root  the `html` element of the page
   * @param {Window} window
   */
  constructor(root, window) {
    this.#root = root;
    this.#window = window;
    this.#link = takeLink(window);
    this.#stages = new Stages(root);
    this.#sentences = new Sentences(part(root, "sentences"), root.lang);
    this.#review = new Review(part(root, "review-list"), this.#sentences, (question) => this.#edit(question));
    this.#check = new CheckThisPage(root, this.#sentences);
    this.#note = new OwnNote(root, window, this.#sentences);
    this.#sending = new Sending(root, window, {
      stages: this.#stages,
      sentences: this.#sentences,
      check: this.#check,
      guard: (action) => this.#guard(action),
    });
    this.#bind();
  }

  #bind() {
    if (this.#root.dataset.survey !== "") {
      this.#steps = new Steps(this.#window, {
        ahead: () => this.#stages.now === "review" || this.#entry?.ahead || (this.#stages.now === "questions" && this.#questionnaire.later),
        back: () => this.#back(),
        marked: () => this.#questionnaire?.marked ?? false,
      });
    }
    this.#onClick("review-button", () => this.#showReview());
    this.#onClick("next-button", () => this.#showNext());
    this.#onClick("previous-button", () => this.#back());
    this.#onClick("back-button", () => this.#back());
    this.#onClick("send-button", () => this.#send());
    this.#onClick("note-button", () => this.#note.make(this.#prepared.design, this.#questionnaire.asked, this.#waves?.anew ?? true));
    this.#root.querySelectorAll("[data-part=clear-button]").forEach((button) => {
      button.addEventListener("click", () => this.#guard(() => this.#clearScreen()));
    });
    this.#window.addEventListener("pageshow", () => this.#guard(() => this.#enter()));
    this.#window.addEventListener("pagehide", () => this.#leave());
    this.#window.addEventListener("hashchange", () => this.#guard(() => this.#enterByLink()));
  }

  /**
   * The page appears: first load, restored from the back-forward cache, or another link opened in it. Whatever a browser
   * kept is cleared. A report that is on its way goes on; a page that has sent stays finished; else all begins anew.
   */
  async #enter() {
    if (this.#sending.going) {
      await this.#sending.hurry();
    } else if (this.#sending.begun) {
      this.#clearScreen();
    } else {
      this.#forget();
      await this.#begin();
    }
  }

  /** Another link was opened in this tab. */
  async #enterByLink() {
    this.#link = takeLink(this.#window);
    await this.#enter();
  }

  /** The next user of the device finds nothing. A report on its way is kept: it is no answer. */
  #leave() {
    this.#forget();
    this.#forgetLink();
    this.#sending.clear();
  }

  async #begin() {
    this.#preparing ??= this.#prepareOnce();
    this.#prepared = await this.#preparing;
    const { design, digest } = this.#prepared;
    const named = linkNames(this.#link.fragment, digest);
    this.#beginInvitation();
    this.#check.showDigest(digest, named, this.#address(""), this.#window.location);
    this.#check.showBody("");
    if (await this.#sending.resume(this.#address("reports"), this.#prepared)) {
      this.#explain();
      this.#prepared.background?.resume();
      return;
    }
    const source = systemWords(this.#window.crypto);
    this.#tickets = await this.#drawTickets(design, source);
    this.#waves?.begin(this.#tickets);
    this.#nonce = drawNonce(source);
    source.wipe();
    this.#sending.prepare(digest, this.#nonce);
    this.#beginQuestions();
    part(this.#root, "form").disabled = false;
    this.#stages.show(this.#entry?.first ?? "questions", { focus: false });
    this.#note.show(this.#prepared.design);
  }

  #drawTickets(design, source) {
    return design.remembers ? extra("remembered").draw(this.#window, design, source) : new Tickets(design, source);
  }

  /** What shows on the screen, such as the order of choices, comes from a source of its own: the tickets never do. */
  #beginQuestions() {
    const source = systemWords(this.#window.crypto);
    const { fragment, invitation } = this.#link;
    this.#questionnaire.begin(source, groupNamed(fragment, this.#prepared.design), invitation !== null);
    source.wipe();
    this.#entry?.begin(this.#questionnaire.version);
    const guard = (action) => this.#guard(action);
    this.#trials ??= bindTrials(this.#root, this.#sentences, this.#explain(), this.#questionnaire.asked[0].item, guard);
  }

  #explain() {
    return new Explanation(this.#questionnaire.asked, this.#sentences).fill(this.#root);
  }

  /** A survey that asks for none has no place to put one: such a link is for another survey, or was changed. */
  #beginInvitation() {
    const { invitation } = this.#link;
    if (invitation !== null && this.#invitation === null) {
      throw new Refusal("link-damaged");
    }
    this.#invitation?.begin(invitation);
    carryLink(this.#root, this.#link);
  }

  #forgetLink() {
    this.#link.invitation = null;
    carryLink(this.#root, this.#link);
  }

  /** A page that comes back from the back-forward cache is the same page: bound and explained once. */
  async #prepareOnce() {
    const changed = () => this.#guard(() => this.#questionnaire.update());
    const prepared = await prepare(this.#root, this.#window, this.#link.fragment, this.#sentences, changed);
    const { invitations, waves, entered } = prepared.design;
    this.#invitation = invitations === "" ? null : new (extra("invitation"))(this.#root, invitations, this.#sentences);
    this.#questionnaire = new Questionnaire(this.#root, prepared, this.#sentences);
    const [stages, sentences, guard] = [this.#stages, this.#sentences, (action) => this.#guard(action)];
    const entry = { stages, sentences, guard, wipe: () => this.#beginQuestions() };
    this.#entry = entered ? new (extra("entry"))(this.#root, prepared.design, entry) : null;
    this.#waves = waves === null ? null : new (extra("waves"))(this.#root, prepared.design, this.#sentences, guard);
    return prepared;
  }

  #showNext() {
    if (this.#invited) {
      this.#questionnaire.next();
    }
  }

  /** Whether there is an invitation, where one is asked for; what is missing is said. */
  get #invited() {
    return this.#invitation?.complete() ?? true;
  }

  #showReview() {
    if (this.#invited && this.#questionnaire.complete()) {
      this.#review.show(this.#questionnaire.shown, this.#questionnaire.unasked);
      this.#stages.show("review");
    }
  }

  /** One stage back, by a button of the page or the browser's: to where she came from, also for a keyboard. */
  #back() {
    if (this.#stages.now === "review") {
      this.#stages.show("questions", { focus: false });
      part(this.#root, "review-button").focus();
    } else if (this.#stages.now !== "questions" || !this.#questionnaire.back()) {
      this.#entry?.back();
    }
  }

  #edit(question) {
    this.#stages.show("questions", { focus: false });
    this.#questionnaire.open(question);
  }

  /** The one moment where answers become a report. A second click does nothing. */
  async #send() {
    if (this.#sending.begun || this.#freezing) {
      return;
    }
    this.#freezing = true;
    try {
      await this.#settle();
      if (this.#stages.now === "review") {
        const body = this.#freeze();
        this.#forget();
        this.#forgetLink();
        await this.#sending.begin(this.#address("reports"), body, this.#prepared);
      }
    } finally {
      this.#freezing = false;
    }
  }

  /** Whether this device keeps the number of a survey that remembers is settled before its tickets are read. */
  async #settle() {
    if (this.#prepared.design.remembers) {
      await this.#tickets.settle(this.#root.querySelector("[data-part=keep-number]")?.checked ?? true);
    }
  }

  #freeze() {
    const answers = this.#questionnaire.toSend();
    const { stratum } = this.#questionnaire;
    const report = this.#tickets.read(answers, this.#prepared.background?.marks(answers));
    const invitation = this.#invitation?.text;
    return requestBody({ design: this.#prepared.digest, nonce: this.#nonce, stratum, report, invitation });
  }

  #clearScreen() {
    this.#leave();
    this.#sending.stop();
    this.#prepared = null;
    part(this.#root, "form").disabled = true;
    this.#stages.show("cleared");
  }

  /** Answers, tickets, the invitation, and every place where one of them is written. */
  #forget() {
    this.#invitation?.clear();
    this.#entry?.clear();
    this.#questionnaire?.clear();
    this.#trials?.forEach((trial) => trial.clear());
    this.#tickets?.forget();
    this.#review.clear();
  }

  #refuse(problem) {
    part(this.#root, "form").disabled = true;
    this.#leave();
    this.#sending.stop();
    const { code, values } = problem instanceof Refusal ? problem : { code: "unexpected", values: { detail: String(problem) } };
    const key = this.#sentences.has(`refused-${code}`) ? `refused-${code}` : "refused-unexpected";
    part(this.#root, "refusal-reason").textContent = this.#sentences.say(key, { detail: code, ...values });
    this.#stages.show("refused");
  }

  /** An address of the survey's, whatever the language of the page: there is one design, and one door for reports. */
  #address(name) {
    return new URL(name, `${this.#window.location.origin}${this.#root.dataset.survey}`).href;
  }

  #onClick(name, action) {
    part(this.#root, name).addEventListener("click", () => this.#guard(action));
  }

  /** Whatever goes wrong in a handler ends in a refusal in words, never in a half-working page. */
  async #guard(action) {
    try {
      await action();
    } catch (problem) {
      this.#refuse(problem);
    }
    this.#steps?.settle();
  }
}

new RespondentPage(document.documentElement, window);
