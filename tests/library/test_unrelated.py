"""Regression through the unrelated question of unknown prevalence: the maximum by hand, coverage, refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats

from randomized_response import logistic_regression, unknown_prevalence, unknown_prevalence_regression
from randomized_response import unrelated_question as known_question
from tests.tools.derivatives import second_derivatives

TRUTH = ("3/4", "1/5")
CHANCES = np.array([0.75, 0.2])
N = 4000
GENERATOR = np.random.default_rng(14)
COVARIATES = np.column_stack([GENERATOR.normal(size=N), GENERATOR.integers(0, 2, N)])
DESIGN = np.column_stack([np.ones(N), COVARIATES])
AT = np.array([-1.0, 0.8, -0.5])


def reported(generator: np.random.Generator, design: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Reports and arms of people with these covariates, `other` the chances of yes to the other question."""
    n = len(design)
    arms = generator.integers(0, 2, n)
    share = np.where(generator.random(n) < CHANCES[arms], special.expit(design @ AT), other)
    return (generator.random(n) < share).astype(int), arms


REPORTS, ARMS = reported(GENERATOR, DESIGN, np.full(N, 0.3))


def log_likelihood(at: np.ndarray, unrelated: str, reports: np.ndarray = REPORTS) -> float:
    other = at[3:] @ DESIGN.T if unrelated == "covariates" else at[3]
    yes = CHANCES[ARMS] * special.expit(DESIGN @ at[:3]) + (1 - CHANCES[ARMS]) * special.expit(other)
    return float(np.log(np.where(reports, yes, 1 - yes)).sum())


@pytest.mark.parametrize(("unrelated", "parameters"), [("constant", 4), ("covariates", 6)])
def test_fit_is_the_maximum_with_its_second_derivatives(unrelated, parameters):
    fit = unknown_prevalence_regression(COVARIATES, REPORTS, ARMS, TRUTH, unrelated=unrelated)
    best = optimize.minimize(lambda at: -log_likelihood(at, unrelated), np.zeros(parameters), options={"gtol": 1e-4})
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(log_likelihood(fit.coefficients, unrelated), rel=1e-12)
    curvature = -second_derivatives(lambda at: log_likelihood(at, unrelated), fit.coefficients)
    np.testing.assert_allclose(fit.covariance, np.linalg.inv(curvature), rtol=1e-3, atol=1e-7)
    assert (fit.converged, fit.diagnostics, fit.parameters) == (True, (), parameters)
    assert np.all(np.abs(fit.coefficients[:3] - AT) < 4 * fit.standard_errors[:3])
    assert fit.names[:4] == ("intercept", "x1", "x2", "unrelated: intercept")


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog"])
def test_without_covariates_it_is_the_closed_form(link):
    counts, reports, arms = [260, 740, 340, 660], [1, 0, 1, 0], [0, 0, 1, 1]
    fit = unknown_prevalence_regression(np.empty((4, 0)), reports, arms, ("7/10", "3/10"), counts=counts, link=link)
    found = unknown_prevalence((260, 340), (1000, 1000), ("7/10", "3/10"))
    share = fit.predict(np.empty((1, 0)))
    assert share.proportions[0] == pytest.approx(found.sensitive.unbiased, abs=1e-9)
    assert share.standard_errors[0] == pytest.approx(found.sensitive.standard_error, rel=1e-3)  # n in place of n - 1


def test_known_prevalence_tells_more():
    """With the other question's share known it is `logistic_regression` of that channel; its errors are smaller."""
    fit = unknown_prevalence_regression(COVARIATES, REPORTS, ARMS, TRUTH)
    channels = [known_question(truth=truth, prevalence="3/10") for truth in TRUTH]
    known = logistic_regression(COVARIATES, REPORTS, [channels[arm] for arm in ARMS])
    assert np.all(known.standard_errors <= fit.standard_errors[:3])
    assert np.all(np.abs(known.coefficients - fit.coefficients[:3]) < 3 * fit.standard_errors[:3])


def test_constant_where_the_other_question_depends_on_covariates_is_biased():
    generator = np.random.default_rng(3)
    design = np.tile(DESIGN, (10, 1))
    reports, arms = reported(generator, design, special.expit(design @ [-1, -0.8, 0]))
    right, wrong = (
        unknown_prevalence_regression(design[:, 1:], reports, arms, TRUTH, unrelated=kind)
        for kind in ("covariates", "constant")
    )
    assert abs(right.coefficients[1] - AT[1]) < 3 * right.standard_errors[1]
    assert abs(wrong.coefficients[1] - AT[1]) > 5 * wrong.standard_errors[1]
    assert right.aic < wrong.aic


def test_arms_are_only_names():
    fit = unknown_prevalence_regression(COVARIATES, REPORTS, ARMS, TRUTH)
    turned = unknown_prevalence_regression(COVARIATES, REPORTS, 1 - ARMS, TRUTH[::-1])
    np.testing.assert_allclose(turned.coefficients, fit.coefficients, rtol=1e-9)


def test_units_of_covariates_change_nothing_else():
    fit = unknown_prevalence_regression(COVARIATES, REPORTS, ARMS, TRUTH, unrelated="covariates")
    covariates = COVARIATES * [1e4, 1] + [7e4, 0]
    moved = unknown_prevalence_regression(covariates, REPORTS, ARMS, TRUTH, unrelated="covariates")
    assert moved.log_likelihood == pytest.approx(fit.log_likelihood, abs=1e-6)
    np.testing.assert_allclose(moved.coefficients[[1, 4]] * 1e4, fit.coefficients[[1, 4]], rtol=1e-6)


def test_counts_are_as_many_respondents():
    rows = np.column_stack([REPORTS, ARMS, COVARIATES[:, 1]])
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    each = unknown_prevalence_regression(rows[:, 2:], REPORTS, ARMS, TRUTH)
    counted = unknown_prevalence_regression(distinct[:, 2:], distinct[:, 0], distinct[:, 1], TRUTH, counts=counts)
    np.testing.assert_allclose(counted.coefficients, each.coefficients, rtol=1e-9)
    np.testing.assert_allclose(counted.standard_errors, each.standard_errors, rtol=1e-9)
    assert counted.n == N


@pytest.mark.parametrize("options", [{"weights": np.linspace(0.5, 2, N)}, {"clusters": np.arange(N) // 30}], ids=str)
def test_robust_errors_agree_with_the_curvature(options):
    """With the right model the sandwich estimates what the curvature does: within 20 % at 4,000 respondents."""
    plain = unknown_prevalence_regression(COVARIATES, REPORTS, ARMS, TRUTH)
    found = unknown_prevalence_regression(COVARIATES, REPORTS, ARMS, TRUTH, **options)
    effect = 1.0 if "clusters" in options else np.sqrt(N * (options["weights"] ** 2).sum()) / options["weights"].sum()
    np.testing.assert_allclose(found.standard_errors, effect * plain.standard_errors, rtol=0.2)
    assert found.information == ("cluster" if "clusters" in options else "robust")


@pytest.mark.long
def test_intervals_cover_at_their_level():
    """400 samples of 4,000: 369 to 390 intervals of a slope hold the truth (binomial, false alarm 1 %)."""
    generator, hits = np.random.default_rng(9), 0
    for _ in range(400):
        reports, arms = reported(generator, DESIGN, np.full(N, 0.3))
        low, high = unknown_prevalence_regression(COVARIATES, reports, arms, TRUTH).intervals()[1]
        hits += low <= AT[1] <= high
    assert stats.binom.ppf(0.005, 400, 0.95) <= hits <= stats.binom.ppf(0.995, 400, 0.95)


def test_marginal_effect_is_the_change_of_the_average_share():
    fit = unknown_prevalence_regression(COVARIATES, REPORTS, ARMS, TRUTH)
    steps = [np.column_stack([COVARIATES[:, 0], np.full(N, one)]) for one in (0, 1)]
    change = fit.predict(steps[1]).mean - fit.predict(steps[0]).mean
    assert fit.get_margeff().margeff[1] == pytest.approx(change, rel=1e-9)


def test_rows_of_data_frames_are_matched_by_their_index():
    frame = pd.DataFrame(COVARIATES, columns=["age", "female"])
    order = np.random.default_rng(1).permutation(N)
    arms = pd.Series(ARMS).iloc[order]
    fit = unknown_prevalence_regression(frame, pd.Series(REPORTS), arms, TRUTH)
    assert fit.names[1:3] == ("age", "female")
    plain = unknown_prevalence_regression(COVARIATES, REPORTS, ARMS, TRUTH)
    np.testing.assert_allclose(fit.coefficients, plain.coefficients, rtol=1e-12)
    text = str(fit)
    assert text.startswith("Regression through an unrelated question (observed information")
    assert "unrelated: intercept" in text


def test_question_that_nobody_answers_with_yes_has_no_finite_maximum():
    """Without a yes where the other question was mostly asked, its share is 0."""
    fit = unknown_prevalence_regression(
        np.empty((4, 0)), [1, 0, 1, 0], [0, 0, 1, 1], ("7/10", "3/10"), counts=[500, 500, 1, 999]
    )
    assert not fit.converged
    assert [each.name for each in fit.diagnostics] == ["no finite maximum"]
    assert np.isnan(fit.coefficients).all()


def test_collinear_covariates_are_named():
    fit = unknown_prevalence_regression(np.column_stack([COVARIATES, COVARIATES]), REPORTS, ARMS, TRUTH)
    assert [each.name for each in fit.diagnostics] == ["not identified"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"truth": "1/2"}, "truth must be a pair, one entry per arm; got '1/2'"),
        ({"truth": ("1/2", "2/4")}, "truth must differ between the arms; got 1/2 in both"),
        ({"truth": ("1/2", "3/2")}, r"truth\[1\] must be in \[0, 1\]"),
        ({"arms": ARMS + 1}, r"arms\[\d+\] must be 0 or 1; got 2"),
        ({"arms": COVARIATES}, r"arms must be 0 or 1; got shape \(4000, 2\)"),
        ({"arms": np.zeros(N, dtype=int)}, "arms must have respondents in both; one arm"),
        ({"arms": ARMS[:5]}, "channel must be one channel or one per row of covariates"),
        ({"reports": REPORTS + 1}, r"reports\[\d+\] must be a whole number from 0 to 1; got 2"),
        ({"unrelated": "none"}, "unrelated must be constant or covariates; got 'none'"),
        ({"link": "log"}, "link must be one of logit, probit, cloglog; got 'log'"),
    ],
)
def test_wrong_arguments_are_refused_by_name(change, words):
    arguments = {"covariates": COVARIATES, "reports": REPORTS, "arms": ARMS, "truth": TRUTH}
    with pytest.raises(ValueError, match=words):
        unknown_prevalence_regression(**arguments | change)
