"""Analyses by background questions: pairs of answers, each against one, and a regression on several at once."""

import numpy as np
import pytest

from collector.designs import Design
from estimator.analyses import exports, presentation, requests, services
from estimator.analyses.adjusted import adjusted_regression
from estimator.analyses.quantities import AnalysisError
from estimator.models import Analysis
from tests.factories import background
from tests.factories.background import done

Kind = Analysis.Kind


@pytest.fixture
def design(answered: Design) -> Design:
    return answered


def test_pairs_of_answers_are_compared(design: Design) -> None:
    found = done(Kind.COMPARISON, design, quantity="cheated:1", against="pairs:where_do_you_live")
    rows = found.result["rows"]
    assert len([row for row in rows if row["quantity"] == "difference"]) == 10
    assert {row["group"].partition("=")[0] for row in rows} == {"where_do_you_live"}
    page = presentation.present(found)
    assert any("Where do you live? West" in sentence for sentence in page.sentences)
    assert "tell the answer by itself" in " ".join(page.cautions)


def test_each_answer_is_compared_with_one(design: Design) -> None:
    found = done(Kind.COMPARISON, design, quantity="cheated:1", against="where_do_you_live=1")
    differences = {row["group"]: row for row in found.result["rows"] if row["quantity"] == "difference"}
    west = differences["where_do_you_live=4"]
    assert west["low"] < 0.5 < west["high"]
    assert all(row["against"] == "where_do_you_live=1" for row in differences.values())


def test_regression_on_two_questions_is_told_in_words(design: Design) -> None:
    asked = {"predictor-where_do_you_live": "yes", "predictor-how_old_are_you": "yes"}
    found = done(Kind.REGRESSION, design, outcome="cheated", **asked)
    rows = found.result["rows"]
    assert len([row for row in rows if row["quantity"] == "odds_ratio"]) == 4 + 4
    assert found.result["n"] + found.result["left_out"] == 2000
    page = presentation.present(found)
    assert any(sentence.startswith("The groups differ") for sentence in page.sentences)
    assert len(exports.rows_of(found)) == len(rows)


@pytest.mark.long
def test_intervals_of_a_regression_hold_the_truth() -> None:
    """Odds ratios of regions by YES, of ages 1, and the regions' shares, in 20 samples of 2,000 responses.

    Were the 160 and 100 intervals independent, fewer than 144 and 88 would hold in 0.3 and 0.2 % of seeds.
    """
    asked = {"outcome": "cheated", "predictors": ["where_do_you_live", "how_old_are_you"], "confidence": 0.95}
    odds = np.array(background.YES) / (1 - np.array(background.YES))
    true = {f"where_do_you_live={place}": odds[place - 1] / odds[0] for place in range(2, 6)}
    shares = {f"where_do_you_live={place}": share for place, share in enumerate(background.YES, start=1)}
    ratios, margins = list[bool](), list[bool]()
    for seed in range(20):
        design, inputs = background.inputs_of(seed)
        for row in adjusted_regression(design, asked, inputs)["rows"]:  # type: ignore[attr-defined]
            if row["low"] is None:
                continue
            if row["quantity"] == "odds_ratio":
                ratios.append(row["low"] <= true.get(row["group"], 1.0) <= row["high"])
            elif row["quantity"] == "share" and row["group"] in shares:
                margins.append(row["low"] <= shares[row["group"]] <= row["high"])
    assert len(ratios) >= 150
    assert sum(ratios) >= 0.9 * len(ratios)
    assert sum(margins) >= 0.88 * len(margins)


def test_responses_that_do_not_tell_a_predictor_are_left_out(design: Design) -> None:
    asked = {"predictor-what_is_your_gender": "yes"}
    found = done(Kind.REGRESSION, design, outcome="cheated", **asked)
    assert found.result["left_out"] > 0
    assert found.result["n"] + found.result["left_out"] == 2000
    assert "responses are left out" in " ".join(presentation.present(found).cautions)


@pytest.mark.parametrize(
    ("kind", "fields", "fault"),
    [
        (Kind.COMPARISON, {"quantity": "cheated:1", "against": "pairs"}, "Choose what to compare"),
        (Kind.COMPARISON, {"quantity": "cheated:1", "against": "where_do_you_live=9"}, "Choose what to compare"),
        (Kind.COMPARISON, {"quantity": "cheated:1", "against": "c0001"}, "Choose what to compare"),
        (Kind.REGRESSION, {"outcome": "cheated"}, "at least one background question"),
        (Kind.CROSS_TABLE, {"rows": "cheated", "columns": "mood", "group": "c0001"}, "one of the survey's groups"),
    ],
)
def test_wrong_fields_are_refused(design: Design, kind: Kind, fields: dict[str, str], fault: str) -> None:
    with pytest.raises(AnalysisError, match=fault):
        services.request(kind, fields, [design])


def test_fields_of_programs_are_named(design: Design) -> None:
    with pytest.raises(AnalysisError, match="no field 'reference'; there are: outcome, confidence, name, predictor-"):
        requests.require_known(Kind.REGRESSION, {"reference": "c0001"}, design)
