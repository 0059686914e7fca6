"""Background questions as an author writes them, and the cells that opening makes of them."""

import itertools
import math
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from collector.designs.background import WITHHELD
from collector.errors import ValidationError
from estimator.base.languages import LANGUAGES, activated
from randomized_response import forced_response, plan
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.definition.background import cells_of, kept
from surveys.exchange.translations import texts_of
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from surveys.planning import dossier
from surveys.planning.arms import responses_for_coins, version_plans
from tests.factories import background


def part(*sizes: int, expected: int, smallest: int = 10, shares: Any = None) -> Any:
    """Questions with so many choices each."""
    questions = [{"choices": [{"en": str(one)} for one in range(size)]} for size in sizes]
    if shares:
        questions[0]["shares"] = shares
    return {"expected_responses": expected, "smallest_cell": smallest, "questions": questions}


@given(st.lists(st.integers(2, 5), min_size=1, max_size=4), st.integers(200, 5000), st.integers(5, 40))
def test_each_cell_is_expected_to_hold_enough(sizes: list[int], expected: int, smallest: int) -> None:
    try:
        cells = cells_of(part(*sizes, expected=expected, smallest=smallest))
    except ValidationError as fault:
        assert "no answer to it could be kept" in str(fault)  # noqa: PT017
        return
    held = [Fraction(expected)] * len(cells)
    for place, cell in enumerate(cells):
        for size, answers in zip(sizes, cell, strict=True):
            one = (1 - WITHHELD) / size
            held[place] *= sum((WITHHELD if answer == size else one for answer in answers), Fraction(0))
    assert min(held) >= smallest
    assert sum(held) == expected


def test_first_question_is_kept_finest() -> None:
    definition = background.definition(background.REGION, background.AGE, background.DEGREE, expected=1000)
    shares = [one.share for one in kept(definition["background_questions"])]
    assert shares[0] == 1.0
    assert shares == sorted(shares, reverse=True)


def test_answers_too_rare_are_pooled_and_joined_by_the_next_rarest() -> None:
    """Of 100 responses 'c' has about 5 and "prefer not to say" 5: together enough, and neither alone."""
    cells = cells_of(part(3, expected=100, smallest=10, shares=["0.5", "0.4", "0.1"]))
    assert cells == [((0,),), ((1,),), ((2, 3),)]
    cells = cells_of(part(3, expected=100, smallest=20, shares=["0.5", "0.4", "0.1"]))
    assert cells == [((0,),), ((1, 2, 3),)]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"expected": 15}, r"questions\[0\]: of 15 responses no answer to it could be kept with at least 10"),
        ({"expected": 9}, "smallest_cell must be at most the expected responses, 9; got 10"),
        ({"smallest": 2}, "smallest_cell must be an integer of at least 5; got 2"),
        ({"shares": ["0.5"]}, r"questions\[0\].shares must have a share for each of the 2 choices; got 1"),
        ({"shares": ["0.5", "0.4"]}, r"questions\[0\].shares: the shares must sum to 1; they sum to 9/10"),
        ({"shares": ["1/2", "two"]}, r"shares\[1\] must be a fraction from 0 to 1"),
    ],
)
def test_fault_names_place_and_bound(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        cells_of(part(2, **({"expected": 100} | changes)))


def test_too_many_cells_are_refused() -> None:
    with pytest.raises(ValidationError, match=r"makes .* cells; at most 4,096 are possible"):
        cells_of(part(40, 40, 4, expected=1_000_000))


def test_yaml_is_read_and_written_as_it_was() -> None:
    definition = background.definition(*background.SIX, expected=20_000)
    written = definitions.dump(definition)
    assert definitions.load_checked(written) == definition
    question = definition["background_questions"]["questions"][0]
    assert (question["key"], question["prefer_not"]) == ("where_do_you_live", {"en": "Prefer not to say"})


@pytest.mark.django_db
def test_draft_keeps_them(alice: User) -> None:
    definition = background.definition()
    survey = write_survey(definition, team=home_team(alice))
    assert selectors.definition_of(survey)["background_questions"] == definition["background_questions"]
    assert selectors.error_of_draft(survey) is None


def test_survey_without_them_is_frozen_as_before() -> None:
    plain = background.definition()
    del plain["background_questions"]
    assert "background_questions" not in definitions.design_of(plain, version=1).document


def test_six_questions_make_two_thousand_cells() -> None:
    """The largest that are planned for: their design is read and checked in a second, and its text is small."""
    definition = background.definition(*background.SIX, expected=1_000_000)
    design = definitions.design_of(definition, version=1)
    assert len(design.background.cells) >= 1500
    assert len(set(itertools.chain(design.strata))) == len(design.background.cells)


def test_translators_get_each_text() -> None:
    """The same places as in the editor (tests/client/texts.test.mjs)."""
    found = texts_of(background.definition(background.JOB))
    places = [place for place in found if place.startswith("background_questions")]
    assert places == [
        f"background_questions/questions/0/{part}" for part in ("wording", "choices/0", "choices/1", "prefer_not")
    ]


def test_arms_have_names_in_the_languages_of_the_survey() -> None:
    asked = background.definition(background.ARMS, background.AGE)["background_questions"]
    arms, age = asked["questions"]
    assert (arms["key"], arms["wording"]) == ("arm", {"en": "Version of this page"})
    assert arms["choices"] == [{"en": "Explained before"}, {"en": "Explained afterwards"}]
    assert arms["arms"] == [{"explanation": "before", "weight": 1}, {"explanation": "after", "weight": 1}]
    assert "prefer_not" not in arms
    assert "prefer_not" in age


def test_arms_are_kept_for_everybody() -> None:
    definition = background.definition(background.ARMS, background.REGION, background.AGE, expected=600)
    found = kept(definition["background_questions"])
    assert found[0].share == 1.0
    assert found[2].share < 1.0


def test_arms_too_rare_are_refused() -> None:
    arms = {"arms": [{"explanation": "before", "weight": 99}, {"explanation": "after", "weight": 1}]}
    with pytest.raises(ValidationError, match="no answer to it could be kept"):
        background.design(arms, expected=300)


def test_versions_are_planned_by_their_own_tickets() -> None:
    """As the library's power where both ask alike; a version that protects less tells smaller differences."""
    definition = background.weaker(expected=2000)
    asked = definition["background_questions"]
    first, less = version_plans(definition["items"], asked)
    assert (first.difference, first.epsilon) == (None, pytest.approx(math.log(3 * 4)))
    assert less.epsilon == pytest.approx(math.log(7 * 4))
    alike = background.definition(background.ARMS, expected=2000)
    _, same = version_plans(alike["items"], alike["background_questions"])
    assert less.difference is not None
    assert same.difference is not None
    assert less.difference < same.difference
    channel = forced_response(truth="1/2")
    assert plan.power(1000, channel, 0.5 - same.difference, 0.5, against_n=1000) == pytest.approx(0.8, abs=0.005)
    few = background.weaker(expected=30)
    assert [one.difference for one in version_plans(few["items"], few["background_questions"])] == [None, None]


def test_coins_are_planned_by_their_tables() -> None:
    """1 less both rates of yes: with three equal versions its variance at a half is 3 / (2 n)."""
    definition = background.two_coins()
    asked = definition["background_questions"]
    assert responses_for_coins(definition["items"], asked) == 925
    assert pytest.approx(925, abs=10) == (1.645 + 0.842) ** 2 * 1.5 / 0.1**2  # at 10 % the rates are a little below
    asked["questions"][0]["arms"][0]["weight"] = 2
    assert responses_for_coins(definition["items"], asked) == pytest.approx(925 * 4 / 3, abs=2)
    same = definition["items"][0] | {"key": "same", "channel": {"name": "warner", "truth": "3/4"}}
    arms = asked["questions"][0]["arms"]
    arms[0] |= {"explanation": "own_coin", "instead": {"cheated": "same"}, "weight": 1}
    assert responses_for_coins([*definition["items"], same], asked) < 925, "one table under two names is one coin"
    for alone in (background.OWN_COIN, background.ARMS):
        other = background.definition(alone)
        assert responses_for_coins(other["items"], other["background_questions"]) is None


def test_version_that_protects_less_is_opened_with_a_consent_alone() -> None:
    definition = background.weaker()
    assert definitions.design_of(definition, version=1).background.arms[1].consent
    del definition["background_questions"]["questions"][0]["arms"][1]["consent"]
    with pytest.raises(ValidationError, match=r"arms\[1\].consent must be there: this version has epsilon 3.34"):
        definitions.design_of(definition, version=1)


def test_texts_of_arms_are_translated() -> None:
    arms = {"arms": [{"explanation": "before", "introduction": "Hello."}, {"explanation": "after"}]}
    definition = background.definition(arms)
    texts = texts_of(definition)
    assert texts["background_questions/questions/0/arms/0/introduction"].text == {"en": "Hello."}
    assert "background_questions/questions/0/prefer_not" not in texts


def kept_and_told(survey: Survey) -> str:
    """What the dossier of a survey tells, which its file keeps as it is."""
    written = selectors.definition_of(survey)
    assert definitions.load(definitions.dump(written))["background_questions"] == written["background_questions"]
    design, _ = selectors.design_to_open(survey)
    with activated("en", LANGUAGES):
        shown = dossier.contents(survey, design, expected=1000, today=date(2026, 11, 1), language="en")
    return str(shown).replace("\xa0", " ").replace("\\xa0", " ")


def test_arms_are_kept_by_a_file_and_told_in_the_dossier(alice: User) -> None:
    told = kept_and_told(write_survey(background.definition(background.ARMS, background.AGE), team=home_team(alice)))
    assert "“Explained before” (50 %), “Explained afterwards” (50 %). All versions use the same tickets" in told


def test_versions_with_a_coin_are_kept_by_a_file_and_told_in_the_dossier(alice: User) -> None:
    told = kept_and_told(write_survey(background.two_coins(), team=home_team(alice)))
    assert "With “Two coins”, “Two coins, reversed” the page draws no tickets: respondents toss a coin or die" in told
    assert "Versions with a coin of one’s own say: “Toss two coins where nobody sees them." in told
    assert told.count("Heads: the side with a head") == 2, "in the pictures of both versions with a coin"


def test_questions_of_a_version_are_kept_by_a_file_and_told_in_the_dossier(alice: User) -> None:
    survey = write_survey(background.weaker(), team=home_team(alice))
    told = kept_and_told(survey)
    assert "Some ask a question in another way; what a version does not ask is sent as a random answer" in told
    assert "ticks a statement of its own: “I know that fewer tickets decide in my version.”" in told
    assert "multiply these odds by at most 28" in told
    assert "English · A quarter of the tickets" in told
    assert "background_questions/questions/0/arms/1/consent" in texts_of(selectors.definition_of(survey))
