import { isPending } from "./blinding.js";

/**
 * What it takes to finish with a reply that was lost waits here, on the device, for each code on its own: asked again
 * for the same blinded message the server gives the same signature, and for another one none.
 */
export class PendingRequests {
  #window;
  #digest;

  constructor(window, digest) {
    this.#window = window;
    this.#digest = digest;
  }

  /** @returns {import("./blinding.js").Pending | null}  what was begun with this code */
  find(code) {
    return attempt(() => {
      const found = JSON.parse(this.#window.localStorage.getItem(this.#key(code)));
      return isPending(found) ? found : null;
    });
  }

  /** Where the device keeps nothing, a lost reply is asked for again from this page alone, as long as it is open. */
  hold(code, pending) {
    attempt(() => this.#window.localStorage.setItem(this.#key(code), JSON.stringify(pending)));
  }

  drop(code) {
    attempt(() => this.#window.localStorage.removeItem(this.#key(code)));
  }

  #key(code) {
    return `candor-token-${this.#digest}-${code}`;
  }
}

/** A storage may be missing, full or forbidden; even to name it can throw. */
function attempt(action) {
  try {
    return action() ?? null;
  } catch {
    return null;
  }
}
