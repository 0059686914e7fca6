/** Background questions: asked openly, and kept only as fine as enough people share the same answers. */
import { Arms, addArms } from "./arms.js";
import { fill, gettext, ngettext } from "../panel/words.js";
import { emptyText, withheld } from "./definition.js";
import { Said, TextField, Texts } from "./fields.js";
import { priced } from "./prices.js";
import { html, later, useEffect, useRef, useState } from "./view.js";

const MOST = 6;
const PAUSE = 400;

export function BackgroundCard({ draft, state, language }) {
  const { definition } = draft;
  const background = definition.background_questions;
  const questions = background?.questions ?? [];
  const edit = (tag, change) => draft.edit(tag && `background-${tag}`, (it) => change(it.background_questions, it));
  const number = (name, label, help, least) => html`<label class="editor-field">${label} <small class="candor-quiet">${help}</small>
    <input class="candor-field" type="number" min=${least} value=${background[name]} data-path=${`background_questions/${name}`}
      onInput=${(event) => /^\d{1,9}$/.test(event.target.value) && edit(name, (it) => (it[name] = Number(event.target.value)))} />
    <${Said} draft=${draft} path=${`background_questions/${name}`} /></label>`;
  return html`<article class="editor-card" aria-labelledby="editor-title" tabindex="-1" data-path="card">
    <header><h2 id="editor-title">${gettext("Background questions")}</h2></header>
    <p class="candor-quiet">${gettext("Such as age, region or job: sent as they are, not randomised, so that groups can be compared. Respondents may skip them. Where too few people would share the same answers, the browser sends less: the last question is left out first.")}</p>
    <ol class="editor-background">${questions.map((question, place) => html`<li key=${question.key}>${question.arms
      ? html`<${Arms} draft=${draft} state=${state} edit=${edit} question=${question} language=${language} />`
      : html`<${Question} draft=${draft} edit=${edit} question=${question} place=${place} first=${questions[0].arms ? 1 : 0} language=${language} />`}</li>`)}</ol>
    ${background && html`<div class="editor-grid">
      ${number("expected_responses", gettext("Expected responses"), gettext("The cells are made for so many."), 1)}
      ${number("smallest_cell", gettext("Fewest per cell"), gettext("People expected to share the same answers."), 5)}</div>
      <${Cells} draft=${draft} background=${background} language=${language} />`}
    <${Said} draft=${draft} path="background_questions" />
    ${questions.length < MOST && html`<p class="editor-adds"><button type="button" class="editor-text" data-path="background_questions/questions"
      onClick=${() => draft.edit("", (it) => addQuestion(it, state))}>${gettext("+ Add background question")}</button>
      ${!questions[0]?.arms && html`<button type="button" class="editor-text" onClick=${() => draft.edit("", (it) => addArms(it, state))}>${gettext("+ Compare versions of the page")}</button>`}</p>`}
  </article>`;
}

function Question({ draft, edit, question, place, first, language }) {
  const path = `background_questions/questions/${place}`;
  const { definition } = draft;
  const name = fill(gettext("Background question {number}"), { number: place + 1 });
  const of = (it) => it.questions[place];
  const shares = question.shares ?? [];
  const change = (choices, tag, from) => edit(tag, (it) => {
    of(it).choices = choices;
    if (of(it).shares) {
      of(it).shares = from.map((old) => shares[old] ?? "");
    }
  });
  const share = (choice, written) => edit(`share-${place}-${choice}`, (it) => {
    const made = of(it).choices.map((_, one) => (one === choice ? written.trim() : shares[one] ?? ""));
    if (made.some(Boolean)) {
      of(it).shares = made;
    } else {
      delete of(it).shares;
    }
  });
  const remove = () => draft.edit("", (it) => {
    it.background_questions.questions.splice(place, 1);
    if (!it.background_questions.questions.length) {
      delete it.background_questions;
    }
  });
  const up = () => edit("", (it) => it.questions.splice(place - 1, 2, it.questions[place], it.questions[place - 1]));
  return html`<${TextField} label=${name} rows="1" text=${question.wording} path=${`${path}/wording`} language=${language} definition=${definition}
      onInput=${(words) => edit(`wording-${place}-${language}`, (it) => (of(it).wording[language] = words))} />
    <${Said} draft=${draft} path=${path} />
    <${Texts} texts=${question.choices} language=${language} definition=${definition} path=${`${path}/choices`} onChange=${change}
      name=${(number) => fill(gettext("Choice {number}"), { number })} add=${gettext("+ Add choice")}>
      ${(choice) => html`<input class="candor-field editor-share" inputmode="decimal" aria-label=${fill(gettext("Expected share of choice {number}"), { number: choice + 1 })}
        data-path=${choice === 0 ? `${path}/shares` : undefined} placeholder=${gettext("share")} value=${shares[choice] ?? ""} onInput=${(event) => share(choice, event.target.value)} />`}</${Texts}>
    <${Said} draft=${draft} path=${`${path}/choices`} /><${Said} draft=${draft} path=${`${path}/shares`} />
    <p class="editor-tools">${place > first && html`<button type="button" class="editor-text" aria-label=${fill(gettext("Move up: {name}"), { name })} onClick=${up}>${gettext("Move up")}</button>`}
      <button type="button" class="editor-text editor-danger" aria-label=${fill(gettext("Delete: {name}"), { name })} onClick=${remove}>${gettext("Delete")}</button></p>`;
}

/** How much of each answer is kept, as the server finds it for what is written now. */
function Cells({ draft, background, language }) {
  const [found, setFound] = useState({});
  const asked = useRef(0);
  const [ask] = useState(() => later(PAUSE, async (sent) => {
    const turn = (asked.current += 1);
    const { status, content } = await draft.post(draft.addresses.cells, sent);
    if (turn === asked.current) {
      setFound(status === 200 ? content : { fault: content?.sentence });
    }
  }));
  const sent = { background_questions: background, items: background.questions[0].arms ? priced(draft.definition) : [] };
  const written = JSON.stringify(sent);
  useEffect(() => ask(sent), [written]);
  if (!found.kept) {
    return html`<p aria-live="polite" class="candor-quiet">${found.fault ?? ""}</p>`;
  }
  const names = background.questions.map(({ wording }, place) => wording[language] || Object.values(wording).find(Boolean) || fill(gettext("Background question {number}"), { number: place + 1 }));
  const percent = (share) => new Intl.NumberFormat(document.documentElement.lang, { style: "percent" }).format(share);
  return html`<div role="status"><p>${fill(ngettext("{count} cell: so many combinations of answers are told apart.", "{count} cells: so many combinations of answers are told apart.", found.cells), { count: found.cells })}</p>
    ${found.versions?.length > 0 && html`<${Versions} versions=${found.versions} />`}
    ${found.coins > 0 && html`<p>${fill(gettext("{count} responses show 10 % of people who mark No whatever their coin shows, in 80 % of such surveys."), { count: new Intl.NumberFormat(document.documentElement.lang).format(found.coins) })}</p>`}
    <dl class="editor-kept">${names.slice(0, found.kept.length).map((name, place) => html`<div><dt>${name}</dt>
      <dd><meter min="0" max="1" value=${found.kept[place]} aria-label=${name}></meter> ${fill(gettext("kept for {percent} of responses"), { percent: percent(found.kept[place]) })}</dd></div>`)}</dl></div>`;
}

/** What each version of the page costs in privacy, and how large a difference from the first the survey would find. */
function Versions({ versions }) {
  const points = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1 });
  return html`<ul>${versions.map(({ epsilon_text, difference }, place) => html`<li>${fill(gettext("Version {number}: privacy loss (epsilon) {epsilon}."), { number: place + 1, epsilon: epsilon_text })} ${place > 0 && (difference === null
    ? gettext("With so few responses no difference from version 1 would be found reliably.")
    : fill(gettext("A difference of {points} percentage points from version 1 would be found in 80 % of such surveys (a Yes/No question)."), { points: points.format(100 * difference) }))}</li>`)}</ul>`;
}

/** Add a background question with two choices; the first one brings what the cells are made for. */
function addQuestion(definition, state) {
  definition.background_questions ??= { expected_responses: state.respondents, smallest_cell: 10, questions: [] };
  const { questions } = definition.background_questions;
  const taken = new Set([...definition.items, ...questions].map(({ key }) => key));
  let number = questions.length + 1;
  while (taken.has(`background_${number}`)) {
    number += 1;
  }
  const choices = [emptyText(definition), emptyText(definition)];
  questions.push({ key: `background_${number}`, wording: emptyText(definition), choices, prefer_not: withheld(definition, state) });
}
