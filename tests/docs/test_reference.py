"""The reference is what the code says now, and says something of all that there is."""

import ast
import re
from argparse import Action
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from collector.errors import ValidationError
from docs.make import commands, errors, files, functions, survey_file
from docs.make.pages import DOCS, PAGES
from estimator.base.mechanisms import REGISTRY
from estimator.exports import columns
from estimator.exports.formats import FORMATS
from surveys.definition import definitions
from tests.tools.help_site import ROOT


@pytest.mark.parametrize("name", PAGES)
def test_reference_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text() == PAGES[name](), "run make reference"


@pytest.mark.parametrize("name", commands.names())
def test_every_command_and_option_has_a_meaning(name: str) -> None:
    parser = commands.parser_of(name)
    assert parser.description
    undocumented = [one.dest for one in commands.options(parser) if not documented(one)]
    assert name in commands.DJANGO or undocumented == []


def documented(option: Action) -> bool:
    return bool(option.help or option.choices)


def test_every_export_format_and_column_has_a_meaning() -> None:
    assert [one.name for one in FORMATS.values() if not (one.label and one.about)] == []
    listed = [found for _, found in files.TABLES.values()]
    tables = [value for value in vars(columns).values() if isinstance(value, tuple) and len(value) > 3]
    parts = [columns.QUANTITY]  # of other tables
    assert [table for table in tables if table not in listed and table not in parts] == []
    assert [one.name for found in listed for one in found if not one.label] == []


def test_every_library_name_has_a_page_entry() -> None:
    text = (DOCS / "reference" / "library" / "functions.md").read_text()
    headings = set(re.findall(r"^## (\S+)$", text, re.MULTILINE))
    assert headings == set(functions.public())


def test_every_error_status_has_advice() -> None:
    assert set(errors.ADVICE) == {*errors.statuses(), *errors.of_responses()}


def test_every_error_code_is_documented() -> None:
    """Each `code=` of a call in the product, and the default of the class."""
    found = {"invalid"}
    for folder in ("collector", "estimator", "surveys"):
        for path in (ROOT / folder).rglob("*.py"):
            found |= set(codes(ast.parse(path.read_text())))
    assert found == set(errors.CODES)


def codes(module: ast.Module) -> Iterator[str]:
    for call in ast.walk(module):
        if isinstance(call, ast.Call):
            for keyword in call.keywords:
                if keyword.arg == "code" and isinstance(getattr(keyword.value, "value", None), str):
                    yield str(keyword.value.value)


def test_every_mechanism_and_parameter_is_in_the_survey_file() -> None:
    text = (DOCS / "reference" / "survey-keys.md").read_text()
    for entry in REGISTRY.values():
        row = re.search(rf"^\| `{entry.name}` \|.*$", text, re.MULTILINE)
        assert row, entry.name
        assert all(f"`{one.name}`: {one.help[:10]}" in row[0] for one in entry.parameters)


Place = Callable[[dict[str, Any]], dict[str, Any]]


def question(**more: object) -> dict[str, Any]:
    return {"items": [{"key": "a", "kind": "yes_no", "wording": "?", **more}]}


PLACES: dict[str, Place] = {
    "survey": lambda part: {**part, "items": []},
    "items": lambda part: question(**part),
    "strata": lambda part: {"strata": part},
    "groups": lambda part: {"strata": {"groups": [part]}},
    "background_questions": lambda part: {"background_questions": part},
    "background_question": lambda part: {"background_questions": {"questions": [part]}},
    "arm": lambda part: {"background_questions": {"questions": [{"arms": [part]}]}},
    "sections": lambda part: {"sections": [part]},
    "screening": lambda part: {"screening": part},
    "about": lambda part: {"about": part},
    "look": lambda part: {"look": part},
    "ending": lambda part: {"ending": part},
    "link": lambda part: {"ending": {"link": part}},
    "completion": lambda part: {"ending": {"completion": part}},
    "before": lambda part: question(before=part),
    "asked_if": lambda part: question(asked_if=part),
    "classes": lambda part: question(kind="one_choice", classes=part),
    "pictures": lambda part: {"look": {"logo": part}},
}
"""A definition around a mapping of each kind."""


@pytest.mark.parametrize("name", PLACES)
def test_survey_file_page_has_every_key(name: str) -> None:
    """The parser is asked: it names the keys that it knows where it meets one that it does not."""
    listed = {"survey": survey_file.SURVEY, "items": survey_file.ITEM} | {
        part: keys for part, (_, keys) in survey_file.PARTS.items()
    }
    with pytest.raises(ValidationError) as caught:
        definitions.complete(PLACES[name]({"zzz": 1}))
    assert caught.value.keys == ("zzz",)
    known = caught.value.message.rpartition("known are ")[2].split(", ")
    assert sorted(listed[name]) == known


def test_survey_file_places_are_all_that_are_listed() -> None:
    assert set(PLACES) - {"survey", "items"} == set(survey_file.PARTS)
