"""Rehearsals of people who do not say what is true, and what the check by control questions makes of them."""

import json
import math
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User

from collector.designs.arms import arm_of
from collector.errors import InputError
from estimator.models import KnownShare
from estimator.reports import report as reports
from estimator.reports.protection_check import ProtectionCheck
from estimator.runs import results
from estimator.runs.results import Results
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle.services import write_survey
from surveys.models import Rehearsal, Survey
from surveys.planning.rehearsals import services as rehearsals
from surveys.planning.rehearsals.misreporting import Misreporting
from surveys.planning.rehearsals.respondents import Respondent
from surveys.planning.rehearsals.simulation import report_body
from tests.factories import background, kinds, payloads

pytestmark = pytest.mark.django_db
FORCED = {"name": "forced_response", "truth": "1/2", "yes": "1/2"}
YES_NO = [{"en": "No"}, {"en": "Yes"}]
SAID: dict[str, Any] = {"respondents": 3000, "shares": {"moon": [1.0, 0.0], "drugs": [0.7, 0.3]}}


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsals, "wake", lambda rehearsal_id: None)


@pytest.fixture
def survey(alice: User) -> Survey:
    items = [
        {"key": "moon", "kind": "yes_no", "wording": {"en": "Have you been to the moon?"}, "choices": YES_NO,
         "known_share": "0", "channel": FORCED},
        {"key": "drugs", "kind": "yes_no", "wording": {"en": "Drugs?"}, "choices": YES_NO, "channel": FORCED},
    ]  # fmt: skip
    made = payloads.definition(strata={"wording": "", "groups": []}, items=items)
    return write_survey(definitions.complete(made), team=home_team(alice))


def finished(survey: Survey, *, said: dict[str, Any] = SAID, **more: Any) -> Rehearsal:
    asked = rehearsals.request_rehearsal(survey, said | more, repetitions=1, seed=11)  # type: ignore[arg-type]
    rehearsals.execute(asked.pk, seconds=math.inf)
    asked.refresh_from_db()
    assert asked.run is not None, asked.fault
    return asked


def shares(asked: Rehearsal) -> tuple[float, float]:
    """The estimated shares of yes."""
    assert asked.run is not None
    found = asked.run.estimates.filter(choice=1, stratum=None).order_by("position")
    moon, drugs = (one.unbiased or 0.0 for one in found)
    return moon, drugs


def truth(asked: Rehearsal) -> list[float]:
    known = KnownShare.objects.filter(design_id=asked.design_id, choice=1, stratum=None).order_by("position")
    return [one.share for one in known]


def test_honest_people_are_the_same_ones_without_shares_and_with_zero(survey: Survey) -> None:
    plain, zero = finished(survey), finished(survey, at_random=0.0, denial=0.0)
    assert bytes(plain.done.get().numbers) == bytes(zero.done.get().numbers)


def test_random_answers_move_estimates_and_not_the_truth(survey: Survey) -> None:
    honest, asked = finished(survey), finished(survey, at_random=0.2)
    assert truth(asked) == truth(honest)
    moon, drugs = shares(asked)
    assert abs(moon - 0.1) < 0.06
    assert abs(drugs - 0.34) < 0.07
    (check,) = reports.build(asked.run).protection  # type: ignore[arg-type]
    assert "answered at random, that would explain it" in check.sentences[0]


def test_denial_is_not_seen_by_a_control_question(survey: Survey) -> None:
    """Half of those with yes say No: 15 % instead of 30 %, and the check finds nothing, as the report says."""
    asked = finished(survey, denial=0.5)
    moon, drugs = shares(asked)
    assert abs(drugs - 0.15) < 0.06
    assert truth(asked)[1] == pytest.approx(0.3, abs=0.03)
    (check,) = reports.build(asked.run).protection  # type: ignore[arg-type]
    assert "nothing contradicts it" in check.sentences[0]
    assert "said No to protect themselves, it does not tell" in check.limits
    assert abs(moon) < 0.06


def test_misunderstanding_is_seen_by_a_control_question(survey: Survey) -> None:
    """Who says the opposite says yes where nobody does: 10 % there, and 0.9 * 0.3 + 0.1 * 0.7 of drugs."""
    asked = finished(survey, misunderstanding=0.1)
    moon, drugs = shares(asked)
    assert abs(moon - 0.1) < 0.06
    assert abs(drugs - 0.34) < 0.07
    assert truth(asked)[1] == pytest.approx(0.3, abs=0.03)
    (check,) = reports.build(asked.run).protection  # type: ignore[arg-type]
    assert "would explain it" in check.sentences[0]


@pytest.mark.parametrize(("name", "share"), [("at_random", 1.5), ("denial", -0.1), ("misunderstanding", 2)])
def test_share_out_of_range_is_refused(survey: Survey, name: str, share: float) -> None:
    with pytest.raises(InputError, match=rf"{name} must be a share from 0 to 1; got {share}"):
        finished(survey, **{name: share})
    assert not Rehearsal.objects.exists()


def test_random_answers_to_every_kind_of_question_can_be_sent() -> None:
    """Each answer of each item is given by some of 300 people who answer at random, and none that cannot be sent."""
    design = kinds.every_kind()
    say = Misreporting(at_random=1.0).says(design, np.random.default_rng(1))
    truthful = Respondent(
        0, tuple(0 if item.kind != "several_choices" else (0,) * len(item.choices) for item in design.items)
    )
    said = [say(truthful) for _ in range(300)]
    for position, item in enumerate(design.items):
        given = [one.answers[position] for one in said]
        if item.kind == "several_choices":
            assert {sum(one) for one in given} <= set(range((item.most or len(item.choices)) + 1))  # type: ignore[arg-type]
        elif item.asked_if is None:
            assert set(given) == set(range(item.answer_count)), item.key


def test_denial_leaves_other_kinds_as_they_are() -> None:
    design = definitions.design_of(definitions.complete(payloads.definition()), version=1)
    say = Misreporting(denial=1.0).says(design, np.random.default_rng(1))
    assert say(Respondent(0, (1, 2))) == Respondent(0, (0, 2))


@pytest.mark.long
def test_denial_differs_between_versions_of_the_page(alice: User) -> None:
    """Half of those with yes deny where the page explains after Send: 15 % instead of 30 %, and the report says so."""
    items = [{"key": "drugs", "kind": "yes_no", "wording": {"en": "Drugs?"}, "choices": YES_NO, "channel": FORCED}]
    survey = write_survey(background.definition(background.ARMS, items=items), team=home_team(alice))
    said = {"respondents": 6000, "shares": {"drugs": [0.7, 0.3]}}
    asked = finished(survey, said=said, misreporting_groups={"arm=2": {"denial": 0.5}})
    (check,) = reports.build(asked.run).protection  # type: ignore[arg-type]
    assert "with “Explained afterwards” the estimate is" in check.sentences[0]
    assert "lower than with “Explained before”" in check.sentences[0]
    assert truth(asked)[0] == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize(
    ("groups", "fault"),
    [
        (["nowhere"], "must be keys of groups, or of answers to a background question; got 'nowhere'"),
        (["where_do_you_live=1", "how_old_are_you=2"], "must be answers to one background question"),
        (["where_do_you_live=9"], "got 'where_do_you_live=9'"),
    ],
)
def test_groups_of_misreporting_must_be_the_surveys(alice: User, groups: list[str], fault: str) -> None:
    survey = write_survey(background.definition(), team=home_team(alice))
    asked: Any = {"respondents": 100, "shares": {}, "misreporting_groups": {key: {"denial": 0.5} for key in groups}}
    with pytest.raises(InputError, match=fault):
        rehearsals.request_rehearsal(survey, asked, repetitions=1, seed=1)
    assert not Rehearsal.objects.exists()


def test_misreporting_differs_between_groups() -> None:
    """In the second group everybody says the opposite, in the others everybody says what is true."""
    design = definitions.design_of(definitions.complete(payloads.definition()), version=1)
    say = Misreporting(groups={design.strata[1]: {"misunderstanding": 1.0}}).says(design, np.random.default_rng(1))
    said = [say(Respondent(stratum, (1, 2))).answers for stratum in range(len(design.strata))]
    assert said == [(1, 2), (0, 2), *[(1, 2)] * (len(design.strata) - 2)]


def test_cell_of_several_answers_has_their_mean_share() -> None:
    """Of people whose cell takes two answers about their age, of which all with one deny, half deny."""
    design = background.design(background.REGION, background.AGE, expected=150)
    cells = design.background.cells
    stratum = next(place for place, (_, ages) in enumerate(cells) if len(ages) == 2)
    key = f"how_old_are_you={cells[stratum][1][0] + 1}"
    say = Misreporting(groups={key: {"denial": 1.0}}).says(design, np.random.default_rng(1))
    said = [say(Respondent(stratum, (1, 2))).answers[0] for _ in range(400)]
    assert said.count(0) / 400 == pytest.approx(1 / 2, abs=0.125)  # five standard errors


def with_coins(alice: User, **more: Any) -> tuple[Results, ProtectionCheck]:
    """A rehearsal of 6,000 people, of whom 30 % cheated, by tickets and by two coins; its results, and their check."""
    survey = write_survey(background.two_coins(), team=home_team(alice))
    asked = finished(survey, said={"respondents": 6000, "shares": {"cheated": [0.7, 0.3]}}, **more)
    assert asked.run is not None
    (check,) = [one for one in reports.build(asked.run).protection if "coin" in one.wording]
    return results.read(asked.run), check


@pytest.mark.long
def test_who_denies_marks_no_whatever_the_coin_shows(alice: User) -> None:
    """Of those with tickets true answers change alone: 80 % of 30 % say Yes. With a coin 20 % of all marks are No."""
    read, check = with_coins(alice, denial=0.2)
    share = {
        cell.group_key: cell.estimate.unbiased
        for item in read.items[:2]
        for cell in item.cells
        if cell.estimate.choice == 1 and cell.estimate.n
    }
    assert share["arm=1"] == pytest.approx(0.24, abs=0.07)  # three standard errors of 2,000 answers
    # The chance of Yes is 0.8 (0.3 * 3/4 + 0.7 * 1/4), read as (0.32 - 1/4) / (1/2); 0.48 with the other coin.
    assert share["arm=2"] == pytest.approx(0.14, abs=0.07)
    assert share["arm=3"] == pytest.approx(0.54, abs=0.07)
    assert check.sentences[0].startswith("“Have you cheated?”: ")
    assert "mark No whatever their coin shows, more than chance explains" in check.sentences[0]


@pytest.mark.long
def test_who_follows_the_coin_is_not_found_to_disobey(alice: User) -> None:
    _, check = with_coins(alice)
    assert "the data do not show that people mark No whatever their coin shows" in check.sentences[0]


def test_random_marks_are_sent_as_they_are() -> None:
    """Half of them are Yes, whatever the coin; by tickets, which rarely say so, three of eight would be."""
    rarely = {"channel": {"name": "forced_response", "truth": "1/2", "yes": "1/4"}}
    cheated, mood = payloads.definition()["items"]
    written = background.definition(background.OWN_COIN, items=[cheated | rarely, mood])
    design, random = definitions.design_of(written, version=1), np.random.default_rng(3)
    say = Misreporting(at_random=1.0).says(design, random)
    words = iter(random.integers(0, 2**32, size=100_000).tolist())
    for arm, share in ((0, 3 / 8), (1, 1 / 2)):
        stratum = next(s for s in range(len(design.strata)) if arm_of(design, s) == arm)
        people = (say(Respondent(stratum, (0, 0))) for _ in range(2000))
        bodies = (report_body(design, person, words.__next__, nonce="00" * 16) for person in people)
        marks = [bytes.fromhex(json.loads(body)["report"])[0] for body in bodies]
        assert np.mean(marks) == pytest.approx(share, abs=0.045)  # four standard errors: a false alarm in 16,000
