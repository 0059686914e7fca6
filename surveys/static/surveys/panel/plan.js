/**
 * The planner's page: sliders beside the fields, and the numbers, sentences and curves anew whenever one of them moves.
 *
 * Everything that is said or drawn comes from the API in words and parts; nothing is computed here. Without this script
 * the page is a form with a button.
 */
import { gettext } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const SIZE = "0 0 320 184";
const PAUSE = 120;

/** From what a slider says to what its field says, and back. */
const SCALES = {
  plain: { text: (value) => String(Number(value)), place: (field) => Number(field) },
  parts: { text: (value) => (value / 100).toFixed(2), place: (field) => 100 * fraction(field) },
  factors: { text: (value) => String(twoDigits(10 ** value)), place: (field) => Math.log10(Number(field) || 1000) },
};

const form = document.querySelector("[data-plan]");
let waiting = 0;
let asking = new AbortController();

if (form !== null) {
  form.querySelectorAll("[data-slides]").forEach(offerSlider);
  form.addEventListener("input", moved);
  form.addEventListener("change", moved);
  form.addEventListener("submit", (event) => {
    if (!event.submitter?.hasAttribute("formaction")) {
      event.preventDefault();
      ask();
    }
  });
  form.querySelector(".planner-submit").hidden = true;
  fit();
  catchUp();
}

/** @param {HTMLInputElement} slider  stands beside the field that it names, and follows it */
function offerSlider(slider) {
  const field = document.getElementById(slider.dataset.slides);
  const scale = SCALES[slider.dataset.scale];
  const follow = () => {
    slider.value = scale.place(field.value);
    slider.setAttribute("aria-valuetext", field.value);
  };
  slider.addEventListener("input", () => {
    field.value = scale.text(Number(slider.value));
    slider.setAttribute("aria-valuetext", field.value);
    chooseBy(field);
  });
  field.addEventListener("input", () => {
    follow();
    chooseBy(field);
  });
  field.addEventListener("follow", follow);
  slider.hidden = false;
  follow();
}

/** What was typed before this script ran, or what the browser kept of a page that is loaded again, counts as well. */
function catchUp() {
  const typed = [...form.querySelectorAll("input.candor-field")].filter((field) => field.value !== field.defaultValue);
  typed.forEach(chooseBy);
  if (typed.length > 0) {
    ask();
  }
}

/** Truth and epsilon are two sides of one thing: the one that was touched last decides. */
function chooseBy(field) {
  const radio = form.querySelector(`[name=by][value=${field.name}]`);
  if (radio !== null) {
    radio.checked = true;
  }
}

function moved(event) {
  if (event.target.id === "plan-kind") {
    for (const name of ["against", "mean", "spread", "margin"]) {
      form.elements[name].value = "";
    }
  }
  fit();
  clearTimeout(waiting);
  waiting = setTimeout(ask, PAUSE);
}

/** Show the fields that this kind of question and this mechanism have. */
function fit() {
  const kind = form.elements.kind;
  if (kind === undefined) {
    return;
  }
  const mechanism = form.elements.mechanism;
  for (const option of mechanism.options) {
    option.hidden = option.disabled = !option.dataset.kinds.split(" ").includes(kind.value);
  }
  if (mechanism.selectedOptions[0]?.disabled ?? true) {
    mechanism.value = [...mechanism.options].find((option) => !option.disabled).value;
  }
  for (const part of form.querySelectorAll(":not(option)[data-kinds]")) {
    part.hidden = !part.dataset.kinds.split(" ").includes(kind.value);
  }
  for (const part of form.querySelectorAll("[data-mechanisms]")) {
    part.hidden = !part.dataset.mechanisms.split(" ").includes(mechanism.value);
  }
}

async function ask() {
  asking.abort();
  asking = new AbortController();
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  try {
    const headers = { Accept: "application/json" };
    const response = await fetch(`${form.dataset.plan}?${query}`, { headers, signal: asking.signal });
    const answer = await response.json();
    const fault = answer.errors?.[0] ?? { message: gettext("The numbers could not be computed. Sign in and try again.") };
    say(response.ok ? null : fault);
    if (response.ok) {
      show(answer);
      history.replaceState(null, "", `?${query}`);
    }
  } catch (fault) {
    if (fault.name !== "AbortError") {
      say({ message: gettext("The server cannot be reached. The numbers below are the last ones.") });
    }
  }
}

/** @param {{field?: string, message: string} | null} fault */
function say(fault) {
  const place = form.querySelector("[data-fault]");
  place.hidden = fault === null;
  place.textContent = fault?.message ?? "";
  for (const field of form.querySelectorAll(".candor-field")) {
    field.toggleAttribute("aria-invalid", field.name === fault?.field);
  }
}

function show(answer) {
  const plan = answer.questions === undefined ? answer : showSurvey(answer);
  if (plan === null) {
    return;
  }
  followWith(plan);
  document.querySelector("[data-status]").textContent = plan.summary;
  document.querySelector("[data-advice]").textContent = plan.advice.sentence;
  document.querySelector("[data-tiles]").replaceChildren(...plan.tiles.map(tile));
  for (const section of document.querySelectorAll("[data-over]")) {
    const pictures = plan.pictures.filter((picture) => picture.over === section.dataset.over);
    section.hidden = pictures.length === 0;
    section.querySelector("[data-pictures]").replaceChildren(...pictures.map(figure));
  }
  plan.tables.forEach(fill);
}

/** The side of truth and epsilon that was not touched follows the other. */
function followWith(plan) {
  const { truth, epsilon } = form.elements;
  if (plan.truth !== "" && form.elements.by.value === "epsilon") {
    truth.value = plan.truth;
    truth.dispatchEvent(new Event("follow"));
  } else if (plan.truth !== "") {
    epsilon.value = plan.epsilon;
    epsilon.dispatchEvent(new Event("follow"));
  }
}

function showSurvey(answer) {
  for (const part of document.querySelectorAll("[data-total]")) {
    part.textContent = answer.total[part.dataset.total];
    part.hidden = part.textContent === "";
  }
  for (const line of answer.questions) {
    for (const cell of document.querySelectorAll(`[data-line="${CSS.escape(line.key)}"] [data-of]`)) {
      cell.textContent = line[cell.dataset.of];
    }
  }
  return answer.plan;
}

function tile({ key, name, value, note, cautions }) {
  const card = element("div", "candor-card planner-tile");
  card.dataset.tile = key;
  const warnings = element("div", "planner-cautions");
  warnings.append(...cautions.map((caution) => element("p", "", caution)));
  card.append(element("h2", "", name), element("p", "planner-value", value), element("p", "candor-quiet", note), warnings);
  return card;
}

function figure({ key, title, description, parts }) {
  const [name, words] = [`curve-${key}-title`, `curve-${key}-desc`];
  const about = { class: "curve", role: "img", viewBox: SIZE, "aria-labelledby": `${name} ${words}`, focusable: "false" };
  const picture = drawn("svg", { ...about, "data-curve": key });
  const group = drawn("g", {});
  group.append(...parts.map((part) => drawn(part.tag, part.attributes, part.text)));
  picture.append(drawn("title", { id: name }, title), drawn("desc", { id: words }, description), group);
  const framed = element("figure", "");
  framed.append(element("figcaption", "", title), picture);
  return framed;
}

function fill({ key, caption, head, rows }) {
  const table = document.querySelector(`[data-table=${key}]`);
  table.caption.textContent = caption;
  const names = head.map((name) => cell("th", name, "col"));
  table.tHead.rows[0].replaceChildren(...names);
  table.tBodies[0].replaceChildren(...rows.map(row));
}

function row(texts) {
  const line = element("tr", "");
  line.append(...texts.map((text, place) => (place === 0 ? cell("th", text, "row") : cell("td", text))));
  return line;
}

function cell(kind, text, scope) {
  const made = element(kind, "", text);
  if (scope !== undefined) {
    made.scope = scope;
  }
  return made;
}

function element(kind, name, text = "") {
  const made = document.createElement(kind);
  made.className = name;
  made.textContent = text;
  return made;
}

function drawn(kind, attributes, text = "") {
  const made = document.createElementNS(SVG, kind);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.textContent = text;
  return made;
}

/** @param {string} text  like 1/2 or 0.35 */
function fraction(text) {
  const [above, below = "1"] = text.split("/");
  return Number(above) / Number(below) || 0;
}

function twoDigits(number) {
  const step = 10 ** (Math.floor(Math.log10(number) + 1e-9) - 1);
  return Math.round(number / step) * step;
}
