/** How far a mail is, without a reload: the page's own part anew every two seconds while it is on its way. Without this
 * script the page is whole too. */

import { fetchedDocument } from "./fetching.js";

const PAUSE = 2000;
const LONGEST_PAUSE = 30_000;

const part = () => document.querySelector("[data-mailing]");

async function renew() {
  const fresh = (await fetchedDocument(location.pathname))?.querySelector("[data-mailing]");
  if (!fresh) {
    throw new Error("no answer");
  }
  part().replaceWith(document.importNode(fresh, true));
}

for (let pause = PAUSE; part() !== null && "waits" in part().dataset; ) {
  await new Promise((resolve) => setTimeout(resolve, pause));
  if (document.hidden || part().contains(document.activeElement)) {
    continue; // nobody looks, or somebody is about to press something in it
  }
  try {
    await renew();
    pause = PAUSE;
  } catch {
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}
