"""Simulated respondents: answers of every kind, drawn and read, asked as the page asks, and never echoed."""

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User

from collector.designs import Condition, Design, selectors
from collector.errors import InputError
from collector.reports import selectors as reports
from estimator.runs import selectors as estimates
from surveys.accounts.teams import home_team
from surveys.lifecycle import services
from surveys.planning.rehearsals import simulation
from surveys.planning.rehearsals.population import population
from surveys.planning.rehearsals.respondents import Respondent, answers_to_send, read_answers, shares_of
from tests.factories import kinds
from tests.factories.surveys import example

DESIGN = Design.of(kinds.document())
ITEMS = DESIGN.items
KEYS = [item.key for item in ITEMS]
NONE = (0, 0, 0, 0, 0)
DRINKS_AND_GAMBLES = (0, 1, 1, 0, 0)


def people(shares: dict[str, list[float]], count: int = 2_000) -> list[Respondent]:
    return list(population(DESIGN, {"respondents": count, "shares": shares}).draw(np.random.default_rng(3)))


def read(**cells: str) -> Respondent:
    """One person; what is not said here is answered somehow."""
    given = dict(zip(KEYS, ("Yes", "Often", "LSD", "Bar", "Drinking", "2", "5 – Very much", "40", "2.5"), strict=True))
    row = given | cells
    text = ",".join(KEYS) + "\n" + ",".join(row[key] for key in KEYS) + "\n"
    return read_answers(DESIGN, io.StringIO(text))[0]


def test_unasked_item_sends_its_default() -> None:
    answers = (0, 2, 1, 1, (1, 0, 0, 1, 0), 1, 1, 5, 7)
    assert answers_to_send(ITEMS, answers) == (0, 0, 1, 1, (1, 0, 0, 1, 0), 1, 1, 5, 0)
    asked = (1, 2, 1, 1, DRINKS_AND_GAMBLES, 1, 1, 5, 7)
    assert answers_to_send(ITEMS, asked) == asked


def test_unasked_several_choices_are_sent_unticked() -> None:
    items = [ITEMS[0], replace(ITEMS[4], asked_if=Condition("smokes", (1,)))]
    assert answers_to_send(items, (0, DRINKS_AND_GAMBLES)) == (0, NONE)


def test_item_depending_on_unasked_item_is_unasked() -> None:
    third = replace(ITEMS[2], asked_if=Condition("often", (0, 2)), unasked=5)
    assert answers_to_send([ITEMS[0], ITEMS[1], third], (0, 2, 1)) == (0, 0, 5)


def test_blank_answer_is_sent_as_prefer_not_to_say() -> None:
    assert answers_to_send(ITEMS[:2], (1, None)) == (1, 3)
    assert answers_to_send([replace(ITEMS[4], required=False)], (None,)) == (NONE,)
    with pytest.raises(InputError, match="smokes must be answered"):
        answers_to_send(ITEMS[:1], (None,))


def test_blank_answer_asks_no_dependent_item() -> None:
    third = replace(ITEMS[2], asked_if=Condition("often", (3,)), unasked=5)
    assert answers_to_send([ITEMS[0], ITEMS[1], third], (1, None, 1)) == (1, 3, 5)
    assert answers_to_send([ITEMS[0], ITEMS[1], third], (1, 3, 1)) == (1, 3, 1)


def test_answers_csv_every_kind_by_text_or_number() -> None:
    by_text = read(habits="Drinking; Gambling", mood="1 – Not at all", drinks="7", hours="2.5")
    assert by_text.answers == (1, 2, 4, 3, DRINKS_AND_GAMBLES, 0, 4, 7, 5)
    by_number = read(smokes="1", often="2", substance="4", place="3", habits="1;2", mood="1", worry="5", drinks="7.0")
    assert by_number == by_text


def test_answers_csv_unasked_cell_is_ignored() -> None:
    assert read(smokes="No", often="canary", habits="", hours="canary").answers[1:] == (0, 4, 3, NONE, 1, 4, 40, 0)


def test_answers_csv_empty_cell_where_optional() -> None:
    assert read(often="").answers[1] is None
    with pytest.raises(InputError, match="line 2: mood must be 1 to 5 or the text of a choice"):
        read(mood="")


def test_answers_csv_numeric_choice_texts_are_texts() -> None:
    """Choices 1, 2, 3 of which "1" is the first: a file of places from 0 must not be read as one of texts."""
    item = ITEMS[2].document | {"choices": [{"en": "1"}, {"en": "2"}, {"en": "3"}]}
    design = Design.of(kinds.document(items=[item]))
    assert read_answers(design, io.StringIO("substance\n1\n"))[0].answers == (0,)
    with pytest.raises(InputError, match="line 2: substance must be the text of a choice"):
        read_answers(design, io.StringIO("substance\n0\n"))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"habits": "Smoking;canary"}, "line 2: habits must be 0 to 4 or the text of a choice, with ; between several"),
        ({"habits": "0;1;2"}, "line 2: habits must have at most 2 of the choices"),
        ({"drinks": "41.75"}, "line 2: drinks must be a number from 0 to 40 in steps of 1"),
        ({"drinks": "canary"}, "line 2: drinks must be a number from 0 to 40 in steps of 1"),
        ({"hours": "2.25"}, "line 2: hours must be a number from 0 to 10 in steps of 0.5"),
        ({"hours": ""}, "line 2: hours must be a number"),
        ({"mood": "0"}, "line 2: mood must be 1 to 5 or the text of a choice"),
    ],
)
def test_answers_csv_error_hides_the_answer(cells: dict[str, str], words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(**cells)
    assert words in str(caught.value)
    assert "canary" not in str(caught.value) + repr(caught.value.__context__)


def test_population_shares_are_of_those_asked() -> None:
    """2,000 people; each bound is five standard deviations, false alarm 6e-7."""
    found = people({"smokes": [0.5], "often": [0, 0, 1, 0], "habits": [0.3, 0, 0, 0, 0.1], "drinks": [12]})
    smokers = [person for person in found if person.answers[0] == 1]
    assert abs(len(smokers) / 2_000 - 0.5) < 5 * 0.0112
    assert {person.answers[1] for person in smokers} == {2}
    assert {person.answers[1] for person in found if person.answers[0] == 0} == {0}
    # Those who would rather not say tick nothing else.
    assert abs(np.mean([person.answers[4] == (1, 0, 0, 0, 0) for person in found]) - 0.27) < 5 * 0.0099
    assert abs(np.mean([person.answers[4] == (0, 0, 0, 0, 1) for person in found]) - 0.1) < 5 * 0.0067
    # Binomial of 40 steps with 12 on average: standard deviation 2.9.
    assert abs(np.mean([person.answers[7] for person in found]) - 12) < 5 * 2.9 / 2_000**0.5


def test_population_ticks_at_most_the_limit() -> None:
    found = people({"habits": [1, 1, 1, 1, 0]}, count=300)
    assert {sum(person.answers[4]) for person in found} == {2}
    assert len({person.answers[4] for person in found}) == 6, "which of them is left to chance"


@pytest.mark.parametrize(
    ("key", "given", "words"),
    [
        ("habits", [0.5], "habits needs 5 shares from 0 to 1; got"),
        ("habits", [0.5, 0.5, 0.5, 0.5, 1.5], "habits needs 5 shares from 0 to 1; got"),
        ("often", [0.5, 0.5, 0.5, 0.5], "often needs 4 shares from 0 to 1 that sum to 1"),
        ("drinks", [41], "the mean of drinks must be from 0 to 40; got 41"),
        ("drinks", [0.5, 0.5], "drinks needs 41 shares"),
    ],
)
def test_shares_invalid_are_refused(key: str, given: list[float], words: str) -> None:
    with pytest.raises(InputError, match=words.replace(";", ".*")):
        shares_of(ITEMS[KEYS.index(key)], given)


@pytest.mark.parametrize("mean", [0.0, 0.25, 7.5, 10.0])
def test_shares_given_mean_is_met_exactly(mean: float) -> None:
    table = shares_of(ITEMS[8], [mean])
    assert sum(share * place / 2 for place, share in enumerate(table)) == pytest.approx(mean)


@pytest.mark.django_db
def test_known_shares_of_every_kind(alice: User) -> None:
    version = simulation.start(services.write_survey(example() | {"rehearsal": True}, team=home_team(alice)))
    design = selectors.get_design(version.design_id)
    answers: list[tuple[Any, ...]] = [
        (1, None, 4, 3, DRINKS_AND_GAMBLES, 0, 4, 7, 5),
        (0, 2, 4, 3, (0, 0, 0, 0, 1), 0, 4, 40, 5),
    ]
    list(simulation.rehearse(version, [Respondent(0, told) for told in answers], np.random.default_rng(1)))
    known = {place: share for place, share in estimates.known_shares(design.digest).items() if share}
    assert known == {
        (0, 0, None): 0.5, (0, 1, None): 0.5,
        (1, 0, None): 0.5, (1, 3, None): 0.5,  # not asked: sent as never; left blank: as prefer not to say
        (2, 4, None): 1.0, (3, 3, None): 1.0,
        (4, 1, None): 0.5, (4, 2, None): 0.5, (4, 4, None): 0.5,
        (5, 0, None): 1.0, (6, 4, None): 1.0,
        (7, 7, None): 0.5, (7, 40, None): 0.5,
        (8, 0, None): 0.5, (8, 5, None): 0.5,
    }  # fmt: skip
    assert reports.received_count(design.digest) == 2
