import { element, part } from "./elements.js";
import { readBody } from "./report.js";
import { answerInWords, sentInWords } from "./wording.js";

/**
 * The list of answers before Send. It exists only while it is looked at; going back, sending and leaving empty it.
 *
 * @typedef {import("./field.js").Question} Question
 * @typedef {import("./design.js").Item} Item
 * @typedef {import("./sentences.js").Sentences} Sentences
 *
 * @typedef {object} Shown  a question with its answer
 * @property {Question} question
 * @property {Item | null} item  null: what is answered is sent as it is, and `answer` and `note` say so
 * @property {string} [answer]
 * @property {string} [note]
 */
export class Review {
  #place;
  #sentences;
  #change;

  /**
   * @param {HTMLElement} place  the list
   * @param {Sentences} sentences
   * @param {(question: Question) => void} change  called where an answer is to be changed
   */
  constructor(place, sentences, change) {
    this.#place = place;
    this.#sentences = sentences;
    this.#change = change;
  }

  /**
   * @param {readonly Shown[]} shown
   * @param {number} unasked  how many questions were not asked
   */
  show(shown, unasked) {
    const rows = shown.map((one) => this.#row(one));
    if (unasked > 0) {
      rows.push(element("li", this.#sentences.say("review-unasked", { count: unasked }), "answers-unasked"));
    }
    this.#place.replaceChildren(...rows);
  }

  clear() {
    this.#place.replaceChildren();
  }

  #row({ question, item, answer, note }) {
    const row = element("li", "", item === null ? "answer-plain" : "");
    const button = element("button", this.#sentences.say("change"), "button-quiet");
    button.type = "button";
    button.setAttribute("aria-label", this.#sentences.say("change-named", { wording: question.wording }));
    button.addEventListener("click", () => this.#change(question));
    row.append(
      element("p", question.wording, "answer-wording"),
      element("p", answer ?? answerInWords(item, question.answer, this.#sentences), "answer-choice"),
      element("p", note ?? this.#sentences.say("review-ticket"), "answer-note"),
    );
    if (question.fixed !== true) {
      row.append(button);
    }
    return row;
  }
}

/** What was sent, shown after Send to those who ask for it. The ticket is not part of it: it no longer exists. */
export class Receipt {
  #root;
  #sentences;

  constructor(root, sentences) {
    this.#root = root;
    this.#sentences = sentences;
  }

  /**
   * @param {string} body  the exact body of the request
   * @param {string} receipt  its SHA-256, as the collector answered
   * @param {import("./preparation.js").Prepared} prepared
   * @param {string} groupLine  the group that was sent as it is; empty where there is none
   */
  show(body, receipt, { design, questions }, groupLine) {
    const lines = readBody(body, design).symbols.map((symbols, i) => this.#line(questions[i], design.items[i], symbols));
    if (groupLine !== "") {
      lines.unshift(element("li", groupLine));
    }
    part(this.#root, "sent-list").replaceChildren(...lines);
    part(this.#root, "sent-receipt").textContent = receipt;
  }

  clear() {
    part(this.#root, "sent-list").replaceChildren();
    part(this.#root, "sent-receipt").textContent = "";
  }

  #line(question, item, symbols) {
    const line = element("li");
    line.append(
      element("span", question.wording, "sent-wording"),
      element("span", sentInWords(item, symbols, this.#sentences), "sent-choice"),
    );
    return line;
  }
}

/**
 * "Check this page": the digest as this device computed it, the commands that check it from elsewhere, the exact body.
 */
export class CheckThisPage {
  #root;
  #sentences;

  constructor(root, sentences) {
    this.#root = root;
    this.#sentences = sentences;
  }

  /**
   * @param {string} digest
   * @param {boolean} named  whether the link names the digest (then it is the same one)
   * @param {string} survey  its address
   * @param {Location} page  the address of this page; query and fragment say nothing to the server and are left out
   */
  showDigest(digest, named, survey, page) {
    part(this.#root, "check-digest").textContent = digest;
    part(this.#root, "check-link").textContent = this.#sentences.say(named ? "link-named" : "link-silent");
    part(this.#root, "check-design").textContent = `curl -s ${survey}design.json | sha256sum`;
    part(this.#root, "check-page").textContent = `curl -s ${page.origin}${page.pathname} | sha256sum`;
  }

  /**
   * @param {string} body  the exact body of the request; empty: nothing was sent
   * @param {string} [url]  where it goes
   * @param {string} [sum]  what goes with it for the work that was asked for
   */
  showBody(body, url = "", sum = "") {
    const shown = blotted(body);
    // Letters, digits and punctuation of JSON: nothing in a body ends a quoted word of a shell.
    const work = sum === "" ? "" : ` -H 'Candor-Work: ${sum}'`;
    const types = `-H 'Content-Type: application/json'${work}`;
    part(this.#root, "check-again").hidden = body === "";
    part(this.#root, "check-receipt").textContent = body === "" ? "" : `printf %s '${shown}' | sha256sum`;
    part(this.#root, "check-repeat").textContent =
      body === "" ? "" : `curl -s ${types} -H 'Origin: ${new URL(url).origin}' --data-binary '${shown}' ${url}`;
    const text = body === "" ? element("p", this.#sentences.say("body-none")) : element("pre", shown);
    part(this.#root, "check-body").replaceChildren(text);
  }
}

/** An invitation is not shown: it tells who took part to whoever knows where it went. */
function blotted(body) {
  return body.replace(/"invitation":"[^"]*"/, '"invitation":"…"');
}
