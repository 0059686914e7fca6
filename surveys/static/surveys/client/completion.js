import { part } from "./elements.js";

/**
 * What the link of a panel brought along, put into the address at the end: `?id=7` becomes a parameter there. Neither the
 * server nor a report has it. Once, as the page loads, before there is an answer: nothing here knows of one.
 */

const VALUE = /^[A-Za-z0-9_.~-]{1,200}$/;

/**
 * The address with the parameters that are to be carried; one that is missing or of another form is left out.
 *
 * @param {string} address
 * @param {Readonly<Record<string, string>>} carry  names in the link by names in the address
 * @param {string} search  the query of the link
 */
export function carried(address, carry, search) {
  const brought = new URLSearchParams(search);
  const made = new URL(address);
  for (const [name, source] of Object.entries(carry)) {
    const value = brought.get(source);
    if (value !== null && VALUE.test(value)) {
      made.searchParams.set(name, value);
    }
  }
  return made.href;
}

const link = part(document.documentElement, "completion");
link.href = carried(link.href, JSON.parse(link.dataset.carry), location.search);
document.querySelectorAll("a[hreflang]").forEach((door) => {
  door.search = location.search;
});
