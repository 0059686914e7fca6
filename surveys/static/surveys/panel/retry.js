/** Opens the page that was asked for as soon as it can be answered; until then this one stays as it is. */

const SECONDS = 5;
const line = document.querySelector("[data-retry]");
line.hidden = false;

async function retry() {
  const response = await fetch(line.dataset.retry, { method: "GET", redirect: "manual" }).catch(() => null);
  if (response && response.status !== 503) {
    location.assign(line.dataset.retry);
  } else {
    setTimeout(retry, SECONDS * 1000);
  }
}

setTimeout(retry, SECONDS * 1000);
