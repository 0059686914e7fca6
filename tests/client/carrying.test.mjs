import assert from "node:assert/strict";
import { test } from "node:test";

import { carried } from "../../surveys/static/surveys/client/carrying.js";

const ADDRESS = "https://uni.sona-systems.com/credit.aspx?experiment_id=12&credit_token=abc";

test("what the link brought becomes a parameter of the address at the end", () => {
  assert.equal(carried(ADDRESS, { survey_code: "id" }, "?id=7007"), `${ADDRESS}&survey_code=7007`);
  assert.equal(carried(ADDRESS, { a: "x", b: "y" }, "?y=2&x=1&z=3"), `${ADDRESS}&a=1&b=2`);
});

test("what is missing, too long or of another form is left out, and nothing else is taken along", () => {
  for (const search of ["", "?", "?other=1", "?id=", "?id=%3Cb%3E", "?id=a%26b%3Dc", `?id=${"1".repeat(201)}`, "?id=a%20b"]) {
    assert.equal(carried(ADDRESS, { survey_code: "id" }, search), ADDRESS, search);
  }
});

test("a parameter that the address has is replaced, never doubled", () => {
  assert.equal(carried("https://a.example/?cc=C1&id=0", { id: "id" }, "?id=5"), "https://a.example/?cc=C1&id=5");
});
