/** Changed copies that share with the original whatever stays as it is: what is the same is then known by identity. */

/**
 * Let `change` write into what looks like `before`, which itself is never written.
 *
 * @returns {{after: object, result: unknown}} the copy, and what `change` returned
 */
export function changedCopy(before, change) {
  const views = new WeakMap();
  const viewed = view(before, views);
  const result = change(viewed);
  return { after: settled(viewed, views), result };
}

/** What looks like an object, and copies it when something is written. Each place has a view of its own. */
function view(from, views) {
  const copy = shallow(from);
  const state = { from, copy, written: false };
  const made = new Proxy(copy, {
    get(target, name) {
      const found = target[name];
      if (typeof found !== "object" || found === null || views.has(found) || !Object.hasOwn(target, name)) {
        return found;
      }
      return (target[name] = view(found, views));
    },
    set(target, name, now) {
      state.written = true;
      target[name] = now;
      return true;
    },
    deleteProperty(target, name) {
      state.written = true;
      return delete target[name];
    },
  });
  views.set(made, state);
  return made;
}

/** The object that a view stands for: the original where nothing in it was written. What is new may hold views, too. */
function settled(value, views) {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const state = views.get(value) ?? { from: value, copy: value, written: false };
  const { from, copy } = state;
  for (const name of Object.keys(copy)) {
    const child = copy[name];
    if (child !== from[name] || copy === from) {
      copy[name] = settled(child, views);
      state.written ||= copy[name] !== from[name];
    }
  }
  return state.written ? copy : from;
}

/** What is made of a part, made once: a part of a draft is never written. */
export function ofPart(make) {
  const made = new WeakMap();
  return (part) => {
    if (!made.has(part)) {
      made.set(part, make(part));
    }
    return made.get(part);
  };
}

/** A copy of an object or a list, whose parts are the same. */
export function shallow(value) {
  return Array.isArray(value) ? [...value] : { ...value };
}
