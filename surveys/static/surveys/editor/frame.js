/** The respondents' page of the draft, by the code of the real one, in a frame that follows what is typed. */
import { html, later, useEffect, useRef, useState } from "./view.js";

const PAUSE = 120;
const ABOVE = 12;

export function Preview({ draft, language, onLanguage, number, names }) {
  const [width, setWidth] = useState("phone");
  const [dark, setDark] = useState(false);
  const screen = useRef(null);
  const page = useRef(null);
  const shown = useRef({});
  shown.current = { number, dark };
  useEffect(() => {
    page.current ??= new Page(screen.current, draft, shown);
  }, []);
  useEffect(() => page.current.show(draft.definition, language), [draft.definition, language]);
  useEffect(() => page.current.scroll(), [number]);
  useEffect(() => page.current.colour(), [dark]);
  return html`<section class="editor-preview" aria-label="Preview">
    <div class="editor-bar">
      <div class="editor-switch" role="group" aria-label="Width of the page">
        ${["phone", "desktop"].map(
          (one) => html`<button type="button" aria-pressed=${String(width === one)} onClick=${() => setWidth(one)}>
            ${one === "phone" ? "Phone" : "Desktop"}</button>`,
        )}
      </div>
      <div class="editor-switch" role="group" aria-label="Colours of the page">
        ${[false, true].map(
          (one) => html`<button type="button" aria-pressed=${String(dark === one)} onClick=${() => setDark(one)}>
            ${one ? "Dark" : "Light"}</button>`,
        )}
      </div>
      ${draft.definition.languages.length > 1 &&
      html`<select class="candor-field editor-small" aria-label="Language" value=${language}
        onChange=${(event) => onLanguage(event.target.value)}>
        ${draft.definition.languages.map((code) => html`<option value=${code}>${names.get(code) ?? code}</option>`)}
      </select>`}
    </div>
    <div class="editor-screen" data-width=${width} ref=${screen}></div>
  </section>`;
}

/** The frame: each new page is loaded out of sight and takes the place of the last one, so that nothing flickers. */
class Page {
  #screen;
  #draft;
  #shown;
  #count = 0;
  #rules = [];
  #form = document.createElement("form");
  #load = later(PAUSE, (definition, language) => this.#send(definition, language));

  constructor(screen, draft, shown) {
    this.#screen = screen;
    this.#draft = draft;
    this.#shown = shown;
    Object.assign(this.#form, { method: "post", hidden: true });
    for (const name of ["csrfmiddlewaretoken", "definition", "languages"]) {
      const field = document.createElement("textarea");
      field.name = name;
      this.#form.append(field);
    }
    document.body.append(this.#form);
  }

  show(definition, language) {
    this.#load(definition, language);
  }

  #send(definition, language) {
    if (!this.#screen.offsetParent) {
      return; // on a phone, where another part of the editor is shown
    }
    this.#screen.querySelectorAll("[data-coming]").forEach((frame) => frame.remove());
    const frame = document.createElement("iframe");
    frame.title = "The respondents’ page";
    frame.name = `candor-page-${(this.#count += 1)}`;
    frame.dataset.coming = "";
    this.#screen.append(frame);
    frame.addEventListener("load", () => this.#take(frame));
    const fields = this.#form.elements;
    fields.csrfmiddlewaretoken.value = this.#draft.token;
    fields.definition.value = JSON.stringify(inOneLanguage(definition, language));
    fields.languages.value = definition.languages.join(" ");
    this.#form.action = this.#draft.addresses.preview;
    this.#form.target = frame.name;
    this.#form.submit();
  }

  #take(frame) {
    if (frame.dataset.coming === undefined || frame.contentWindow?.location.href === "about:blank") {
      return;
    }
    const before = this.#screen.querySelector("iframe:not([data-coming])");
    frame.contentWindow?.scrollTo(0, before?.contentWindow?.scrollY ?? 0);
    this.#rules = darkRules(frame.contentDocument);
    before?.remove();
    delete frame.dataset.coming;
    // Its script goes on to the first stage a moment after it is loaded.
    const { documentElement } = frame.contentDocument;
    new MutationObserver(() => this.scroll()).observe(documentElement, { attributeFilter: ["data-now"] });
    this.colour();
    this.scroll();
  }

  get #frame() {
    return this.#screen.querySelector("iframe:not([data-coming])");
  }

  /** Bring the question that is edited into sight. */
  scroll() {
    const { number } = this.#shown.current;
    const view = this.#frame?.contentWindow;
    const found = view?.document.getElementById(`question-${number}`);
    if (found) {
      reveal(found);
      view.scrollTo(0, view.scrollY + found.getBoundingClientRect().top - ABOVE);
    } else if (!number) {
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
