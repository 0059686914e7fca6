import { digestOf } from "./design.js";

/**
 * Getting one frozen body to the collector. There is no second body: every try sends the very same bytes, because a
 * redrawn report would let a server that drops requests collect draws until it knows the answer.
 *
 * @typedef {object} World  what a delivery needs of the browser; tests bring their own
 * @property {typeof fetch} fetch
 * @property {SubtleCrypto} subtle
 * @property {(milliseconds: number) => Promise<void>} sleep
 * @property {() => boolean} online
 *
 * @typedef {{state: "stored", receipt: string} | {state: "refused", status: number} | {state: "paused"}} Outcome
 * @typedef {(state: "sending" | "waiting" | "offline", values: {tries: number, seconds: number}) => void} Tell
 */

/** Seconds between tries. The same for everybody: a random wait would be one more thing to explain. */
const WAITS = [1, 2, 4, 8, 15, 30, 30];

/** A try that takes longer (milliseconds) is given up and repeated. */
const PATIENCE = 20_000;

/** The collector is busy or slow, not unwilling: these are tried again. Other 4xx answers are final. */
const TEMPORARY = [408, 425, 429];

/** One frozen body on its way. */
export class Delivery {
  #url;
  #body;
  #world;
  #running = null;
  #hurry = () => {};

  constructor(url, body, world) {
    this.#url = url;
    this.#body = body;
    this.#world = world;
  }

  /** The exact text of the request. */
  get body() {
    return this.#body;
  }

  /**
   * Send until there is an outcome. While this runs, further calls get the same promise: a double click sends nothing.
   *
   * @param {Tell} tell  is told what happens
   * @returns {Promise<Outcome>}
   */
  send(tell) {
    this.#running ??= this.#tryAll(tell).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Whether tries are being made or waited for. */
  get running() {
    return this.#running !== null;
  }

  /** End the present wait: the browser is online again, or the respondent asks for it. */
  hurry() {
    this.#hurry();
  }

  async #tryAll(tell) {
    for (const [done, seconds] of WAITS.entries()) {
      const tries = done + 1;
      tell("sending", { tries, seconds });
      const outcome = await this.#tryOnce();
      if (outcome !== null) {
        return outcome;
      }
      tell(this.#world.online() ? "waiting" : "offline", { tries, seconds });
      await this.#wait(seconds);
    }
    return { state: "paused" };
  }

  /** @returns {Promise<Outcome | null>}  null: try again */
  async #tryOnce() {
    try {
      const response = await this.#world.fetch(this.#url, request(this.#body));
      return await this.#judge(response);
    } catch {
      return null;
    }
  }

  async #judge(response) {
    if (response.status === 200 || response.status === 201) {
      const { receipt } = await response.json();
      return receipt === (await digestOf(this.#body, this.#world.subtle)) ? { state: "stored", receipt } : null;
    }
    const final = response.status >= 400 && response.status < 500 && !TEMPORARY.includes(response.status);
    return final ? { state: "refused", status: response.status } : null;
  }

  #wait(seconds) {
    return Promise.race([
      this.#world.sleep(seconds * 1000),
      new Promise((resolve) => {
        this.#hurry = resolve;
      }),
    ]);
  }
}

/**
 * @param {Window} window
 * @returns {World}
 */
export function browserWorld(window) {
  return {
    fetch: (url, options) => window.fetch(url, options),
    subtle: window.crypto.subtle,
    sleep: (milliseconds) => new Promise((resolve) => window.setTimeout(resolve, milliseconds)),
    online: () => window.navigator.onLine,
  };
}

/**
 * `mode: "cors"` makes the browser name the page's origin truthfully although no referrer is sent; the collector checks
 * it. A redirect is an error: the bytes go to the address that the respondent sees, or nowhere.
 */
function request(body) {
  return {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json" },
    mode: "cors",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    redirect: "error",
    keepalive: true,
    signal: AbortSignal.timeout(PATIENCE),
  };
}
