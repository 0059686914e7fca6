import { part } from "./parts.js";
import { Receipt } from "./receipt.js";
import { Delivery, browserWorld } from "./transport.js";

/**
 * From one frozen body to its end: the stages sending, sent and failed, and what is said in them. It never sees an
 * answer, and there is one body for the whole life of the page.
 *
 * @typedef {import("./preparation.js").Prepared} Prepared
 */
export class Sending {
  #root;
  #window;
  #stages;
  #sentences;
  #check;
  #receipt;
  /** @type {Delivery | null} */
  #delivery = null;
  /** @type {Prepared | null}  what the body was made from, to put its receipt into words */
  #prepared = null;

  /**
   * @param {HTMLElement} root
   * @param {Window} window
   * @param {object} page  what it shares with the page around it
   * @param {import("./stages.js").Stages} page.stages
   * @param {import("./sentences.js").Sentences} page.sentences
   * @param {import("./check.js").CheckThisPage} page.check
   * @param {(action: () => unknown) => Promise<void>} page.guard  runs an action; what it throws is a refusal
   */
  constructor(root, window, { stages, sentences, check, guard }) {
    this.#root = root;
    this.#window = window;
    this.#stages = stages;
    this.#sentences = sentences;
    this.#check = check;
    this.#receipt = new Receipt(root, sentences);
    part(root, "hurry-button").addEventListener("click", () => guard(() => this.hurry()));
    window.addEventListener("online", () => guard(() => this.hurry()));
  }

  /** Whether there is a body; from then on nothing else can be sent. */
  get begun() {
    return this.#delivery !== null;
  }

  /** Whether a body is on its way or waits for another try. */
  get going() {
    return this.#stages.now === "sending";
  }

  /**
   * Send a body until there is an outcome or the tries are used up.
   *
   * @param {string} url
   * @param {string} body  the exact text of the request
   * @param {Prepared} prepared
   */
  async begin(url, body, prepared) {
    this.#prepared = prepared;
    this.#delivery = new Delivery(url, body, browserWorld(this.#window));
    await this.#deliver();
  }

  /** Try now: end the present wait, or begin again with the same bytes after the tries are used up. */
  async hurry() {
    if (!this.going) {
      return;
    }
    if (this.#delivery.running) {
      this.#delivery.hurry();
    } else {
      await this.#deliver();
    }
  }

  /** Take what was sent off the screen; a body on its way goes on. */
  clear() {
    this.#receipt.clear();
    this.#check.showBody("");
  }

  async #deliver() {
    const warn = (event) => event.preventDefault();
    this.#window.addEventListener("beforeunload", warn);
    const sending = this.#delivery.send((state, values) => this.#tell(state, values));
    this.#stages.show("sending");
    this.#check.showBody(this.#delivery.body);
    const outcome = await sending;
    this.#window.removeEventListener("beforeunload", warn);
    this.#finish(outcome);
  }

  #finish(outcome) {
    if (outcome.state === "stored") {
      this.#receipt.show(this.#delivery.body, outcome.receipt, this.#prepared, this.#groupLine());
      this.#stages.show("sent");
    } else if (outcome.state === "refused") {
      const known = `failed-${outcome.status}`;
      const key = this.#sentences.has(known) ? known : "failed-other";
      part(this.#root, "failed-reason").textContent = this.#sentences.say(key, { status: String(outcome.status) });
      this.#stages.show("failed");
    } else {
      this.#tell("paused", {});
    }
  }

  #groupLine() {
    const { design, group } = this.#prepared;
    const { stratum } = JSON.parse(this.#delivery.body);
    const index = design.groups.findIndex(({ key }) => key === stratum);
    return group === null ? "" : this.#sentences.say("group-line", { group: group.label(index) });
  }

  #tell(state, values) {
    part(this.#root, "sending-said").textContent = this.#sentences.say(`sending-${state}`, values);
    part(this.#root, "hurry-button").hidden = state === "sending";
    part(this.#root, "progress").hidden = state !== "sending";
  }
}
