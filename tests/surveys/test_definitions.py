"""Definitions: in and out of YAML without loss, and refused in words."""

import copy
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from collector.errors import ValidationError
from surveys.definition import definitions
from surveys.definition.definitions import OpeningOptions, complete, design_of, dump, load, load_checked
from tests.factories import payloads

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


def test_item_without_key_gets_one_from_its_question() -> None:
    questions = ["Have you cheated?", "Haben Sie getäuscht?", "Have you cheated?", "؟"]
    raw = {"title": "Campus", "items": [{"wording": one} for one in questions] + [{"key": "have_you_cheated_2"}]}
    keys = [item["key"] for item in definitions.complete(raw)["items"]]
    assert keys == ["have_you_cheated", "haben_sie_getauscht", "have_you_cheated_3", "question", "have_you_cheated_2"]
    assert definitions.complete({"items": [{"key": "", "wording": "Which?"}]})["items"][0]["key"] == ""


def test_complete_short_form() -> None:
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


def test_yaml_round_trip_with_two_languages() -> None:
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


def test_design_channels_are_made_from_mechanisms() -> None:
    document = design_of(payloads.definition(), version=1).document
    assert document == payloads.document(ceilings={"question": "3", "total": "4"})


@pytest.mark.parametrize(
    ("channel", "weights"),
    [
        ({"name": "warner", "truth": "3/4"}, [[3, 1], [1, 3]]),
        ({"name": "forced_response", "truth": "1/4", "yes": "1/2"}, [[5, 3], [3, 5]]),
        ({"name": "custom", "weights": [[9, 1], [2, 8]]}, [[9, 1], [2, 8]]),
    ],
)
def test_design_weights_of_each_mechanism(channel: dict[str, Any], weights: list[list[int]]) -> None:
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
        (
            {"name": "direct"},
            "name must be forced_response, warner, crosswise, triangular, k_ary or custom for yes_no; got 'direct'",
        ),
        ({"name": "custom", "weights": [[1, 1], [1, 1]]}, "linearly independent"),
        ({"name": "custom", "weights": "3,1"}, "items[0].channel"),
    ],
)
def test_design_impossible_mechanism_is_named(channel: dict[str, Any], fault: str) -> None:
    definition = payloads.definition()
    definition["items"][0]["channel"] = channel
    with pytest.raises(ValidationError) as caught:
        design_of(definition, version=1)
    assert fault in str(caught.value)


def test_ceiling_both_sides_of_the_bound(settings: Any) -> None:
    """ln 3 + ln 4 = 2.4849 for two coins and a choice of three with truth 1/2."""
    settings.CANDOR_EPSILON_CEILING = 2.49
    design_of(payloads.definition(), version=1)
    settings.CANDOR_EPSILON_CEILING = 2.48
    with pytest.raises(ValidationError, match=r"epsilon 2\.4849; at most 2\.4800 per person is allowed"):
        design_of(payloads.definition(), version=1)


def test_browser_limit_binds_all_but_rehearsals(settings: Any) -> None:
    settings.CANDOR_EPSILON_CEILING = 100
    definition = payloads.definition()
    for item in definition["items"]:
        item["channel"] = {"name": "k_ary", "truth": "99/100"}
    with pytest.raises(ValidationError, match=r"at most 7\.9997 per person"):
        design_of(definition, version=1)
    design_of(definition | {"rehearsal": True}, version=1)


def test_browser_limit_equals_the_client() -> None:
    source = (Path(definitions.__file__).parents[1] / "static/surveys/client/channel.js").read_text()
    assert f"LARGEST_ODDS = {definitions.BROWSER_LIMIT}n;" in source


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "this is not YAML"),
        ("- a list", "survey must be an object"),
        ("slug: a\nquestions: []", "survey has unknown keys: questions; known are"),
        ("slug: a\nlanguages: en", "languages must be a list of language codes; got 'en'"),
        ("slug: a\nitems: 3", "items must be a list; got int"),
        ("slug: a\nitems: [{key: a, answer: 3}]", "items[0] has unknown keys: answer"),
        ("slug: a\nstrata: [a]", "strata must be an object"),
    ],
)
def test_load_yaml_without_definition_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ValidationError) as caught:
        load(text)
    assert fault in str(caught.value)


FILE = """\
slug: campus
title: Campus
strata:
  {wording: Group, groups: [{key: a, label: A}, {key: b, label: B, weight: 2}]}
items:
  - key: first
    wording: Yes or no?
    channel: {name: forced_response, truth: 2/3, yes: 1/2}
  - key: second
    kind: one_choice
    wording: Which?
    choices:
      - A
      - B
    channel:
      name: k_ary
      truth: 1/2
"""


@pytest.mark.parametrize(
    ("found", "put", "line", "words"),
    [
        (", weight: 2", "", 0, ""),
        ("", "", 4, "strata.groups[1] has unknown keys: weight"),
        ("truth: 1/2\n", "truth: 3/2\n", 17, "items[1].channel: truth must be"),
        ("      truth: 1/2\n", "", 15, "items[1].channel must have 'truth'"),
        ("truth: 2/3,", "truth: 2/3, on: 1/2,", 8, "items[0].channel has unknown keys: on"),
        ("      - B\n", "      - 3\n", 14, "items[1].choices[1] must be an object"),
        ("      - B\n", "      - <b>B</b>\n", 14, "items[1].choices[1] contains HTML (<b>), which is not allowed"),
        ("title: Campus", "title: Campus\nquotas: 3", 3, "survey.quotas is not possible: Candor has no quotas"),
        ("key: second", "key: Second one", 9, "items[1].key must be 1 to 64 of the characters a-z"),
        ("    kind: one_choice", "    kind: file", 10, "items[1].kind 'file' is not possible: Candor takes no files"),
        ("    kind: one_choice", "    goto: end", 10, "items[1].goto is not possible: Candor asks no server"),
        ("      truth: 1/2\n", "      truth: 1/2\n      truth: 2/3\n", 18, "the key truth is used twice here"),
        (
            "kind: one_choice",
            "kind: one_choice: x",
            10,
            "this is not YAML: mapping values are not allowed",
        ),
        ("slug: campus", "slug: Campus!", 1, "slug must be 1 to 64 of the characters a-z"),
        ("truth: 2/3, yes: 1/2", "truth: 1999/2000, yes: 1/2", 5, "the questions together have epsilon"),
    ],
)
def test_load_error_names_its_line(found: str, put: str, line: int, words: str) -> None:
    text = FILE.replace(", weight: 2", "") if words[:6] != "strata" else FILE
    text = text.replace(found, put) if found else text
    if not words:
        assert load_checked(text)["slug"] == "campus"
        return
    with pytest.raises(ValidationError) as caught:
        load_checked(text)
    assert str(caught.value).startswith(f"line {line}: {words}")
    assert caught.value.line == line


def test_design_unquoted_number_option_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"items\[1\].choices\[4\] must be an object; got int"):
        design_of(load(SHORT), version=1)


def test_complete_leaves_complete_definition() -> None:
    definition = payloads.definition()
    assert complete(copy.deepcopy(definition)) == definition


def test_demo_definitions_can_be_opened() -> None:
    from surveys.management import demo

    for slug in (demo.FINISHED, demo.OPEN):
        definition = demo.definition(slug)
        assert design_of(definition, version=1).slug == slug
        assert definitions.total_epsilon(definition) < 4


BESIDES = {"invitations": "secret", "repeats": "remember", "participation": "0.5"}


def test_invitations_waves_participation_round_trip() -> None:
    definition = payloads.definition(**BESIDES)
    assert load(dump(definition)) == definition
    document = design_of(definition, version=1).document
    assert document["invitations"] == {"kind": "secret"}
    assert document["waves"] == {"repeats": "remember", "spent": "1/1"}
    assert document["participation"] == {"epsilon": "0.5"}


def test_budget_and_sensitivity_round_trip_and_stay_with_the_authors() -> None:
    plain, made = payloads.definition(), payloads.definition(privacy_budget=2.5)
    made["items"][0]["sensitivity"] = "very"
    completed = definitions.complete(made)
    assert (completed["privacy_budget"], completed["items"][0]["sensitivity"]) == ("2.5", "very")
    assert definitions.load(definitions.dump(completed)) == completed
    frozen = [design_of(definitions.complete(one), version=1).digest for one in (plain, made)]
    assert frozen[0] == frozen[1], "respondents get neither"


@pytest.mark.parametrize(
    ("budget", "sensitivity", "path"),
    [
        ("0", "very", ("privacy_budget",)),
        ("101", "very", ("privacy_budget",)),
        ("much", "very", ("privacy_budget",)),
        ([4], "very", ("privacy_budget",)),
        ("4", "extremely", ("items", 0, "sensitivity")),
        ("4", True, ("items", 0, "sensitivity")),
    ],
)
def test_wrong_budget_or_sensitivity_is_refused_with_its_place(budget: Any, sensitivity: Any, path: Any) -> None:
    made = payloads.definition(privacy_budget=budget)
    made["items"][0]["sensitivity"] = sensitivity
    with pytest.raises(ValidationError) as refused:
        definitions.complete(made)
    assert refused.value.path == path


def test_release_of_group_sizes_without_opendp_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp", None)
    with pytest.raises(ValidationError, match=r"OpenDP, and opendp is not installed here\. .* requirements-noise\.txt"):
        design_of(payloads.definition(participation="0.5"), version=1)
    assert design_of(payloads.definition(), version=1)


def test_complete_defaults_add_nothing_to_the_design() -> None:
    plain = payloads.definition()
    assert complete(plain | {"invitations": "", "repeats": "fresh", "participation": ""}) == complete(plain)
    assert design_of(complete(plain), version=1).document.keys().isdisjoint({"invitations", "waves", "participation"})


def test_rehearsal_design_has_no_invitations_or_waves() -> None:
    document = design_of(payloads.definition(rehearsal=True, **BESIDES), version=1).document
    assert document.keys().isdisjoint({"invitations", "waves", "participation"})


def test_design_epsilon_of_earlier_waves_counts() -> None:
    spent = OpeningOptions(spent=Fraction(9))
    document = design_of(payloads.definition(), version=2, opening=spent).document
    assert document["waves"] == {"repeats": "fresh", "spent": "9/1"}
    with pytest.raises(ValidationError, match=r"of it from earlier waves; at most 7\.9997 per person is allowed"):
        design_of(payloads.definition(), version=3, opening=OpeningOptions(spent=Fraction(2900)))


@pytest.mark.parametrize(("key", "value"), [("invitations", "public"), ("repeats", "often"), ("participation", "many")])
def test_design_unknown_values_are_refused(key: str, value: str) -> None:
    with pytest.raises(ValidationError, match=key):
        design_of(complete(payloads.definition(**{key: value})), version=1)
