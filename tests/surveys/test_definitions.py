"""Definitions: in and out of YAML without loss, and refused in words."""

import copy
from pathlib import Path
from typing import Any

import pytest

from surveys import definitions
from surveys.definitions import complete, design_of, dump, load
from surveys.reading import DefinitionError
from tests import payloads

SHORT = """
slug: short
title: Short
items:
  - key: a
    wording: Yes or no?
    channel: {name: forced_response, truth: 2/3, yes: 1/2}
  - key: b
    kind: one_choice
    wording: Which?
    choices: [Yes, No, on, off, 3]
    channel: {name: k_ary, truth: 0.5}
"""


def test_the_short_form_is_completed() -> None:
    definition = load(SHORT.replace(", 3]", "]"))
    assert definition["languages"] == ["en"]
    assert definition["title"] == {"en": "Short"}
    assert definition["strata"] == {"wording": {"en": ""}, "groups": []}
    first, second = definition["items"]
    assert (first["kind"], first["choices"]) == ("yes_no", [{"en": "No"}, {"en": "Yes"}])
    assert second["channel"] == {"name": "k_ary", "truth": "0.5"}
    assert [choice["en"] for choice in second["choices"]] == ["Yes", "No", "on", "off"], "words, not truth values"
    assert design_of(definition, version=1).alphabets == (2, 4)


@pytest.mark.parametrize("definition", [payloads.definition(), load(SHORT.replace(", 3]", "]"))])
def test_yaml_round_trip_without_loss(definition: dict[str, Any]) -> None:
    assert load(dump(definition)) == definition


def test_a_definition_with_two_languages_round_trips() -> None:
    definition = payloads.definition(languages=["en", "de"])

    def translated(value: Any) -> Any:
        if isinstance(value, dict):
            return (
                value | {"de": "auf Deutsch"} if set(value) == {"en"} else {k: translated(v) for k, v in value.items()}
            )
        return [translated(part) for part in value] if isinstance(value, list) else value

    definition = translated(definition) | {"languages": ["en", "de"]}
    assert load(dump(definition)) == definition
    assert design_of(definition, version=1).document["title"]["de"] == "auf Deutsch"


def test_the_tables_are_made_from_the_mechanisms() -> None:
    document = design_of(payloads.definition(), version=1).document
    assert document == payloads.document()


@pytest.mark.parametrize(
    ("channel", "weights"),
    [
        ({"name": "warner", "truth": "3/4"}, [[3, 1], [1, 3]]),
        ({"name": "forced_response", "truth": "1/4", "yes": "1/2"}, [[5, 3], [3, 5]]),
        ({"name": "custom", "weights": [[9, 1], [2, 8]]}, [[9, 1], [2, 8]]),
    ],
)
def test_each_mechanism(channel: dict[str, Any], weights: list[list[int]]) -> None:
    definition = payloads.definition()
    definition["items"][0]["channel"] = channel
    assert design_of(definition, version=1).document["items"][0]["channel"]["weights"] == weights


@pytest.mark.parametrize(
    ("channel", "fault"),
    [
        ({"name": "forced_response", "truth": "1"}, "items[0].channel: truth must be greater than 0 and less than 1"),
        ({"name": "forced_response", "truth": "0"}, "items[0].channel: truth must be greater than 0"),
        ({"name": "forced_response", "truth": "half"}, "truth must be a fraction as text"),
        ({"name": "forced_response", "truth": "1/2", "yes": "1"}, "would rule out an answer"),
        ({"name": "forced_response"}, "items[0].channel must have 'truth'"),
        ({"name": "warner", "truth": "1/2"}, "truth must differ from 1/2"),
        ({"name": "direct"}, "name must be forced_response, warner, k_ary or custom for yes_no; got 'direct'"),
        ({"name": "custom", "weights": [[1, 1], [1, 1]]}, "linearly independent"),
        ({"name": "custom", "weights": "3,1"}, "items[0].channel"),
    ],
)
def test_a_mechanism_that_cannot_work_is_named(channel: dict[str, Any], fault: str) -> None:
    definition = payloads.definition()
    definition["items"][0]["channel"] = channel
    with pytest.raises(DefinitionError) as caught:
        design_of(definition, version=1)
    assert fault in str(caught.value)


def test_the_ceiling_on_both_sides(settings: Any) -> None:
    """ln 3 + ln 4 = 2.4849 for two coins and a choice of three with truth 1/2."""
    settings.CANDOR_EPSILON_CEILING = 2.49
    design_of(payloads.definition(), version=1)
    settings.CANDOR_EPSILON_CEILING = 2.48
    with pytest.raises(DefinitionError, match=r"epsilon 2\.4849; at most 2\.4800 a person is allowed"):
        design_of(payloads.definition(), version=1)


def test_the_browsers_limit_binds_what_browsers_answer(settings: Any) -> None:
    settings.CANDOR_EPSILON_CEILING = 100
    definition = payloads.definition()
    for item in definition["items"]:
        item["channel"] = {"name": "k_ary", "truth": "99/100"}
    with pytest.raises(DefinitionError, match=r"at most 7\.9997 a person"):
        design_of(definition, version=1)
    design_of(definition | {"rehearsal": True}, version=1)


def test_the_browsers_limit_is_the_one_in_the_client() -> None:
    source = (Path(definitions.__file__).parent / "static/surveys/client/channel.js").read_text()
    assert f"LARGEST_ODDS = {definitions.BROWSER_LIMIT}n;" in source


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "this is not YAML"),
        ("- a list", "survey must be a mapping"),
        ("slug: a\nquestions: []", "survey has unknown keys: questions; known are"),
        ("slug: a\nlanguages: en", "languages must be a list of language codes; got 'en'"),
        ("slug: a\nitems: 3", "items must be a list; got int"),
        ("slug: a\nitems: [{key: a, answer: 3}]", "items[0] has unknown keys: answer"),
        ("slug: a\nstrata: [a]", "strata must be a mapping"),
    ],
)
def test_yaml_that_is_no_definition(text: str, fault: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        load(text)
    assert fault in str(caught.value)


def test_a_choice_that_is_a_number_must_be_quoted() -> None:
    with pytest.raises(DefinitionError, match=r"items\[1\].choices\[4\] must be an object; got int"):
        design_of(load(SHORT), version=1)


def test_completing_changes_nothing_that_is_complete() -> None:
    definition = payloads.definition()
    assert complete(copy.deepcopy(definition)) == definition


def test_the_demos_definitions_can_be_opened() -> None:
    from surveys import demo

    for slug in (demo.FINISHED, demo.OPEN):
        definition = demo.definition(slug)
        assert design_of(definition, version=1).slug == slug
        assert definitions.total_epsilon(definition) < 4
