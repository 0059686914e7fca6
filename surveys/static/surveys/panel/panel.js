/** The survey's page while a run is computed, and the button that copies the link. Without this script all works too. */
import { fill, gettext } from "./words.js";

const PAUSE = 700;
const LONGEST_PAUSE = 5000;

/** @param {HTMLElement} card  has the run's address in `data-run`, a progress bar, and words in `data-words` */
async function follow(card) {
  const bar = card.querySelector("progress");
  const words = card.querySelector("[data-words]");
  for (let pause = PAUSE; ; pause = Math.min(pause * 1.2, LONGEST_PAUSE)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const run = await look(card.dataset.run);
    if (run?.state === "done" || run?.state === "failed") {
      location.reload();
      return;
    }
    if (run !== null) {
      bar.value = run.progress;
      words.textContent = run.state === "queued" && run.progress === 0 ? gettext("Waiting for a worker.") : fill(gettext("{progress} % computed."), { progress: run.progress });
    }
  }
}

/** @returns {Promise<{state: string, progress: number} | null>}  null where the server could not be asked this time */
async function look(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** @param {HTMLButtonElement} button  names in `data-copy` the field whose text it copies */
function offerCopy(button) {
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = gettext("Copied");
  });
}

document.querySelectorAll("[data-run]").forEach(follow);
document.querySelectorAll("[data-copy]").forEach(offerCopy);
