/**
 * Small pictures, drawn element by element: the page's rules allow no markup from text.
 *
 * Every picture has a title that says the same in words. Colours are classes of the style sheet, so that dark mode and
 * forced colours reach them; what is "yours" and what is not also differs by pattern, not by colour alone.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Above this many tickets single tickets would be too small, and a strip shows their shares. */
const MOST_DRAWN = 12;

const BARS = { width: 400, height: 84, gap: 0.25 };

/** More than these leave no room for the rest of the picture beside them. */
const MOST_IN_A_ROW = 5;

const LONGEST_WORD = 5;
const TICKET = { width: 44, height: 60, gap: 8 };
const TICKET_PATH =
  "M6 1H38a5 5 0 0 1 5 5V23a7 7 0 0 0 0 14V54a5 5 0 0 1-5 5H6a5 5 0 0 1-5-5V37a7 7 0 0 0 0-14V6a5 5 0 0 1 5-5Z";
/** What a ticket does: two equal lines, arrows that swap; a tick, a place left blank. */
const SIGNS = {
  answer: ["M12 26H32M12 34H32", "M12 24H31L26 19M32 36H13L18 41"],
  mark: ["M12 30L19 38L32 22", "M15 30H29"],
};
const PERSON_PATH = "M5 1.2a2 2 0 1 1 0 4 2 2 0 0 1 0-4ZM1.6 9.2c0-2 1.5-3.2 3.4-3.2s3.4 1.2 3.4 3.2Z";

/**
 * The tickets in the box: those that send the answer (or mark a choice) first, then those that always send the same.
 *
 * @param {{own: number, tickets: number, title: string, signs: "answer" | "mark", always: {word: string, count: number}[]}} box
 * @returns {SVGElement}
 */
export function ticketStrip({ own, tickets, title, signs, always }) {
  if (tickets > MOST_DRAWN) {
    return shares([own, ...always.map(({ count }) => count)].map((count) => count / tickets), title);
  }
  const words = always.flatMap(({ word, count }) => Array(count).fill(word));
  return singleTickets(own, tickets, title, SIGNS[signs], words);
}

/**
 * How many of the tickets send each report, as bars; the bar of the answer itself, where it is one, is filled.
 *
 * @param {{row: readonly number[], largest: number, own: number | null, title: string}} bars  `largest`: the highest bar
 * @returns {SVGElement}
 */
export function barPicture({ row, largest, own, title }) {
  const picture = canvas("bars", BARS.width, BARS.height, title);
  const step = BARS.width / row.length;
  row.forEach((weight, y) => {
    const height = (weight / largest) * (BARS.height - 2);
    const place = { x: rounded(y * step + (step * BARS.gap) / 2), width: rounded(step * (1 - BARS.gap)) };
    const size = { y: rounded(BARS.height - 1 - height), height: rounded(height) };
    picture.append(node("rect", { ...place, ...size, class: y === own ? "bar bar-own" : "bar bar-other" }));
  });
  picture.append(node("path", { d: `M0 ${BARS.height - 1}H${BARS.width}`, class: "bar-floor" }));
  return picture;
}

/**
 * A hundred people, ten by ten, the first ones filled.
 *
 * @param {{filled: number, title: string}} people
 * @returns {SVGElement}
 */
export function iconArray({ filled, title }) {
  const picture = canvas("icon-array", 100, 100, title);
  for (let i = 0; i < 100; i += 1) {
    const place = `translate(${(i % 10) * 10} ${Math.floor(i / 10) * 10})`;
    picture.append(node("path", { d: PERSON_PATH, transform: place, class: i < filled ? "person-sends" : "person-not" }));
  }
  return picture;
}

function singleTickets(own, tickets, title, [ownSign, otherSign], words) {
  const step = TICKET.width + TICKET.gap;
  const many = tickets > MOST_IN_A_ROW ? " tickets-many" : "";
  const picture = canvas(`tickets${many}`, tickets * step - TICKET.gap, TICKET.height, title);
  for (let i = 0; i < tickets; i += 1) {
    const word = words[i - own];
    const kind = i < own ? "own" : word === undefined ? "other" : "always";
    const ticket = node("g", { transform: `translate(${i * step} 0)`, class: `ticket ticket-${kind}` });
    ticket.append(node("path", { d: TICKET_PATH, class: "ticket-paper" }));
    ticket.append(
      kind === "always" ? wordOn(word) : node("path", { d: kind === "own" ? ownSign : otherSign, class: "ticket-sign" }),
    );
    picture.append(ticket);
  }
  return picture;
}

/** What a ticket always sends, cut short; the title has it whole. */
function wordOn(word) {
  const letters = Array.from(word);
  const text = node("text", { x: TICKET.width / 2, y: TICKET.height / 2 + 5, class: "ticket-word", "font-size": 13 });
  text.textContent = letters.length > LONGEST_WORD ? `${letters.slice(0, LONGEST_WORD - 1).join("")}…` : word;
  return text;
}

/** The own tickets filled, the next hatched, the last plain. */
function shares([own, second, third], title) {
  const [width, height] = [400, 44];
  const picture = canvas("tickets tickets-many tickets-shares", width, height, title);
  const cut = Math.round(own * width);
  const end = third === undefined ? width : Math.round((own + second) * width);
  picture.append(node("rect", { x: 1, y: 1, width: width - 2, height: height - 2, rx: 6, class: "share-other" }));
  for (let x = cut + 8; x < end - 4; x += 8) {
    picture.append(node("path", { d: `M${x} 2L${Math.max(cut, x - 14)} ${height - 2}`, class: "share-hatch" }));
  }
  if (end < width) {
    picture.append(node("path", { d: `M${end} 2V${height - 2}`, class: "share-hatch" }));
  }
  picture.append(node("rect", { x: 0, y: 0, width: cut, height, rx: 6, class: "share-own" }));
  return picture;
}

function rounded(length) {
  return Number(length.toFixed(2));
}

function canvas(name, width, height, title) {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return node("svg", { ...size, class: name, role: "img", "aria-label": title, focusable: "false" });
}

function node(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, String(value));
  }
  return element;
}
