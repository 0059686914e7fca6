"""Grids and lists that unfold: each tool's own form of them becomes ours, and goes back to it."""

import json
from typing import Any

import pytest

from surveys.definition.definitions import design_of, load
from surveys.definition.parts import Definition
from surveys.exchange.formats import EXPORTS, convert, export

HEADING = "How good was it?"

XLSFORM = """survey
,type,name,label,appearance,required
,begin_group,week,How good was it?,table-list,
,select_one good,sleep,Sleep,,yes
,select_one good,food,Food,,yes
,end_group,,,,
,select_one good,country,Where?,minimal,yes
choices
,list_name,name,label
,good,1,Bad
,good,2,Middling
,good,3,Good
"""

REDCAP = """Variable / Field Name,Form Name,Section Header,Field Type,Field Label,"Choices, Calculations, OR Slider Labels",Required Field?,Matrix Group Name
sleep,a,How good was it?,radio,Sleep,"1, Bad | 2, Middling | 3, Good",y,week
food,a,,radio,Food,"1, Bad | 2, Middling | 3, Good",y,week
country,a,,dropdown,Where?,"1, Bad | 2, Middling | 3, Good",y,
"""  # noqa: E501 - the head of REDCap's own files

SURVEYJS: dict[str, Any] = {
    "title": "A",
    "elements": [
        {"type": "matrix", "name": "week", "title": HEADING, "isAllRowRequired": True,
         "columns": ["Bad", "Middling", "Good"],
         "rows": [{"value": "sleep", "text": "Sleep"}, {"value": "food", "text": "Food"}]},
        {"type": "dropdown", "name": "country", "title": "Where?", "isRequired": True,
         "choices": ["Bad", "Middling", "Good"]},
    ],
}  # fmt: skip

QUALTRICS = {
    "SurveyEntry": {"SurveyName": "A", "SurveyLanguage": "EN"},
    "SurveyElements": [
        {"Element": "SQ", "PrimaryAttribute": "QID1", "Payload": {
            "QuestionID": "QID1", "QuestionType": "Matrix", "Selector": "Likert", "QuestionText": HEADING,
            "Validation": {"Settings": {"ForceResponse": "ON"}},
            "Choices": {"1": {"Display": "Sleep"}, "2": {"Display": "Food"}},
            "Answers": {"1": {"Display": "Bad"}, "2": {"Display": "Middling"}, "3": {"Display": "Good"}}}},
        {"Element": "SQ", "PrimaryAttribute": "QID2", "Payload": {
            "QuestionID": "QID2", "QuestionType": "MC", "Selector": "DL", "QuestionText": "Where?",
            "Validation": {"Settings": {"ForceResponse": "ON"}},
            "Choices": {"1": {"Display": "Bad"}, "2": {"Display": "Middling"}, "3": {"Display": "Good"}}}},
    ],
}  # fmt: skip

FILES = {
    "form.csv": XLSFORM.encode(),
    "redcap.csv": REDCAP.encode(),
    "survey.json": json.dumps(SURVEYJS).encode(),
    "survey.qsf": json.dumps(QUALTRICS).encode(),
}

GRID = """
slug: grid
title: A grid
items:
  - {key: sleep, heading: How good was it?, wording: Sleep, kind: scale, choices: [Bad, Middling, Good], required: false,
     prefer_not: true, channel: {name: k_ary, truth: 1/2}}
  - {key: food, heading: How good was it?, wording: Food, channel: {name: k_ary, truth: 1/3}}
  - {key: country, kind: one_choice, wording: Where?, choices: [A, B, C], dropdown: true, channel: {name: k_ary, truth: 1/3}}
"""  # noqa: E501


@pytest.mark.parametrize("name", FILES)
def test_grid_and_dropdown_of_each_tool_are_taken_over(name: str) -> None:
    made = convert(FILES[name], filename=name)
    sleep, food, country = made.definition["items"]
    assert sleep["heading"] == food["heading"] == {"en": HEADING}
    assert [sleep["wording"], food["wording"]] == [{"en": "Sleep"}, {"en": "Food"}]
    assert sleep["choices"] == food["choices"]
    assert [choice["en"] for choice in sleep["choices"]] == ["Bad", "Middling", "Good"]
    assert country["dropdown"] is True
    assert made.report.count("left out") == 0
    design_of(made.definition, version=1)


def test_wide_grid_and_several_answers_stay_questions_of_their_own() -> None:
    columns = [str(number) for number in range(12)]
    wide = {**SURVEYJS["elements"][0], "columns": columns}
    made = convert(json.dumps({"title": "A", "elements": [wide]}).encode(), filename="a.json")
    assert [item["wording"]["en"] for item in made.definition["items"]] == [f"{HEADING} – Sleep", f"{HEADING} – Food"]
    assert "heading" not in made.definition["items"][0]


def test_long_list_unfolds() -> None:
    choices = [f"Region {number}" for number in range(255)]
    element = {"type": "radiogroup", "name": "region", "title": "Which?", "isRequired": True, "choices": choices}
    made = convert(json.dumps({"title": "A", "elements": [element]}).encode(), filename="a.json")
    (item,) = made.definition["items"]
    assert (len(item["choices"]), item["dropdown"]) == (255, True)
    assert "Its 255 options fold out from one field." in [entry.detail for entry in made.report.entries]
    design_of(made.definition, version=1)


@pytest.mark.parametrize(
    ("appearance", "kind", "dropdown", "left_out"),
    [
        ("minimal", "one_choice", True, ""),
        ("minimal autocomplete", "one_choice", True, ""),
        ("autocomplete", "one_choice", True, ""),
        ("likert", "scale", False, ""),
        ("likert w2", "scale", False, "appearance: w2"),
        ("minimal horizontal", "one_choice", True, "appearance: horizontal"),
    ],
)
def test_appearance_is_taken_over_word_by_word(appearance: str, kind: str, dropdown: bool, left_out: str) -> None:
    written = XLSFORM.replace("Where?,minimal", f"Where?,{appearance}")
    made = convert(written.encode(), filename="form.csv")
    country = made.definition["items"][-1]
    assert (country["kind"], country.get("dropdown", False)) == (kind, dropdown)
    others = [one.element for one in made.report.entries if one.element.startswith("appearance")]
    assert [one for one in others if "table-list" not in one] == ([left_out] if left_out else [])


CONDITIONS = {
    "alike": {},
    "a condition on a row": {"country": {"asked_if": {"item": "food", "answers": [1]}, "unasked": 0}},
    "a condition of a row": {"food": {"asked_if": {"item": "sleep", "answers": [0, 2]}, "unasked": 3}},
    "one that is required": {"food": {"required": True}},
}


@pytest.mark.parametrize("form", EXPORTS)
@pytest.mark.parametrize("case", CONDITIONS)
def test_grid_is_exported_and_read_back_without_loss(case: str, form: str) -> None:
    definition: Definition = load(GRID)
    for item in definition["items"]:
        item.update(CONDITIONS[case].get(item["key"], {}))  # type: ignore[typeddict-item]
        if item.get("required"):
            del item["required"]
    content = export(definition, form)
    assert convert(content, filename=f"a{EXPORTS[form]}").definition == definition
    assert case != "alike" or form != "surveyjs" or b'"type": "matrix"' in content
