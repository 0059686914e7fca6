/** The panel's texts in the reader's language: Django's catalog where the page has loaded one, else the English itself. */
const catalog = () => globalThis.django ?? {};

export const gettext = (text) => catalog().gettext?.(text) ?? text;
export const ngettext = (singular, plural, count) =>
  catalog().ngettext?.(singular, plural, count) ?? (count === 1 ? singular : plural);
export const pgettext = (context, text) => catalog().pgettext?.(context, text) ?? text;

/** Fill the names in braces of a text: fill("{count} of {total}", { count: 3, total: 9 }). */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** The same where the values are elements: a list of what stands before, between and behind them. */
export const pieces = (text, values) => text.split(/\{(\w+)\}/).map((piece, place) => (place % 2 ? (values[piece] ?? `{${piece}}`) : piece));
