import { Keeping } from "./keeping.js";
import { part } from "./parts.js";
import { Receipt } from "./receipt.js";
import { Delivery, browserWorld } from "./transport.js";
import { Turn } from "./turn.js";
import { Work } from "./work.js";

/**
 * From one frozen body to its end: the stages sending, sent, failed, discarded and elsewhere, and what is said in them.
 * It never sees an answer, and there is one body for the whole life of the page.
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
  /** @type {Keeping | null} */
  #keeping = null;
  /** @type {Turn | null} */
  #turn = null;
  /** @type {Delivery | null}  from when it is this tab's turn */
  #delivery = null;
  /** @type {Work | null}  of the report that will be sent, as far as is known */
  #work = null;
  #body = "";
  #kept = false;
  #resumed = false;
  /** Whether the browser may be asked to keep the body; once it did not, it is not asked again. */
  #offers = true;

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
    this.#guard = guard;
    this.#receipt = new Receipt(root, sentences);
    this.#onClick("hurry-button", () => this.hurry());
    this.#onClick("keep-button", () => this.#keep());
    this.#onClick("discard-button", () => this.#discard());
    window.addEventListener("online", () => guard(() => this.hurry()));
  }

  /** Whether this page has a body, or had one; from then on nothing else can be sent. */
  get begun() {
    return this.#prepared !== null;
  }

  /** Whether a body is on its way or waits for another try. */
  get going() {
    return this.#stages.now === "sending";
  }

  /**
   * Send a body that was just made, until there is an outcome or the tries are used up. Where another tab sends, or a
   * report waits on this device already, this body is given up: one person, one report.
   *
   * @param {string} url
   * @param {string} body  the exact text of the request
   * @param {Prepared} prepared
   */
  async begin(url, body, prepared) {
    this.#start(prepared);
    if (!(await this.#turn.take())) {
      this.#giveWay("held");
      return;
    }
    const waiting = this.#keeping.find();
    if (waiting !== null) {
      this.#show(waiting, "first");
      await this.#send(url);
      return;
    }
    this.#keeping.hold(body);
    this.#show({ body, lasting: false });
    await this.#send(url);
  }

  /**
   * Send what waits on this device from an earlier load, if anything does; then no question is asked.
   *
   * @param {string} url
   * @param {Prepared} prepared
   * @returns {boolean}  whether something waits
   */
  resume(url, prepared) {
    const found = new Keeping(this.#window, prepared).find();
    if (found !== null) {
      this.#start(prepared);
      this.#resumed = true;
      this.#show(found, found.lasting ? "found" : "reload");
      this.#guard(() => this.#afterOthers(url, found.body));
    }
    return found !== null;
  }

  /**
   * Begin the work for a report that is still to be made, where the page says that its survey asks for some.
   *
   * @param {string} digest  of the design
   * @param {string} nonce
   */
  prepare(digest, nonce) {
    this.#work?.stop();
    this.#work = new Work(digest, nonce, this.#window.crypto.subtle);
    this.#work.find(Number(this.#root.dataset.work ?? 0));
  }

  /** Try now: end the present wait, or begin again with the same bytes after the tries are used up. */
  async hurry() {
    if (!this.going || this.#delivery === null) {
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
    if (!this.going) {
      this.#turn?.giveBack();
      this.#work?.stop();
    }
  }

  /** Send no more from this page. What is kept by consent stays on the device, and the page says so. */
  stop() {
    this.#delivery?.stop();
    this.#work?.stop();
    this.#turn?.giveBack();
    this.#keeping?.letGo();
    part(this.#root, "kept-after").hidden = !this.#kept;
  }

  #start(prepared) {
    this.#prepared = prepared;
    this.#keeping = new Keeping(this.#window, prepared);
    this.#turn = new Turn(this.#window.navigator, prepared.digest);
  }

  /** @param {string} [note]  names the sentence `kept-<note>` */
  #show({ body, lasting }, note = "") {
    this.#body = body;
    this.#kept = lasting;
    this.#tell("sending", {});
    this.#say(note);
    this.#stages.show("sending");
  }

  /** Another tab with the same body may be about to send it, or this one's last load may not quite be gone. */
  async #afterOthers(url, body) {
    if (!(await this.#turn.take())) {
      this.#tell("elsewhere", {});
      const mine = await this.#turn.wait();
      if (!mine || !this.going) {
        return;
      }
      if (this.#keeping.find()?.body !== body) {
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
    this.#window.addEventListener("beforeunload", this.#warn);
    const outcome = await this.#delivery.send((state, values) => this.#tell(state, values));
    this.#window.removeEventListener("beforeunload", this.#warn);
    this.#finish(outcome);
  }

  /** A page that is closed loses its report, unless it is kept. */
  #warn = (event) => {
    if (!this.#kept) {
      event.preventDefault();
    }
  };

  #finish(outcome) {
    if (outcome.state === "stored") {
      this.#drop();
      this.#check.showBody(this.#body, this.#delivery.url, this.#delivery.sum);
      this.#receipt.show(this.#body, outcome.receipt, this.#prepared, this.#groupLine());
      this.#stages.show("sent");
    } else if (outcome.state === "refused") {
      this.#drop();
      this.#turn.giveBack();
      const known = [`failed-${outcome.status}-${outcome.field}`, `failed-${outcome.status}`];
      const key = known.find((one) => this.#sentences.has(one)) ?? "failed-other";
      part(this.#root, "failed-reason").textContent = this.#sentences.say(key, { status: String(outcome.status) });
      this.#stages.show("failed");
    } else if (outcome.state === "paused") {
      this.#tell("paused", {});
    }
  }

  #groupLine() {
    const { design, group } = this.#prepared;
    const { stratum } = JSON.parse(this.#body);
    const index = design.groups.findIndex(({ key }) => key === stratum);
    return group === null ? "" : this.#sentences.say("group-line", { group: group.label(index) });
  }

  /** Only ever by a click on the button beside the words of what is kept. */
  #keep() {
    this.#kept = this.#keeping.keep(this.#body);
    this.#offers = false;
    this.#say(this.#kept ? "done" : "not");
    part(this.#root, "keep").hidden = true;
    this.#showWaysOut();
  }

  #discard() {
    this.#drop();
    this.stop();
    this.#stages.show("discarded");
    this.clear();
  }

  #drop() {
    this.#keeping.drop(this.#body);
    this.#kept = false;
  }

  /** @param {"held" | "gone"} reason  names the sentence `elsewhere-<reason>` */
  #giveWay(reason) {
    part(this.#root, "elsewhere-reason").textContent = this.#sentences.say(`elsewhere-${reason}`);
    this.#turn.giveBack();
    this.#stages.show("elsewhere");
  }

  #tell(state, values) {
    const waits = ["waiting", "offline", "paused"].includes(state);
    this.#announce(this.#sentences.say(`sending-${state}`, { count: values.seconds }));
    const seconds = state === "working" ? this.#sentences.say("seconds", { count: values.seconds }) : "";
    part(this.#root, "sending-seconds").textContent = seconds;
    part(this.#root, "hurry-button").hidden = !waits;
    part(this.#root, "progress").hidden = waits;
    part(this.#root, "keep").hidden = !waits || this.#kept || !this.#offers;
    this.#showWaysOut();
  }

  /** A screen reader reads a status whenever it is written: the same words once. */
  #announce(words) {
    const said = part(this.#root, "sending-said");
    if (said.textContent !== words) {
      said.textContent = words;
    }
  }

  #say(note) {
    part(this.#root, "kept-said").textContent = note === "" ? "" : this.#sentences.say(`kept-${note}`);
  }

  #showWaysOut() {
    part(this.#root, "discard").hidden = !this.#kept && !this.#resumed;
    part(this.#root, "leave").hidden = !this.#kept;
  }

  #onClick(name, action) {
    this.#root.querySelectorAll(`[data-part=${name}]`).forEach((button) => {
      button.addEventListener("click", () => this.#guard(action));
    });
  }
}
