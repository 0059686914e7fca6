/** How far the files are, without a reload: a small answer every two seconds, and the list itself once it has changed.
 * Without this script the page is whole too. */

import { fill, gettext, ngettext } from "./words.js";
import { fetchedDocument } from "./fetching.js";

const PAUSE = 2000;
const LONGEST_PAUSE = 30_000;

const list = () => document.querySelector("[data-exports]");
let tag = "";

/** @returns {Promise<object | null>}  null where nothing changed; throws where the server could not be asked */
async function look() {
  const headers = { Accept: "application/json", ...(tag && { "If-None-Match": tag }) };
  const response = await fetch(list().dataset.exports, { headers });
  if (response.status === 304) {
    return null;
  }
  if (!response.ok || response.redirected) {
    throw new Error(`status ${response.status}`);
  }
  tag = response.headers.get("ETag") ?? "";
  return response.json();
}

function show(exports) {
  for (const [key, { progress, words }] of Object.entries(exports)) {
    const line = document.getElementById(`export-${key}`);
    line?.querySelector("progress")?.setAttribute("value", progress);
    const place = line?.querySelector("[data-words]");
    if (place && place.textContent !== words) {
      place.textContent = words[0].toUpperCase() + words.slice(1);
    }
  }
}

/** The list as it is now in place of this one; the form beside it keeps what is ticked. */
async function renew() {
  const fresh = (await fetchedDocument(location.pathname))?.querySelector("[data-exports]");
  if (!fresh) {
    throw new Error("no list");
  }
  const before = list();
  const focused = before.contains(document.activeElement) && document.activeElement.closest("li")?.id;
  const waited = before.querySelectorAll("progress").length;
  before.replaceWith(document.importNode(fresh, true));
  if (focused) {
    document.getElementById(focused)?.querySelector("a, button")?.focus();
  }
  const waits = list().querySelectorAll("progress").length;
  if (waits < waited) {
    list().querySelector("[data-said]").textContent = waits ? fill(ngettext("{count} file still to come.", "{count} files still to come.", waits), { count: waits }) : gettext("All files are ready or have failed.");
  }
}

async function follow() {
  for (let pause = PAUSE; "waits" in list().dataset; ) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (document.hidden) {
      continue;
    }
    try {
      const answer = await look();
      if (answer !== null) {
        await (answer.page === list().dataset.page ? show(answer.exports) : renew());
      }
      pause = PAUSE;
    } catch {
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }
}

if (list() !== null) {
  follow();
}
