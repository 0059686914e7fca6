import { Refusal } from "./refusal.js";

/**
 * What only some designs need. Such a module is a script of its own on the pages of those designs, before `page.js`, and
 * puts what it brings in here as it loads; the pages of other designs neither name nor fetch it.
 */
const brought = new Map();

export function offer(name, what) {
  brought.set(name, what);
}

/** What was offered by this name. A page without it is not the page of its design. */
export function extra(name) {
  if (!brought.has(name)) {
    throw new Refusal("page", { detail: `no script for "${name}"` });
  }
  return brought.get(name);
}
