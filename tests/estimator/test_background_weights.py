"""Weights to known shares of several background questions: entered, pasted, calibrated, refused, used in models."""

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from collector.designs import Design
from estimator.analyses import presentation, requests, services
from estimator.analyses.adjusted import adjusted_regression
from estimator.analyses.calibrated import RowWeights, weighted_comparison, weighting, weights_of
from estimator.analyses.margins import pasted
from estimator.analyses.quantities import AnalysisError
from estimator.exports.analysis_files.counts import Analysis as FileOfAnalysis
from estimator.models import Analysis
from estimator.runs.groups import stored
from surveys.definition import definitions
from tests.factories import background, three_groups
from tests.factories.background import done
from tests.tools.gate import few

Kind = Analysis.Kind
REGIONS = dict(zip(map(str, range(1, 5)), ["1/4"] * 4, strict=True))
AGES = {"1": "3/10", "2": "3/10", "3": "1/5", "4": "1/5"}
TOGETHER = "where_do_you_live+how_old_are_you"
MARGINS = {"where_do_you_live": REGIONS, "how_old_are_you": AGES}
WEIGHTED = {"item": "cheated", "margins": MARGINS, "method": "raking", "largest": None, "confidence": 0.95}
FIELDS = {f"share-where_do_you_live-{k}": "25" for k in range(1, 5)}

THREE = {f"share-where_do_you_live-{k}": share for k, share in enumerate(("50", "25", "25", "0"), start=1)}


@pytest.fixture
def design(answered: Design) -> Design:
    return answered


@pytest.mark.parametrize(
    ("method", "largest"), [("raking", None), ("raking", 4.0), ("linear", 4.0), ("logit", 4.0)], ids=str
)
def test_weighted_shares_of_answers_are_those_entered(method: str, largest: float | None) -> None:
    design, inputs = background.inputs_of(1)
    found = weighting(design, WEIGHTED | {"method": method, "largest": largest}, inputs)
    weights = found["weights"]
    assert isinstance(weights, dict)
    assert 0 < weights["least"] < 1 < weights["largest"] <= (largest or 10) * (1 + 1e-9)
    assert weights["effective_size"] * weights["design_effect"] == pytest.approx(2000)
    assert sum(height for *_, height in weights["histogram"]) == 2000
    for key, margin in weights["margins"].items():
        assert margin["told"] < 2000
        among = sum(share for _, share, _ in margin["answers"])
        assert among == pytest.approx(1)
        assert {str(answer): share for answer, _, share in margin["answers"]} == {
            answer: float(Fraction(share)) for answer, share in MARGINS[key].items()
        }


@pytest.mark.long
def test_intervals_of_weighted_shares_hold_the_truth() -> None:
    """The share in a population of four equal regions, in 100 samples of 2,000 responses.

    Those who prefer not to tell their region have cheated as YES says, 4 % of the population. Of 95 % intervals fewer
    than 88 hold in 0.2 % of seeds.
    """
    held = 0
    for seed in range(100):
        design, inputs = background.inputs_of(seed)
        found = weighting(design, WEIGHTED | {"margins": {"where_do_you_live": REGIONS}}, inputs)
        row = next(row for row in found["rows"] if row["weights"] and row["choice"] == 1)  # type: ignore[attr-defined]
        shares = design.background.questions[0].shares
        hidden = float(shares[-1])
        truth = (1 - hidden) * np.mean(background.YES[:4]) + hidden * background.YES[4]
        held += row["low"] <= truth <= row["high"]
    assert held >= 88


def test_weight_of_rare_answers_costs_precision() -> None:
    """The west, where most have cheated, is 10 % of the responses and 25 % of the population."""
    design, inputs = background.inputs_of(3)
    found = weighting(design, WEIGHTED | {"margins": {"where_do_you_live": REGIONS}}, inputs)
    weighted = next(row for row in found["rows"] if row["weights"] and row["choice"] == 1)  # type: ignore[attr-defined]
    alike = next(row for row in found["rows"] if not row["weights"] and row["choice"] == 1)  # type: ignore[attr-defined]
    assert weighted["standard_error"] > alike["standard_error"]
    assert weighted["estimate"] > alike["estimate"] + 0.03


@pytest.mark.parametrize(
    ("margins", "largest", "unmet"),
    [
        ({"where_do_you_live": {"1": "1/2", "2": "1/2"}}, None, ("where_do_you_live", "3", "outside")),
        ({"where_do_you_live": REGIONS}, 1.5, ("where_do_you_live", "4", "unreached")),
        ({TOGETHER: {"1+1": "1/2", "2+1": "1/2"}}, None, (TOGETHER, "1+2", "outside")),
        ({"what_is_your_gender": {"1": "49/100", "2": "49/100", "3": "1/50"}}, None, None),
    ],
    ids=[
        "a share is missing",
        "no weights within the limit",
        "a combination is missing",
        "a pooled answer counts in proportion",
    ],
)
def test_margins_that_no_weights_meet_are_named(
    margins: dict[str, dict[str, str]], largest: float | None, unmet: tuple[str, str, str] | None
) -> None:
    design, inputs = background.inputs_of(2)
    found = weighting(design, WEIGHTED | {"margins": margins, "largest": largest}, inputs)
    if unmet is None:
        assert "unmet" not in found
    else:
        assert found["unmet"] == dict(zip(("question", "answer", "reason"), unmet, strict=True))
        assert all(row["estimate"] is None for row in found["rows"] if row["weights"])  # type: ignore[attr-defined]


def test_answer_that_nobody_gave_is_named_in_words(design: Design) -> None:
    found = done(Kind.WEIGHTING, design, item="cheated", **THREE)
    assert found.result["unmet"]["reason"] == "outside"
    (sentence,) = presentation.present(found).sentences
    assert "no share was entered" in sentence
    assert "West" in sentence


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"table": "Where do you live?\tNorth\t1/4\nwhere_do_you_live\t2\t1/4\nwhere_do_you_live\t3\t0.5"},
            "1/4 1/4 1/2",
        ),
        ({"table": "q;a;share\nwhere do you live?;North;12,5\n\nwhere_do_you_live;South;87,5"}, "1/8 7/8"),
        ({"table": "where_do_you_live,North,3000\nwhere_do_you_live,South,1000"}, "3/4 1/4"),
        ({"share-where_do_you_live-1": "33.3", "share-where_do_you_live-2": "66.6 %"}, None),
    ],
)
def test_shares_are_read_from_tables(design: Design, fields: dict[str, str], expected: str | None) -> None:
    if expected is None:
        with pytest.raises(AnalysisError, match="they sum to"):
            requests.parameters(Kind.WEIGHTING, {"item": "cheated", **fields}, [design])
        return
    found = requests.parameters(Kind.WEIGHTING, {"item": "cheated", **fields}, [design])
    assert " ".join(found["margins"]["where_do_you_live"].values()) == expected  # type: ignore[index]


BOTH = [
    f"where_do_you_live,{region},how_old_are_you,{age},{share}"
    for region in range(1, 5)
    for age, share in enumerate((100, 50, 60, 40), start=1)
]
"""The shares of region and age together, a quarter of the people in each region; in numbers of people."""


def test_shares_of_two_questions_together_are_met(design: Design) -> None:
    """In any order of the questions, and as they are: the shares of both questions follow."""
    turned = [",".join([*line.split(",")[2:4], *line.split(",")[:2], line.split(",")[4]]) for line in BOTH]
    gender = [f"what_is_your_gender,{answer},{share}" for answer, share in ((1, 49), (2, 49), (3, 2))]
    asked = [
        requests.parameters(Kind.WEIGHTING, {"item": "cheated", "table": "\n".join([*lines, *gender])}, [design])
        for lines in (BOTH, turned)
    ]
    assert asked[0] == asked[1]
    margins: Any = asked[0]["margins"]
    assert list(margins) == ["what_is_your_gender", TOGETHER]
    assert margins[TOGETHER]["4+2"] == str(Fraction(50, 1000))
    inputs: Any = background.inputs_of(6)[1]
    found: Any = weighting(design, asked[0], inputs)
    members = stored(design, inputs["groups"]).members
    weights = weights_of(design, members, np.array(inputs["totals"])[:, 0].sum(axis=1).tolist(), asked[0])
    assert isinstance(weights, RowWeights)
    told = FileOfAnalysis({"design": design.document, "inputs": inputs})
    counted = dict.fromkeys(margins[TOGETHER], 0.0)
    for row, ratio, size in zip(weights.rows.tolist(), weights.ratios, weights.sizes, strict=True):
        either = told.may_have(row, TOGETHER) or set(counted)
        shares = {answer: Fraction(share) for answer, share in margins[TOGETHER].items() if answer in either}
        for answer, share in shares.items():
            counted[answer] += ratio * size * float(share / sum(shares.values())) / 2000
    assert counted == pytest.approx({answer: float(Fraction(share)) for answer, share in margins[TOGETHER].items()})
    assert {answer: known for answer, _, known in found["weights"]["margins"][TOGETHER]["answers"]}["1+1"] == 0.1


@pytest.mark.long
def test_intervals_weighted_by_two_questions_together_hold_the_truth() -> None:
    """Region and age together, in 40 samples of 2,000: of 95 % intervals fewer than 34 hold in 0.7 % of seeds."""
    held = 0
    for seed in range(100, 140):
        design, inputs = background.inputs_of(seed)
        margins = {TOGETHER: {f"{region}+{age}": "1/16" for region in range(1, 5) for age in range(1, 5)}}
        found = weighting(design, WEIGHTED | {"margins": margins}, inputs)
        row = next(row for row in found["rows"] if row["weights"] and row["choice"] == 1)  # type: ignore[attr-defined]
        hidden = float(design.background.questions[0].shares[-1])
        truth = (1 - hidden) * np.mean(background.YES[:4]) + hidden * background.YES[4]
        held += row["low"] <= truth <= row["high"]
    assert held >= 34


def test_rounded_shares_are_scaled(design: Design) -> None:
    fields = {f"share-where_do_you_live-{k}": share for k, share in enumerate(("33.3", "33.3", "33.3"), start=1)}
    found = requests.parameters(Kind.WEIGHTING, {"item": "cheated", **fields}, [design])
    assert set(found["margins"]["where_do_you_live"].values()) == {"1/3"}  # type: ignore[index]


@pytest.mark.parametrize(
    ("fields", "fault"),
    few(
        [
            ({}, "at least one background question"),
            ({"table": "where_do_you_live,North"}, "Line 1 of the table must have 3 cells: question, answer, share"),
            ({"table": "x,y,z\nwhere,North,20"}, "Line 2 of the table names a background question .* “where”"),
            ({"table": "where_do_you_live,Nroth,20"}, "Line 1 of the table names an answer .* “Nroth”"),
            ({"table": "where_do_you_live,5,20"}, "“5”"),
            (
                {"table": "where_do_you_live,1,20\nwhere_do_you_live,North,20"},
                "Line 2 of the table gives “North” a second",
            ),
            ({"share-where_do_you_live-1": "many"}, "share of “North” as a number"),
            ({"share-where_do_you_live-1": "20"}, "“Where do you live.” must sum to 100 % .or 1., .* they sum to 20"),
            ({"table": f"{BOTH[0]}\n{BOTH[0]}"}, "Line 2 of the table gives “1, 1” a second"),
            ({"table": "how_old_are_you,1,how_old_are_you,2,20"}, "Line 1 of the table names “how_old_are_you” twice"),
            (
                {"table": "how_old_are_you,1,where_do_you_live,20"},
                "must have 3 cells: question, answer, share; it has 4",
            ),
            (FIELDS | {"table": "\n".join(BOTH)}, "shares of “Where do you live.” are entered twice"),
            ({"table": BOTH[1]}, "shares of “Where do you live. × How old are you.” must sum to 100 %"),
            ({"table": BOTH[0].replace("100", "many")}, "share of “North, 18–29” as a number"),
            (FIELDS | {"method": "magic"}, "raking, linear or logit"),
            (FIELDS | {"method": "logit"}, "need a largest weight"),
            (FIELDS | {"largest": "1"}, "a number above 1, at most 1000, such as 5; got “1”"),
            (FIELDS | {"name": "x" * 81}, "at most 80 characters; this one has 81"),
        ],
        slice(None, None, 4),
    ),
)
def test_wrong_shares_are_refused(design: Design, fields: dict[str, str], fault: str) -> None:
    with pytest.raises(AnalysisError, match=fault):
        services.request(Kind.WEIGHTING, {"item": "cheated", **fields}, [design])
    assert not Analysis.objects.exists()


def test_table_of_groups_is_read_too() -> None:
    design = definitions.design_of(definitions.complete(three_groups.definition()), version=1)
    label = design.groups[0].label["en"]
    assert pasted(f"group,share\n{label},20\n", design) == {f"share-{design.groups[0].key}": "20"}


def test_weighting_is_used_in_a_regression(design: Design) -> None:
    found = done(Kind.WEIGHTING, design, item="cheated", name="Census", **FIELDS)
    asked = {"predictor-how_old_are_you": "yes", "outcome": "cheated"}
    alike, weighted = done(Kind.REGRESSION, design, **asked), done(Kind.REGRESSION, design, weights=found.key, **asked)
    assert weighted.parameters["weighting"]["margins"] == found.parameters["margins"]
    shares = [
        np.mean([row["estimate"] for row in one.result["rows"] if row["quantity"] == "share"])
        for one in (alike, weighted)
    ]
    assert shares[1] > shares[0] + 0.03  # the west, where most have cheated, weighs more
    assert weighted.result["alike"]["test"] == "wald"
    page = presentation.present(weighted)
    assert "robust standard errors" in " ".join(map(str, page.methods))
    assert {row["weights"] for row in weighted.result["rows"]} == {"entered"}


def test_comparison_is_weighted_as_a_weighting_found(design: Design) -> None:
    """Ages are compared as in a population with four equal regions; in the west most have cheated."""
    weights = done(Kind.WEIGHTING, design, item="cheated", name="Census", **FIELDS)
    asked = {"quantity": "cheated:1", "against": "pairs:how_old_are_you"}
    alike, found = done(Kind.COMPARISON, design, **asked), done(Kind.COMPARISON, design, weights=weights.key, **asked)
    assert found.parameters["weighting"]["margins"] == weights.parameters["margins"]
    shares = [[row["estimate"] for row in one.result["rows"] if row["quantity"] == "share"] for one in (alike, found)]
    assert np.mean(shares[1]) > np.mean(shares[0]) + 0.03
    assert found.result["level"] == pytest.approx(0.95 ** (1 / 10))
    page = presentation.present(found)
    assert "whatever their correlations" in " ".join(map(str, page.methods))
    assert "covariance" in " ".join(map(str, page.methods))
    with pytest.raises(AnalysisError, match="one of the weightings"):
        done(Kind.COMPARISON, design, weights="another", **asked)


def test_cross_table_is_weighted_as_a_weighting_found(design: Design) -> None:
    """The west, where most have cheated, weighs more: so does every cell of those who have."""
    weights = done(Kind.WEIGHTING, design, item="cheated", **FIELDS)
    asked = {"rows": "cheated", "columns": "mood"}
    alike, found = done(Kind.CROSS_TABLE, design, **asked), done(Kind.CROSS_TABLE, design, weights=weights.key, **asked)
    shares = [
        sum(row["unbiased"] for row in one.result["rows"] if row["quantity"] == "joint_share" and row["choice"] == 1)
        for one in (alike, found)
    ]
    assert shares[1] > shares[0] + 0.03
    page = presentation.present(found)
    assert "Wald statistic" in page.sentences[0]
    assert any("Koch, Freeman & Freeman" in str(method) for method in page.methods)
    assert page.cautions[0].startswith("Responses are weighted")
    requests.require_known(Kind.CROSS_TABLE, {**asked, "weights": weights.key}, design)


def test_weighted_comparison_without_weights_says_why(design: Design) -> None:
    weights = done(Kind.WEIGHTING, design, item="cheated", **FIELDS)
    margins = {"where_do_you_live": {"1": "1/2", "2": "1/2"}}
    weights.parameters = {**weights.parameters, "margins": margins}
    weights.save(update_fields=["parameters"])
    asked = {"quantity": "cheated:1", "against": "pairs:how_old_are_you", "weights": weights.key}
    (sentence,) = presentation.present(done(Kind.COMPARISON, design, **asked)).sentences
    assert "no share was entered" in sentence


@pytest.mark.long
def test_weighted_comparisons_of_equal_groups_alarm_seldom() -> None:
    """Ages cheat alike, weighted or not: of 60 samples one of ten pairs differs in about 5 %; above 9 in 0.1 %."""
    alarms = 0
    for seed in range(200, 260):
        design, inputs = background.inputs_of(seed)
        asked = {"quantity": "cheated:1", "against": "pairs:how_old_are_you", "confidence": 0.95}
        found: Any = weighted_comparison(design, asked | {"weighting": WEIGHTED}, inputs)
        rows = [row for row in found["rows"] if row["quantity"] == "difference"]
        assert len(rows) == 10
        alarms += any(row["low"] > 0 or row["high"] < 0 for row in rows)
    assert alarms <= 9


def test_weights_of_all_alike_leave_a_regression_as_it_is() -> None:
    """Margins that the responses have already: the coefficients are those without weights."""
    design, inputs = background.inputs_of(4)
    asked = {"outcome": "cheated", "predictors": ["how_old_are_you"], "confidence": 0.95}
    among = weighting(design, WEIGHTED, inputs)["weights"]["margins"]["how_old_are_you"]["answers"]  # type: ignore[index]
    same = {str(answer): str(Fraction(share)) for answer, share, _ in among}
    # Of those who told: as the others count as the population, their own shares are met by equal weights.
    weighted = adjusted_regression(
        design, asked | {"weighting": WEIGHTED | {"margins": {"how_old_are_you": same}}}, inputs
    )
    alike = adjusted_regression(design, asked, inputs)
    for one, other in zip(weighted["rows"], alike["rows"], strict=True):  # type: ignore[call-overload]
        assert one["estimate"] == pytest.approx(other["estimate"], rel=0.01)


def test_interaction_has_a_share_for_two_answers_and_a_test() -> None:
    design, inputs = background.inputs_of(5)
    asked = {
        "outcome": "cheated", "predictors": ["where_do_you_live", "how_old_are_you"], "confidence": 0.95,
        "interaction": ["where_do_you_live", "how_old_are_you"], "prior": 2.5,
    }  # fmt: skip
    found = adjusted_regression(design, asked, inputs)
    rows = {row["group"]: row for row in found["rows"] if row["quantity"] == "share"}  # type: ignore[attr-defined]
    north, east = rows["where_do_you_live=1+how_old_are_you=1"], rows["where_do_you_live=3+how_old_are_you=1"]
    assert north["low"] < 0.1 < north["high"]
    assert east["low"] < 0.4 < east["high"]
    assert not [row for row in found["rows"] if row["quantity"] == "odds_ratio"]  # type: ignore[attr-defined]
    assert [one["degrees_of_freedom"] for one in found["interaction"]] == [9]  # type: ignore[attr-defined]


@pytest.mark.long
def test_interaction_alarms_as_often_as_it_says() -> None:
    """Region and age add up, so the test of Wald rejects at 5 % in about 5 % of samples; above 6 of 40 in 0.3 %."""
    asked = {
        "outcome": "cheated", "predictors": ["where_do_you_live", "what_is_your_gender"], "confidence": 0.95,
        "interaction": ["where_do_you_live", "what_is_your_gender"], "prior": 2.5,
    }  # fmt: skip
    found = [adjusted_regression(*_with(asked, seed))["interaction"] for seed in range(40)]
    tests = [one[0]["p_value"] for one in found]  # type: ignore[index]
    assert sum(p is not None and p < 0.05 for p in tests) <= 6


def _with(asked: dict[str, object], seed: int) -> tuple[Design, dict[str, object], dict[str, object]]:
    design, inputs = background.inputs_of(seed)
    return design, asked, inputs


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"interaction-where_do_you_live+how_old_are_you": "twice"}, "must be yes or no; got “twice”"),
        ({"predictor-how_old_are_you": "yes", "weights": "nothing"}, "one of the weightings"),
    ],
)
def test_wrong_models_are_refused(design: Design, fields: dict[str, str], fault: str) -> None:
    with pytest.raises(AnalysisError, match=fault):
        services.request(Kind.REGRESSION, {"outcome": "cheated", **fields}, [design])


def test_weights_go_with_priors(design: Design) -> None:
    """Weights of equal regions weigh the west more; priors draw its odds towards those of the north."""
    found = done(Kind.WEIGHTING, design, item="cheated", **FIELDS)
    asked = {"outcome": "cheated", "predictor-where_do_you_live": "yes", "weights": found.key}
    plain, prior = done(Kind.REGRESSION, design, **asked), done(Kind.REGRESSION, design, prior="yes", **asked)
    west = [
        next(row for row in one.result["rows"] if row["quantity"] == "odds_ratio" and row["group"].endswith("=4"))
        for one in (plain, prior)
    ]
    assert west[0]["estimate"] > west[1]["estimate"] > 2
    assert {row["weights"] for row in prior.result["rows"]} == {"entered"}
    methods = " ".join(map(str, presentation.present(prior).methods))
    assert "Weakly informative priors" in methods
    assert "robust standard errors" in methods


def test_fields_of_programs_are_known(design: Design) -> None:
    requests.require_known(Kind.WEIGHTING, FIELDS | {"item": "cheated", "method": "raking", "name": "x"}, design)
    with pytest.raises(AnalysisError, match=re.escape("no field 'share-where_do_you_live-5'")):
        requests.require_known(Kind.WEIGHTING, {"share-where_do_you_live-5": "1"}, design)


def test_analysis_is_named_and_published(design: Design) -> None:
    found = done(Kind.WEIGHTING, design, item="cheated", **FIELDS)
    services.keep(found, name="  The   census ", published=True)
    found.refresh_from_db()
    assert (found.name, found.published) == ("The census", True)
    assert services.repeat(found).name == "The census"
    waiting = services.request(Kind.WEIGHTING, {"item": "cheated", **FIELDS}, [design])
    with pytest.raises(AnalysisError, match="Only a finished analysis"):
        services.keep(waiting, name="", published=True)
