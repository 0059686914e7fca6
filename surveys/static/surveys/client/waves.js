import { totalRatio } from "./channel.js";
import { offer } from "./extras.js";
import { epsilonUp, oddsUp } from "./figures.js";
import { part } from "./elements.js";

/**
 * Of a survey that comes again: what the waves so far and this one can reveal together, and the number that the device
 * keeps where the survey remembers. The number itself is `remembered.js`'s; here is the choice and the erasing.
 */
export class Waves {
  #root;
  #sentences;
  #remembers;
  /** @type {{known: boolean, settle: (keeps: boolean) => Promise<boolean>} | null}  see remembered.js */
  #tickets = null;
  #anew = false;

  /**
   * @param {HTMLElement} root
   * @param {import("./design.js").Design} design
   * @param {import("./sentences.js").Sentences} sentences
   * @param {(action: () => unknown) => Promise<void>} guard
   */
  constructor(root, { items, versions, most, waves }, sentences, guard) {
    this.#root = root;
    this.#sentences = sentences;
    this.#remembers = waves.repeats === "remember";
    const together = totalRatio([waves.spent, ...versions[most].map((i) => items[i].encoding.ratio)]);
    const first = waves.spent.number === waves.spent.divisor;
    const odds = { spent: oddsUp(waves.spent), together: oddsUp(together) };
    part(root, "waves-odds").textContent = sentences.say(first ? "waves-first" : "waves-odds", odds);
    part(root, "waves-experts").textContent = sentences.say("waves-experts", { epsilon: epsilonUp(together) });
    if (this.#remembers) {
      part(root, "erase-number").addEventListener("click", () => guard(() => this.#erase()));
    }
  }

  /** A new visit. The number is kept unless she chooses otherwise. */
  begin(tickets) {
    if (this.#remembers) {
      this.#tickets = tickets;
      this.#anew = !tickets.known;
      part(this.#root, "keep-number").checked = true;
      this.#say(tickets.known ? "waves-known" : "waves-unknown", tickets.known);
    }
  }

  /** Whether every answer is drawn anew this time, for all that this page knows. */
  get anew() {
    return !this.#remembers || this.#anew;
  }

  /** At once, not only at Send: the next user of the device may come before. */
  async #erase() {
    await this.#tickets.settle(false);
    this.#anew = true;
    part(this.#root, "keep-number").checked = false;
    this.#say("waves-erased", false);
  }

  #say(key, known) {
    part(this.#root, "number-said").textContent = this.#sentences.say(key);
    part(this.#root, "erase-number").hidden = !known;
  }
}

offer("waves", Waves);
