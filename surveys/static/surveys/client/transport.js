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
 * @typedef {{state: "stored", receipt: string} | {state: "refused", status: number} | {state: "paused" | "stopped"}} Outcome
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
  #end = new AbortController();

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
    this.#running ??= this.#run(tell);
    return this.#running;
  }

  async #run(tell) {
    const outcome = await this.#tryAll(tell);
    this.#running = null;
    return this.#end.signal.aborted ? { state: "stopped" } : outcome;
  }

  /** Whether tries are being made or waited for. */
  get running() {
    return this.#running !== null;
  }

  /** End the present wait: the browser is online again, or the respondent asks for it. */
  hurry() {
    this.#hurry();
  }

  /** Send no more; a try that is being made is broken off, if it is not too late for that. */
  stop() {
    this.#end.abort();
    this.#hurry();
  }

  async #tryAll(tell) {
    for (const [done, seconds] of WAITS.entries()) {
      const tries = done + 1;
      tell("sending", { tries, seconds });
      const outcome = await this.#tryOnce();
      if (outcome !== null || this.#end.signal.aborted) {
        return outcome;
      }
      tell(this.#world.online() ? "waiting" : "offline", { tries, seconds });
      await this.#wait(seconds);
      if (this.#end.signal.aborted) {
        return null;
      }
    }
    return { state: "paused" };
  }

  /** @returns {Promise<Outcome | null>}  null: try again */
  async #tryOnce() {
    try {
      const response = await this.#world.fetch(this.#url, request(this.#body, this.#patience()));
      return await this.#judge(response);
    } catch {
      return null;
    }
  }

  /** @returns {AbortSignal}  for one try: it takes too long, or nothing is to be sent any more */
  #patience() {
    const late = new AbortController();
    const end = () => late.abort();
    AbortSignal.timeout(PATIENCE).addEventListener("abort", end);
    this.#end.signal.addEventListener("abort", end);
    return late.signal;
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
function request(body, signal) {
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
    signal,
  };
}
