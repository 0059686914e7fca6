"""People who answer at random or deny: how often a report finds them, with as many responses as the editor names.

Their answers go through the page's own modules, the collector, and the job that estimates.
"""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from collector.designs.selectors import get_design
from collector.endpoint import receiving
from collector.reports import storing
from estimator.reports import report as reports
from surveys.accounts.teams import home_team
from surveys.definition.mechanisms import mechanism_of
from surveys.lifecycle.services import write_survey
from surveys.models import Version
from surveys.opening.services import open_survey
from surveys.planning.arms import responses_for_coins
from surveys.planning.random_answers import responses_to_detect
from tests.factories import background, payloads
from tests.factories.runs import run_of
from tests.tools.client import run_in_node

pytestmark = pytest.mark.django_db
PEOPLE = Path(__file__).with_name("people.mjs")
SHARES = {"moon": 0.0, "cheated": 0.3, "cheated-reverse": 0.3}
BATCH = 500


def definition() -> Any:
    """A control question, and one that is asked by tickets and by two coins."""
    cheated, reverse, _ = background.two_coins()["items"]
    moon = payloads.definition()["items"][0] | {"key": "moon", "wording": {"en": "Been there?"}, "known_share": "0"}
    return background.two_coins(items=[moon, cheated, reverse])


def sample(version: Version, people: int, seed: int) -> str:
    """All that the report's check says of so many people, of whom 8 % answer at random and 10 % deny."""
    design = get_design(version.design_id)
    asked = {"design": design.canonical.decode(), "digest": design.digest, "seed": seed, "people": people}
    sent = run_in_node(PEOPLE, asked | {"yes": SHARES, "random": 0.08, "denies": 0.1})
    for start in range(0, people, BATCH):
        new = [receiving.read(body.encode(), slug=design.slug) for body in sent[start : start + BATCH]]
        assert all(map(receiving.created, storing.store(new)))
    return " ".join(sentence for check in reports.build(run_of(design)).protection for sentence in check.sentences)


def found(alice: User, people: int, surveys: int, words: str) -> int:
    """In how many of these surveys the report says so."""
    times = 0
    for seed in range(1, surveys + 1):
        survey = write_survey(definition() | {"slug": f"survey-{seed}"}, team=home_team(alice))
        times += words in sample(open_survey(survey), people, 1_000_003 * seed)
    return times


@pytest.mark.long
def test_who_denies_is_found_in_eight_of_ten_surveys_by_two_coins(alice: User) -> None:
    """Fewer than 26 of 40 would be found in less than 1 % of seeds."""
    written = definition()
    people = responses_for_coins(written["items"], written["background_questions"])
    assert people == 925
    times = found(alice, people, 40, "mark No whatever their coin shows, more than chance explains")
    assert times >= 26, times


@pytest.mark.parametrize("surveys", [1, pytest.param(40, marks=pytest.mark.long)])
def test_random_answers_are_found_in_eight_of_ten_surveys_by_a_control_question(alice: User, surveys: int) -> None:
    """Fewer than 26 of 40 would be found in less than 1 % of seeds; the one of the gate is found."""
    people = responses_to_detect(mechanism_of(definition()["items"][0]), "0")  # type: ignore[arg-type]
    assert people is not None
    times = found(alice, people, surveys, "answered at random, that would explain it")
    assert times >= {1: 1, 40: 26}[surveys], times
