/** The reverse of a yes/no question's table: as safe, and together they tell who does not follow a coin. */

const FRACTION = /^(\d+)\/([1-9]\d*)$/;
const DECIMAL = /^(\d*)\.?(\d*)$/;

/** Whether a question is answered with Yes or No alone, by a table of which one parameter gives the reverse. */
export const reversible = (item) => item.kind === "yes_no" && !item.prefer_not && item.channel !== undefined && reverse(item.channel) !== null;

/**
 * The channel with Yes and No exchanged in what is reported; null where there is none.
 *
 * Where half of the tickets that do not ask for the truth say Yes, the table is that of Warner with (1 + truth) / 2.
 */
export function reverse({ name, truth, yes = "1/2", prevalence }) {
  const share = fraction(name === "crosswise" ? prevalence : truth);
  const forced = fraction(yes);
  if (share === null || forced === null) {
    return null;
  }
  const [number, whole] = share;
  switch (name) {
    case "crosswise":
      return { name, prevalence: text(whole - number, whole) };
    case "warner":
      return { name, truth: text(whole - number, whole) };
    case "k_ary":
      return { name: "warner", truth: text(whole - number, 2 * whole) };
    case "forced_response":
      return 2 * forced[0] === forced[1] ? { name: "warner", truth: text(whole - number, 2 * whole) } : null;
    default:
      return null;
  }
}

/** A fraction or a decimal below 1 as two whole numbers; null where it is none. */
function fraction(words) {
  const [, number, whole] = FRACTION.exec(words ?? "") ?? [];
  if (number !== undefined) {
    return [Number(number), Number(whole)];
  }
  const [, before, after] = DECIMAL.exec(words ?? "") ?? [];
  return before === undefined || before + after === "" ? null : [Number(before + after), 10 ** after.length];
}

function text(number, whole) {
  const divisor = common(number, whole);
  return `${number / divisor}/${whole / divisor}`;
}

const common = (a, b) => (b === 0 ? a : common(b, a % b));
