"""117 questionnaires, 13 in the files of nine tools: nothing is dropped in silence, and what can be asked is asked."""

import json
from typing import Any

import pytest

from surveys.definition import definitions
from surveys.exchange.formats import Conversion, convert, format_of
from surveys.exchange.source import shown
from tests.exchange.tools import TOOLS, Tool
from tests.exchange.tools.questionnaires import QUESTIONNAIRES, Asked, asked_before, first, languages

ASKED = {"one", "several", "number", "date", "grid", "scale"}
"""Kinds that become questions; the others are left out, with a reason."""

WITHHELD = {"Prefer not to say", "I prefer not to answer", "I'd rather not say"}


@pytest.fixture(
    scope="module", params=[(name, tool) for tool in TOOLS for name in QUESTIONNAIRES], ids=lambda one: "-".join(one)
)
def imported(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Tool, Conversion]:
    name, tool = request.param
    questionnaire, written = QUESTIONNAIRES[name], TOOLS[tool]
    content, filename = written.write(questionnaire), f"{name}{written.suffix}"
    assert format_of(content, filename) == written.form
    return questionnaire, written, convert(content, filename=filename)


def texts_of(tool: Tool, questionnaire: dict[str, Any]) -> list[str]:
    """Every text of the file in its first language that a respondent would have read."""
    found = [first(section["title"]) for section in questionnaire["sections"]]
    for asked in tool.written(questionnaire):
        found += [first(one) for one in (asked["words"], *asked.get("options", []), *asked.get("rows", []))]
        found += [first(asked["help"])] if "help" in asked and tool.form != "text" else []
    return found


def test_no_text_is_lost_without_a_word(imported: tuple[dict[str, Any], Tool, Conversion]) -> None:
    questionnaire, tool, made = imported
    everything = json.dumps([made.definition, [one.to_dict() for one in made.report.entries]], ensure_ascii=False)
    lost_with_question = {
        first(option)
        for one in tool.written(questionnaire)
        if one["kind"] not in ASKED
        for option in one.get("options", [])
    }
    lost = [
        one for one in texts_of(tool, questionnaire) if shown(one) not in everything and one not in lost_with_question
    ]
    assert lost == []


def test_each_question_is_asked_or_left_out(imported: tuple[dict[str, Any], Tool, Conversion]) -> None:
    questionnaire, tool, made = imported
    wordings = [" ".join(item["wording"]["en"].split()) for item in made.definition["items"]]
    left_out = [one.element for one in made.report.entries if one.outcome == "left out"]
    for asked in tool.written(questionnaire):
        if asked["kind"] in ASKED:
            for row in asked.get("rows", [asked["words"]]):
                assert any(first(row) in one for one in wordings), row
        elif asked["kind"] != "note":
            assert any(shown(first(asked["words"])) in one for one in left_out), asked["words"]
    assert all(one.detail for one in made.report.entries if one.outcome != "imported")


def test_options_and_languages_are_kept(imported: tuple[dict[str, Any], Tool, Conversion]) -> None:
    questionnaire, tool, made = imported
    spoken = languages(questionnaire) if tool.languages else ["en"]
    assert made.definition["languages"] == spoken
    for asked in tool.written(questionnaire):
        if asked["kind"] not in ("one", "several"):
            continue
        item = item_of(made, asked)
        expected = [one for one in asked["options"] if first(one) not in WITHHELD | dropped(asked)]
        if [first(one) for one in expected] == ["Yes", "No"]:
            expected.reverse()
        for language in spoken:
            words = [one if isinstance(one, str) else one[language] for one in expected]
            assert [one[language] for one in item["choices"]] == words
        assert ("prefer_not" in item) >= (len(expected) < len(asked["options"]) and asked["kind"] == "one")


def test_conditions_are_kept(imported: tuple[dict[str, Any], Tool, Conversion]) -> None:
    questionnaire, tool, made = imported
    if tool.form in ("csv", "text"):  # whose files here have none
        return
    for asked in tool.written(questionnaire):
        if asked["kind"] in ASKED and (found := asked_before(questionnaire, asked)):
            before, option = found
            condition = item_of(made, asked)["asked_if"]
            earlier = item_of(made, before)
            assert condition["item"] == earlier["key"]
            words = [earlier["choices"][place]["en"] for place in condition["answers"]]
            assert words == [first(before["options"][option])]


def test_imported_definition_is_complete_and_small(imported: tuple[dict[str, Any], Tool, Conversion]) -> None:
    _questionnaire, _tool, made = imported
    assert definitions.load(definitions.dump(made.definition)) == made.definition
    assert made.missing == "" or "wording" in made.missing or "must" in made.missing


def item_of(made: Conversion, asked: Asked) -> dict[str, Any]:
    return next(
        item for item in made.definition["items"] if first(asked["words"]) in " ".join(item["wording"]["en"].split())
    )


def dropped(asked: Asked) -> set[str]:
    """Options of several choices that say no more than to tick nothing."""
    return {"None of the above", "None of these"} if asked["kind"] == "several" else set()
