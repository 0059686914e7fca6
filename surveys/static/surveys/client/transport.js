import { digestOf } from "./design.js";
import { MOST_BITS } from "./proof.js";

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
 * @typedef {{state: "stored", receipt: string} | {state: "refused", status: number, field?: string} | {state: "paused" | "stopped"}} Outcome
 * @typedef {(state: "sending" | "working" | "waiting" | "offline", values: {tries: number, seconds: number}) => void} Tell
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
  #work;
  #sum = "";
  #running = null;
  #hurry = () => {};
  #end = new AbortController();

  /** @param {import("./proof.js").ProofOfWork} work  of the body's nonce */
  constructor(url, body, world, work) {
    this.#url = url;
    this.#body = body;
    this.#world = world;
    this.#work = work;
  }

  /** The exact text of the request. */
  get body() {
    return this.#body;
  }

  get url() {
    return this.#url;
  }

  /** What went with it for the work that was asked for; empty where none was. */
  get sum() {
    return this.#sum;
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
      const outcome = await this.#tryOnce(tell, tries);
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
  async #tryOnce(tell, tries) {
    try {
      const before = this.#work.bits;
      await this.#finishWork(tell, tries);
      if (this.#end.signal.aborted) {
        return null;
      }
      const response = await this.#world.fetch(this.#url, request(this.#body, this.#patience(), this.#sum));
      const outcome = await this.#judge(response);
      return this.#work.bits > before ? this.#tryOnce(tell, tries) : outcome;
    } catch {
      return null;
    }
  }

  /** Wait for the sum, where one is asked for, and say so each second. */
  async #finishWork(tell, tries) {
    if (this.#work.bits === 0) {
      return;
    }
    const sum = this.#work.find(this.#work.bits);
    let found = null;
    for (let seconds = 0; found === null && !this.#end.signal.aborted; seconds += 1) {
      if (seconds > 0) {
        tell("working", { tries, seconds });
      }
      found = await Promise.race([sum, this.#world.sleep(1000).then(() => null)]);
    }
    this.#sum = found ?? "";
    tell("sending", { tries, seconds: 0 });
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
    if (response.status === 429) {
      return this.#judgeWork(await response.json());
    }
    const final = response.status >= 400 && response.status < 500 && !TEMPORARY.includes(response.status);
    return final ? { state: "refused", status: response.status, field: await fieldOf(response) } : null;
  }

  /** A survey may ask for work, or for more, after its page was loaded: that is done at once, for the same bytes. */
  #judgeWork({ error: { bits } }) {
    if (bits !== undefined && !(Number.isInteger(bits) && bits > 0 && bits <= MOST_BITS)) {
      return { state: "refused", status: 429 };
    }
    this.#work.find(bits ?? 0);
    return null;
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

/** Which field of the report a refusal names; empty where it is in no words of the collector's. */
async function fieldOf(response) {
  const { error } = (await response.json().catch(() => null)) ?? {};
  return typeof error?.field === "string" ? error.field : "";
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
function request(body, signal, sum) {
  const work = sum === "" ? {} : { "Candor-Work": sum };
  return {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", ...work },
    mode: "cors",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    redirect: "error",
    keepalive: true,
    signal,
  };
}
