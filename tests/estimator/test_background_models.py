"""Regressions of several choices, other links and marginal effects, on background questions."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from collector.designs import Design
from estimator.analyses import exports, presentation, requests, rows, sentences
from estimator.analyses.adjusted import adjusted_regression
from estimator.analyses.quantities import AnalysisError
from estimator.models import Analysis
from tests.factories import background, simulation
from tests.factories.background import done

Kind = Analysis.Kind
REGION, AGE = "where_do_you_live", "how_old_are_you"
ASKED = {f"predictor-{REGION}": "yes", f"predictor-{AGE}": "yes"}
CROSSED = {f"interaction-{REGION}+{AGE}": "yes"}
CUTS, SLOPES = np.array([-0.5, 1.0]), np.array([0.0, 0.6, 1.2, -0.6, 0.3])
"""Of the moods in each region, and of those who do not tell theirs: ordinal with proportional odds."""


@cache
def drawn() -> Design:
    return background.design(background.REGION, background.AGE, expected=2000)


def moods() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The shares of the three moods in each region."""
    below = 1 / (1 + np.exp(SLOPES[:, None] - CUTS))
    return np.diff(np.column_stack([np.zeros(5), below, np.ones(5)]), axis=1)


def inputs_of(seed: int, n: int = 2000) -> tuple[Design, dict[str, object]]:
    design, random = drawn(), np.random.default_rng(seed)
    shares = [[float(share) for share in question.shares] for question in design.background.questions]
    told = np.stack([random.choice(len(one), size=n, p=one) for one in shares], axis=1)
    cells = np.array([design.background.cell_of(answers) for answers in told.tolist()])
    mood = (random.random(n)[:, None] > np.cumsum(moods(), axis=1)[told[:, 0]]).sum(axis=1)
    who = simulation.People(cells, {"cheated": random.integers(0, 2, n), "mood": mood})
    exact = simulation.totals(design, who, simulation.symbols(design, who, random))
    return design, background.released_inputs(design, exact, 1)


@pytest.mark.long
@pytest.mark.parametrize("model", ["multinomial", "ordinal"])
def test_intervals_of_several_choices_hold_the_truth(model: str) -> None:
    """Shares of three moods in five regions, their differences from the first region, and odds ratios, in 12 samples.

    Were the intervals independent, fewer than 88 % of 180 shares, 144 differences or 96 (48) odds ratios would hold in
    less than 1 % of seeds.
    """
    asked = {"outcome": "mood", "predictors": [REGION, AGE], "confidence": 0.95}
    asked |= {"model": model} if model == "ordinal" else {}
    true, held = moods(), {"share": list[bool](), "difference": list[bool](), "odds_ratio": list[bool]()}
    for seed in range(12):
        design, inputs = inputs_of(seed)
        for row in adjusted_regression(design, asked, inputs)["rows"]:  # type: ignore[attr-defined]
            key, _, number = row["group"].partition("=")
            if key != REGION:
                continue
            region, choice = int(number) - 1, row["choice"]
            if row["quantity"] == "odds_ratio":
                odds = true[region] / true[region, 0] / (true[0] / true[0, 0])
                truth = np.exp(SLOPES[region]) if choice is None else odds[choice]
            else:
                truth = true[region, choice] - (true[0, choice] if row["quantity"] == "difference" else 0)
            held[row["quantity"]].append(row["low"] <= truth <= row["high"])
    assert [len(one) for one in held.values()] == [180, 144, 96 if model == "multinomial" else 48]
    assert min(sum(one) / len(one) for one in held.values()) >= 0.88


def test_shares_of_all_choices_sum_to_one() -> None:
    design, inputs = inputs_of(3)
    found = adjusted_regression(design, {"outcome": "mood", "predictors": [REGION], "confidence": 0.95}, inputs)
    rows = [row for row in found["rows"] if row["quantity"] == "share"]  # type: ignore[attr-defined]
    for group in {row["group"] for row in rows}:
        assert sum(row["estimate"] for row in rows if row["group"] == group) == pytest.approx(1)
    assert found["alike"]["degrees_of_freedom"] == 2 * 4  # type: ignore[index]


def test_page_tells_each_choice(answered: Design) -> None:
    found = done(Kind.REGRESSION, answered, outcome="mood", **ASKED)
    page = presentation.present(found)
    assert page.about[0] == "How do you feel?"
    assert [part.title for part in page.parts] == [
        *(f"Share of “{mood}” in each group" for mood in ("Well", "So-so", "Low")),
        *(f"Differences of the share of “{mood}”, percentage points" for mood in ("Well", "So-so", "Low")),
        *(f"Odds ratios of “{mood}”" for mood in ("So-so", "Low")),
        "Model",
    ]
    assert str(page.methods[0]).startswith("Multinomial logistic regression")
    assert len({str(part.picture) for part in page.parts}) == len(page.parts)
    assert len(exports.rows_of(found)) == len(found.result["rows"])
    ordinal = done(Kind.REGRESSION, answered, outcome="mood", model="ordinal", **ASKED)
    page = presentation.present(ordinal)
    assert page.parts[-2].title == "Odds ratios of a higher choice"
    assert str(page.methods[0]).startswith("Ordinal regression")


def test_interaction_of_several_choices_is_tested_for_all_of_them(answered: Design) -> None:
    crossed = done(Kind.REGRESSION, answered, outcome="mood", **ASKED, **CROSSED)
    plain = done(Kind.REGRESSION, answered, outcome="cheated", **ASKED, **CROSSED)
    tests = [found.result["interaction"][0] for found in (crossed, plain)]
    assert tests[0]["degrees_of_freedom"] == 2 * tests[1]["degrees_of_freedom"]


@pytest.mark.parametrize("model", ["probit", "cloglog"])
def test_other_links_tell_differences(answered: Design, model: str) -> None:
    found = done(Kind.REGRESSION, answered, outcome="cheated", model=model, **ASKED)
    rows = found.result["rows"]
    assert {row["quantity"] for row in rows} == {"share", "difference"}
    usual = done(Kind.REGRESSION, answered, outcome="cheated", **ASKED).result["rows"]
    west = [next(row for row in one if row["group"] == f"{REGION}=4") for one in (rows, usual)]
    assert west[0]["estimate"] == pytest.approx(west[1]["estimate"], abs=0.02)
    page = presentation.present(found)
    assert any(sentence.startswith("“Where do you live? West” is higher than") for sentence in page.sentences)
    assert [part.title for part in page.parts[2:]] == ["Model"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"outcome": "cheated", "model": "tobit"}, "Choose one of the models"),
        ({"outcome": "cheated", "model": "ordinal"}, "more than two choices"),
        ({"outcome": "mood", "model": "probit"}, "are for two answers"),
        ({"outcome": "mood:1", "model": "ordinal"}, "more than two choices"),
    ],
)
def test_models_that_do_not_fit_are_refused(fields: dict[str, str], words: str) -> None:
    with pytest.raises(AnalysisError, match=words):
        requests.parameters(Kind.REGRESSION, fields | ASKED, [background.three()])


@pytest.mark.parametrize("fields", [{"outcome": "mood"}, {"outcome": "mood", "model": "ordinal"}, {"model": "cloglog"}])
def test_priors_go_with_every_model_but_linear_ones(answered: Design, fields: dict[str, str]) -> None:
    found = done(Kind.REGRESSION, answered, **({"outcome": "cheated", "prior": "yes"} | fields | ASKED))
    assert found.result["flags"] == []
    assert found.result["alike"]["test"] == "wald"
    assert all(row["estimate"] is not None for row in found.result["rows"])
    assert any(str(method).startswith("Weakly informative priors") for method in presentation.present(found).methods)


def regions_by_age(seed: int, *, crossed: bool, n: int = 2000) -> tuple[Design, dict[str, object]]:
    """Yes/no answers of which region and age add up on the logit scale, or of which one turns the other round."""
    design, random = drawn(), np.random.default_rng(seed)
    shares = [[float(share) for share in question.shares] for question in design.background.questions]
    told = np.stack([random.choice(len(one), size=n, p=one) for one in shares], axis=1)
    cells = np.array([design.background.cell_of(answers) for answers in told.tolist()])
    slopes = 0.8 * (told[:, 0] - 1) if not crossed else np.where(told[:, 1] % 2 == 0, 2.0, -2.0) * (told[:, 0] % 2)
    cheated = (random.random(n) < 1 / (1 + np.exp(0.5 - slopes))).astype(np.int64)
    who = simulation.People(cells, {"cheated": cheated, "mood": random.integers(0, 3, n)})
    exact = simulation.totals(design, who, simulation.symbols(design, who, random))
    return design, background.released_inputs(design, exact, 0)


ADDITIVE = {"outcome": "cheated", "predictors": [REGION, AGE], "confidence": 0.95}


@pytest.mark.long
def test_misfit_of_a_model_that_holds_is_seldom_alarmed() -> None:
    """Where region and age add up, p is below 0.05 in about 5 % of samples: of 30 more than 5 in 0.3 % of seeds."""
    tests: list[Any] = [
        adjusted_regression(design, ADDITIVE, inputs)["criteria"]
        for design, inputs in (regions_by_age(seed, crossed=False) for seed in range(30))
    ]
    assert all(one["goodness"]["degrees_of_freedom"] >= 8 for one in tests)
    assert sum(one["goodness"]["p_value"] < 0.05 for one in tests) <= 5


def test_missing_interaction_is_a_misfit() -> None:
    design, inputs = regions_by_age(31, crossed=True)
    alone: Any = adjusted_regression(design, ADDITIVE, inputs)
    both: Any = adjusted_regression(design, ADDITIVE | {"interaction": [REGION, AGE], "prior": None}, inputs)
    assert alone["criteria"]["goodness"]["p_value"] < 1e-3
    assert both["criteria"]["goodness"] is None
    assert both["criteria"]["aic"] < alone["criteria"]["aic"]


def test_criteria_follow_from_the_likelihood(answered: Design) -> None:
    found = done(Kind.REGRESSION, answered, outcome="cheated", **ASKED)
    criteria, likelihood = found.result["criteria"], found.result["log_likelihood"]
    ratios = [row for row in found.result["rows"] if row["quantity"] == "odds_ratio" and not row["flags"]]
    assert criteria["parameters"] == len(ratios) + 1
    assert criteria["aic"] == pytest.approx(2 * criteria["parameters"] - 2 * likelihood)
    assert criteria["bic"] == pytest.approx(np.log(found.result["n"]) * criteria["parameters"] - 2 * likelihood)
    model = presentation.present(found).parts[-1]
    assert [row[0] for row in model.table.rows][:4] == [
        "Coefficients",
        "Log likelihood",
        "AIC, the smaller the better",
        "BIC, the smaller the better",
    ]
    prior = done(Kind.REGRESSION, answered, outcome="cheated", prior="yes", **ASKED)
    assert "criteria" not in prior.result


@pytest.mark.parametrize(("confidence", "quantile"), [("0.9", 1.645), ("0.95", 1.96), ("0.99", 2.576)])
def test_too_few_responses_for_a_difference_are_told(answered: Design, confidence: str, quantile: float) -> None:
    """Of 2,000 responses a tenth is from the west: at 99 % a difference from it is found from 22 points."""
    found = done(Kind.REGRESSION, answered, outcome="cheated", confidence=confidence, **ASKED)
    unclear = [
        row["standard_error"]
        for row in found.result["rows"]
        if row["quantity"] == "difference" and row["low"] <= 0 <= row["high"]
    ]
    widest = (quantile + 0.8416) * max(unclear, default=0.0)
    assert (widest >= 0.2) == (confidence == "0.99")
    cautions = [one for one in presentation.present(found).cautions if "These responses tell little of" in one]
    assert len(cautions) == (widest >= 0.2)
    assert all(f"about {100 * widest:.0f} percentage points" in one for one in cautions)


def test_differences_beyond_the_possible_are_not_told_in_points(answered: Design) -> None:
    """With an error of 40 points a difference is found in four of five surveys from 112 points, and there is none."""
    found = done(Kind.REGRESSION, answered, outcome="cheated", **ASKED)
    for row in found.result["rows"]:
        row |= {"standard_error": 0.4, "low": -0.5, "high": 0.5} if row["quantity"] == "difference" else {}
    (caution,) = [one for one in presentation.present(found).cautions if one.startswith("These responses tell")]
    assert caution.endswith(
        "even the largest difference of their shares would be found in fewer than four of five surveys."
    )


STEPS = {"outcome": "cheated", "predictors": [REGION, AGE], "steps": [REGION], "confidence": 0.95}


@pytest.mark.long
def test_odds_ratio_of_a_step_holds_the_truth() -> None:
    """Each further region multiplies the odds by exp(0.8), as `regions_by_age` has them, but of who does not tell.

    Of 40 intervals of 95 % fewer than 34 hold in 0.7 % of seeds; the last region against the first likewise.
    """
    ratios, differences = list[bool](), list[bool]()
    truth = [1 / (1 + np.exp(0.5 - 0.8 * (region - 1))) for region in (0, 3)]
    for seed in range(100, 140):
        design, inputs = regions_by_age(seed, crossed=False)
        found: Any = adjusted_regression(design, STEPS, inputs)
        step = next(row for row in found["rows"] if row["group"] == f"{REGION}=step")
        ratios.append(step["low"] <= np.exp(0.8) <= step["high"])
        last = next(row for row in found["rows"] if row["quantity"] == "difference" and row["group"] == f"{REGION}=4")
        assert last["against"] == f"{REGION}=1"
        differences.append(last["low"] <= truth[1] - truth[0] <= last["high"])
        assert found["left_out"] > 0
    assert sum(ratios) >= 34
    assert sum(differences) >= 34


def test_step_is_found_with_fewer_responses_than_single_answers() -> None:
    """Of 20 samples of 300 with a slope of 0.8 its interval leaves out 1 more often than any single odds ratio's."""
    alone, stepped = 0, 0
    for seed in range(200, 220):
        design, inputs = regions_by_age(seed, crossed=False, n=300)
        for parameters in (STEPS, ADDITIVE):
            found: Any = adjusted_regression(design, parameters | {"predictors": [REGION]}, inputs)
            ratios = [row for row in found["rows"] if row["quantity"] == "odds_ratio" and row["low"]]
            seen = any(row["low"] > 1 for row in ratios if row["group"] != f"{REGION}=5")
            stepped += seen and parameters is STEPS
            alone += seen and parameters is ADDITIVE
    assert stepped > alone


def test_page_tells_of_each_further_answer(answered: Design) -> None:
    asked = {f"predictor-{REGION}": "steps", f"predictor-{AGE}": "yes"}
    found = done(Kind.REGRESSION, answered, outcome="cheated", **asked)
    assert found.parameters["steps"] == [REGION]
    page = presentation.present(found)
    assert page.sentences[0].startswith("With each further answer to “Where do you live?” the odds of “Yes” are ")
    assert any(str(method).startswith("A predictor in steps enters by the number") for method in page.methods)
    ratios = next(part for part in page.parts if part.title == "Odds ratios of “Yes”")
    assert (ratios.drawn[0].heading, ratios.drawn[0].label) == ("Where do you live?", "each further answer")
    (row,) = [one for one in exports.rows_of(found) if one["group"] == f"{REGION}=step"]
    assert (row["group_label"], row["against_label"]) == ("Where do you live? each further answer", "")
    mean = done(Kind.REGRESSION, answered, outcome="mood", model="ordinal", **{f"predictor-{AGE}": "steps"})
    assert any("each further answer to “How old are you?”" in one for one in presentation.present(mean).sentences)


def test_question_that_interacts_has_no_steps(answered: Design) -> None:
    asked = {f"predictor-{REGION}": "steps", f"interaction-{REGION}+{AGE}": "yes", "outcome": "cheated"}
    with pytest.raises(AnalysisError, match=r"“Where do you live\?” cannot enter in steps"):
        requests.parameters(Kind.REGRESSION, asked, [answered])
    with pytest.raises(AnalysisError, match="predictor-how_old_are_you must be yes, steps or no; got “step”"):
        requests.parameters(Kind.REGRESSION, {"outcome": "cheated", f"predictor-{AGE}": "step"}, [answered])


@pytest.mark.django_db
def test_other_numbers_that_are_about_as_likely_are_told() -> None:
    """250 responses to a question with three choices, whose likelihood has another summit about as high."""
    made = background.of_four_kinds(n=250, seed=1)
    found = done(Kind.REGRESSION, made, outcome="mood", **{f"predictor-{AGE}": "steps"})
    assert found.result["flags"] == ["several_maxima"]
    ratios = [row["estimate"] for row in found.result["rows"] if row["quantity"] == "odds_ratio"]
    assert len(ratios) == 2
    assert None not in ratios
    cautions = presentation.present(found).cautions
    assert any(each.startswith("Quite different numbers describe these responses") for each in cautions)


@pytest.mark.parametrize(
    ("n", "told"), [(4, "not enough responses yet: 4 of 10"), (26, "not enough responses yet: 26 of 30")]
)
def test_small_group_is_told_how_many_responses_it_lacks(n: int, told: str) -> None:
    """Ten responses release a group, thirty enter a model."""
    assert sentences.missing(rows.AnalysisRow("share", "1", n, group="x", level=0.95)) == told
