"""Options in random order, with the last one last: as each tool has it, and from here to there and back."""

import json
from typing import Any

import pytest

from surveys.definition import definitions
from surveys.exchange.formats import EXPORTS, convert, export

SHUFFLED = """
slug: order
title: An order
items:
  - {key: substance, kind: one_choice, wording: Which?, choices: [A, B, Other], shuffle: true, keep_last: true,
     channel: {name: k_ary, truth: 1/3}}
"""


def surveyjs(choices: list[str], **settings: Any) -> bytes:
    element = {"type": "radiogroup", "name": "q", "title": "Which?", "isRequired": True, "choicesOrder": "random"}
    return json.dumps({"title": "A", "elements": [element | {"choices": choices} | settings]}).encode()


def qualtrics(places: list[str]) -> bytes:
    question = {
        "QuestionID": "QID1", "QuestionText": "Which?", "DataExportTag": "q", "QuestionType": "MC", "Selector": "SAVR",
        "Choices": {str(number): {"Display": f"Option {number}"} for number in range(1, len(places) + 1)},
        "Randomization": {"Type": "Advanced", "Advanced": {"FixedOrder": places, "TotalRandSubset": 0}},
        "Validation": {"Settings": {"ForceResponse": "ON"}},
    }  # fmt: skip
    block = {"Type": "Default", "ID": "BL_1", "BlockElements": [{"Type": "Question", "QuestionID": "QID1"}]}
    elements = [
        {"Element": "BL", "Payload": [block]},
        {"Element": "SQ", "PrimaryAttribute": "QID1", "Payload": question},
    ]
    return json.dumps({"SurveyEntry": {"SurveyName": "A", "SurveyLanguage": "EN"}, "SurveyElements": elements}).encode()


def imported(content: bytes, name: str) -> tuple[dict[str, Any], str]:
    """The order of the only question, and what the report says of it."""
    made = convert(content, filename=name)
    (item,) = made.definition["items"]
    said = " ".join(f"{one.element}: {one.detail}" for one in made.report.entries)
    return {name: value for name, value in item.items() if name in ("shuffle", "keep_last")}, said


LIMESURVEY = "\n".join(
    "\t".join(row)
    for row in (
        ["id", "related_id", "class", "type/scale", "name", "relevance", "text", "language", "mandatory", "other",
         "random_order"],
        ["", "", "S", "", "language", "", "en", "", "", "", ""],
        ["1", "", "G", "G0", "Group", "1", "", "en", "", "", ""],
        ["2", "", "Q", "L", "q", "1", "Which?", "en", "Y", "Y", "1"],
        ["", "", "A", "0", "x", "", "A", "en", "", "", ""],
        ["", "", "A", "0", "y", "", "B", "en", "", "", ""],
    )
).encode()  # fmt: skip

ALL = {"shuffle": True}
BUT_LAST = {"shuffle": True, "keep_last": True}
R = "{~Randomized~}"


@pytest.mark.parametrize(
    ("content", "name", "order", "words"),
    [
        (surveyjs(["A", "B"]), "a.json", ALL, ""),
        (surveyjs(["A", "B"], showOtherItem=True), "a.json", BUT_LAST, ""),
        (surveyjs(["A"], showOtherItem=True), "a.json", {}, "The order of its options is not shuffled."),
        (surveyjs(["A", "B"], showRefuseItem=True), "a.json", ALL, ""),
        (surveyjs(["A", "B"], showOtherItem=True, showRefuseItem=True), "a.json", BUT_LAST, ""),
        (surveyjs(["A", "B"], showOtherItem=True, showDontKnowItem=True), "a.json", BUT_LAST,
         "Only its last option stays last"),
        (LIMESURVEY, "lime.txt", BUT_LAST, ""),
        (qualtrics([R, R, "3"]), "a.qsf", BUT_LAST, ""),
        (qualtrics([R, R, R]), "a.qsf", ALL, ""),
        (qualtrics(["1", R, R]), "a.qsf", {}, "Only options at the end can keep their place."),
        (qualtrics([R, R, "3", "4"]), "a.qsf", BUT_LAST, "Only its last option stays last"),
    ],
)  # fmt: skip
def test_options_that_a_tool_keeps_last_stay_last(content: bytes, name: str, order: dict[str, Any], words: str) -> None:
    found, said = imported(content, name)
    assert found == order
    assert words in said
    assert bool(words) == ("last" in said or "shuffled" in said or "Randomization" in said)


@pytest.mark.parametrize("form", EXPORTS)
def test_last_option_kept_last_returns_from_an_export(form: str) -> None:
    definition = definitions.load(SHUFFLED)
    assert convert(export(definition, form), filename=f"a{EXPORTS[form]}").definition == definition


def test_export_whose_order_was_taken_away_elsewhere_is_not_shuffled() -> None:
    document = json.loads(export(definitions.load(SHUFFLED), "surveyjs"))
    del document["pages"][0]["elements"][0]["choicesOrder"]
    assert imported(json.dumps(document).encode(), "a.json")[0] == {}
