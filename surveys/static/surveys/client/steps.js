/**
 * What the browser's Back and leaving do while there are answers on the page: Back leads one stage back instead of away,
 * and leaving asks.
 *
 * The tab's history gets one entry at the first step forward, and never another: neither how many there are, nor what is
 * in them, nor the address depends on an answer or on the questions that an answer led to. An entry holds a constant
 * word. Where Back leads to a stage that has one before it still, the page goes forward again to the same entry.
 */

const AHEAD = "ahead";

export class Steps {
  #window;
  #page;
  /** Whether the page itself moves between the two entries, which takes a moment. */
  #moving = false;

  /**
   * @param {Window} window
   * @param {object} page
   * @param {() => boolean} page.ahead  whether there is a stage to go back to
   * @param {() => unknown} page.back  goes there
   * @param {() => boolean} page.marked  whether leaving would lose an answer
   */
  constructor(window, page) {
    this.#window = window;
    this.#page = page;
    window.addEventListener("popstate", () => this.#arrive());
    // A page that was left while it moved never arrived.
    window.addEventListener("pageshow", (event) => { this.#moving &&= !event.persisted; });
    window.addEventListener("beforeunload", (event) => this.#page.marked() && event.preventDefault());
  }

  /** After every change of the stage: the entry that fits it. What an earlier load left is gone back from. */
  settle() {
    if (this.#moving || this.#page.ahead() === this.#entered) {
      return;
    }
    if (this.#entered) {
      this.#move("back");
    } else {
      this.#window.history.pushState(AHEAD, "");
    }
  }

  get #entered() {
    return this.#window.history.state === AHEAD;
  }

  /** The page moved, or she pressed Back or Forward. Forward leads nowhere: what is ahead is reached by answering. */
  #arrive() {
    const asked = !this.#moving && this.#page.ahead() && !this.#entered;
    this.#moving = false;
    if (asked) {
      this.#page.back();
    }
    if (asked && this.#page.ahead()) {
      this.#move("forward");
    } else {
      this.settle();
    }
  }

  #move(direction) {
    this.#moving = true;
    this.#window.history[direction]();
  }
}
