import { element, part } from "../client/elements.js";
import { Sentences } from "../client/sentences.js";
import { costsIn, eraseAll, numbersIn, oddsOf, sumOf } from "./ledger.js";
import { discard, waitingOn } from "./unsent.js";

/**
 * "My survey record": read from this device, shown, erased. The page has no way to send anything.
 *
 * @typedef {import("./ledger.js").Cost} Cost
 */

const SVG = "http://www.w3.org/2000/svg";

/** Of a bar, in units of its picture. */
const [WIDTH, HEIGHT] = [400, 18];

class SpentPage {
  #root;
  #window;
  #storage;
  #sentences;

  constructor(root, window, storage) {
    this.#root = root;
    this.#window = window;
    this.#storage = storage;
    this.#sentences = new Sentences(part(root, "sentences"), root.lang);
    part(root, "erase-all").addEventListener("click", () => this.#change(() => eraseAll(storage)));
    this.show();
  }

  async show() {
    const waiting = await waitingOn(this.#window).catch(() => []);
    const noted = costsIn(this.#storage);
    const numbers = numbersIn(this.#storage);
    const costs = noted.map(({ cost }) => cost);
    part(this.#root, "nothing").hidden = noted.length > 0;
    part(this.#root, "noted").hidden = noted.length === 0;
    part(this.#root, "numbers").hidden = numbers.length === 0;
    part(this.#root, "erase").hidden = noted.length + numbers.length === 0;
    part(this.#root, "waiting").hidden = waiting.length === 0;
    part(this.#root, "waiting-list").replaceChildren(...waiting.map((one) => this.#report(one)));
    this.#showTotal(costs);
    part(this.#root, "rows").replaceChildren(...noted.map((one) => this.#row(one)));
    part(this.#root, "picture").replaceChildren(...this.#bars(costs));
    const titles = new Map(costs.map(({ slug, title }) => [slug, title]));
    part(this.#root, "number-list").replaceChildren(...numbers.map(({ name, slug }) => this.#number(name, titles.get(slug) ?? slug)));
    this.#root.dataset.now = "shown";
  }

  async #change(action) {
    await action();
    await this.show();
    part(this.#root, "said").textContent = this.#sentences.say("erased");
    part(this.#root, "title").focus();
  }

  /** As odds; epsilon is for those who unfold it. */
  #showTotal(costs) {
    const [least, most] = ["least", "most"].map((name) => sumOf(costs.map((cost) => cost[name])));
    part(this.#root, "total").textContent = this.#sentences.say("total", { odds: oddsOf(most) });
    const epsilon = this.#sentences.say(least === most ? "epsilon" : "epsilon-between", { least, most });
    part(this.#root, "epsilon").textContent = epsilon;
  }

  #row({ name, cost }) {
    const row = element("tr");
    const survey = element("th", cost.title);
    survey.scope = "row";
    const [day, odds] = [this.#sentences.say("day", cost), this.#sentences.say("odds", { odds: oddsOf(cost.most) })];
    const cells = [String(cost.version), day, odds];
    const last = element("td");
    last.append(this.#eraser(name, this.#sentences.say("erase-named", { survey: cost.title, wave: cost.version })));
    row.append(survey, ...cells.map((text, i) => this.#cell(text, i + 1)), last);
    return row;
  }

  /** With the name of its column, which a narrow screen shows before it. */
  #cell(text, column) {
    const cell = element("td", text);
    cell.dataset.name = this.#root.querySelectorAll("thead th")[column].textContent;
    return cell;
  }

  #report({ name, digest }) {
    const line = element("li");
    const label = this.#sentences.say("discard-named", { digest });
    const button = this.#button(this.#sentences.say("discard"), label, () => discard(this.#window, name));
    line.append(element("span", this.#sentences.say("report", { digest })), button);
    return line;
  }

  #number(name, survey) {
    const line = element("li");
    line.append(element("span", survey), this.#eraser(name, this.#sentences.say("erase-number-named", { survey })));
    return line;
  }

  #eraser(name, label) {
    return this.#button(this.#sentences.say("erase"), label, () => this.#storage.removeItem(name));
  }

  #button(text, label, action) {
    const button = element("button", text, "button-quiet");
    button.type = "button";
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => this.#change(action));
    return button;
  }

  /** A bar for each survey, with a piece for each wave; the longest fills the picture. */
  #bars(costs) {
    const slugs = [...new Set(costs.map(({ slug }) => slug))];
    const surveys = slugs.map((slug) => costs.filter((cost) => cost.slug === slug));
    const longest = Math.max(...surveys.map((waves) => sumOf(waves.map(({ most }) => most))), 0.01);
    return surveys.map((waves) => {
      const figure = element("figure");
      const total = sumOf(waves.map(({ most }) => most));
      const text = this.#sentences.say("bar", { survey: waves[0].title, epsilon: total });
      figure.append(element("figcaption", text), bar(waves.map(({ most }) => (WIDTH * most) / longest)));
      return figure;
    });
  }
}

/** The words beside it say the same. */
function bar(lengths) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  picture.setAttribute("class", "spent-bar");
  picture.setAttribute("aria-hidden", "true");
  let start = 0;
  for (const length of lengths) {
    const piece = document.createElementNS(SVG, "rect");
    const places = { x: start, y: 0, width: Math.max(length - 2, 1), height: HEIGHT };
    Object.entries(places).forEach(([name, value]) => piece.setAttribute(name, value.toFixed(1)));
    picture.append(piece);
    start += length;
  }
  return picture;
}

/** A browser that keeps nothing has nothing to show. */
function storageOf(window) {
  try {
    return window.localStorage ?? null;
  } catch {
    return null;
  }
}

const storage = storageOf(window);
if (storage !== null) {
  new SpentPage(document.documentElement, window, storage);
}
