"""Versions of the page in a report: what is said where they differ, where they do not, and how often it is wrong."""

import re
from functools import cache

import numpy as np
import pytest
from django.utils import translation

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from estimator.base.languages import LANGUAGES, activated
from estimator.models import Analysis, Run
from estimator.reports import paper
from estimator.reports import report as reports
from estimator.reports.protection_check import ProtectionCheck
from tests.factories import background, simulation
from tests.factories.background import done
from tests.factories.runs import run_of

pytestmark = pytest.mark.django_db


@cache
def drawn() -> Design:
    return background.design(background.ARMS, background.AGE, expected=4000)


def run(before: float, after: float, *, n: int = 4000, seed: int = 1, weights: tuple[int, int] = (1, 1)) -> Run:
    """A run over n people, of whom these shares say yes in the two versions."""
    made, random = freeze_design(drawn().document), np.random.default_rng(seed)
    arm = (random.random(n) > weights[0] / sum(weights)).astype(np.int64)
    cells = np.array([made.background.cell_of(told) for told in zip(arm, random.choice(5, n), strict=True)])
    cheated = (random.random(n) < np.array([before, after])[arm]).astype(np.int64)
    who = simulation.People(cells, {"cheated": cheated, "mood": random.choice(3, size=n)})
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    return run_of(made)


def check(found: Run) -> ProtectionCheck:
    (one,) = reports.build(found).protection
    return one


def test_difference_of_versions_is_told() -> None:
    found = check(run(0.5, 0.3))
    assert found.sentences[0].startswith("“Have you cheated? · Yes”: with “Explained afterwards” the estimate is ")
    assert found.sentences[0].endswith(
        "percentage points lower than with “Explained before”, more than chance explains."
    )
    assert found.following is not None
    assert found.following.caption == "Differences from “Explained before”"
    assert found.figure is not None
    assert [row.label for row in found.figure.rows[:2]] == ["Explained before", "Explained afterwards"]
    assert found.figure.rows[0].heading == "Have you cheated? · Yes"
    assert found.figure.rows[1].heading == ""


def test_versions_alike_are_not_told_apart() -> None:
    found = check(run(0.3, 0.3, seed=2))
    assert "the data do not tell “Explained afterwards” from “Explained before”" in found.sentences[0]
    assert "a difference does not tell" in found.limits


@pytest.mark.long
def test_versions_alike_are_told_apart_in_one_of_twenty_samples(django_db_reset_sequences: None) -> None:
    """Four differences in each of 12 samples of 2,000: 48 intervals at 95 %, of which the moods' go together.

    Were they independent, more than 7 would leave 0 out in 0.6 % of seeds.
    """
    apart = sum("more than chance" in one for seed in range(12) for one in check(_again(seed)).sentences)
    assert apart <= 7


def _again(seed: int) -> Run:
    """A run of a design of its own: a closed one takes nothing more."""
    made, random = background.design(background.ARMS, background.AGE, expected=4000 + seed), np.random.default_rng(seed)
    made = freeze_design(made.document)
    arm = random.integers(0, 2, 2000)
    cells = np.array([made.background.cell_of(told) for told in zip(arm, random.choice(5, 2000), strict=True)])
    answers = {"cheated": (random.random(2000) < 0.3).astype(np.int64), "mood": random.choice(3, size=2000)}
    who = simulation.People(cells, answers)
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    return run_of(made)


YES_NO = [{"en": "No"}, {"en": "Yes"}]
FORCED = {"name": "forced_response", "truth": "1/2", "yes": "1/2"}


def with_control(random: tuple[float, float], *, n: int = 8000, share: float = 0.2, seed: int = 1) -> Run:
    """A run over n people of whom these shares answer at random in the two versions; nobody has been to the Moon."""
    moon = {"key": "moon", "kind": "yes_no", "wording": {"en": "Moon?"}, "choices": YES_NO, "known_share": "0"}
    drugs = {"key": "drugs", "kind": "yes_no", "wording": {"en": "Drugs?"}, "choices": YES_NO}
    items = [one | {"channel": FORCED} for one in (moon, drugs)]
    design = freeze_design(background.design(background.ARMS, items=items, expected=8000 + seed).document)
    made, generator = design, np.random.default_rng(seed)
    arm = generator.integers(0, 2, n)
    by_chance = generator.random(n) < np.array(random)[arm]
    answers = {
        key: np.where(by_chance, generator.integers(0, 2, n), generator.random(n) < p).astype(np.int64)
        for key, p in (("moon", 0.0), ("drugs", share))
    }
    who = simulation.People(np.array([made.background.cell_of([told]) for told in arm]), answers)
    simulation.store(made, who, simulation.symbols(made, who, generator))
    close_design(made.digest)
    return run_of(made)


def test_random_answers_of_a_version_are_taken_from_its_difference() -> None:
    """Three in ten answer the second version at random: 9 points more say yes, and 0 of them truly."""
    check_of_controls, found = reports.build(with_control((0.0, 0.3))).protection
    assert "answered at random" in check_of_controls.sentences[0]
    (drugs,) = [one for one in found.sentences if one.startswith("“Drugs? · Yes”: with")]
    assert "higher than with “Explained before”" in drugs
    corrected = found.sentences[-1]
    numbers = re.search(r"^“Drugs\? · Yes”: if (\d+).% of those with “Explained afterwards” and (\d+).% of", corrected)
    assert numbers is not None
    assert 24 <= int(numbers[1]) <= 36
    assert int(numbers[2]) <= 5
    ends = re.search(r"“Moon\?” suggests, the difference among the others is from (-?[\d.]+) to (-?[\d.]+)", corrected)
    assert ends is not None
    low, high = (float(end) for end in ends.groups())
    assert low < 0 < high
    assert found.figure is not None
    assert [row.truth for row in found.figure.rows] == [0.0, 0.0, None, None]


def test_nothing_is_taken_from_differences_where_a_control_question_agrees() -> None:
    _controls, found = reports.build(with_control((0.0, 0.0), seed=2)).protection
    assert not [one for one in found.sentences if "at random" in one]


def test_comparison_is_in_every_language_and_in_the_pdf() -> None:
    made = run(0.6, 0.2)
    for language in LANGUAGES:
        with activated(language), translation.override(language):
            built = reports.build(made)
            (found,) = built.protection
            assert language == "en" or "percentage points" not in found.sentences[0]
            data = paper.data(built)
            assert data is not None
            assert len(data["protection"][0]["following"]["rows"]) == 4  # type: ignore[index]


def test_version_with_too_few_responses_has_no_comparison() -> None:
    assert reports.build(run(0.5, 0.5, n=300, weights=(299, 1))).protection == ()


def test_version_is_a_predictor_and_no_margin_of_a_population() -> None:
    """A regression tells the effect of the version with age held fixed; weights have no field for it."""
    design = freeze_design(drawn().document)
    run(0.5, 0.3)
    found = done(
        Analysis.Kind.REGRESSION,
        design,
        outcome="cheated",
        **{"predictor-arm": "yes", "predictor-how_old_are_you": "yes"},
    )
    (row,) = [row for row in found.result["rows"] if row["quantity"] == "difference" and row["group"] == "arm=2"]
    assert row["low"] <= -0.2 <= row["high"]
    assert row["high"] < 0
