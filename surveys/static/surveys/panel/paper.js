/** Sheets of paper by keyboard: a digit marks and moves on, Backspace goes back, Enter stores. Without it all works too. */
import { fill, gettext } from "./words.js";

const form = document.querySelector("[data-paper]");
const lines = form === null ? [] : [...form.querySelectorAll("fieldset")];

/** @returns {HTMLInputElement[]} */
const choicesOf = (line) => [...line.querySelectorAll("input[type=radio]")];

const marked = (line) => choicesOf(line).findIndex((choice) => choice.checked);

function say(words) {
  form.querySelector("[data-fault]").textContent = words;
}

/** The digit of a key from 1 to 9; the key's place on the keyboard stands in where its letter is no Latin digit. */
function digitOf(event) {
  const digit = /^[1-9]$/.exec(event.key)?.[0] ?? /^Digit([1-9])$/.exec(event.code)?.[1];
  return digit === undefined ? 0 : Number(digit);
}

/** The whole sheet in one row, to compare with the paper before it is stored. */
function show() {
  const look = form.querySelector("[data-look]");
  look.hidden = false;
  look.replaceChildren(...lines.map((line) => {
    const entry = document.createElement("li");
    const place = marked(line);
    const number = document.createElement("span");
    number.textContent = line.dataset.number;
    const mark = document.createElement("b");
    mark.textContent = place < 0 ? "–" : String(place + 1);
    entry.append(number, " ", mark);
    return entry;
  }));
}

function focusOn(place) {
  const choices = choicesOf(lines[place]);
  const target = choices[Math.max(marked(lines[place]), 0)];
  target.focus({ preventScroll: true });
  lines[place].scrollIntoView({ block: place === 0 ? "end" : "center" });
}

/** The first line without a mark, or the last look: from there Enter stores. */
function finish() {
  const missing = lines.findIndex((line) => marked(line) < 0);
  if (missing >= 0) {
    say(fill(gettext("Not all are marked: {number}."), { number: lines[missing].dataset.number }));
    focusOn(missing);
    return;
  }
  form.querySelector("[data-store]").focus();
}

function choose(place, digit) {
  const choices = choicesOf(lines[place]);
  if (digit > choices.length) {
    say(fill(gettext("There is no {digit} here, only 1 to {last}."), { digit, last: choices.length }));
    return;
  }
  choices[digit - 1].checked = true;
  say("");
  show();
  if (place + 1 < lines.length) {
    focusOn(place + 1);
  } else {
    finish();
  }
}

/** @param {KeyboardEvent} event */
function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  const place = lines.findIndex((line) => line.contains(event.target));
  const digit = digitOf(event);
  if (digit > 0) {
    event.preventDefault();
    if (place < 0) {
      say(fill(gettext("All are marked, and {digit} was typed once more: compare the row with the sheet."), { digit }));
    } else if (!event.repeat) {
      choose(place, digit);
    }
  } else if (event.key === "Backspace") {
    event.preventDefault();
    focusOn(place < 0 ? lines.length - 1 : Math.max(place - 1, 0));
  } else if (event.key === "Enter" && (place >= 0 || event.repeat)) {
    event.preventDefault();
    if (!event.repeat) {
      finish();
    }
  }
}

if (form !== null) {
  document.querySelector("[data-keys]").hidden = false;
  form.querySelector("[data-store]").setAttribute("aria-describedby", "paper-look");
  form.addEventListener("keydown", press);
  form.addEventListener("change", () => {
    say("");
    show();
  });
  show();
  focusOn(Math.max(lines.findIndex((line) => marked(line) < 0), 0));
}
