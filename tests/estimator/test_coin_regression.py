"""Who follows a coin of one's own, by background questions: kinds of people that two coins tell apart, regressed."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from collector.designs import Design
from estimator.analyses import exports, presentation, requests, services
from estimator.analyses.adjusted import adjusted_regression
from estimator.analyses.quantities import AnalysisError, CoinKinds, outcome_of, outcomes_of
from estimator.models import Analysis
from estimator.runs.groups import of_totals
from surveys.definition import definitions
from tests.factories import background, simulation
from tests.factories.background import done
from tests.tools.analysis_script import differing

Kind = Analysis.Kind
DEGREE = "what_is_your_highest_degree"
OUTCOME = "cheated:coin"
ASKED: dict[str, Any] = {"outcome": OUTCOME, "predictors": [DEGREE], "confidence": 0.95}


@cache
def drawn() -> Design:
    return definitions.design_of(background.two_coins(background.DEGREE), version=1)


def inputs_of(n: int, seed: int, denial: Sequence[float] = background.DENIAL) -> tuple[Design, dict[str, object]]:
    design = drawn()
    exact = simulation.totals(design, *background.tossers(design, n, seed, denial))
    partition = of_totals(design, exact)
    totals = [partition.merge_item(exact[place : place + 1], place)[0] for place in (0, 1)]
    return design, {"totals": np.stack(totals, axis=1).tolist(), "groups": partition.members}


@pytest.fixture
def answered(db: None, monkeypatch: pytest.MonkeyPatch) -> Design:
    monkeypatch.setattr(services, "wake", lambda number: None)
    return background.tossed()


@pytest.mark.long
def test_shares_of_kinds_hold_the_truth() -> None:
    """Of 20 samples of 6,000 with three degrees: fewer than 51 of 60 intervals of 95 % hold in 0.3 % of seeds."""
    held = list[bool]()
    for seed in range(20):
        design, inputs = inputs_of(6000, seed)
        found: Any = adjusted_regression(design, ASKED, inputs)
        for row in found["rows"]:
            if row["quantity"] == "share" and row["choice"] == 2 and not row["group"].endswith("=4"):
                degree = int(row["group"].rpartition("=")[2]) - 1
                held.append(row["low"] <= background.DENIAL[degree] <= row["high"])
    assert len(held) == 60
    assert sum(held) >= 51


@pytest.mark.long
def test_equal_denial_is_seldom_called_different() -> None:
    """Of 40 samples more than 6 tests at 5 % reject in 0.3 % of seeds."""
    rejected = 0
    for seed in range(100, 140):
        design, inputs = inputs_of(6000, seed, [0.2] * 4)
        found: Any = adjusted_regression(design, ASKED, inputs)
        rejected += found["alike"]["p_value"] < 0.05
    assert rejected <= 6


def test_analysis_is_asked_for_shown_and_filed(answered: Design, tmp_path: Any) -> None:
    assert OUTCOME in list(outcomes_of(answered, 0))
    found = done(Kind.REGRESSION, answered, outcome=OUTCOME, **{f"predictor-{DEGREE}": "yes"})
    assert found.reports == 9000
    assert 5500 < found.result["n"] < 6500  # those of the two versions with a coin
    page = presentation.present(found)
    assert page.about[0] == "Have you cheated? Who follows the coin"
    sentence = next(one for one in page.sentences if "University" in one and "No, whatever it shows" in one)
    assert sentence.startswith("The odds of “No, whatever it shows” in “What is your highest degree? University” are")
    assert any("Clark & Desharnais" in str(method) for method in page.methods)
    rows = exports.rows_of(found)
    assert {row["choice_label"] for row in rows if row["quantity"] == "share"} == {
        "No, by the coin",
        "Yes, by the coin",
        "No, whatever it shows",
    }
    assert differing(found, tmp_path) == 0
    steps = done(Kind.REGRESSION, answered, outcome=OUTCOME, prior="yes", **{f"predictor-{DEGREE}": "steps"})
    assert differing(steps, tmp_path) == 0


def test_coins_that_differ_are_needed() -> None:
    design = drawn()
    kinds = outcome_of(design, OUTCOME)
    assert isinstance(kinds, CoinKinds)
    assert kinds.channel.weights[2] == (4, 0, 4, 0)
    assert list(kinds.arms) == [1, 2]
    with pytest.raises(AnalysisError, match="two versions of the page whose coins differ"):
        outcome_of(background.three(), OUTCOME)
    assert not [one for place in (1, 2) for one in outcomes_of(design, place) if one.endswith(":coin")]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"model": "ordinal", f"predictor-{DEGREE}": "yes"}, "has no order"),
        ({"predictor-version": "yes"}, "“Version of this page” cannot be a predictor"),
        ({"answer": "mood", f"predictor-{DEGREE}": "yes"}, "a predictor of a yes, of one choice, or of a mean"),
    ],
)
def test_what_does_not_go_together_is_refused(fields: dict[str, str], words: str) -> None:
    design = drawn()
    fields = {key.replace("version", design.background.questions[0].key): value for key, value in fields.items()}
    with pytest.raises(AnalysisError, match=words):
        requests.parameters(Kind.REGRESSION, {"outcome": OUTCOME, **fields}, [design])
