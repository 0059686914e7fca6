"""Every kind of question as an author writes it: one reading of the contract, nothing lost, refusals in words."""

import math
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from collector.designs.selectors import get_design
from collector.errors import ValidationError
from estimator.base.mechanisms import REGISTRY
from estimator.models import KnownShare, Run
from estimator.runs import services as estimator
from randomized_response import SubsetSelection, UnaryEncoding
from surveys.accounts.teams import home_team
from surveys.definition.definitions import complete, design_of, dump, load, total_epsilon
from surveys.definition.mechanisms import MECHANISMS, mechanism_of
from surveys.definition.questions import ITEM_KEYS, PREFER_NOT, YES_NO
from surveys.definition.unsupported import unsupported_text
from surveys.lifecycle import selectors, services
from surveys.models import Item, Page
from surveys.opening.services import open_survey
from tests.factories import kinds
from tests.factories.surveys import EXAMPLE, example


def question(**said: Any) -> dict[str, Any]:
    """A survey of a yes/no question and the one that is described, complete."""
    first = {"key": "first", "wording": "First?"}
    return complete({"slug": "s", "title": "T", "items": [first, {"key": "q", "wording": "Q?"} | said]})


def frozen(**said: Any) -> dict[str, Any]:
    item: dict[str, Any] = design_of(question(**said), version=1).document["items"][1]
    return item


def fault(**said: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        frozen(**said)
    return str(caught.value)


def test_example_design_equals_contract() -> None:
    """Word for word but for what is asked, and for the ceilings that only an opened survey has."""

    def without_words(document: dict[str, Any]) -> dict[str, Any]:
        items = [item | {key: {} for key in {"wording", "heading"} & {*item}} for item in document["items"]]
        return {k: v for k, v in document.items() if k != "ceilings"} | {"introduction": {}, "items": items}

    assert without_words(design_of(example(), version=1).document) == without_words(kinds.document())


def test_example_from_import_to_open(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imported, rehearsed, estimated and opened from the command line, as docs/reference/survey-file.md says."""
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)
    call_command("import_survey", str(EXAMPLE), "--owner", "alice")
    call_command("rehearse", "kinds", "--respondents", "40", "--share", "drinks=12", "--seed", "1", "--json")
    run = Run.objects.get()
    assert (run.state, run.reports) == (Run.State.DONE, 40)
    # Every answer of seven questions and the mean of both scales and both numbers.
    shares = 2 + 4 + 6 + 8 + 5 + 5 + 5
    assert run.estimates.count() == shares - 5 + 4, "of the scale with discrete Laplace noise the mean alone"
    assert KnownShare.objects.count() == shares + 41 + 21
    call_command("open_survey", "kinds", "--reason", "It is a test.", "--json")
    showing = selectors.published_version("kinds", "")
    assert showing
    page = (showing.page(Page.Kind.ANSWER) or b"").decode()
    assert all(item["wording"]["en"] in page for item in example()["items"])


def test_total_epsilon_counts_every_encoding() -> None:
    """The product of the ratios that docs/reference/formats.md gives: 2, 2, 2 and (6 x 5) / (5 x 3) for the choices,
    (6/5) ** 4 for two of five options, 2 for each scale and number but those with noise, which have e ** 0.7."""
    ratio = 2 * 2 * 2 * 2 * 1.2**4 * 2 * 2
    assert total_epsilon(example()) == pytest.approx(math.log(ratio) + 2 * 0.7, abs=1e-5)


def test_example_yaml_and_database_round_trip(alice: User) -> None:
    definition = example()
    assert load(dump(definition)) == definition == complete(definition)
    survey = services.write_survey(definition, team=home_team(alice))
    assert selectors.definition_of(survey) == definition
    assert services.write_survey(definition, team=home_team(alice)) == survey
    assert selectors.definition_of(survey) == definition


def test_item_kinds_and_mechanisms_equal_registry() -> None:
    assert set(MECHANISMS) == set(Item.Kind.values)
    assert {name for names in MECHANISMS.values() for name in names} == set(REGISTRY)


UNARY = UnaryEncoding.optimised(4, epsilon=1.1)
SUBSET = SubsetSelection.optimised(4, epsilon=1.1)
FOUR = ["A", "B", "C", "D"]


def test_unary_encoding_is_computed_from_epsilon() -> None:
    item = frozen(kind="one_choice", choices=FOUR, channel={"name": "unary", "epsilon": 1.1})
    assert item["encoding"] == "one_hot"
    rows = [list(row) for row in UNARY.bit.weights]
    off = str(UNARY.off)
    assert item["channel"] == {"name": "unary", "epsilon": "1.1", "on": "1/2", "off": off, "weights": rows}


def test_subset_encoding_is_computed_from_epsilon() -> None:
    item = frozen(kind="one_choice", choices=FOUR, channel={"name": "subset", "epsilon": "1.1"})
    hit = SUBSET.hit
    assert item["encoding"] == "subset"
    assert item["channel"]["weights"] == [[hit.denominator - hit.numerator, hit.numerator]]
    assert (item["channel"]["size"], item["channel"]["truth"]) == (SUBSET.size, str(hit))


def test_subset_definition_keeps_epsilon_as_written() -> None:
    definition = question(kind="one_choice", choices=FOUR, channel={"name": "subset", "epsilon": 1.1})
    assert definition["items"][1]["channel"] == {"name": "subset", "epsilon": "1.1"}
    assert mechanism_of(definition["items"][1]) == SUBSET


def test_prefer_not_to_say_is_the_last_choice() -> None:
    channel = {"name": "k_ary", "truth": "1/2"}
    assert [text["en"] for text in frozen(prefer_not=True, channel=channel)["choices"]] == [
        "No", "Yes", "Prefer not to say",
    ]  # fmt: skip
    own = frozen(kind="one_choice", choices=FOUR, prefer_not="No comment", channel=channel)
    assert (own["choices"][-1], own["prefer_not"]) == ({"en": "No comment"}, True)
    assert "prefer_not" not in frozen(kind="one_choice", choices=FOUR, prefer_not=False, channel=channel)


def test_prefer_not_texts_in_all_languages() -> None:
    assert set(PREFER_NOT) == set(YES_NO)


def test_scale_points_become_choices_in_each_language() -> None:
    survey = {
        "slug": "s", "languages": ["en", "de"], "title": {"en": "T", "de": "T"},
        "items": [{
            "key": "q", "kind": "scale", "wording": {"en": "Q?", "de": "F?"}, "points": 3,
            "low": {"en": "Never", "de": "Nie"}, "channel": {"name": "k_ary", "truth": "1/2"},
        }],
    }  # fmt: skip
    assert complete(survey)["items"][0]["choices"] == [
        {"en": "1 – Never", "de": "1 – Nie"}, {"en": "2", "de": "2"}, {"en": "3", "de": "3"},
    ]  # fmt: skip


def test_condition_answers_by_text_or_index() -> None:
    by_place = question(asked_if={"item": "first", "answers": [1]}, unasked=0)
    assert question(asked_if={"item": "first", "answers": ["Yes"]}, unasked="No") == by_place


@pytest.mark.parametrize(("unasked", "place"), [(2, 0), ("3.0", 2), (2.5, 1)])
def test_unasked_number_is_given_by_value(unasked: Any, place: int) -> None:
    number = {
        "kind": "number",
        "minimum": 2,
        "maximum": 4,
        "step": "0.5",
        "channel": {"name": "one_bit", "truth": "1/2"},
    }
    item = frozen(**number, asked_if={"item": "first", "answers": [1]}, unasked=unasked)
    assert item["grid"] == {"minimum": "2", "maximum": "4", "step": "0.5"}
    assert item["unasked"] == place


K_ARY = {"name": "k_ary", "truth": "1/2"}
ONE_BIT = {"name": "one_bit", "truth": "1/2"}
NUMBER = {"kind": "number", "minimum": 0, "maximum": 4, "step": 1, "channel": ONE_BIT}
CHOICE = {"kind": "one_choice", "choices": FOUR, "channel": K_ARY}
SEVERAL = {"kind": "several_choices", "choices": FOUR, "channel": {"name": "warner", "truth": "2/3"}}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"kind": "text"}, "items[1].kind 'text' is not possible: Candor has no free text"),
        ({"kind": "upload"}, "'upload' is not possible: Candor takes no files"),
        ({"kind": "ranking"}, "'ranking' is not possible: Candor has no ranking"),
        (CHOICE | {"ranked": True}, "items[1].ranked is not possible: Candor has no ranking"),
        ({"kind": "html"}, "'html' is not possible: Candor runs no scripts and no HTML"),
        ({"kind": "matrix"}, "items[1].kind must be one of yes_no, one_choice, several_choices, scale, number; got"),
        ({"kind": "one_choice", "choices": FOUR}, "items[1].channel must say how a question of kind one_choice is"),
        (CHOICE | {"channel": K_ARY | {"yes": "1/2"}}, "items[1].channel has unknown keys: yes; known are name, truth"),
        (CHOICE | {"channel": ONE_BIT}, "name must be k_ary, unary, subset or custom for one_choice; got 'one_bit'"),
        (CHOICE | {"choices": ["A"]}, "items[1].choices must be a list of at least 2 texts; got 1"),
        ({"prefer_not": True}, "name must be k_ary or custom for yes_no with prefer_not; got 'forced_response'"),
        (NUMBER | {"prefer_not": True}, "items[1].prefer_not is not allowed for a number: every response to a number"),
        (NUMBER | {"step": 3}, "items[1].grid.maximum must be a whole number of steps above the minimum; got 4/3"),
        (NUMBER | {"step": "often"}, "items[1].grid.step must be a decimal number as text"),
        (NUMBER | {"maximum": 400}, "items[1].grid must have at most 256 points; got 401"),
        (NUMBER | {"required": False}, "items[1].required is for yes_no, one_choice, several_choices, scale"),
        (NUMBER | {"asked_if": {"item": "first", "answers": [1]}, "unasked": 9},
         "items[1].unasked must be a number from 0 to 4 in steps of 1; got '9'"),
        (CHOICE | {"required": False}, "items[1].required can be false only if prefer_not is true"),
        (CHOICE | {"most": 2}, "items[1].most is for several_choices"),
        (SEVERAL | {"most": 4}, "items[1].most must be an integer from 1 to 3; got 4"),
        (SEVERAL | {"channel": K_ARY}, "name must be forced_response, warner or custom for several_choices"),
        (SEVERAL | {"channel": {"name": "warner", "truth": "1/3"}}, "must send 1 more often in row 1 than in row 0"),
        (CHOICE | {"points": 5}, "items[1].points is for a scale without its own choices"),
        ({"kind": "scale", "points": 1, "channel": K_ARY}, "items[1].points must be an integer from 2 to 256; got 1"),
        (CHOICE | {"low": "Never"}, "items[1]: low and high are only allowed together with points"),
        (CHOICE | {"channel": {"name": "unary", "epsilon": "1", "on": "1/2"}}, "epsilon must stand without on and off"),
        (CHOICE | {"channel": {"name": "unary", "on": "1/2"}}, "items[1].channel must have 'off'"),
        (CHOICE | {"channel": {"name": "unary", "on": "1/3", "off": "1/2"}}, "on must be greater than off"),
        (CHOICE | {"channel": {"name": "subset", "epsilon": "17"}}, "epsilon must be greater than 0 and at most 16"),
        (CHOICE | {"channel": {"name": "subset", "epsilon": "a lot"}}, "items[1].channel.epsilon must be a decimal"),
        (CHOICE | {"channel": {"name": "subset", "size": "2", "truth": "2/3"}}, "size must be an integer"),
        (CHOICE | {"asked_if": {"item": "first", "answers": ["Yes"]}}, "is only allowed together with asked_if"),
        (CHOICE | {"asked_if": {"item": "first", "answers": ["Maybe"]}, "unasked": 0},
         "items[1].asked_if.answers must be one of No, Yes; got Maybe"),
        (CHOICE | {"asked_if": {"item": "second", "answers": ["Yes"]}, "unasked": 0},
         "items[1].asked_if.item must be an earlier question; got 'second'"),
        (CHOICE | {"asked_if": {"first": ["Yes"]}, "unasked": 0}, "items[1].asked_if has unknown keys: first"),
        (SEVERAL | {"dropdown": True}, "items[1].dropdown is for one_choice, scale; got several_choices"),
        (CHOICE | {"dropdown": "yes"}, "items[1].dropdown must be true; got 'yes'"),
        (CHOICE | {"keep_last": True}, "items[1].keep_last is only allowed together with shuffle"),
        (CHOICE | {"shuffle": True, "keep_last": "yes"}, "items[1].keep_last must be true; got 'yes'"),
        (CHOICE | {"shuffle": True, "keep_last": True, "choices": ["A", "B"], "prefer_not": True},
         "items[1].keep_last must leave at least 2 choices to shuffle; got 1"),
        (NUMBER | {"keep_last": True}, "items[1].keep_last is for one_choice, several_choices; got number"),
        (SEVERAL | {"heading": "Rows"}, "items[1].heading is for yes_no, one_choice, scale; got several_choices"),
        (CHOICE | {"heading": "Rows", "shuffle": True}, "items[1].shuffle is not allowed together with heading"),
        (CHOICE | {"heading": "Rows", "dropdown": True}, "items[1].dropdown is not allowed together with heading"),
        (CHOICE | {"heading": "Rows", "choices": [*"ABCDEFGHIJKLM"]}, "choices of a matrix must be at most 12; got 13"),
        (CHOICE | {"colour": "red"}, "items[1] has unknown keys: colour"),
        (CHOICE | {"script": "alert(1)"}, "items[1].script is not possible: Candor runs no scripts and no HTML"),
        (CHOICE | {"other_text": True}, "items[1].other_text is not possible: Candor has no free text"),
        (CHOICE | {"upload": True}, "items[1].upload is not possible: Candor takes no files"),
        (CHOICE | {"goto": "end"}, "items[1].goto is not possible: Candor asks no server which question comes next"),
        (CHOICE | {"quota": 50}, "items[1].quota is not possible: Candor has no quotas on answers: nobody knows"),
        (CHOICE | {"section": "home"}, "items[1].section names a section, but the design has none"),
    ],
)  # fmt: skip
def test_design_error_messages(said: dict[str, Any], words: str) -> None:
    assert words in fault(**said)


def test_last_choice_kept_last_is_in_the_design_only_where_it_is_set() -> None:
    """The digest of a design without it is the one it had before there was such a part."""
    plain = frozen(**CHOICE, shuffle=True)
    assert frozen(**CHOICE, shuffle=True, keep_last=False) == plain
    assert frozen(**CHOICE, shuffle=True, keep_last=True) == plain | {"keep_last": True}


ROWS = """
slug: grid
title: A grid
items:
  - {key: sleep, heading: How good was it?, wording: Sleep, kind: scale, points: 3, required: false, prefer_not: true,
     channel: {name: k_ary, truth: 1/2}}
  - {key: food, heading: How good was it?, wording: Food}
  - {key: other, heading: How bad was it?, wording: Work, kind: scale, points: 4, channel: {name: k_ary, truth: 1/2}}
"""


def test_row_without_kind_takes_that_of_the_row_above() -> None:
    first, second, other = load(ROWS)["items"]
    alone = {"key", "wording"}
    assert {k: v for k, v in first.items() if k not in alone} == {k: v for k, v in second.items() if k not in alone}
    assert len(other["choices"]) == 4
    written = load(ROWS)
    assert load(dump(written)) == written


def test_row_of_a_grid_asks_heading_and_own_words() -> None:
    design = design_of(load(ROWS), version=1)
    assert [item.wording["en"] for item in design.items] == [
        "How good was it? – Sleep", "How good was it? – Food", "How bad was it? – Work",
    ]  # fmt: skip
    assert design.items[0].own_wording == {"en": "Sleep"}


@pytest.mark.parametrize("change", [{"kind": "one_choice"}, {"choices": [{"en": "A"}, {"en": "B"}, {"en": "C"}]}])
def test_rows_of_a_grid_must_share_their_choices(change: dict[str, Any]) -> None:
    definition = load(ROWS)
    definition["items"][1].update(change)  # type: ignore[typeddict-item]
    with pytest.raises(ValidationError, match=r"items\[1\].choices must be those of sleep, the question before it"):
        design_of(definition, version=1)


def test_rows_in_two_sections_are_two_grids() -> None:
    definition = load(ROWS)
    definition["sections"] = [{"key": key, "title": {"en": key}, "introduction": {"en": ""}} for key in ("a", "b")]
    for item, section in zip(definition["items"], "abb", strict=True):
        item["section"] = section
    definition["items"][1]["choices"] = definition["items"][2]["choices"]
    assert len(design_of(definition, version=1).items) == 3


def test_sections_must_be_contiguous_and_known() -> None:
    survey = example()
    survey["items"][0]["section"] = "second"
    with pytest.raises(ValidationError, match="items must be grouped by section, in the order first, second"):
        design_of(survey, version=1)
    with pytest.raises(ValidationError, match=r"sections\[0\] has unknown keys: name"):
        complete({"slug": "s", "title": "T", "sections": [{"name": "first"}]})


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(lambda said: not unsupported_text(said))
TEXTS = st.fixed_dictionaries({"en": WORDS, "de": WORDS})
FRACTIONS = st.sampled_from(["1/2", "2/3", "0.4", "on", "1"])
CHANNELS = st.one_of(
    st.fixed_dictionaries({"name": st.just("forced_response"), "truth": FRACTIONS, "yes": FRACTIONS}),
    st.fixed_dictionaries({"name": st.sampled_from(["k_ary", "warner", "one_bit"]), "truth": FRACTIONS}),
    st.fixed_dictionaries({"name": st.just("unary"), "on": FRACTIONS, "off": FRACTIONS}),
    st.fixed_dictionaries({"name": st.just("subset"), "size": st.integers(1, 9), "truth": FRACTIONS}),
    st.fixed_dictionaries({"name": st.just("custom"), "weights": st.lists(st.lists(st.integers(-(10**19), 10**19)))}),
    st.fixed_dictionaries({"name": st.sampled_from(["unary", "discrete_laplace"]), "epsilon": st.just("1.10")}),
)
ITEMS = st.fixed_dictionaries(
    {"key": WORDS, "kind": st.sampled_from(["one_choice", "several_choices", "scale"]), "wording": TEXTS,
     "choices": st.lists(TEXTS), "channel": CHANNELS},
    optional={"prefer_not": TEXTS, "required": st.just(False), "shuffle": st.just(True), "keep_last": st.just(True),
              "most": st.integers(-9, 999), "section": WORDS, "unasked": st.integers(-9, 999)},
)  # fmt: skip
NUMBERS = st.fixed_dictionaries(
    {"key": WORDS, "kind": st.just("number"), "wording": TEXTS, "choices": st.just([]), "channel": CHANNELS},
    optional=dict.fromkeys(
        ("minimum", "maximum", "step", "unasked"), st.sampled_from(["0", "1.50", "-3", "yes", "1e3"])
    ),
)
SECTIONS = st.fixed_dictionaries({"key": WORDS, "title": TEXTS, "introduction": TEXTS})
SURVEYS = st.fixed_dictionaries(
    {"slug": WORDS, "rehearsal": st.booleans(), "languages": st.just(["en", "de"]), "title": TEXTS,
     "introduction": TEXTS, "consent": TEXTS, "items": st.lists(st.one_of(ITEMS, NUMBERS), max_size=3),
     "strata": st.fixed_dictionaries({"wording": TEXTS, "groups": st.just([])})},
    optional={"sections": st.lists(SECTIONS, min_size=1, max_size=2)},
)  # fmt: skip


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SURVEYS)
def test_yaml_round_trip_of_any_complete_definition(survey: dict[str, Any]) -> None:
    assert load(dump(survey)) == survey


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 400), st.floats(), st.sampled_from(["Yes", "1/2", "x", ""])
)
WORD = st.sampled_from(["en", "item", "answers"])
JUNK = st.recursive(SCALARS, lambda parts: st.lists(parts, max_size=3) | st.dictionaries(WORD, parts))
KIND = st.sampled_from([*MECHANISMS, "text"])
CHANNEL = st.fixed_dictionaries(
    {"name": st.sampled_from(sorted({name for names in MECHANISMS.values() for name in names})) | JUNK},
    optional=dict.fromkeys(("truth", "yes", "on", "off", "size", "epsilon", "weights"), JUNK),
)
ANYTHING = st.fixed_dictionaries(
    {"kind": KIND | JUNK, "channel": CHANNEL | JUNK},
    optional=dict.fromkeys(sorted(ITEM_KEYS - {"kind", "channel"}), JUNK),
)


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(ANYTHING)
def test_design_of_any_file_passes_or_raises_with_text(said: dict[str, Any]) -> None:
    try:
        frozen(**said)
    except ValidationError as refusal:
        assert str(refusal)  # noqa: PT017 - it need not raise


def test_markup_in_texts_is_escaped(alice: User, client: Client) -> None:
    """A survey's texts are texts: on the page, in the panel and in the design they stand as they were written."""
    markup = "<script>alert(1)</script><b>bold</b>"
    definition = example()
    for place in (definition["items"][0]["wording"], definition["items"][2]["choices"][1], definition["title"]):
        place["en"] = markup
    version = open_survey(services.write_survey(definition, team=home_team(alice)), reason="It is a test.")
    assert get_design(version.design_id).document["items"][0]["wording"] == {"en": markup}
    page = selectors.published_version("kinds", "").page("answer")  # type: ignore[union-attr,arg-type]
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    panel = client.get(reverse("panel:survey", args=["kinds"])).content
    for html in (page, panel):
        assert html
        assert b"bold" in html
        assert b"<script>alert" not in html
        assert b"<b>bold" not in html
