import { requestSignature } from "./signing.js";
import { draw, finish, modulusOf } from "./blinding.js";
import { fileOf, saveFile } from "./file.js";
import { PendingRequests } from "./pending.js";
import { answeringLink, readLink } from "./link.js";
import { readCode } from "../client/codes.js";
import { canonicalText, digestOf } from "../client/design.js";
import { Stages, part } from "../client/elements.js";
import { systemWords } from "../client/random.js";
import { Refusal } from "../client/refusal.js";
import { Sentences } from "../client/sentences.js";

/**
 * The page on which a token is fetched:
 *
 *   waiting -> code -> fetching -> fetched        and from everywhere: refused
 *
 * Everything that could tell the token from others is drawn here. What is sent is the code and a number that hides the
 * rest; a token is shown once this browser has verified it.
 */
export class TokenPage {
  #root;
  #window;
  #stages;
  #sentences;
  #prepared = null;
  #group = "";
  #code = "";
  #link = "";
  /** What the link said after #; it is out of the address bar before the page is drawn. */
  #fragment = "";

  /**
   * @param {HTMLElement} root  the `html` element of the page
   * @param {Window} window
   */
  constructor(root, window) {
    this.#root = root;
    this.#window = window;
    this.#stages = new Stages(root);
    this.#sentences = new Sentences(part(root, "sentences"), root.lang);
    this.#onClick("fetch-button", () => this.#fetch());
    this.#onClick("save-button", () => this.#save());
    this.#onClick("copy-button", () => this.#copy());
    part(root, "code").addEventListener("keydown", ({ key }) => key === "Enter" && this.#guard(() => this.#fetch()));
    window.addEventListener("pageshow", () => this.#guard(() => this.#enter()));
    window.addEventListener("hashchange", () => this.#guard(() => {
      this.#takeFragment();
      return this.#enter();
    }));
    window.addEventListener("pagehide", () => this.#forget());
    this.#takeFragment();
  }

  /** Neither the next look at the screen nor the history shall show the code. */
  #takeFragment() {
    const { location, history } = this.#window;
    this.#fragment = location.hash;
    history.replaceState(null, "", location.pathname + location.hash.replace(/&.*$/, ""));
  }

  /** First load, back from elsewhere, or another link opened in it. */
  async #enter() {
    const fragment = this.#fragment;
    this.#forget();
    this.#prepared ??= await this.#prepare();
    const { digest, group, code } = readLink(fragment);
    if (digest !== "" && digest !== this.#prepared.digest) {
      throw new Refusal("link-other", { named: digest, digest: this.#prepared.digest });
    }
    this.#group = group;
    this.#carry(fragment);
    part(this.#root, "code").value = inFours(code);
    part(this.#root, "form").disabled = false;
    this.#stages.show("code", { focus: false });
  }

  /** The document must be the one that the page names, and its key one that can be used. */
  async #prepare() {
    if (!this.#window.isSecureContext) {
      throw new Refusal("insecure");
    }
    const text = part(this.#root, "design").textContent;
    const digest = await digestOf(text, this.#window.crypto?.subtle);
    if (digest !== this.#root.dataset.digest) {
      throw new Refusal("digest", { digest });
    }
    const source = JSON.parse(text);
    if (canonicalText(source) !== text) {
      throw new Refusal("digest", { digest });
    }
    part(this.#root, "digest").textContent = digest;
    return { digest, modulus: modulusOf(source), keeping: new PendingRequests(this.#window, digest) };
  }

  async #fetch() {
    const { invitation: code, fault } = readCode(part(this.#root, "code").value);
    this.#say(fault === "" ? "" : "code-wrong");
    if (fault !== "") {
      part(this.#root, "code").focus();
    }
    if (fault !== "" || this.#stages.now !== "code") {
      return;
    }
    this.#code = code;
    this.#stages.show("fetching");
    const pending = await this.#pending(code);
    const reply = await requestSignature(
      (url, options) => this.#window.fetch(url, options),
      this.#root.dataset.sign,
      { design: this.#prepared.digest, code, blinded: pending.blinded },
    );
    if (this.#stages.now !== "fetching" || this.#code !== code) {
      return;
    }
    if (reply.state === "signed") {
      await this.#show(pending, reply.signed);
    } else {
      this.#stages.show("code", { focus: false });
      this.#say(`reply-${reply.state}`);
    }
  }

  /** What was begun with this code, else something new; it is on the device before it is on its way. */
  async #pending(code) {
    const { modulus, keeping } = this.#prepared;
    const found = keeping.find(code);
    if (found !== null) {
      return found;
    }
    const words = systemWords(this.#window.crypto);
    const pending = await draw(modulus, words, this.#window.crypto.subtle);
    words.wipe();
    keeping.hold(code, pending);
    return pending;
  }

  async #show(pending, signed) {
    const { digest, modulus } = this.#prepared;
    const token = await finish(pending, signed, modulus, this.#window.crypto.subtle);
    const survey = new URL(this.#root.dataset.survey, this.#window.location.href);
    this.#link = answeringLink(survey.href, digest, this.#group, token);
    part(this.#root, "link").value = this.#link;
    part(this.#root, "code").value = "";
    this.#carry("");
    this.#done("");
    this.#stages.show("fetched");
  }

  #save() {
    const { sentences, root } = { sentences: this.#sentences, root: this.#root };
    const words = { title: part(root, "title").textContent, lead: sentences.say("file-lead"), open: sentences.say("file-open") };
    const name = `${root.dataset.name}.html`;
    saveFile(this.#window, name, fileOf(this.#link, words, root));
    this.#taken();
    this.#done("saved", { name });
  }

  async #copy() {
    try {
      await this.#window.navigator.clipboard.writeText(this.#link);
    } catch {
      part(this.#root, "link").select();
      this.#done("copy-yourself");
      return;
    }
    this.#taken();
    this.#done("copied");
  }

  /** She has it: nothing of it stays with this browser. */
  #taken() {
    this.#prepared.keeping.drop(this.#code);
  }

  /** The next user of the device finds neither code nor token on the screen. */
  #forget() {
    this.#code = this.#link = this.#fragment = "";
    this.#carry("");
    ["code", "link"].forEach((name) => {
      part(this.#root, name).value = "";
    });
    this.#say("");
    this.#done("");
  }

  /** The same link in another language. */
  #carry(fragment) {
    this.#root.querySelectorAll("a[hreflang]").forEach((door) => {
      door.hash = fragment;
    });
  }

  #say(key) {
    part(this.#root, "error").textContent = key === "" ? "" : this.#sentences.say(key);
    part(this.#root, "code").setAttribute("aria-invalid", String(key === "code-wrong" || key === "reply-refused"));
  }

  #done(key, values = {}) {
    part(this.#root, "done").textContent = key === "" ? "" : this.#sentences.say(key, values);
  }

  #onClick(name, action) {
    part(this.#root, name).addEventListener("click", () => this.#guard(action));
  }

  /** Whatever goes wrong is said, and nothing more is sent. */
  async #guard(action) {
    try {
      await action();
    } catch (problem) {
      const { code, values } = problem instanceof Refusal ? problem : { code: "unexpected", values: { detail: problem.name } };
      this.#forget();
      part(this.#root, "form").disabled = true;
      part(this.#root, "refusal-reason").textContent = this.#sentences.say(`refused-${code}`, values);
      this.#stages.show("refused");
    }
  }
}

function inFours(code) {
  return code.replace(/(.{4})(?=.)/g, "$1 ");
}

new TokenPage(document.documentElement, window);
