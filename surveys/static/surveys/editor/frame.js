/** The respondents' page of the draft, by the code of the real one, in a frame that follows what is typed. */
import { fill, gettext } from "../panel/words.js";
import { same as alike } from "./changes.js";
import { rowsOf } from "./definition.js";
import { armsOf, shownNumber, versionAsking } from "./instead.js";
import { afterPaint, html, later, useEffect, useRef, useState } from "./view.js";

const PAUSE = 120;
const TYPING = 300;
const ABOVE = 12;
const FRAMES = 12;

/** @param {{number: number, background: boolean}} props the question to bring into sight, or the background questions */
export function Preview({ draft, language, number, background }) {
  const [width, setWidth] = useState("phone");
  const [dark, setDark] = useState(false);
  const [wanted, setWanted] = useState(0);
  const arms = armsOf(draft.definition);
  const version = versionAsking(draft.definition, draft.definition.items[number - 1]?.key, wanted);
  const screen = useRef(null);
  const page = useRef(null);
  const place = number ? `question-${number}` : background ? "background-title" : "";
  const shown = useRef({});
  shown.current = { place, dark, version };
  useEffect(() => {
    page.current ??= new Page(screen.current, draft, shown);
    const typed = () => page.current.wait();
    document.addEventListener("keydown", typed);
    return () => document.removeEventListener("keydown", typed);
  }, []);
  useEffect(() => afterPaint(() => page.current.show(draft.definition, language)), [draft.definition, language, version]);
  useEffect(() => page.current.scroll(), [place]);
  useEffect(() => page.current.colour(), [dark]);
  return html`<section class="editor-preview" aria-label=${gettext("Preview")}>
    <div class="editor-bar">
      <div class="editor-switch" role="group" aria-label=${gettext("Width of the page")}>
        ${["phone", "desktop"].map(
          (one) => html`<button type="button" aria-pressed=${String(width === one)} onClick=${() => setWidth(one)}>
            ${one === "phone" ? gettext("Phone") : gettext("Desktop")}</button>`,
        )}
      </div>
      <div class="editor-switch" role="group" aria-label=${gettext("Colours of the page")}>
        ${[false, true].map(
          (one) => html`<button type="button" aria-pressed=${String(dark === one)} onClick=${() => setDark(one)}>
            ${one ? gettext("Dark") : gettext("Light")}</button>`,
        )}
      </div>
      ${arms.length > 0 && html`<div class="editor-switch" role="group" aria-label=${gettext("Version of the page")}>
        ${arms.map((_, place) => html`<button type="button" aria-pressed=${String(version === place)} onClick=${() => setWanted(place)}>
          ${fill(gettext("Version {number}"), { number: place + 1 })}</button>`)}
      </div>`}
    </div>
    <div class="editor-screen" data-width=${width} ref=${screen}></div>
  </section>`;
}

/**
 * The frame. A new page is loaded out of sight and takes the place of the last one, so that nothing flickers. Where only
 * one question has changed, it is put into the page that is there: the server renders that question alone.
 */
class Page {
  #screen;
  #draft;
  #shown;
  #count = 0;
  #rules = [];
  /** What the page was asked for with: the definition, language and version, and whether it was loaded with another one. */
  #asked = { definition: null, language: "", version: 0, patched: false };
  /** What was asked for last, by the number of the question that it begins with. */
  #patches = new Map();
  #load = later(PAUSE, (definition, language) => this.#follow(definition, language));
  #typed = -TYPING;
  #loadIdle = later(TYPING, () => this.#follow(this.#draft.definition, this.#asked.language));

  constructor(screen, draft, shown) {
    this.#screen = screen;
    this.#draft = draft;
    this.#shown = shown;
    this.#renewOn(screen, "pointerenter", "focusin");
  }

  /** Folded parts of the page name what it was loaded with: it is made whole before they can be unfolded. */
  #renewOn(target, ...events) {
    const renew = () => this.#asked.patched && this.#send(this.#asked.definition, this.#asked.language);
    events.forEach((event) => target.addEventListener(event, renew));
  }

  show(definition, language) {
    this.#load(definition, language);
  }

  /** A key is pressed: until a moment after the last one no page is loaded, which keys would have to wait for. */
  wait() {
    this.#typed = performance.now();
  }

  /** On a phone, where another part of the editor is shown, nothing is loaded. */
  #follow(definition, language) {
    if (!this.#screen.offsetParent) {
      return;
    }
    const { definition: before, language: last } = this.#asked;
    const { version } = this.#shown.current;
    const same = language === last && version === this.#asked.version;
    if (definition === before && same) {
      return;
    }
    const rows = before && same ? changedAlone(before, definition) : null;
    if (!rows && before && same && performance.now() - this.#typed < TYPING) {
      this.#loadIdle();
    } else if (!rows) {
      this.#send(definition, language);
    } else if (!this.#loading) {
      this.#asked = { definition, language, version, patched: true };
      if (rows.length) {
        this.#patch(rows, definition, language);
      }
    }
  }

  #send(definition, language) {
    const { version } = this.#shown.current;
    this.#asked = { definition, language, version, patched: false };
    this.#patches.clear();
    this.#coming?.remove();
    const frame = document.createElement("iframe");
    frame.title = gettext("The respondents’ page");
    frame.name = `candor-page-${(this.#count += 1)}`;
    frame.dataset.coming = "";
    this.#screen.append(frame);
    frame.addEventListener("load", () => this.#take(frame));
    const form = document.createElement("form");
    Object.assign(form, { method: "post", hidden: true, action: this.#draft.addresses.preview, target: frame.name });
    for (const [name, value] of this.#fields(inOneLanguage(definition, language), definition)) {
      const field = document.createElement("textarea");
      Object.assign(field, { name, value });
      form.append(field);
    }
    document.body.append(form);
    form.submit();
    form.remove();
  }

  #fields(spoken, { languages }) {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", this.#draft.token);
    body.set("definition", JSON.stringify(spoken));
    body.set("languages", languages.join(" "));
    body.set("version", this.#shown.current.version);
    return body;
  }

  /** Put some questions into the page, as its server renders them there. */
  async #patch(rows, definition, language) {
    const { about, languages, items } = definition;
    const alone = rows.map(({ asked_if, unasked, section, ...item }) => item);
    const body = this.#fields(inOneLanguage({ about, languages, items: alone }, language), definition);
    const first = items.indexOf(rows[0]) + 1;
    body.set("first", first);
    body.set("shown", shownNumber(definition, rows[0].key));
    body.set("count", items.length);
    if (items.some((item) => item.asked_if) || armsOf(definition).some(({ instead }) => instead)) {
      body.set("branching", "on");
    }
    this.#patches.set(first, body);
    const made = await this.#draft.markup(this.#draft.addresses.preview, body);
    if (this.#patches.get(first) !== body) {
      return;
    }
    const page = this.#frame?.contentDocument;
    if (!made || !page || !put(new DOMParser().parseFromString(made, "text/html"), page)) {
      this.#send(definition, language);
    }
  }

  get #coming() {
    return this.#screen.querySelector("[data-coming]");
  }

  /** Until a page has reached its first stage its script compares it with its design: words are put into it after that. */
  get #loading() {
    const { digest, now } = this.#frame?.contentDocument?.documentElement.dataset ?? {};
    return this.#coming || (digest && !now);
  }

  #take(frame) {
    if (frame.dataset.coming === undefined || frame.contentWindow?.location.href === "about:blank") {
      return;
    }
    if (!isPage(frame.contentDocument)) {
      frame.remove();
      this.#asked = { definition: null, language: "", version: 0, patched: false };
      return;
    }
    const before = this.#screen.querySelector("iframe:not([data-coming])");
    frame.contentWindow?.scrollTo(0, before?.contentWindow?.scrollY ?? 0);
    this.#rules = darkRules(frame.contentDocument);
    this.#renewOn(frame.contentDocument, "pointermove");
    before?.remove();
    delete frame.dataset.coming;
    // Its script goes on to the first stage a moment after it is loaded.
    const { documentElement } = frame.contentDocument;
    const begun = () => {
      this.scroll();
      this.#follow(this.#draft.definition, this.#asked.language);
    };
    new MutationObserver(begun).observe(documentElement, { attributeFilter: ["data-now"] });
    this.colour();
    this.scroll();
  }

  get #frame() {
    return this.#screen.querySelector("iframe:not([data-coming])");
  }

  /** Bring the question that is edited into sight; what was out of sight gets its height only once it is there. */
  scroll(frames = FRAMES) {
    const { place } = this.#shown.current;
    const view = this.#frame?.contentWindow;
    const found = view?.document.getElementById(place);
    if (found) {
      reveal(found);
      const covered = parseFloat(view.getComputedStyle(view.document.documentElement).scrollPaddingTop) || ABOVE;
      const away = found.getBoundingClientRect().top - covered;
      view.scrollBy(0, away);
      if (frames > 0) {
        view.requestAnimationFrame(() => this.scroll(frames - 1));
      }
    } else if (!place) {
      view?.scrollTo(0, 0);
    }
  }

  /** As on a device that is light or dark, whatever this one is. */
  colour() {
    const { dark } = this.#shown.current;
    this.#rules.forEach((rule) => (rule.media.mediaText = dark ? "all" : "not all"));
    const page = this.#frame?.contentDocument?.documentElement;
    if (page) {
      page.style.colorScheme = dark ? "dark" : "light";
    }
  }
}

/** Whether it is the page, or what it says of a draft that cannot be shown yet; not what is said to who is signed out. */
function isPage(found) {
  const { digest, preview } = found?.documentElement.dataset ?? {};
  return digest !== undefined || preview !== undefined;
}

/** What of a question stands in it alone, and what only folded explanations say. */
const IN_IT = new Set(["heading", "wording", "choices", "prefer_not", "required", "shuffle", "keep_last"]);
const FOLDED = new Set(["key", "channel", "sensitivity"]);

/**
 * The questions, of one grid or one alone, in which all stands that is to be seen of a change; none where only folded
 * explanations say it, null where it is to be seen elsewhere.
 */
function changedAlone(before, after) {
  const same = Object.keys({ ...before, ...after }).every((name) => ["items", "privacy_budget"].includes(name) || alike(before[name], after[name]));
  const tossed = armsOf(after).some(({ explanation }) => explanation === "own_coin"); // with rules in each question
  if (!same || tossed || before.items.length !== after.items.length) {
    return null;
  }
  const changed = [];
  for (const [place, item] of after.items.entries()) {
    const last = before.items[place];
    const names = item === last ? [] : Object.keys({ ...last, ...item }).filter((name) => !FOLDED.has(name) && !alike(last[name], item[name]));
    if (names.some((name) => !IN_IT.has(name))) {
      return null;
    }
    if (names.length) {
      changed.push(item);
    }
  }
  const rows = changed.length ? rowsOf(after, changed[0].key) : [];
  return changed.every((item) => rows.includes(item)) ? rows : null;
}

const QUESTION = '[data-part="question"]';
const GRID = '[data-part="matrix"]';
const BY_SCRIPT = '[data-part="question-odds"], [data-part="note"]';

/** Put some questions in the places of those that a page has. @returns {boolean} whether they fit */
function put(made, page) {
  const parts = [...made.querySelectorAll(`${QUESTION}, ${GRID}`)].filter((one) => !one.parentElement.closest(GRID));
  const pairs = parts.map((now) => {
    const there = page.getElementById((now.querySelector(QUESTION) ?? now).id);
    return [now, there?.closest(GRID) ?? there];
  });
  const count = (part, selector) => part.querySelectorAll(selector).length;
  const fits = ([now, old]) => old?.dataset.part === now.dataset.part && [QUESTION, BY_SCRIPT].every((each) => count(now, each) === count(old, each));
  if (!pairs.length || !pairs.every(fits)) {
    return false;
  }
  for (const [now, old] of pairs) {
    const written = old.querySelectorAll(BY_SCRIPT);
    now.querySelectorAll(BY_SCRIPT).forEach((place, number) => place.replaceWith(written[number]));
    now.hidden = old.hidden;
    old.replaceWith(now);
  }
  return true;
}

/** The definition with the texts of one language, or those of another where it has none: the others are not looked at. */
function inOneLanguage(definition, language) {
  const { languages } = definition;
  const spoken = (part) => {
    if (part === null || typeof part !== "object") {
      return part;
    }
    if (Array.isArray(part)) {
      return part.map(spoken);
    }
    const codes = Object.keys(part);
    if (codes.length && codes.every((code) => languages.includes(code) && typeof part[code] === "string")) {
      return { [language]: part[language]?.trim() ? part[language] : (Object.values(part).find((words) => words.trim()) ?? "") };
    }
    return Object.fromEntries(codes.map((name) => [name, spoken(part[name])]));
  };
  return { ...spoken(definition), languages: [language] };
}

/** Show a question whose section, or whose stage, is not the one on the screen, and what stands before it. */
function reveal(question) {
  for (let element = question; element; element = element.parentElement) {
    element.hidden = false;
  }
  const before = question.previousElementSibling;
  if (before?.dataset.part === "before") {
    before.hidden = false;
  }
}

/** The rules of a page for dark devices. */
function darkRules(page) {
  const rules = [...(page?.styleSheets ?? [])].flatMap((sheet) => [...sheet.cssRules]);
  return rules.filter((rule) => rule.media?.mediaText.includes("prefers-color-scheme: dark"));
}
