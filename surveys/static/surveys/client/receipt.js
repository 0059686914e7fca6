import { element, part } from "./elements.js";
import { readBody } from "./report.js";
import { sentInWords } from "./wording.js";

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
