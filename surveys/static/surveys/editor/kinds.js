/** The kinds of questions with their pictures; a kind without one of its own has a plain one. */
import { gettext } from "../panel/words.js";
import { html } from "./view.js";

const SHAPES = {
  yes_no: ["M4 7a3 3 0 1 0 6 0a3 3 0 1 0-6 0", "M14 7h6", "M4 17a3 3 0 1 0 6 0a3 3 0 1 0-6 0", "M14 17h6", "M6 17h2"],
  one_choice: ["M3 6a2 2 0 1 0 4 0a2 2 0 1 0-4 0", "M3 12a2 2 0 1 0 4 0a2 2 0 1 0-4 0", "M3 18a2 2 0 1 0 4 0a2 2 0 1 0-4 0", "M11 6h10M11 12h10M11 18h10"],
  several_choices: ["M3 4h4v4h-4zM3 10h4v4h-4zM3 16h4v4h-4z", "M4 18l1 1l2-3", "M11 6h10M11 12h10M11 18h10"],
  scale: ["M3 12h18", "M5 9v6M9.7 9v6M14.3 9v6M19 9v6", "M14.3 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0"],
  dropdown: ["M3 5h18v6H3z", "M15 7l2 2l2-2", "M6 8h5", "M5 15h14M5 19h10"],
  grid: ["M3 5h18M3 12h18M3 19h18", "M10 8.5h.01M14.5 8.5h.01M19 8.5h.01M10 15.5h.01M14.5 15.5h.01M19 15.5h.01", "M3 8.5h3M3 15.5h3"],
  date: ["M3 5h18v15H3z", "M3 10h18M8 3v4M16 3v4", "M7 14h2M11 14h2M15 14h2M7 17h2M11 17h2"],
  time: ["M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0", "M12 7v5l3.5 2"],
  number: ["M4 8l2-1v10M10 9a2.5 2.5 0 0 1 5 0c0 2-5 4-5 8h5", "M18 7h3l-2 4a3 3 0 1 1-2 5"],
};
const PLAIN = ["M4 6h16M4 12h16M4 18h10"];

/** What a kind is called, and what it asks for. */
const words = (kind) =>
  ({
    yes_no: [gettext("Yes or no"), gettext("One statement that is true or not")],
    one_choice: [gettext("One choice"), gettext("Exactly one of several options")],
    several_choices: [gettext("Several choices"), gettext("Any of several options")],
    scale: [gettext("Scale"), gettext("Points from low to high")],
    dropdown: [gettext("Dropdown"), gettext("One of a long list, up to 256 options")],
    grid: [gettext("Grid"), gettext("Several items with one scale")],
    date: [gettext("Date"), gettext("By month, quarter, year or your own dates")],
    time: [gettext("Time of day"), gettext("By classes of some hours")],
    number: [gettext("Number"), gettext("How many, how often, how old")],
  })[kind];

/** Ways of showing a kind that authors look for by names of their own. */
export const PRESETS = { dropdown: "one_choice", grid: "scale", date: "one_choice", time: "one_choice" };

export const Picture = ({ kind }) => html`<svg class="editor-picture" viewBox="0 0 24 24" aria-hidden="true">
  ${(SHAPES[kind] ?? PLAIN).map((path) => html`<path d=${path} />`)}</svg>`;

export const kindName = (kind, label) => words(kind)?.[0] ?? `${label[0].toUpperCase()}${label.slice(1)}`;

/** What a control question is called, and what it shows. */
const controls = () => ({
  understanding: [gettext("Understood the ticket?"), gettext("Yes is right: what is sent can differ")],
  nobody: [gettext("Nobody’s Yes"), gettext("Been to the Moon: a true Yes is impossible")],
  sequence: [gettext("Attention check"), gettext("2, 4, 6, 8: who reads it says Yes")],
  birthday: [gettext("Known share"), gettext("Born in the first four months: about a third")],
});

/** Buttons of all kinds; what cannot be asked is said beside them. */
export function KindMenu({ kinds, refused, onPick, onControl, onClose }) {
  const presets = Object.keys(PRESETS).map((name) => ({ name, label: name }));
  return html`<div class="editor-kinds" role="group" aria-label=${gettext("Kind of question")}
    onKeyDown=${(event) => event.key === "Escape" && onClose()}>
    ${[...kinds, ...presets].map(
      ({ name, label }) => html`<button type="button" class="editor-kind" onClick=${() => onPick(name)}>
        <${Picture} kind=${name} /><span><b>${kindName(name, label)}</b><small>${words(name)?.[1] ?? ""}</small></span></button>`,
    )}
    <b class="editor-kinds-title">${gettext("Control questions")}</b>
    ${Object.entries(controls()).map(
      ([name, [label, help]]) => html`<button type="button" class="editor-kind" onClick=${() => onControl(name)}>
        <${Picture} kind="yes_no" /><span><b>${label}</b><small>${help}</small></span></button>`,
    )}
    <details class="editor-not"><summary>${Object.keys(refused).join(", ")}?</summary>
      <dl>${Object.entries(refused).map(([name, why]) => html`<dt>${name}</dt><dd>${why}.</dd>`)}</dl></details>
  </div>`;
}
