"""Rehearsals send what browsers send: the same bytes for the same words, whichever questions are asked."""

import random
from collections.abc import Iterator
from typing import Any

from collector.designs import Design, check
from surveys.planning.rehearsals.respondents import Respondent
from surveys.planning.rehearsals.simulation import report_body
from tests.factories import kinds
from tests.tools.client import run_in_node

TAPES = 300
WORDS = 400
SCRIPT = """
import { readFileSync } from "node:fs";
const [{ readDesign, digestOf }, { Tickets, requestBody }, { answersToSend }] = await Promise.all(
  ["design.js", "report.js", "routing.js"].map((name) => import(`${process.argv[1]}/${name}`)));
const { text, tapes } = JSON.parse(readFileSync(0, "utf8"));
const design = readDesign(text);
const digest = await digestOf(text, globalThis.crypto.subtle);
console.log(JSON.stringify(tapes.map(({ words, answers, stratum, nonce }) => {
  let used = 0;
  const tickets = new Tickets(design, { size: 2 ** 32, next: () => words[used++] });
  const report = tickets.read(answersToSend(design.items, answers));
  return [requestBody({ design: digest, nonce, stratum, report }), used];
})));
"""


def whole_design() -> Design:
    """Every kind, two groups, and a number that is asked only of some who were asked only of some."""
    groups = [{"key": key, "label": {"en": key}, "share": None} for key in ("y1", "y2")]
    items = kinds.items()
    items[7] |= {"asked_if": {"item": "often", "answers": [1, 2]}, "unasked": 3}
    return check(kinds.document(items=items, strata={"wording": {"en": "Which?"}, "groups": groups}))


def answer_to(item: dict[str, Any], source: random.Random) -> Any:
    if item["kind"] == "number":
        return source.randrange(len(item["channel"]["weights"]))
    if item["kind"] == "several_choices":
        ticked = source.sample(range(len(item["choices"])), source.randint(0, item.get("most", len(item["choices"]))))
        return [int(place in ticked) for place in range(len(item["choices"]))]
    blank = [None] if item.get("required") is False else []
    return source.choice([*range(len(item["choices"])), *blank])


def tapes(design: Design) -> Iterator[dict[str, Any]]:
    source = random.Random(1965)
    for number in range(TAPES):
        answers = [answer_to(item, source) for item in design.document["items"]]
        words = [source.randrange(2**32) for _ in range(WORDS)]
        stratum = source.choice(design.strata)
        yield {"words": words, "answers": answers, "stratum": stratum, "nonce": f"{number:032x}"}


def body_here(design: Design, tape: dict[str, Any]) -> list[Any]:
    answers = tuple(tuple(answer) if isinstance(answer, list) else answer for answer in tape["answers"])
    words = iter(tape["words"])
    person = Respondent(design.strata.index(tape["stratum"]), answers)
    body = report_body(design, person, words.__next__, nonce=tape["nonce"]).decode()
    return [body, WORDS - len(list(words))]


def test_same_words_make_same_bytes_as_browser() -> None:
    design = whole_design()
    given = list(tapes(design))
    there = run_in_node(SCRIPT, {"text": design.canonical.decode(), "tapes": given})
    assert there == [body_here(design, tape) for tape in given]
