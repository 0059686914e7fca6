import { Refusal } from "./refusal.js";
import { isBodyFor } from "./report.js";

const STORE = "report";
const KEY = "body";
const PROBE = "candor-probe";

/**
 * The one frozen body that this browser has for a design, in a database of its own: from before its first request until
 * it was accepted, or the respondent discards it. It never sees an answer. See docs/adr/0007-keeping-a-report.md.
 */
export class ReportStore {
  #window;
  #prepared;
  #name;

  /**
   * @param {Window} window
   * @param {import("./preparation.js").Prepared} prepared
   */
  constructor(window, prepared) {
    this.#window = window;
    this.#prepared = prepared;
    this.#name = `candor-report-${prepared.digest}`;
  }

  /** @returns {Promise<string>}  the body that is kept now, which alone may be sent: this one, unless there was one */
  hold(body) {
    return this.#within("readwrite", async (store) => {
      const found = await result(store.get(KEY));
      if (isBodyFor(found, this.#prepared)) {
        return found;
      }
      await result(store.put(body, KEY));
      return body;
    });
  }

  /**
   * The body that waits here. One that this design cannot have made is taken away and never sent.
   *
   * @returns {Promise<string | null>}
   */
  async find() {
    const found = await this.#within("readonly", (store) => result(store.get(KEY)));
    if (found === null || isBodyFor(found, this.#prepared)) {
      return found;
    }
    await this.#remove();
    return null;
  }

  /** This body is nowhere on the device any more; another one stays. */
  async drop(body) {
    if ((await this.find()) === body) {
      await this.#remove();
    }
  }

  /** A browser that keeps nothing would draw anew with each load. */
  async #within(mode, action) {
    try {
      const database = await this.#open(mode);
      return database && await finished(database, mode, action);
    } catch {
      throw new Refusal("storage");
    }
  }

  /** @returns {Promise<IDBDatabase | null>}  null: there is none, and looking for it makes none */
  async #open(mode) {
    const { indexedDB } = this.#window;
    const looking = mode === "readonly";
    if (looking && indexedDB.databases && !(await this.#exists(indexedDB))) {
      await probe(indexedDB);
      return null;
    }
    const request = indexedDB.open(this.#name);
    request.onupgradeneeded = () => (looking ? request.transaction.abort() : request.result.createObjectStore(STORE));
    return result(request).catch((problem) => {
      if (looking && problem.name === "AbortError") {
        return null;
      }
      throw problem;
    });
  }

  async #exists(indexedDB) {
    const databases = await indexedDB.databases();
    return databases.some(({ name, version }) => name === this.#name && version > 0);
  }

  #remove() {
    return result(this.#window.indexedDB.deleteDatabase(this.#name));
  }
}

/**
 * One tab of a browser at a time sends for a survey. The browser's locks are named by the design; a tab that is closed
 * or crashes gives its lock back. A browser without locks goes on without: the collector counts a nonce once anyway.
 */
export class SendLock {
  #locks;
  #name;
  #release = () => {};
  #waiting = null;

  /**
   * @param {Navigator} navigator
   * @param {string} digest
   */
  constructor(navigator, digest) {
    this.#locks = navigator.locks;
    this.#name = `candor-send-${digest}`;
  }

  /** @returns {Promise<boolean>}  whether it is this tab's turn now */
  take() {
    return this.#ask({ ifAvailable: true });
  }

  /** @returns {Promise<boolean>}  true when it is this tab's turn; false when it was given back before that */
  wait() {
    this.#waiting = new AbortController();
    return this.#ask({ signal: this.#waiting.signal });
  }

  /** Give the turn to other tabs, or stop waiting for it. */
  giveBack() {
    this.#waiting?.abort();
    this.#release();
  }

  #ask(options) {
    if (this.#locks === undefined) {
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const hold = (lock) => {
        resolve(lock !== null);
        return lock && new Promise((release) => {
          this.#release = release;
        });
      };
      this.#locks.request(this.#name, options, hold).catch(() => resolve(options.signal?.aborted !== true));
    });
  }
}

/**
 * Nothing waits, but could it? This is tried under a name that tells of no survey and is taken away again: WebKit keeps
 * the name of a database whose making was aborted.
 */
async function probe(indexedDB) {
  const database = await result(indexedDB.open(PROBE));
  database.close();
  await result(indexedDB.deleteDatabase(PROBE));
}

function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** What the action returns, once all of it is on the disk. */
async function finished(database, mode, action) {
  try {
    const transaction = database.transaction(STORE, mode, { durability: "strict" });
    const end = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const [made] = await Promise.all([action(transaction.objectStore(STORE)), end]);
    return made;
  } finally {
    database.close();
  }
}

/** A storage may be missing, full or forbidden; even to name it can throw. */
export function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
