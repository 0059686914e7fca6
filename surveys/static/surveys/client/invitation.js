import { pasted, readCode } from "./codes.js";
import { offer } from "./extras.js";
import { Field } from "./field.js";
import { part } from "./elements.js";
import { Refusal } from "./refusal.js";
import { INVITATIONS } from "./report.js";

/**
 * A token, pasted alone or with its link.
 *
 * @param {string} text
 * @returns {{invitation: string, fault: "" | "token", count: number}}
 */
export function readToken(text) {
  const invitation = pasted(text).replace(/\s/g, "");
  return { invitation, fault: INVITATIONS.blind.test(invitation) ? "" : "token", count: invitation.length };
}

/**
 * The invitation of a survey that asks for one: from the link, or typed. It is here and in the field, and nowhere else,
 * until it goes into the body.
 */
export class InvitationField extends Field {
  #input;
  #sentences;
  #read;
  #given = "";

  /**
   * @param {HTMLElement} root
   * @param {"secret" | "blind"} kind
   * @param {import("./sentences.js").Sentences} sentences
   */
  constructor(root, kind, sentences) {
    super(part(root, "inviting"), () => {});
    [this.#input] = this.nameless([...this.element.querySelectorAll("input[type=text]")]);
    this.demand(this.#input !== undefined);
    this.#sentences = sentences;
    this.#read = kind === "secret" ? readCode : readToken;
    this.element.addEventListener("input", () => this.showError(""));
  }

  /**
   * A new visit. A link with a damaged invitation is refused: nobody should answer what cannot be sent.
   *
   * @param {string | null} named  by the link
   */
  begin(named) {
    const { invitation, fault } = this.#read(named ?? "");
    if (named !== null && fault !== "") {
      throw new Refusal("invitation");
    }
    this.#given = named === null ? "" : invitation;
    part(this.element, "invitation-named").hidden = named === null;
    part(this.element, "invitation-asked").hidden = named !== null;
  }

  /** What goes into the body. */
  get text() {
    return this.#given === "" ? this.#read(this.#input.value).invitation : this.#given;
  }

  /** @returns {boolean}  whether there is one that could be good; what is wrong with it is said, and takes the focus */
  complete() {
    const { fault, count } = this.#given === "" ? this.#read(this.#input.value) : { fault: "" };
    if (fault !== "") {
      this.showError(this.#sentences.say(count === 0 ? "invitation-missing" : `invitation-${fault}`, { count }));
      this.#input.focus();
    }
    return fault === "";
  }

  /** The field is made anew: for as long as one lives, Undo brings back what was written in it. */
  clear() {
    this.#given = "";
    this.#input.value = "";
    this.#input.defaultValue = "";
    const fresh = this.#input.cloneNode();
    this.#input.replaceWith(fresh);
    this.#input = fresh;
    this.showError("");
  }

  showError(message) {
    super.showError(message);
    this.#input.setAttribute("aria-invalid", String(message !== ""));
  }
}

offer("invitation", InvitationField);
