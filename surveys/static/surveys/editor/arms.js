/** Versions of the page: each browser draws one and sends openly which, so that they can be compared. */
import { fill, gettext } from "../panel/words.js";
import { duplicateItem, emptyText, itemOf, platform, removeItem } from "./definition.js";
import { Said, TextField } from "./fields.js";
import { armsOf } from "./instead.js";
import { reverse, reversible } from "./reverse.js";
import { html, useState } from "./view.js";

const MOST = 4;
const MOST_WEIGHT = 100;
const explanations = () => ({
  before: gettext("tickets, explained before"),
  after: gettext("tickets, explained after"),
  own_coin: gettext("respondents’ own coin"),
});

/** @param {{question: object, edit: (tag: string, change: (arms: object, definition: object) => void) => void}} props */
export function Arms({ draft, state, question, edit, language }) {
  const path = "background_questions/questions/0";
  const { definition } = draft;
  const of = (it) => it.questions[0];
  const remove = (place) => edit("", (it, whole) => {
    const [gone] = of(it).arms.splice(place, 1);
    of(it).choices.splice(place, 1);
    removeUnasked(whole, gone);
  });
  const coins = question.arms.length + 2 <= MOST && definition.items.some(reversible);
  const total = question.arms.reduce((sum, { weight }) => sum + weight, 0);
  return html`<p class="candor-quiet">${gettext("Each browser draws one of these versions of the page and sends openly which. Versions after the first may ask questions in another way. Reports compare each with the first.")}</p>
    <${TextField} label=${gettext("What respondents see it called")} rows="1" text=${question.wording} path=${`${path}/wording`} language=${language} definition=${definition}
      onInput=${(words) => edit(`wording-0-${language}`, (it) => (of(it).wording[language] = words))} />
    <ol class="editor-background">${question.arms.map((arm, place) => html`<li key=${place}>
      <${TextField} label=${fill(gettext("Version {number}"), { number: place + 1 })} rows="1" text=${question.choices[place]} path=${`${path}/choices/${place}`} language=${language} definition=${definition}
        onInput=${(words) => edit(`arm-${place}-${language}`, (it) => (of(it).choices[place][language] = words))} />
      <div class="editor-grid"><label class="editor-field">${gettext("Randomised by")}
        <select class="candor-field" value=${arm.explanation} data-path=${`${path}/arms/${place}/explanation`} onChange=${(event) => edit("", (it) => (of(it).arms[place].explanation = event.target.value))}>
          ${Object.entries(explanations()).map(([key, words]) => html`<option value=${key} selected=${arm.explanation === key}>${words}</option>`)}</select></label>
      <label class="editor-field">${gettext("Weight")} <small class="candor-quiet">${fill(gettext("drawn {weight} times of {total}"), { weight: arm.weight, total })}</small>
        <input class="candor-field" type="number" min="1" max=${MOST_WEIGHT} value=${arm.weight} data-path=${`${path}/arms/${place}/weight`}
          onInput=${(event) => /^\d{1,3}$/.test(event.target.value) && edit(`weight-${place}`, (it) => (of(it).arms[place].weight = Number(event.target.value)))} /></label></div>
      <${Said} draft=${draft} path=${`${path}/arms/${place}/explanation`} />
      <${TextField} label=${gettext("Introduction of this version (optional)")} rows="2" text=${arm.introduction ?? {}} path=${`${path}/arms/${place}/introduction`} language=${language} definition=${definition}
        onInput=${(words) => edit(`introduction-${place}-${language}`, (it) => write(of(it).arms[place], "introduction", definition, language, words))} />
      ${place > 0 && html`<${Instead} draft=${draft} arm=${arm} place=${place} path=${`${path}/arms/${place}/instead`} language=${language} />`}
      ${(arm.consent || question.arms.some(({ instead }) => instead)) && html`<${TextField} label=${gettext("Consent statement of this version (needed where it protects less than another)")} rows="2"
        text=${arm.consent ?? {}} path=${`${path}/arms/${place}/consent`} language=${language} definition=${definition}
        onInput=${(words) => edit(`consent-${place}-${language}`, (it) => write(of(it).arms[place], "consent", definition, language, words))} />
      ${!arm.consent && html`<p class="editor-tools"><button type="button" class="editor-text" aria-label=${fill(gettext("Use the usual words: {name}"), { name: fill(gettext("Version {number}"), { number: place + 1 }) })}
        onClick=${() => edit("", (it) => (of(it).arms[place].consent = platform(definition, (code) => state.arms.consent[code])))}>${gettext("Use the usual words")}</button></p>`}
      <${Said} draft=${draft} path=${`${path}/arms/${place}/consent`} />`}
      ${question.arms.length > 2 && html`<p class="editor-tools"><button type="button" class="editor-text editor-danger"
        aria-label=${fill(gettext("Delete: {name}"), { name: fill(gettext("Version {number}"), { number: place + 1 }) })} onClick=${() => remove(place)}>${gettext("Delete")}</button></p>`}</li>`)}</ol>
    <${Said} draft=${draft} path=${path} /><${Said} draft=${draft} path=${`${path}/arms`} /><${Said} draft=${draft} path=${`${path}/choices`} />
    <p class="editor-tools">${question.arms.length < MOST && html`<button type="button" class="editor-text" onClick=${() => edit("", (it) => addArm(of(it), definition))}>${gettext("+ Add version")}</button>`}
      ${coins && html`<button type="button" class="editor-text" onClick=${() => edit("", (it, whole) => addCoins(whole, state))}>${gettext("+ Add two versions with a coin")}</button>`}
      <button type="button" class="editor-text editor-danger" onClick=${() => draft.edit("", removeArms)}>${gettext("Delete all versions")}</button></p>
    ${coins && html`<small class="candor-quiet">${gettext("Two versions with a coin differ in what it asks for. Reports tell from them how many people mark No whatever it shows.")}</small>`}`;
}

/** The questions that a version asks in another way: each is a question of its own, beside the one that is left out. */
function Instead({ draft, arm, place, path, language }) {
  const { definition } = draft;
  const [chosen, setChosen] = useState("");
  const instead = Object.entries(arm.instead ?? {});
  const others = armsOf(definition).flatMap((one) => Object.values(one.instead ?? {}));
  const free = definition.items.filter(({ key }) => !others.includes(key) && !arm.instead?.[key]);
  const key = free.some((item) => item.key === chosen) ? chosen : free[0]?.key;
  const number = (one) => definition.items.findIndex((item) => item.key === one) + 1;
  const words = (one) => {
    const { wording } = itemOf(definition, one) ?? { wording: {} };
    return fill(gettext("{number}: {question}"), { number: number(one), question: wording[language] || gettext("No text yet") });
  };
  return html`<div role="group" aria-label=${fill(gettext("Asked in another way: {name}"), { name: fill(gettext("Version {number}"), { number: place + 1 }) })}>
    <p class="editor-field">${gettext("Asked in another way")}</p>
    ${instead.length > 0 && html`<ul class="editor-pairs">${instead.map(([one, other]) => html`<li key=${one}>${fill(gettext("Question {other} instead of question {one}"), { other: words(other), one: words(one) })} <button type="button" class="editor-text editor-danger" aria-label=${fill(gettext("Delete: {name}"), { name: words(other) })} onClick=${() => draft.edit("", (it) => removeItem(it, other))}>${gettext("Delete")}</button></li>`)}</ul>`}
    ${key && html`<p class="editor-tools"><select class="candor-field" aria-label=${gettext("Question to ask in another way")} value=${key} data-path=${path} onChange=${(event) => setChosen(event.target.value)}>
      ${free.map((item) => html`<option value=${item.key} selected=${item.key === key}>${words(item.key)}</option>`)}</select>
      <button type="button" class="editor-text" onClick=${() => draft.edit("", (it) => askInstead(it, place, key))}>${gettext("+ Ask it in another way")}</button></p>
    <small class="candor-quiet">${gettext("A copy of the question is added below it. Change its randomisation or its words there; its answers stay the same.")}</small>`}
    <${Said} draft=${draft} path=${path} /></div>`;
}

function askInstead(definition, place, key) {
  const arm = armsOf(definition)[place];
  arm.instead = { ...arm.instead, [key]: duplicateItem(definition, key) };
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

/** Two versions with a coin: one asks the yes/no questions as they are, the other by the reverse of each table. */
function addCoins(definition, state) {
  const [question] = definition.background_questions.questions;
  const others = question.arms.flatMap(({ instead }) => Object.values(instead ?? {}));
  const items = definition.items.filter((item) => reversible(item) && !others.includes(item.key));
  const instead = Object.fromEntries(items.map(({ key, channel }) => {
    const other = duplicateItem(definition, key);
    itemOf(definition, other).channel = reverse(channel);
    return [key, other];
  }));
  question.arms.push({ explanation: "own_coin", weight: 1 }, { explanation: "own_coin", weight: 1, instead });
  const name = (number) => platform(definition, (code) => `${state.arms.own_coin[code]} ${number}`);
  question.choices.push(name(1), name(2));
}

function removeArms(definition) {
  const [{ arms }] = definition.background_questions.questions.splice(0, 1);
  arms.forEach((arm) => removeUnasked(definition, arm));
  if (!definition.background_questions.questions.length) {
    delete definition.background_questions;
  }
}

/** What no other version asks instead of a question goes with the version that did. */
function removeUnasked(definition, { instead = {} }) {
  const asked = armsOf(definition).flatMap((arm) => Object.values(arm.instead ?? {}));
  Object.values(instead).filter((key) => !asked.includes(key)).forEach((key) => removeItem(definition, key));
}

/** A text that is empty in every language is none. */
function write(arm, name, definition, language, words) {
  arm[name] = { ...(arm[name] ?? emptyText(definition)), [language]: words };
  if (!Object.values(arm[name]).some(Boolean)) {
    delete arm[name];
  }
}
