/**
 * Answers the survey many times within one document, each time from a fresh copy of the body as it was served.
 *
 * Installed before any script of the page. It looks on and clicks; of the client it uses the exported page class alone.
 */
window.audit = (() => {
  const listening = [];
  const noted = { words: 0, signed: 0, requests: [] };
  let body = null;
  let attributes = null;

  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function addEventListener(...details) {
    if (this === window || this === document || this === document.documentElement) {
      listening.push([this, details]);
    }
    return listen.apply(this, details);
  };

  const random = Crypto.prototype.getRandomValues;
  Crypto.prototype.getRandomValues = function getRandomValues(array) {
    noted.words += array.length;
    return random.call(this, array);
  };

  const subtle = globalThis.SubtleCrypto?.prototype; // the blank page before has none in Firefox
  const sign = subtle?.sign;
  if (sign) {
    subtle.sign = function signNoted(...details) {
      noted.signed += 1;
      return sign.apply(this, details);
    };
  }

  new PerformanceObserver((list) => {
    noted.requests.push(...list.getEntries().map((entry) => `${entry.initiatorType} ${entry.name}`));
  }).observe({ type: "resource" });

  // "interactive" comes before the first module runs: this is the body as it was served.
  listen.call(document, "readystatechange", () => {
    if (document.readyState === "interactive") {
      body = document.body.cloneNode(true);
      attributes = [...document.documentElement.attributes].map(({ name, value }) => [name, value]);
    }
  });

  function stage(...names) {
    const root = document.documentElement;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${root.dataset.now} for a minute, not ${names}`)), 60_000);
      const look = () => {
        if (names.includes(root.dataset.now)) {
          watcher.disconnect();
          clearTimeout(late);
          resolve(root.dataset.now);
        }
      };
      const watcher = new MutationObserver(look);
      watcher.observe(root, { attributes: true, attributeFilter: ["data-now"] });
      look();
    });
  }

  function begin(RespondentPage) {
    listening.splice(0).forEach(([target, details]) => target.removeEventListener(...details));
    const root = document.documentElement;
    [...root.attributes].forEach(({ name }) => root.removeAttribute(name));
    attributes.forEach(([name, value]) => root.setAttribute(name, value));
    document.body.replaceWith(body.cloneNode(true));
    new RespondentPage(root, window);
    window.dispatchEvent(new PageTransitionEvent("pageshow"));
  }

  const part = (name) => document.querySelector(`[data-part=${name}]`);

  /** Every stage is laid out as on a screen, so that styles which depend on an answer have their effect. */
  const layOut = () => document.body.offsetHeight;

  /** Answer one question: the words of what is chosen, or a number as it is written. */
  function give(question, words) {
    const field = question.querySelector("input[type=text]");
    if (field !== null) {
      write(field, words[0]);
      return;
    }
    const none = question.querySelector("[data-part=none]");
    for (const label of question.querySelectorAll(".choice")) {
      const input = label.querySelector("input");
      const wanted = words.length === 0 ? label === none : words.includes(label.textContent.trim());
      if (wanted !== input.checked && (wanted || input.type === "checkbox")) input.click();
    }
  }

  function write(field, text) {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  const now = () => document.documentElement.dataset.now;

  /** Past the statements to tick and the screening question, of whose answers the last ends the survey; which other is random. */
  function enter(trying) {
    if (now() === "consent") {
      if (trying) ["decline-button", "declined-back", "agree-button"].forEach((name) => part(name).click());
      document.querySelectorAll("[data-part=statements] input:not(:checked)").forEach((box) => box.click());
      layOut();
      part("agree-button").click();
    }
    if (now() === "screening") {
      const choices = [...part("screening").querySelectorAll("input")];
      if (trying) {
        choices.at(-1).click();
        ["screening-next", "screened-back"].forEach((name) => part(name).click());
      }
      choices[Math.floor(Math.random() * (choices.length - 1))].click();
      layOut();
      part("screening-next").click();
    }
  }

  /** Section by section; null stands for a question that is not asked, and some are of another version of the page. */
  function choose(answers) {
    [...document.querySelectorAll("[data-part=question]")].forEach((question, i) => {
      if (answers[i] !== null && !question.hidden) {
        for (let tries = 0; question.closest("[hidden]") !== null && tries < 9; tries += 1) part("next-button").click();
        give(question, answers[i]);
        layOut();
      }
    });
    for (let tries = 0; part("review-button").hidden && tries < 9; tries += 1) part("next-button").click();
    part("review-button").click();
    layOut();
  }

  /**
   * What is told openly is chosen at random, whatever is answered; any of it may be left out. Of versions of the page the
   * one that explains before is the first, the one with a coin the last.
   *
   * @returns {(number | null)[]}  what the page has then, by the places of the choices
   */
  function tell() {
    const { arm } = document.documentElement.dataset;
    const drawn = arm === undefined ? [] : [["before", "after", "own_coin"].indexOf(arm)];
    return [...drawn, ...[...document.querySelectorAll("[data-part=background]")].map((question) => {
      const list = question.querySelector("select");
      const inputs = [...question.querySelectorAll("input")];
      const chosen = Math.floor(Math.random() * (list === null ? inputs.length + 1 : list.options.length));
      if (list !== null) {
        list.selectedIndex = chosen;
        list.dispatchEvent(new Event("change", { bubbles: true }));
        layOut();
        return chosen === 0 ? null : chosen - 1;
      }
      inputs[chosen]?.click();
      layOut();
      const place = inputs.findIndex(({ checked }) => checked);
      return place < 0 ? null : place;
    })];
  }

  /** What is marked where people toss: one of the choices, as often as the table of the true answer's row has it. */
  function tossed(answers) {
    if (document.documentElement.dataset.arm !== "own_coin") {
      return answers;
    }
    const { items } = JSON.parse(part("design").textContent);
    return answers.map((words, i) => {
      const labels = items[i].choices.map(({ en }) => en);
      const row = items[i].channel.weights[labels.indexOf(words?.[0])] ?? [1];
      let left = Math.floor(Math.random() * row.reduce((sum, tickets) => sum + tickets, 0));
      return words && [labels[row.findIndex((tickets) => (left -= tickets) < 0)]];
    });
  }

  /** A person who opens every fold, tries everything both ways, makes mistakes, practises, looks at the review, goes back. */
  async function wander(answers) {
    document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
    await new Promise((resolve) => { setTimeout(resolve, 5); });
    const inputs = [...document.querySelectorAll("input")];
    [...inputs, ...inputs.reverse()].forEach((input) => {
      input.focus();
      input.click();
      if (input.type === "text") ["x", "-1", "9999", "1", ""].forEach((text) => write(input, text));
      layOut();
    });
    ["blur", "focus", "beforeunload", "resize"].forEach((name) => window.dispatchEvent(new Event(name)));
    part("practice-again").click();
    part("review-button").click();
    if (now() === "review") part("back-button").click();
    choose(answers);
    await stage("review");
    layOut();
    document.querySelector("[data-part=review-list] button").click();
    await stage("questions");
    for (let tries = 0; now() === "questions" && !part("previous-button").hidden && tries < 9; tries += 1) part("previous-button").click();
    enter(true);
    await stage("questions");
  }

  const isNumber = (name) => name.startsWith("candor-secret-");

  /** Each submission is another device: the number of a survey that remembers is taken away. */
  function forgetNumbers() {
    Object.keys(localStorage).filter(isNumber).forEach((name) => localStorage.removeItem(name));
  }

  /** Once sent, the page goes back from its entry in the tab's history, which takes a moment. Another visit comes after it. */
  async function atRest() {
    for (let tries = 0; history.state !== null && tries < 500; tries += 1) {
      await new Promise((resolve) => { setTimeout(resolve, 2); });
    }
  }

  /** What is left on the device, and where the page is. The number is random: it is blotted out at its length. */
  function stored() {
    const local = Object.fromEntries(Object.entries(localStorage).map(([name, text]) =>
      [name, isNumber(name) ? "*".repeat(text.length) : text]));
    const opened = { history: history.state, name: window.name, title: document.title, address: location.href };
    return JSON.stringify({ cookies: document.cookie, local, session: { ...sessionStorage }, ...opened });
  }

  /** @param {{paint?: boolean, restless?: boolean}} [shape]  wait for two frames before Send; wander before answering */
  async function answer(meant, { paint = false, restless = false } = {}) {
    await stage("consent", "questions");
    enter(restless);
    await stage("questions");
    const answers = tossed(meant);
    const begun = performance.timeOrigin + performance.now();
    if (restless) await wander(answers);
    const told = tell();
    const [before, derived] = [noted.words, noted.signed];
    choose(answers);
    await stage("review");
    for (let frames = paint ? 2 : 0; frames > 0; frames -= 1) {
      await new Promise((resolve) => { requestAnimationFrame(resolve); });
    }
    const clicked = performance.timeOrigin + performance.now();
    part("send-button").click();
    const hurry = setInterval(() => part("hurry-button").checkVisibility() && part("hurry-button").click(), 20);
    const end = await stage("sent", "failed", "refused");
    clearInterval(hurry);
    await atRest();
    const left = stored();
    // A finished page keeps the others of this browser from sending; the next one in this document is another visit.
    part("clear-button").click();
    const work = { before, after: noted.words - before, derived, signed: noted.signed - derived };
    return { begun, clicked, end, told, ...work, stored: left };
  }

  /** A note for each row of answers, and what could be seen around them. Who is `returning` has the number of the first. */
  async function run(entry, rows, { returning = false, ...shape } = {}) {
    const { RespondentPage } = await import(entry);
    await stage("consent", "questions");
    noted.requests.length = 0;
    const notes = [];
    for (const answers of rows) {
      [noted.words, noted.signed] = [0, 0];
      if (!returning) forgetNumbers();
      begin(RespondentPage);
      notes.push(await answer(answers, shape));
    }
    await new Promise((resolve) => { setTimeout(resolve, 30); });
    const workers = await navigator.serviceWorker.getRegistrations();
    const left = (await indexedDB.databases()).length + (await caches.keys()).length + workers.length;
    return { notes, requests: [...new Set(noted.requests)].sort(), left };
  }

  return { run, answer };
})();
