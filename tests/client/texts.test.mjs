/** The texts of a definition by their places, which files of translators have, too (tests/exchange/test_translations.py). */
import assert from "node:assert/strict";
import test from "node:test";

import { progressOf, setText, textsOf } from "../../surveys/static/surveys/editor/texts.js";

const definition = () => ({
  languages: ["en", "de", "ar"],
  title: { en: 'Say "hi", all', de: "", ar: "" },
  introduction: { en: "=1+1 is a formula\nin two lines", de: "", ar: "" },
  consent: { en: "", de: "", ar: "" },
  strata: { wording: { en: "Year?", de: "", ar: "" }, groups: [{ key: "g1", label: { en: "First", de: "", ar: "" } }] },
  sections: [{ key: "s", title: { en: "Part", de: "", ar: "" }, introduction: { en: "", de: "", ar: "" } }],
  items: [
    {
      key: "a",
      wording: { en: "A; or B?", de: "", ar: "" },
      choices: [{ en: "No", de: "Nein", ar: "" }, { en: "Yes", de: "", ar: "" }],
      prefer_not: { en: "Rather not", de: "", ar: "" },
    },
  ],
});

const paths = ["title", "introduction", "strata/wording", "strata/groups/g1/label", "sections/s/title", "items/a/wording", "items/a/choices/0", "items/a/choices/1", "items/a/prefer_not"];

test("texts: every written text has a path, and progress counts those", () => {
  assert.deepEqual(textsOf(definition()).map(({ path }) => path), paths);
  assert.deepEqual([...progressOf(textsOf(definition()), ["de", "ar"])], [["de", [1, 9]], ["ar", [0, 9]]]);
});

test("texts: a text is set at its place, and nowhere where there is none", () => {
  const made = definition();
  assert.equal(setText(made, "items/a/choices/1", "de", "Ja"), true);
  assert.equal(made.items[0].choices[1].de, "Ja");
  for (const path of ["items/b/wording", "items/a/heading", "items/a/choices/7", "consent", "sections/s/introduction", "languages", "about/sender"]) {
    assert.equal(setText(made, path, "de", "Weg"), false, path);
  }
  for (const path of paths) {
    assert.equal(setText(made, path, "ar", path), true, path);
  }
  assert.deepEqual(textsOf(made).map(({ text }) => text.ar), paths);
});

test("texts: what the rows of a grid share is set in all of them, at the place of the first", () => {
  const row = (key) => ({ key, heading: { en: "How good?", de: "" }, wording: { en: key, de: "" }, choices: [{ en: "Bad", de: "" }, { en: "Good", de: "" }] });
  const made = { ...definition(), items: [row("a"), row("b")] };
  assert.equal(setText(made, "items/a/choices/1", "de", "Gut"), true);
  assert.deepEqual(made.items.map(({ choices }) => choices[1].de), ["Gut", "Gut"]);
  assert.equal(setText(made, "items/b/choices/1", "de", "Besser"), false);
  assert.equal(setText(made, "items/b/wording", "de", "B"), true);
});

test("texts: those of background questions stand behind the groups, and are set at their place", () => {
  const text = (en) => ({ en, de: "", ar: "" });
  const question = { key: "region", wording: text("Where?"), choices: [text("North"), text("South")], prefer_not: text("Rather not") };
  const made = { ...definition(), background_questions: { questions: [question] } };
  const places = ["wording", "choices/0", "choices/1", "prefer_not"].map((part) => `background_questions/questions/0/${part}`);
  assert.deepEqual(textsOf(made).map(({ path }) => path).filter((path) => path.startsWith("background")), places);
  assert.equal(setText(made, places[2], "de", "Süden"), true);
  assert.equal(question.choices[1].de, "Süden");
});
