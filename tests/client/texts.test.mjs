/** The table of texts that translators get: what goes out comes back, whatever program it went through. */
import assert from "node:assert/strict";
import test from "node:test";

import { progressOf, tableOf, takeTable, textsOf } from "../../surveys/static/surveys/editor/texts.js";

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
  assert.deepEqual(progressOf(definition(), "de"), [1, 9]);
});

test("texts: the table comes back unchanged, and a formula goes out as text", () => {
  const csv = tableOf(definition());
  assert.match(csv, /"'=1\+1 is a formula\nin two lines"/);
  const again = definition();
  assert.deepEqual(takeTable(again, csv), { taken: 0, unknown: [], fault: "" });
  assert.deepEqual(again, definition());
});

for (const [name, by] of [["commas", ","], ["semicolons, as of a German spreadsheet", ";"], ["tabs", "\t"]]) {
  test(`texts: a table with ${name} is taken over`, () => {
    const rows = [["text", "en", "de", "ar"], ["title", "x", '"Sag ""hi"", alle"', ""], ["introduction", "x", "'=1+1", ""], ["gone/text", "", "Weg", ""], ["items/a/choices/1", "Yes", "Ja", "نعم"]];
    const made = definition();
    const found = takeTable(made, rows.map((row) => row.join(by)).join("\r\n"));
    assert.deepEqual(found, { taken: 4, unknown: ["gone/text"], fault: "" });
    assert.equal(made.title.de, 'Sag "hi", alle');
    assert.equal(made.introduction.de, "=1+1");
    assert.deepEqual(made.items[0].choices[1], { en: "Yes", de: "Ja", ar: "نعم" });
    assert.equal(made.title.en, 'Say "hi", all', "the survey's own language is no translation");
  });
}

test("texts: what is no such table is refused in words", () => {
  for (const csv of ["", "a,b\n1,2", "text,en\ntitle,New", "text,xx\ntitle,New"]) {
    const made = definition();
    assert.match(takeTable(made, csv).fault, /The first line must be text, then codes of languages, like de, ar; got/);
    assert.deepEqual(made, definition());
  }
});
