/** What versions of the page ask instead of other questions: of each version, the key of one by the key of the other. */

/** The versions of the page; none in most surveys. */
export const armsOf = (definition) => definition.background_questions?.questions[0]?.arms ?? [];

/** What versions of the page ask instead of which question: each change, as it is now, may be dropped or renamed. */
export function changeInstead(definition, change) {
  for (const arm of armsOf(definition).filter(({ instead }) => instead)) {
    arm.instead = Object.fromEntries(Object.entries(arm.instead).flatMap((pair) => change(pair)));
    if (!Object.keys(arm.instead).length) {
      delete arm.instead;
    }
  }
}

/** The number of a question on the page: that of the one that a version asks it instead of, if it does. */
export function shownNumber(definition, key) {
  const pairs = armsOf(definition).flatMap(({ instead }) => Object.entries(instead ?? {}));
  const others = pairs.map(([, other]) => other);
  const [original] = pairs.find(([, other]) => other === key) ?? [key];
  return definition.items.filter((item) => !others.includes(item.key)).findIndex((item) => item.key === original) + 1;
}

/** The place of a version that asks a question: the wanted one, where it does or no question is meant. */
export function versionAsking(definition, key, wanted) {
  const arms = armsOf(definition);
  const others = arms.flatMap(({ instead }) => Object.values(instead ?? {}));
  const asks = ({ instead = {} }) => !instead[key] && (!others.includes(key) || Object.values(instead).includes(key));
  const place = Math.min(wanted, Math.max(arms.length - 1, 0));
  return key === undefined || !arms.length || asks(arms[place]) ? place : arms.findIndex(asks);
}
