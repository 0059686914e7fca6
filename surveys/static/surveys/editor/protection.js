/** How strongly a question is protected, and what that costs: one slider, and the exact numbers on demand. */
import { fill, gettext, pieces } from "../panel/words.js";
import { itemOf } from "./definition.js";
import { html, useEffect, useRef, useState } from "./view.js";

const LEAST = 0.1;
const MOST = 4;
const marks = () => [["very", gettext("Very sensitive")], ["somewhat", gettext("Somewhat")], ["little", gettext("Not especially")]];
const OTHER = "other";
const LARGEST = 100;
const budgets = () => [[1, gettext("very strong")], [2, gettext("strong")], [4, gettext("moderate")], [8, gettext("weak")]];

export function Protection({ draft, state, item, prices }) {
  const price = prices.found.questions[item.key];
  const [moved, setMoved] = useState(null);
  const timer = useRef(0);
  const epsilon = moved ?? price?.epsilon ?? 1;
  const table = item.channel.name === "custom";
  useEffect(() => setMoved(null), [item.key, price]);
  const slide = (event) => {
    const wanted = fromPlace(event.target.value);
    setMoved(wanted);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => prices.slide(item.key, wanted), 120);
  };
  return html`<fieldset class="editor-protection"><legend>${gettext("Protection")}</legend>
    <div class="editor-marks"><div class="editor-switch" role="group" aria-label=${gettext("How sensitive is the question?")}>${marks().map(([mark, words]) => html`<button type="button"
        data-path=${mark === "very" ? "sensitivity" : undefined} aria-pressed=${String(item.sensitivity === mark)} onClick=${() => prices.mark(item.key, mark)}>${words}</button>`)}</div>
      ${!item.sensitivity && html`<span class="candor-quiet">${gettext("Set by hand")}</span>`}</div>
    ${table
      ? html`<p class="candor-quiet">${gettext("By your own table, under Advanced.")}</p>`
      : html`<div class="editor-slider"><span>${gettext("stronger")}</span>
          <input type="range" min="0" max="100" step="1" value=${toPlace(epsilon)} aria-label=${gettext("Protection, from stronger to more precise")}
            aria-valuetext=${price ? `${level(epsilon)}; ${odds(price)}` : level(epsilon)} data-path="channel" onInput=${slide} />
          <span>${gettext("more precise")}</span></div>`}
    <p class="editor-price" aria-live="polite">${price?.epsilon
      ? html`<b>${level(price.epsilon)}</b> <span class="candor-quiet">${odds(price)}</span>`
      : html`<span class="candor-quiet">${price?.fault ?? "…"}</span>`}</p>
    ${price?.width && html`<p class=${`editor-price${price.verdict === "too_imprecise" ? " editor-warn" : ""}`}>
      <span>${gettext("With")}</span> <input type="number" class="candor-field editor-inline" min="1" max="1000000" value=${prices.respondents} aria-label=${gettext("Expected responses")}
        onChange=${(event) => event.target.checkValidity() && prices.expect(Number(event.target.value) || prices.respondents)} />
      <span>${gettext("responses:")} <b>±${price.width}</b>, ${price.verdict_text}</span></p>`}
  </fieldset>`;
}

/** The mechanism with its exact parameters. */
export function Mechanism({ draft, state, item, prices }) {
  const kind = state.kinds.find(({ name }) => name === item.kind);
  const names = kind.mechanisms.filter((name) => !(item.kind === "yes_no" && item.prefer_not && state.mechanisms[name].only_two));
  const { parameters } = state.mechanisms[item.channel.name] ?? { parameters: [] };
  const set = (name, value, tag) => {
    prices.forget(item.key);
    draft.edit(tag, (it) => {
      const { channel } = byHand(it, item.key);
      if (value === "") {
        delete channel[name];
      } else {
        channel[name] = value;
      }
    });
  };
  const pick = (event) => {
    const name = event.target.value;
    draft.edit("", (it) => (byHand(it, item.key).channel = { name }));
    prices.hold(item.key, { choose: false });
  };
  return html`<label class="editor-field">${gettext("Mechanism")}
      <select class="candor-field" value=${item.channel.name} data-path="mechanism" onChange=${pick}>
        ${names.map((name) => html`<option value=${name}>${state.mechanisms[name].label}</option>`)}</select></label>
    ${parameters.map((one) => html`<label class="editor-field" key=${one.name}>${one.label}
      ${one.form === "table"
        ? html`<textarea class="candor-field" rows="3" data-path=${one.name} value=${(item.channel[one.name] ?? []).map((row) => row.join(" ")).join("\n")}
            onChange=${(event) => set(one.name, rows(event.target.value), "")}></textarea>`
        : html`<input class="candor-field" inputmode="decimal" autocomplete="off" data-path=${one.name} value=${item.channel[one.name] ?? ""}
            onInput=${(event) => set(one.name, number(event.target.value, one.form), `${item.key}-${one.name}`)} />`}
      <small class="candor-quiet">${one.help}</small></label>`)}`;
}

/** The question, which is protected by hand from now on. */
function byHand(definition, key) {
  const item = itemOf(definition, key);
  delete item.sensitivity;
  return item;
}

/** What is spent of the total that the author keeps to: one of the usual ones, or one that is typed. */
export function Budget({ prices, ceiling }) {
  const { found, budget } = prices;
  const [typing, setTyping] = useState(false);
  const [written, setWritten] = useState(null); // what is being typed outlasts a price that comes meanwhile
  const usual = budgets().filter(([total]) => total <= ceiling);
  const own = typing || !usual.some(([total]) => total === budget);
  const pick = ({ target: { value } }) => {
    setTyping(value === OTHER);
    setWritten(null);
    if (value !== OTHER) {
      prices.budget = Number(value);
    }
  };
  const type = ({ target }) => {
    const total = Number(target.value.replace(",", "."));
    target.setCustomValidity(total > 0 && total <= LARGEST ? "" : fill(gettext("A number above 0 and at most {limit}."), { limit: LARGEST }));
    if (target.reportValidity()) {
      setWritten(null);
      prices.budget = total;
    }
  };
  const over = found.epsilon > budget + 1e-9;
  return html`<div class=${`editor-budget${over ? " editor-over" : ""}`} aria-busy=${String(!prices.settled)}>
    <label><span>${pieces(gettext("Privacy loss {spent} of"), { spent: html`<b>${found.epsilon_text}</b>` })}</span> <select class="candor-field editor-small" aria-label=${gettext("Limit of the privacy loss")} data-path="privacy_budget" value=${own ? OTHER : String(budget)} onChange=${pick}>
        ${usual.map(([total, words]) => html`<option value=${String(total)}>${total} ${words}</option>`)}<option value=${OTHER}>${gettext("other …")}</option></select></label>
    ${own && html`<input class="candor-field editor-inline" inputmode="decimal" autocomplete="off" aria-label=${gettext("Total privacy loss")} value=${written ?? String(budget)}
      onInput=${({ target }) => setWritten(target.value)} onChange=${type} />`}
    <meter min="0" max=${budget} value=${Math.min(found.epsilon, budget)} aria-label=${gettext("Share of the privacy budget spent")}
      title=${fill(gettext("All answers of a person together can change the odds of a guess about that person by at most {odds} to 1."), { odds: found.odds })}></meter>
    ${over && !prices.stuck && html`<button type="button" class="candor-button editor-small-button" onClick=${() => prices.fit()}>${gettext("Fit to budget")}</button>`}
    ${over && prices.stuck && html`<span class="editor-stop" role="alert">${gettext("Too little for so many questions: raise the limit, or ask fewer.")}</span>`}
  </div>`;
}

const toPlace = (epsilon) => Math.round((100 * Math.log(Math.min(Math.max(epsilon, LEAST), MOST) / LEAST)) / Math.log(MOST / LEAST));
const fromPlace = (place) => LEAST * (MOST / LEAST) ** (place / 100);
const odds = (price) => fill(gettext("A response changes the odds of a guess about a person by at most {odds} to 1."), { odds: price.odds });

function level(epsilon) {
  return epsilon <= 0.55 ? gettext("Very strong") : epsilon <= 1.15 ? gettext("Strong") : epsilon <= 2 ? gettext("Moderate") : gettext("Weak");
}

/** As it is written: the server reads 30 %, 0,3 and 3/10 alike. */
function number(written, form) {
  const text = written.trim();
  return form === "whole" && /^\d+$/.test(text) ? Number(text) : text;
}

function rows(text) {
  const found = text.split("\n").filter((line) => line.trim()).map((line) => line.trim().split(/[\s,]+/).map(Number)).filter((row) => row.length && !row.some(Number.isNaN));
  return found.length ? found : "";
}
