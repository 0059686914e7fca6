/** The library that draws the editor (docs/adr/0040-survey-editor.md): Preact for the parts, htm for their markup. */
import { h, render } from "./vendor/preact.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./vendor/hooks.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { h, render, useEffect, useLayoutEffect, useRef, useState };

/** Run once what is to be drawn now is on the screen. */
export function afterPaint(act) {
  requestAnimationFrame(() => setTimeout(act));
}

/** Run once `pause` milliseconds have passed without another call. */
export function later(pause, act) {
  let timer = 0;
  const call = (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...args), pause);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}
