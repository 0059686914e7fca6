import { isBodyFor } from "./report.js";

/**
 * Where a frozen body waits on the device. It never sees an answer.
 *
 * While it is on its way, this tab's own storage holds it, so that a reload sends the same bytes. The lasting storage
 * of the browser holds it only if the respondent asks for that. See docs/adr/0007-keeping-a-report.md.
 *
 * @typedef {{body: string, lasting: boolean}} Kept  `lasting`: by consent, beyond this tab
 */
export class Keeping {
  #window;
  #prepared;
  #key;

  /**
   * @param {Window} window
   * @param {import("./preparation.js").Prepared} prepared
   */
  constructor(window, prepared) {
    this.#window = window;
    this.#prepared = prepared;
    this.#key = `candor-report-${prepared.digest}`;
  }

  /** Hold the body for a reload of this tab. Where that cannot be, the page still warns before it is left. */
  hold(body) {
    write(this.#tab, this.#key, body);
  }

  /** @returns {boolean}  whether the browser keeps the body from now on; only to be called with consent */
  keep(body) {
    return write(this.#device, this.#key, body);
  }

  /**
   * The body that waits here. One that this design cannot have made is taken away and never sent.
   *
   * @returns {Kept | null}
   */
  find() {
    const body = this.#read(this.#device);
    return body === null ? this.#held() : { body, lasting: true };
  }

  /** This tab holds nothing any more; what is kept by consent stays. */
  letGo() {
    this.#remove(this.#tab);
  }

  /** This body is nowhere on the device any more; another one, of another tab, stays. */
  drop(body) {
    [this.#tab, this.#device].filter((storage) => this.#read(storage) === body).forEach((one) => this.#remove(one));
  }

  #tab = () => this.#window.sessionStorage;
  #device = () => this.#window.localStorage;

  #held() {
    const body = this.#read(this.#tab);
    return body === null ? null : { body, lasting: false };
  }

  #read(storage) {
    const found = attempt(() => storage().getItem(this.#key));
    if (found === null || isBodyFor(found, this.#prepared)) {
      return found;
    }
    this.#remove(storage);
    return null;
  }

  #remove(storage) {
    attempt(() => storage().removeItem(this.#key));
  }
}

function write(storage, key, body) {
  return attempt(() => {
    storage().setItem(key, body);
    return storage().getItem(key) === body;
  }) === true;
}

/** A storage may be missing, full or forbidden; even to name it can throw. Then the body is in memory alone. */
export function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
