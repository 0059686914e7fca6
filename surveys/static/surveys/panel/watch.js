/** Keeps the page up to date without a reload. It asks for a few numbers every few seconds, and for the page itself when
 * those say that there is more to show; what has not changed is left as it is, with its focus, scroll and open details. */

import { fill, gettext } from "./words.js";
import { fetchedDocument } from "./fetching.js";

const PAUSE = 3000;
const LONGEST_PAUSE = 60_000;
/** What is shown of the page: all that a run, a change of state or a fault can change. */
const PARTS = [".candor-head", ".candor-way", "[data-watch]"];
/** What a person or this script changes is not put back. */
const KEPT = new Set(["open", "data-live-mark"]);

const root = document.querySelector("[data-watch]");
const line = document.querySelector("[data-said]");
const offline = document.querySelector("[data-offline]");
const mark = document.querySelector("[data-live-mark]");
let tag = "";

/** @returns {Promise<object | null>}  null where nothing changed */
async function look() {
  const headers = { Accept: "application/json", ...(tag && { "If-None-Match": tag }) };
  const response = await fetch(root.dataset.watch, { headers });
  if (response.status === 304) {
    return null;
  }
  if (response.status === 403 || response.status === 404) {
    throw new Gone();
  }
  if (!response.ok) {
    throw new Error(`status ${response.status}`);
  }
  tag = response.headers.get("ETag") ?? "";
  return response.json();
}

/** This browser may not look any more: signed out, or no longer of the team. */
class Gone extends Error {}

async function show(state) {
  const results = root.dataset.results;
  if (state.page !== root.dataset.page) {
    await renew();
  }
  for (const [name, words] of Object.entries(state.words)) {
    write(root.querySelector(`[data-live="${name}"]`), words);
  }
  const bar = root.querySelector("[data-progress]");
  if (bar !== null && state.progress !== null) {
    bar.value = state.progress;
  }
  if (root.dataset.results !== results) {
    line.textContent = fill(gettext("New estimates. {state}."), { state: state.words.job });
  }
}

function write(place, words) {
  if (place !== null && place.textContent !== words) {
    place.textContent = words;
  }
}

/** The page as it is now, written into this one. */
async function renew() {
  const fresh = await fetchedDocument(location.pathname);
  if (fresh === null) {
    throw new Gone();
  }
  for (const part of PARTS) {
    const [old, now] = [document.querySelector(part), fresh.querySelector(part)];
    if (old !== null && now !== null) {
      become(old, now);
    }
  }
}

/** Make a node what another one is, touching only what differs. */
function become(old, now) {
  if (old.nodeType !== now.nodeType || old.nodeName !== now.nodeName || old.id !== now.id) {
    old.replaceWith(document.importNode(now, true));
  } else if (old.nodeType === Node.ELEMENT_NODE) {
    alike(old, now);
    const [olds, nows] = [[...old.childNodes], [...now.childNodes]];
    nows.forEach((child, place) =>
      place < olds.length ? become(olds[place], child) : old.append(document.importNode(child, true)),
    );
    olds.slice(nows.length).forEach((child) => child.remove());
  } else if (old.data !== now.data) {
    old.data = now.data;
  }
}

function alike(old, now) {
  for (const { name } of [...old.attributes]) {
    if (!now.hasAttribute(name) && !KEPT.has(name)) {
      old.removeAttribute(name);
    }
  }
  for (const { name, value } of [...now.attributes]) {
    if (old.getAttribute(name) !== value && !KEPT.has(name)) {
      old.setAttribute(name, value);
    }
  }
}

/** Nobody looks at a hidden page; the first look is as soon as somebody does again. */
function pause(time) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => document.hidden || resolve(), time);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) {
        clearTimeout(timer);
        resolve();
      }
    }, { once: true });
  });
}

async function watch() {
  let wait = PAUSE;
  while (!("ends" in root.dataset)) {
    await pause(wait);
    try {
      const state = await look();
      if (state !== null) {
        await show(state);
      }
      wait = PAUSE;
      offline.hidden = true;
    } catch (error) {
      if (error instanceof Gone) {
        tell(gettext("You are signed out, or no longer have access to this survey. This page is no longer updated."));
        return;
      }
      wait = Math.min(2 * wait, LONGEST_PAUSE);
      tell(gettext("The server does not answer. This page may be out of date; it tries again automatically."));
    }
  }
  mark?.remove();
}

function tell(words) {
  offline.hidden = false;
  write(offline, words);
}

if (root !== null && mark !== null) {
  mark.hidden = false;
  watch();
}
