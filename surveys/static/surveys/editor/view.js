/** The library that draws the editor (docs/adr/0040-survey-editor.md): Preact for the parts, htm for their markup. */
import { Component, h, render } from "./vendor/preact.js";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "./vendor/hooks.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { h, render, useEffect, useLayoutEffect, useRef, useState };

/** A part that is drawn anew only when one of its properties is another: what it shows must be among them. */
export function memo(Part) {
  return class extends Component {
    shouldComponentUpdate(next) {
      const names = Object.keys({ ...this.props, ...next });
      return names.some((name) => this.props[name] !== next[name]);
    }

    render(props) {
      return Part(props);
    }
  };
}

/** A function that is the same at each drawing, and does what the last one given does. */
export function useLatest(act) {
  const latest = useRef(act);
  latest.current = act;
  return useCallback((...args) => latest.current(...args), []);
}

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
