import { ReportStore, SendLock } from "./store.js";
import { part } from "./elements.js";
import { Receipt } from "./review.js";
import { Delivery, browserWorld } from "./transport.js";
import { ProofOfWork } from "./proof.js";

/** Milliseconds after which the focus goes to "Sending": most responses have arrived by then. */
const SOON = 400;

/**
 * From one frozen body to its end: the stages sending, sent, failed, discarded and elsewhere, and what is said in them.
 * It never sees an answer. There is one body, and no refusal, however final, makes this page or the next draw another.
 *
 * @typedef {import("./preparation.js").Prepared} Prepared
 */
export class Sending {
  #root;
  #window;
  #stages;
  #sentences;
  #check;
  #guard;
  #receipt;
  /** @type {Prepared | null}  what the body was made from, to put its receipt into words */
  #prepared = null;
  /** @type {ReportStore | null} */
  #keeping = null;
  /** @type {SendLock | null} */
  #lock = null;
  /** @type {Delivery | null}  from when it is this tab's turn */
  #delivery = null;
  /** @type {ProofOfWork | null}  of the report that will be sent, as far as is known */
  #work = null;
  #body = "";
  /** Whether it was found on this device. */
  #resumed = false;

  /**
   * @param {HTMLElement} root
   * @param {Window} window
   * @param {object} page  what it shares with the page around it
   * @param {import("./elements.js").Stages} page.stages
   * @param {import("./sentences.js").Sentences} page.sentences
   * @param {import("./review.js").CheckThisPage} page.check
   * @param {(action: () => unknown) => Promise<void>} page.guard  runs an action; what it throws is a refusal
   */
  constructor(root, window, { stages, sentences, check, guard }) {
    this.#root = root;
    this.#window = window;
    this.#stages = stages;
    this.#sentences = sentences;
    this.#check = check;
    this.#guard = guard;
    this.#receipt = new Receipt(root, sentences);
    this.#onClick("hurry-button", () => this.hurry());
    this.#onClick("discard-button", () => this.#discard());
    window.addEventListener("online", () => guard(() => this.hurry()));
  }

  /** Whether this page has a body, or had one; from then on nothing else can be sent. */
  get begun() {
    return this.#prepared !== null;
  }

  /** Whether a body is on its way or waits for another try, also after a refusal. */
  get going() {
    return ["sending", "failed"].includes(this.#stages.now);
  }

  /**
   * Send a body that was just made, once the browser keeps it. Where another tab sends, or a report waits on this device
   * already, this body is given up: one person, one report.
   *
   * @param {string} url
   * @param {string} body  the exact text of the request
   * @param {Prepared} prepared
   */
  async begin(url, body, prepared) {
    this.#start(prepared);
    this.#show(body);
    if (!(await this.#lock.take())) {
      this.#giveWay("held");
      return;
    }
    this.#body = await this.#keeping.hold(body);
    this.#tellKept(true);
    if (this.going) {
      this.#say(this.#body === body ? "" : "first");
      await this.#send(url);
    }
  }

  /**
   * Send what waits on this device from an earlier load, if anything does; then no question is asked.
   *
   * @param {string} url
   * @param {Prepared} prepared
   * @returns {Promise<boolean>}  whether something waits
   */
  async resume(url, prepared) {
    const body = await new ReportStore(this.#window, prepared).find();
    if (body !== null) {
      this.#start(prepared);
      this.#resumed = true;
      this.#tellKept(true);
      this.#show(body);
      this.#say("found");
      this.#guard(() => this.#afterOthers(url));
    }
    return body !== null;
  }

  /**
   * Begin the work for a report that is still to be made, where the page says that its survey asks for some.
   *
   * @param {string} digest  of the design
   * @param {string} nonce
   */
  prepare(digest, nonce) {
    this.#work?.stop();
    this.#work = new ProofOfWork(digest, nonce, this.#window.crypto.subtle);
    this.#work.find(Number(this.#root.dataset.work ?? 0));
  }

  /** Try now: end the present wait, or begin again with the same bytes. */
  async hurry() {
    if (!this.going || this.#delivery === null) {
      return;
    }
    if (this.#delivery.running) {
      this.#delivery.hurry();
    } else {
      this.#stages.show("sending", { lasting: SOON });
      await this.#deliver();
    }
  }

  /** Take what was sent off the screen; a body on its way goes on. */
  clear() {
    this.#receipt.clear();
    this.#check.showBody("");
    if (!this.going) {
      this.#lock?.giveBack();
      this.#work?.stop();
    }
  }

  /** Send no more from this page. A body that was not accepted stays on the device. */
  stop() {
    this.#delivery?.stop();
    this.#work?.stop();
    this.#lock?.giveBack();
  }

  #start(prepared) {
    this.#prepared = prepared;
    this.#keeping = new ReportStore(this.#window, prepared);
    this.#lock = new SendLock(this.#window.navigator, prepared.digest);
  }

  #show(body) {
    this.#body = body;
    this.#tell("sending", {});
    this.#stages.show("sending", { lasting: SOON });
  }

  /** Another tab with the same body may be about to send it, or this one's last load may not quite be gone. */
  async #afterOthers(url) {
    if (!(await this.#lock.take())) {
      this.#tell("elsewhere", {});
      const mine = await this.#lock.wait();
      if (!mine || !this.going) {
        return;
      }
      if ((await this.#keeping.find()) !== this.#body) {
        this.#tellKept(false);
        this.#giveWay("gone");
        return;
      }
    }
    await this.#send(url);
  }

  async #send(url) {
    const { nonce } = JSON.parse(this.#body);
    if (this.#work?.nonce !== nonce) {
      this.prepare(this.#prepared.digest, nonce);
    }
    this.#delivery = new Delivery(url, this.#body, browserWorld(this.#window), this.#work);
    this.#check.showBody(this.#body, url);
    await this.#deliver();
  }

  async #deliver() {
    const outcome = await this.#delivery.send((state, values) => this.#tell(state, values));
    if (outcome.state === "stored") {
      // What could not be taken away is sent again, and counted once.
      await this.#drop().catch(() => {});
      this.#check.showBody(this.#body, this.#delivery.url, this.#delivery.sum);
      this.#receipt.show(this.#body, outcome.receipt, this.#prepared, this.#groupLine());
      this.#stages.show("sent");
    } else if (outcome.state === "refused") {
      part(this.#root, "failed-reason").textContent = this.#reason(outcome);
      this.#stages.show("failed");
    } else if (outcome.state === "paused") {
      this.#tell("paused", {});
    }
  }

  #reason({ status, field }) {
    const known = [`failed-${status}-${field}`, `failed-${status}`].find((one) => this.#sentences.has(one));
    return this.#sentences.say(known ?? "failed-other", { status: String(status) });
  }

  #groupLine() {
    const { design, group, background } = this.#prepared;
    const { stratum } = JSON.parse(this.#body);
    if (background !== null) {
      return background.line(stratum);
    }
    const index = design.groups.findIndex(({ key }) => key === stratum);
    return group === null ? "" : this.#sentences.say("group-line", { group: group.label(index) });
  }

  /** Only ever by a click below the words of what that means. */
  async #discard() {
    this.#delivery?.stop();
    await this.#drop();
    this.stop();
    this.#stages.show("discarded");
    this.clear();
  }

  async #drop() {
    await this.#keeping.drop(this.#body);
    this.#tellKept(false);
  }

  /** While the browser keeps the body, the page says so and offers to take it away. */
  #tellKept(held) {
    ["discard", "kept-after"].forEach((name) => {
      part(this.#root, name).hidden = !held;
    });
  }

  /** @param {"held" | "gone"} reason  names the sentence `elsewhere-<reason>` */
  #giveWay(reason) {
    part(this.#root, "elsewhere-reason").textContent = this.#sentences.say(`elsewhere-${reason}`);
    this.#lock.giveBack();
    this.#stages.show("elsewhere");
  }

  #tell(state, values) {
    const waits = ["waiting", "offline", "paused"].includes(state);
    this.#announce(this.#sentences.say(`sending-${state}`, { count: values.seconds }));
    const seconds = state === "working" ? this.#sentences.say("seconds", { count: values.seconds }) : "";
    part(this.#root, "sending-seconds").textContent = seconds;
    part(this.#root, "hurry-button").hidden = !waits;
    part(this.#root, "progress").hidden = waits;
    part(this.#root, "ways-out").hidden = !waits && !this.#resumed;
  }

  /** A screen reader reads a status whenever it is written: the same words once. */
  #announce(words) {
    const line = part(this.#root, "sending-said");
    if (line.textContent !== words) {
      line.textContent = words;
    }
  }

  #say(note) {
    part(this.#root, "kept-said").textContent = note === "" ? "" : this.#sentences.say(`kept-${note}`);
  }

  #onClick(name, action) {
    this.#root.querySelectorAll(`[data-part=${name}]`).forEach((button) => {
      button.addEventListener("click", () => this.#guard(action));
    });
  }
}
