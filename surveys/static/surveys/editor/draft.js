/**
 * The draft that is edited: what stands in the page, what was saved last, thirty steps back, and the way to the server.
 *
 * No definition is ever written: each edit makes a new one, which shares with the last what stays as it was. What
 * depends on a part can so tell by its identity whether that has changed.
 *
 * A save sends the changes since the last one. What others changed meanwhile comes back with the answer and is put under
 * what was typed since. Until a save has succeeded its changes are kept in this tab's storage, too.
 */
import { gettext } from "../panel/words.js";
import { applyChanges, differences, inverse, same } from "./changes.js";
import { changedCopy } from "./copies.js";
import { later } from "./view.js";

const PAUSE = 900;
const LOOK = 5000;
const RETRY = [2000, 4000, 8000, 15000];
const STEPS = 30;
const TOGETHER = 1200;
const KEEP = 250;

export class Draft {
  /** What is shown of saving: saved, changed, saving, failed, signed-out, refused, clash, frozen. */
  status = "saved";
  message = "";
  path = [];
  clashes = [];
  others = [];
  at = "survey";

  #state;
  #token;
  #tab;
  #listeners = new Set();
  #tries = 0;
  #busy = false;
  #soon = later(PAUSE, () => this.save());
  #keepSoon = later(KEEP, () => this.#keep());
  #retry = 0;

  constructor(state, token) {
    this.#state = state;
    this.#token = token;
    this.addresses = state.addresses;
    this.base = state.definition;
    this.definition = state.definition;
    this.revision = state.revision;
    this.savedAt = state.saved_at;
    this.problems = [];
    this.checked = false; // whether the problems are known
    this.undoSteps = this.#stored("undo") ?? [];
    this.redoSteps = [];
    this.#tab = this.#stored("tab") ?? Math.random().toString(36).slice(2);
    this.#store("tab", this.#tab); // the same after a reload, so that nobody sees herself
    this.#takeUnsaved();
    addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault());
    addEventListener("pagehide", () => this.#keep());
    addEventListener("visibilitychange", () => this.#keep());
    addEventListener("online", () => this.save());
    addEventListener("focus", () => this.look());
    setInterval(() => this.look(), LOOK);
  }

  get unsaved() {
    return !same(this.base, this.definition);
  }

  listen(listener) {
    this.#listeners.add(listener);
  }

  #tell() {
    this.#listeners.forEach((listener) => listener());
  }

  /** Change the draft. Edits of one `tag` within a second are one step back, and so is one that `follows` from the last. */
  edit(tag, change, { follows = false } = {}) {
    const before = this.definition;
    const { after, result } = changedCopy(before, change);
    const back = inverse(differences(before, after));
    if (back.length) {
      const last = this.undoSteps.at(-1);
      const now = Date.now();
      if (last && (follows || (tag && last.tag === tag && now - last.time < TOGETHER))) {
        last.time = now;
        last.back = inverse(differences(applyChanges(before, last.back).definition, after));
      } else {
        this.undoSteps.push({ tag, back, time: now, at: this.at });
        this.undoSteps = this.undoSteps.slice(-STEPS);
      }
      this.redoSteps = [];
      this.#set(after);
    }
    return result;
  }

  /** @returns {string | undefined} the part of the draft that the step was about */
  undo() {
    return this.#step(this.undoSteps, this.redoSteps);
  }

  redo() {
    return this.#step(this.redoSteps, this.undoSteps);
  }

  #step(from, to) {
    const step = from.pop();
    if (!step) {
      return undefined;
    }
    const before = this.definition;
    const { definition } = applyChanges(before, step.back);
    to.push({ at: step.at, time: 0, back: inverse(differences(before, definition)) });
    this.#set(definition);
    return step.at;
  }

  #set(definition) {
    this.definition = definition;
    this.#keepSoon();
    if (!["clash", "signed-out", "frozen"].includes(this.status)) {
      this.status = "changed";
      this.#soon();
    }
    this.#tell();
  }

  /** Keep in this tab's storage what a reload must not lose; written once the keys pause, or as the page goes. */
  #keep() {
    this.#keepSoon.cancel();
    this.#store("undo", this.undoSteps);
    this.#store("unsaved", differences(this.base, this.definition));
  }

  /** Save what has changed; more than one save is never on its way. */
  async save() {
    clearTimeout(this.#retry);
    if (!this.#busy && !this.unsaved && this.status === "changed") { // what was typed has been taken back
      this.status = "saved";
      this.#keep();
      this.#tell();
    }
    if (this.#busy || !this.unsaved || this.status === "frozen") {
      return;
    }
    this.#busy = true;
    const sent = this.definition;
    this.status = "saving";
    this.#tell();
    const answer = await this.post(this.addresses.save, { changes: differences(this.base, sent), revision: this.revision });
    this.#busy = false;
    this.#take(answer, sent);
    this.#tell();
  }

  #take({ status, content }, sent) {
    if (status === 200) {
      this.#tries = 0;
      this.#rebase(content, sent);
      this.status = this.unsaved ? "changed" : "saved";
      this.#keep();
      if (this.unsaved) {
        this.#soon();
      }
    } else if (status === 409 && content.clashes) {
      this.status = "clash";
      this.clashes = content.clashes;
      this.latest = content;
    } else if (status === 409 || status === 403 || status === 404) {
      this.status = "frozen";
      this.message = content?.message ?? gettext("You cannot change this survey any more.");
    } else if (status === 422) {
      this.status = "refused";
      [this.message, this.path] = [content.sentence, content.path];
    } else if (status === 401) {
      this.status = "signed-out";
    } else {
      this.status = "failed";
      this.#retry = setTimeout(() => this.save(), RETRY[Math.min(this.#tries++, RETRY.length - 1)]);
    }
  }

  /** Take the server's draft as the base, and put under it what was typed since `sent`: often it is just that. */
  #rebase(content, sent) {
    if (content.definition) {
      const typed = differences(sent, this.definition);
      this.definition = applyChanges(content.definition, typed).definition;
    }
    this.base = content.definition ?? sent;
    this.revision = content.revision;
    this.savedAt = content.saved_at;
    this.#check(content.problems);
    this.addresses = content.addresses ?? this.addresses;
  }

  #check(problems) {
    this.problems = problems;
    this.checked = true;
  }

  /** Answer what both sides changed: take theirs in these places, or keep mine. */
  settle(mine) {
    const { definition } = this.latest;
    const changes = differences(this.base, this.definition);
    const chosen = new Set(this.clashes.map(({ path }) => path.join("/")));
    const kept = changes.filter(({ path }) => !chosen.has(path.join("/")));
    const won = mine ? this.clashes.flatMap((clash) => this.#won(clash)) : [];
    this.#rebase(this.latest, this.definition);
    this.definition = applyChanges(definition, [...kept, ...won]).definition;
    this.clashes = [];
    this.status = this.unsaved ? "changed" : "saved";
    this.#keep();
    this.#soon();
    this.#tell();
  }

  /** The changes by which my side of a clash wins; a question that the other side deleted comes back whole. */
  #won({ path, theirs, yours }) {
    const [list, key] = path;
    const keys = (definition) => (definition[list] ?? []).map((part) => part.key);
    const part = path.length > 2 && Array.isArray(this.definition[list]) && this.definition[list].find((one) => one.key === key);
    if (part && !keys(this.latest.definition).includes(key)) {
      return [{ path: [list, key], now: part }, { path: [list], was: keys(this.latest.definition), now: keys(this.definition) }];
    }
    return [{ path, was: theirs, now: yours }];
  }

  /** See who else is here and what they have saved; a new sign-in elsewhere is seen by it, too. */
  async look() {
    if (document.hidden || this.#busy) {
      return;
    }
    const { revision } = this;
    const query = new URLSearchParams({ tab: this.#tab, at: this.at, revision, ...(this.checked ? {} : { problems: "" }) });
    const { status, content } = await this.#fetch(`${this.addresses.look}?${query}`);
    if (status !== 200 || this.#busy) {
      this.status = status === 401 ? "signed-out" : this.status;
      this.#tell();
      return;
    }
    this.#token = content.token;
    const others = content.others;
    const news = !same(others.map(({ name, at }) => [name, at]), this.others.map(({ name, at }) => [name, at]));
    this.others = others;
    if (content.problems && !content.definition) {
      this.#check(content.problems);
    }
    if (!content.draft) {
      this.status = "frozen";
      this.message = gettext("This survey is not a draft any more.");
    } else if (content.definition && this.status !== "clash" && this.revision === revision) { // a save may have overtaken it
      const { definition, clashes } = applyChanges(content.definition, differences(this.base, this.definition));
      if (!clashes.length) {
        this.#rebase(content, this.definition);
        this.definition = definition;
      }
    }
    if (this.status === "signed-out" || this.status === "failed") {
      this.status = this.unsaved ? "changed" : "saved";
      this.save();
    }
    if (news || content.problems) {
      this.#tell();
    }
  }

  /** @returns {Promise<{status: number, content: any}>} 0 where the server could not be reached, 401 where one is signed out */
  post(address, body) {
    return this.#fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": this.#token },
      body: JSON.stringify(body),
    });
  }

  /** Dismiss an advice on the saved draft, or show it again. */
  async dismiss(body) {
    await this.save();
    const answer = await this.post(this.addresses.dismiss, body);
    if (answer.status === 200) {
      this.#check(answer.content.problems);
      this.#tell();
    }
    return answer;
  }

  get(address) {
    return this.#fetch(address);
  }

  /** Send a file, once the draft that it is about is saved. */
  async upload(address, file) {
    await this.save();
    const body = new FormData();
    body.append("file", file);
    return this.#fetch(address, { method: "POST", headers: { "X-CSRFToken": this.#token }, body });
  }

  /** Send a form, and read the markup that comes back; empty where none does. */
  async markup(address, body) {
    try {
      const response = await fetch(address, { method: "POST", body, redirect: "manual" });
      return response.ok ? await response.text() : "";
    } catch {
      return "";
    }
  }

  get token() {
    return this.#token;
  }

  async #fetch(address, options = {}) {
    try {
      const response = await fetch(address, { ...options, redirect: "manual" });
      if (response.type === "opaqueredirect") {
        return { status: 401, content: null };
      }
      const json = response.headers.get("Content-Type")?.startsWith("application/json");
      // A page instead of an answer to a POST: the token is one of a session that has ended.
      return { status: response.status === 403 && !json ? 401 : response.status, content: json ? await response.json() : null };
    } catch {
      return { status: 0, content: null };
    }
  }

  /** What a tab that was closed or reloaded had not saved yet. */
  #takeUnsaved() {
    const changes = this.#stored("unsaved") ?? [];
    if (changes.length) {
      this.definition = applyChanges(this.base, changes).definition;
      if (this.unsaved) {
        this.status = "changed";
        this.#soon();
      }
    }
  }

  #stored(name) {
    try {
      return JSON.parse(sessionStorage.getItem(`candor-${name}-${this.#state.addresses.survey}`));
    } catch {
      return null;
    }
  }

  #store(name, value) {
    try {
      sessionStorage.setItem(`candor-${name}-${this.#state.addresses.survey}`, JSON.stringify(value));
    } catch {
      // The tab's storage is full or off: the draft is saved all the same.
    }
  }
}
