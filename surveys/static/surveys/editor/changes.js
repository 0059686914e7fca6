/**
 * Differences between two definitions, and how they are applied to a third: the same as surveys/definition/changes.py.
 * Both are tested with tests/vectors/changes.json. A value that is not there is `undefined`; null is a value.
 */

import { shallow } from "./copies.js";

const KEYED = [["items"], ["sections"], ["strata", "groups"]];
const OPTIONAL = ["about", "look", "ending"];
const WHOLE = new Set(["channel", "asked_if", "languages", "ends", "completion"]);

/** @returns {{path: (string | number)[], was?: unknown, now?: unknown}[]} what makes the second of the first */
export function differences(before, after) {
  const [first, second] = [treeOf(before), treeOf(after)];
  const found = [...between(first.content, second.content, [])];
  for (const [name, order] of first.orders) {
    const now = second.orders.get(name);
    if (!same(order, now)) {
      found.push({ path: name.split("/"), was: order, now });
    }
  }
  return found;
}

/**
 * Parts that no change is about are shared with the definition that is given.
 *
 * @returns {{definition: object, clashes: object[]}} with these changes, but for parts that were changed otherwise
 */
export function applyChanges(definition, changes) {
  const tree = treeOf(definition);
  const clashes = [];
  for (const change of changes) {
    const clash = tree.orders.has(change.path.join("/")) ? reorder(tree, change) : replace(tree, change);
    if (clash) {
      clashes.push(clash);
    }
  }
  return { definition: listed(tree), clashes };
}

/** The changes that take these back. */
export function inverse(changes) {
  return changes.map(({ path, was, now }) => ({ path, was: now, now: was })).reverse();
}

export function same(one, other) {
  if (one === other) {
    return true;
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return false;
  }
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && same(one[name], other[name]))
  );
}

/** A definition with its lists by key. Its parts are shared with it, not copied: comparing is done at every key. */
function treeOf(definition) {
  const content = { ...definition };
  const orders = new Map();
  for (const path of KEYED) {
    const last = path.at(-1);
    let holder = content;
    for (const step of path.slice(0, -1)) {
      holder = holder[step] = { ...holder[step] };
    }
    const [met, named, order] = [new Map(), {}, []];
    for (const part of holder[last] ?? []) {
      const times = (met.get(part.key) ?? 0) + 1;
      met.set(part.key, times);
      order.push(times === 1 ? part.key : `${part.key}~${times}`);
      named[order.at(-1)] = part;
    }
    holder[last] = named;
    orders.set(path.join("/"), order);
  }
  for (const name of OPTIONAL) {
    content[name] ??= {};
  }
  return { content, orders };
}

function listed(tree) {
  const made = tree.content;
  for (const path of KEYED) {
    const holder = at(made, path.slice(0, -1));
    const parts = holder[path.at(-1)];
    const order = tree.orders.get(path.join("/")).filter((key) => Object.hasOwn(parts, key));
    const rest = Object.keys(parts).filter((key) => !order.includes(key));
    holder[path.at(-1)] = [...order, ...rest].map((key) => parts[key]);
  }
  for (const name of [...OPTIONAL, "sections"]) {
    if (Object.keys(made[name]).length === 0) {
      delete made[name];
    }
  }
  return made;
}

function* between(before, after, path) {
  if (same(before, after)) {
    return;
  }
  const parts = plain(before) && plain(after);
  const lists = Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  if (WHOLE.has(path.at(-1)) || !(parts || lists)) {
    const change = { path };
    if (before !== undefined) {
      change.was = before;
    }
    if (after !== undefined) {
      change.now = after;
    }
    yield change;
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* between(before[name], after[name], [...path, lists ? Number(name) : name]);
  }
}

function replace(tree, { path, was, now }) {
  const there = at(tree.content, path);
  const holder = at(tree.content, path.slice(0, -1));
  if (same(there, now)) {
    return null;
  }
  const fits = plain(holder) || (Array.isArray(holder) && there !== undefined);
  if (!fits || !same(there, was)) {
    return { path, was, theirs: there, yours: now };
  }
  const own = ownHolder(tree.content, path);
  if (now === undefined) {
    delete own[path.at(-1)];
  } else {
    own[path.at(-1)] = now;
  }
  return null;
}

/** What holds the part at a path, as a copy in copies: what the definition shares with others is never written. */
function ownHolder(content, path) {
  return path.slice(0, -1).reduce((holder, step) => (holder[step] = shallow(holder[step])), content);
}

function reorder(tree, { path, was = [], now = [] }) {
  const name = path.join("/");
  const theirs = tree.orders.get(name);
  const shared = (keys) => keys.filter((key) => was.includes(key) && now.includes(key) && theirs.includes(key));
  const [before, ours, others] = [was, now, theirs].map(shared);
  if (same(ours, before)) {
    tree.orders.set(name, inserted(theirs, now));
  } else if (same(others, before) || same(others, ours)) {
    tree.orders.set(name, inserted(now, theirs));
  } else {
    return { path, was, theirs, yours: now };
  }
  return null;
}

function inserted(order, others) {
  const found = [...order];
  others.forEach((key, place) => {
    if (!found.includes(key)) {
      found.splice(place ? found.indexOf(others[place - 1]) + 1 : 0, 0, key);
    }
  });
  return found;
}

function at(content, path) {
  for (const step of path) {
    const inside = plain(content) ? Object.hasOwn(content, step) : Array.isArray(content) && typeof step === "number";
    if (!inside) {
      return undefined;
    }
    content = content[step];
  }
  return content;
}

function plain(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
