/** Versions of the page: each browser draws one and sends openly which, so that they can be compared. */
import { fill, gettext } from "../panel/words.js";
import { emptyText, platform } from "./definition.js";
import { Said, TextField } from "./fields.js";
import { html } from "./view.js";

const MOST = 4;
const MOST_WEIGHT = 100;

/** @param {{question: object, edit: (tag: string, change: (arms: object, definition: object) => void) => void}} props */
export function Arms({ draft, state, question, edit, language }) {
  const path = "background_questions/questions/0";
  const { definition } = draft;
  const of = (it) => it.questions[0];
  const remove = (place) => edit("", (it) => {
    of(it).arms.splice(place, 1);
    of(it).choices.splice(place, 1);
  });
  const total = question.arms.reduce((sum, { weight }) => sum + weight, 0);
  return html`<p class="candor-quiet">${gettext("Each browser draws one of these versions of the page. All use the same tickets, and which one was drawn is sent openly. Reports compare each with the first.")}</p>
    <${TextField} label=${gettext("What respondents see it called")} rows="1" text=${question.wording} path=${`${path}/wording`} language=${language} definition=${definition}
      onInput=${(words) => edit(`wording-0-${language}`, (it) => (of(it).wording[language] = words))} />
    <ol class="editor-background">${question.arms.map((arm, place) => html`<li key=${place}>
      <${TextField} label=${fill(gettext("Version {number}"), { number: place + 1 })} rows="1" text=${question.choices[place]} path=${`${path}/choices/${place}`} language=${language} definition=${definition}
        onInput=${(words) => edit(`arm-${place}-${language}`, (it) => (of(it).choices[place][language] = words))} />
      <div class="editor-grid"><label class="editor-field">${gettext("Explains the tickets")}
        <select class="candor-field" value=${arm.explanation} data-path=${`${path}/arms/${place}/explanation`} onChange=${(event) => edit("", (it) => (of(it).arms[place].explanation = event.target.value))}>
          <option value="before" selected=${arm.explanation === "before"}>${gettext("before the questions")}</option>
          <option value="after" selected=${arm.explanation === "after"}>${gettext("after Send")}</option></select></label>
      <label class="editor-field">${gettext("Weight")} <small class="candor-quiet">${fill(gettext("drawn {weight} times of {total}"), { weight: arm.weight, total })}</small>
        <input class="candor-field" type="number" min="1" max=${MOST_WEIGHT} value=${arm.weight} data-path=${`${path}/arms/${place}/weight`}
          onInput=${(event) => /^\d{1,3}$/.test(event.target.value) && edit(`weight-${place}`, (it) => (of(it).arms[place].weight = Number(event.target.value)))} /></label></div>
      <${TextField} label=${gettext("Introduction of this version (optional)")} rows="2" text=${arm.introduction ?? {}} path=${`${path}/arms/${place}/introduction`} language=${language} definition=${definition}
        onInput=${(words) => edit(`introduction-${place}-${language}`, (it) => introduce(of(it).arms[place], definition, language, words))} />
      ${question.arms.length > 2 && html`<p class="editor-tools"><button type="button" class="editor-text editor-danger"
        aria-label=${fill(gettext("Delete: {name}"), { name: fill(gettext("Version {number}"), { number: place + 1 }) })} onClick=${() => remove(place)}>${gettext("Delete")}</button></p>`}</li>`)}</ol>
    <${Said} draft=${draft} path=${path} /><${Said} draft=${draft} path=${`${path}/arms`} /><${Said} draft=${draft} path=${`${path}/choices`} />
    <p class="editor-tools">${question.arms.length < MOST && html`<button type="button" class="editor-text" onClick=${() => edit("", (it) => addArm(of(it), definition))}>${gettext("+ Add version")}</button>`}
      <button type="button" class="editor-text editor-danger" onClick=${() => draft.edit("", removeArms)}>${gettext("Delete all versions")}</button></p>`;
}

/** Two versions, of which one explains afterwards, before the other background questions. */
export function addArms(definition, state) {
  definition.background_questions ??= { expected_responses: state.respondents, smallest_cell: 10, questions: [] };
  const named = (words) => platform(definition, (code) => words[code]);
  const arms = ["before", "after"].map((explanation) => ({ explanation, weight: 1 }));
  definition.background_questions.questions.unshift({
    key: "arm", wording: named(state.arms.version), choices: arms.map(({ explanation }) => named(state.arms[explanation])), arms,
  });
}

function addArm(question, definition) {
  question.arms.push({ explanation: "before", weight: 1 });
  question.choices.push(emptyText(definition));
}

function removeArms(definition) {
  definition.background_questions.questions.shift();
  if (!definition.background_questions.questions.length) {
    delete definition.background_questions;
  }
}

/** An introduction that is empty in every language is none. */
function introduce(arm, definition, language, words) {
  arm.introduction = { ...(arm.introduction ?? emptyText(definition)), [language]: words };
  if (!Object.values(arm.introduction).some(Boolean)) {
    delete arm.introduction;
  }
}
