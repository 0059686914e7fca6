/** How strongly a question is protected, and what that costs: one slider, and the exact numbers on demand. */
import { html, useEffect, useRef, useState } from "./view.js";

const LEAST = 0.1;
const MOST = 4;

export function Protection({ draft, state, item, prices }) {
  const price = prices.found.questions[item.key];
  const [moved, setMoved] = useState(null);
  const timer = useRef(0);
  const epsilon = moved ?? price?.epsilon ?? 1;
  const byHand = item.channel.name === "custom";
  useEffect(() => setMoved(null), [item.key, price]);
  const slide = (event) => {
    const wanted = fromPlace(event.target.value);
    setMoved(wanted);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => prices.protect(item.key, wanted), 120);
  };
  return html`<fieldset class="editor-protection"><legend>Protection</legend>
    ${byHand
      ? html`<p class="candor-quiet">By your own table, under Advanced.</p>`
      : html`<div class="editor-slider"><span>stronger</span>
          <input type="range" min="0" max="100" step="1" value=${toPlace(epsilon)} aria-label="Protection, from stronger to more precise"
            aria-valuetext=${price ? `${level(epsilon)}; ${odds(price)}` : level(epsilon)} data-path="channel" onInput=${slide} />
          <span>more precise</span></div>`}
    <p class="editor-price" aria-live="polite">${price?.epsilon
      ? html`<b>${level(price.epsilon)}</b> <span class="candor-quiet">${odds(price)}</span>`
      : html`<span class="candor-quiet">${price?.fault ?? "…"}</span>`}</p>
    ${price?.width && html`<p class=${`editor-price${price.of_use ? "" : " editor-warn"}`}>
      <span>With</span> <input type="number" class="candor-field editor-inline" min="1" max="1000000" value=${prices.respondents} aria-label="Expected responses"
        onChange=${(event) => event.target.checkValidity() && prices.plan({ respondents: Number(event.target.value) || prices.respondents })} />
      <span>responses: <b>±${price.width}</b>${price.of_use ? "" : ", too wide to be of use"}</span></p>`}
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
      const channel = it.items.find(({ key }) => key === item.key).channel;
      if (value === "") {
        delete channel[name];
      } else {
        channel[name] = value;
      }
    });
  };
  const pick = (event) => {
    const name = event.target.value;
    draft.edit("", (it) => (it.items.find(({ key }) => key === item.key).channel = { name }));
    prices.hold(item.key);
  };
  return html`<label class="editor-field">Mechanism
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

export function Budget({ prices, ceiling }) {
  const { found, budget } = prices;
  const over = found.epsilon > budget + 1e-9;
  return html`<div class=${`editor-budget${over ? " editor-over" : ""}`}>
    <label><span>Privacy loss <b>${found.epsilon_text}</b> of</span> <select class="candor-field editor-small" aria-label="Limit of the privacy loss" value=${budget} onChange=${(event) => prices.plan({ budget: Number(event.target.value) })}>
        ${[1, 2, 3, 4, 6, 8].filter((one) => one <= ceiling || one === budget).map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
    <meter min="0" max=${budget} high=${budget * 0.999} value=${Math.min(found.epsilon, budget)} aria-label="Privacy loss of the limit"
      title=${`All answers of a person together can change the odds of a guess about that person by at most ${found.odds} to 1.`}></meter>
    ${over && html`<button type="button" class="candor-button editor-small-button" onClick=${() => prices.fit()}>Fit to budget</button>`}
  </div>`;
}

const toPlace = (epsilon) => Math.round((100 * Math.log(Math.min(Math.max(epsilon, LEAST), MOST) / LEAST)) / Math.log(MOST / LEAST));
const fromPlace = (place) => LEAST * (MOST / LEAST) ** (place / 100);
const odds = (price) => `A response changes the odds of a guess about a person by at most ${price.odds} to 1.`;

function level(epsilon) {
  return epsilon <= 0.55 ? "Very strong" : epsilon <= 1.15 ? "Strong" : epsilon <= 2 ? "Moderate" : "Weak";
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
