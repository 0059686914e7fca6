"""What a report says of people who were asked and did not answer: bounds that hold whatever they would have said."""

import json

import numpy as np
import pytest
from django.utils import translation

from collector.designs.selectors import get_design
from collector.designs.services import close_design, freeze_design
from collector.errors import InputError
from estimator.base.languages import LANGUAGES, activated
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports import disclosures, paper
from estimator.reports import report as reports
from estimator.reports.protection_check import ProtectionCheck
from randomized_response import estimate_proportions, forced_response, nonresponse_bounds
from tests.factories import payloads, simulation
from tests.factories.runs import run_of

pytestmark = pytest.mark.django_db


def survey_run(n: int = 900, *, share: float = 0.3, seed: int = 1) -> Run:
    """A closed survey of n people, of whom this share has cheated; the last of three moods is not to say."""
    document = payloads.document(slug=f"campus-{seed}")
    document["items"][1]["prefer_not"] = True
    made, random = freeze_design(document), np.random.default_rng(seed)
    answers = {"cheated": (random.random(n) < share).astype(np.int64), "mood": random.choice(3, n)}
    who = simulation.People(random.choice(2, n), answers)
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    return run_of(made)


def check(run: Run, asked: int | None) -> ProtectionCheck | None:
    slug = get_design(run.design_id).slug
    disclosures.disclose(slug, {}, probability_sample=False, asked=asked)
    found = reports.build(run).nonresponse
    return found[0] if found else None


def shares(run: Run, position: int) -> dict[int, tuple[float, float, float]]:
    """Low, estimate and high of each answer, the chance being that of the tickets."""
    found = run.estimates.filter(position=position, stratum=None)
    return {one.choice: (one.noise_low, one.constrained, one.noise_high) for one in found}


def test_bounds_of_a_yes_no_question_are_those_of_the_library() -> None:
    run = survey_run()
    found = check(run, 1200)
    assert found is not None
    assert found.figure is not None
    row, low, high = found.figure.rows[0], *(shares(run, 0)[1][place] for place in (0, 2))
    assert (row.label, row.heading) == ("Yes", "Have you cheated?")
    reports_of = np.array(run.tallies[0]).sum(axis=0)
    theirs = nonresponse_bounds(estimate_proportions(reports_of, forced_response(truth="1/2")), 0.75)
    assert (row.noise_low, row.noise_high) == pytest.approx((theirs.lowest, theirs.highest), abs=1e-9)
    assert (row.low, row.high) == pytest.approx((0.75 * low, 0.75 * high + 0.25))
    assert found.sentences[0].startswith("900 of 1,200 people who were asked took part, 75")


def test_whoever_chose_not_to_say_may_hold_any_answer() -> None:
    run = survey_run()
    found = check(run, 1200)
    assert found is not None
    assert found.figure is not None
    answers = shares(run, 1)
    assert [row.label for row in found.figure.rows] == ["Yes", "Well", "So-so"]  # not to say is no answer
    for row, choice in zip(found.figure.rows[1:], (0, 1), strict=True):
        assert row.noise_low == pytest.approx(0.75 * answers[choice][1])
        assert row.noise_high == pytest.approx(0.75 * (answers[choice][1] + answers[2][1]) + 0.25)


@pytest.mark.long
def test_bounds_hold_the_share_of_all_whatever_the_others_would_have_said() -> None:
    """60 surveys and both extremes; a share of 95 % intervals that are wide enough has 9 misses of 120 or more with a
    probability below 0.002."""
    misses = 0
    for seed in range(60):
        share = (0.05, 0.3, 0.8)[seed % 3]
        run = survey_run(300, share=share, seed=seed)
        found = check(run, 400)
        assert found is not None
        assert found.figure is not None
        row = found.figure.rows[0]
        true = float((np.random.default_rng(seed).random(300) < share).mean())
        for others in (0.0, 0.25):
            misses += not row.low <= 0.75 * true + others <= row.high
    assert misses < 9


@pytest.mark.parametrize("asked", [None, 899])
def test_nothing_is_bounded_without_a_number_that_fits(asked: int | None) -> None:
    run = survey_run()
    assert check(run, asked) is None
    assert "nonresponse" not in dict(reports.build(run).contents)


def test_nothing_is_bounded_of_weighted_shares() -> None:
    design = freeze_design(payloads.with_known_shares("0.4", "0.6"))
    who = simulation.People(np.arange(200) % 2, {"cheated": np.arange(200) % 2, "mood": np.arange(200) % 3})
    simulation.store(design, who, simulation.symbols(design, who, np.random.default_rng(1)))
    assert check(run_of(design), 400) is None


def test_everybody_answered_leaves_the_interval_alone() -> None:
    run = survey_run()
    found = check(run, 900)
    assert found is not None
    assert found.figure is not None
    low, share, high = shares(run, 0)[1]
    row = found.figure.rows[0]
    assert (row.low, row.noise_low, row.noise_high, row.high) == pytest.approx((low, share, share, high))


@pytest.mark.parametrize("language", LANGUAGES)
def test_bounds_are_on_page_and_paper_in_each_language(language: str) -> None:
    run = survey_run()
    disclosures.disclose("campus-1", {}, probability_sample=False, asked=1200)
    with activated(language, LANGUAGES), translation.override(language):
        report = reports.build(run)
        printed = paper.data(report)
        (found,) = report.nonresponse
        assert printed is not None
        assert printed["nonresponse"][0]["sentences"] == list(found.sentences)  # type: ignore[index]
        assert any("Manski" in work for work in report.references)
        if language != "en":
            assert "who were asked" not in str(printed["nonresponse"])


def test_number_of_people_asked_is_in_the_json_document() -> None:
    run = survey_run()
    assert "people_asked" not in json.loads(FORMATS["json"].whole(run))["disclosure"]
    disclosures.disclose("campus-1", {}, probability_sample=False, asked=1200)
    assert json.loads(FORMATS["json"].whole(run))["disclosure"]["people_asked"] == 1200


@pytest.mark.parametrize("asked", [0, -1, 1_000_000_001])
def test_number_of_people_asked_out_of_bounds_is_refused(asked: int) -> None:
    with pytest.raises(InputError, match=rf"a whole number from 1 to 1,000,000,000, or empty; got {asked}\."):
        disclosures.disclose("campus", {}, probability_sample=False, asked=asked)
