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
