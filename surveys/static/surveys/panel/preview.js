/**
 * The respondents' page of what stands in the form, beside it, and anew after every change. Without this script the page
 * stands below the form, and its button shows it.
 */
const PAUSE = 700;
const BESIDE = "(min-width: 90rem)";

class Preview {
  #dock;
  #form;
  #button;
  #toggle;
  #screen;
  #timer = 0;
  #count = 0;

  constructor(dock) {
    this.#dock = dock;
    this.#form = document.getElementById(dock.dataset.form);
    this.#button = dock.querySelector("[data-preview-show]");
    this.#screen = dock.querySelector(".candor-screen");
    this.#toggle = document.querySelector("[data-preview-toggle]");
    this.#button.hidden = true;
    this.#toggle.hidden = false;
    dock.classList.add("candor-dock-beside");
    this.#show(matchMedia(BESIDE).matches);
    this.#bind();
  }

  #bind() {
    const close = this.#dock.querySelector("[data-preview-close]");
    close.hidden = false;
    close.addEventListener("click", () => this.#closeAgain());
    this.#toggle.addEventListener("click", () => {
      this.#show(this.#dock.hidden);
      if (!this.#dock.hidden) {
        this.#dock.querySelector("h2").focus();
      }
    });
    this.#dock.addEventListener("keydown", ({ key }) => key === "Escape" && this.#closeAgain());
    for (const change of ["input", "change", "formset:removed"]) {
      document.addEventListener(change, ({ target }) => this.#later(target));
    }
  }

  #closeAgain() {
    this.#show(false);
    this.#toggle.focus();
  }

  #show(open) {
    this.#dock.hidden = !open;
    this.#toggle.setAttribute("aria-expanded", String(open));
    document.body.classList.toggle("candor-beside", open);
    if (open) {
      this.#load();
    }
  }

  /** After a change of anything in the form, once nothing has changed for a moment. */
  #later(target) {
    const form = target.form ?? (target === document ? this.#form : null);
    if (form === this.#form && target.name !== "preview-width" && !this.#dock.hidden) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#load(), PAUSE);
    }
  }

  /** Into a frame of its own, which takes the place of the last one when it is there: so the page does not flicker. */
  #load() {
    const before = this.#screen.querySelector("iframe:not([data-coming])");
    this.#screen.querySelectorAll("[data-coming]").forEach((frame) => frame.remove());
    const frame = before.cloneNode();
    frame.name = `candor-preview-page-${(this.#count += 1)}`;
    frame.dataset.coming = "";
    this.#screen.append(frame);
    frame.addEventListener("load", () => this.#take(frame, before), { once: false });
    this.#button.formTarget = frame.name;
    this.#form.requestSubmit(this.#button);
  }

  #take(frame, before) {
    const there = frame.contentWindow;
    if (frame.dataset.coming === undefined || there?.location.href === "about:blank") {
      return;
    }
    there?.scrollTo(0, before.contentWindow?.scrollY ?? 0);
    before.remove();
    delete frame.dataset.coming;
  }
}

document.querySelectorAll("[data-preview]").forEach((dock) => new Preview(dock));
