"""Effects of randomised answers that differ by covariates: known answers by statsmodels, groups apart, coverage."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import optimize, special, stats

from randomized_response import Channel, corrected_regression, forced_response, k_ary, predictor_regression, simulate
from tests.tools.derivatives import assert_maximum, first_derivatives
from tests.tools.gate import few

COINS, CARDS = forced_response(truth="3/4"), k_ary(3, truth="3/4")
GENERATOR = np.random.default_rng(41)
N = 4000
COVARIATES = np.column_stack([GENERATOR.normal(size=N), GENERATOR.integers(0, 2, N)])
ANSWERS = (GENERATOR.random(N) < special.expit(-0.4 + 0.5 * COVARIATES[:, 1])).astype(int)
LINE = -0.5 + 0.3 * COVARIATES[:, 0] + 0.4 * COVARIATES[:, 1] + ANSWERS * (0.5 + 1.0 * COVARIATES[:, 1])
CHOICES = (GENERATOR.random(N) < special.expit(LINE)).astype(int)
NUMBERS = LINE + GENERATOR.normal(size=N)
REPORTS = simulate(COINS, ANSWERS, GENERATOR)
KNOWN = Channel(((1, 0), (0, 1)))
GROUP = COVARIATES[:, 1:]

two_models = pytest.mark.parametrize(
    "regress",
    [partial(predictor_regression, model="logit"), predictor_regression, corrected_regression],
    ids=["logit", "linear", "corrected"],
)


def outcome_of(regress):
    return CHOICES if getattr(regress, "keywords", None) else NUMBERS


@two_models
def test_known_answers_are_a_regression_with_products(regress):
    fit = regress(outcome_of(regress), COVARIATES, ANSWERS, KNOWN, names=["age", "female"], modifiers=["female", 0])
    assert fit.names[:6] == (
        "intercept", "age", "female", "answer: 1", "answer: 1 × female", "answer: 1 × age",
    )  # fmt: skip
    products = COVARIATES[:, ::-1] * ANSWERS[:, None]
    design = np.column_stack([np.ones(N), COVARIATES, ANSWERS, products])
    if outcome_of(regress) is CHOICES:
        plain = sm.Logit(CHOICES, design).fit(disp=0)
        errors = plain.bse
    else:
        plain = sm.OLS(NUMBERS, design).fit()
        errors = plain.HC1_se if regress is corrected_regression else plain.bse * np.sqrt(plain.df_resid / N)
    np.testing.assert_allclose(fit.coefficients[:6], plain.params, atol=1e-6)
    np.testing.assert_allclose(fit.standard_errors[:6], errors, rtol=1e-6)


@two_models
def test_one_group_as_modifier_is_a_regression_for_each_group(regress):
    """With the group as the only covariate nothing is shared between groups but, of a normal outcome, its variance."""
    fit = regress(outcome_of(regress), GROUP, REPORTS, COINS, modifiers=[0])
    found = fit.effects_at([[0], [1]])
    for group in (0, 1):
        there = GROUP[:, 0] == group
        alone = regress(outcome_of(regress)[there], np.empty((there.sum(), 0)), REPORTS[there], COINS)
        normal = getattr(alone, "sigma", np.nan) > 0
        assert found.estimates[group, 0] == pytest.approx(alone.effects[0], abs=0.05 if normal else 1e-5)
        errors = pytest.approx(alone.standard_errors[1], rel=0.05 if normal else 2e-3)
        assert found.standard_errors[group, 0] == errors
    assert found.difference(1, 0)[0][0] == pytest.approx(fit.coefficients[3])
    assert found.difference(1, 0)[1][0] == pytest.approx(fit.standard_errors[3])


def test_difference_between_two_halves_takes_four_times_the_responses():
    """Its variance is that of two effects, each of half of the people."""
    plain = predictor_regression(CHOICES, GROUP, REPORTS, COINS, model="logit")
    fit = predictor_regression(CHOICES, GROUP, REPORTS, COINS, model="logit", modifiers=[0])
    assert (fit.standard_errors[3] / plain.standard_errors[2]) ** 2 == pytest.approx(4, rel=0.15)


def log_likelihood(at, model):
    share, line = special.expit(sm.add_constant(COVARIATES) @ at[5:8]), sm.add_constant(COVARIATES) @ at[:3]
    lines = [line, line + at[3] + at[4] * COVARIATES[:, 1]]
    if model == "linear":
        densities = [stats.norm.pdf(NUMBERS, one, np.exp(at[8])) for one in lines]
    else:
        densities = [np.where(CHOICES, special.expit(one), special.expit(-one)) for one in lines]
    table = COINS.matrix[:, REPORTS]
    return float(np.log(table[0] * (1 - share) * densities[0] + table[1] * share * densities[1]).sum())


@pytest.mark.parametrize("model", few(["linear", "logit"]))
def test_fit_is_the_maximum_with_its_second_derivatives(model):
    outcome = NUMBERS if model == "linear" else CHOICES
    fit = predictor_regression(outcome, COVARIATES, REPORTS, COINS, model=model, modifiers=[1])
    assert_maximum(fit, partial(log_likelihood, model=model))
    assert abs(fit.coefficients[4] - 1.0) < 4 * fit.standard_errors[4]


@two_models
def test_units_of_covariates_do_not_matter(regress):
    fit = regress(outcome_of(regress), COVARIATES, REPORTS, COINS, modifiers=[0, 1])
    other = regress(outcome_of(regress), COVARIATES * [1e3, 1] + [3e3, 0], REPORTS, COINS, modifiers=[0, 1])
    moved = COVARIATES[:3] * [1e3, 1] + [3e3, 0]
    one, two = fit.effects_at(COVARIATES[:3]), other.effects_at(moved)
    np.testing.assert_allclose(one.estimates, two.estimates, rtol=1e-5)
    np.testing.assert_allclose(one.standard_errors, two.standard_errors, rtol=1e-5)
    by_answer = [(0, None), (1, None), (None, None)]
    one, two = fit.margins(COVARIATES, by_answer), other.margins(COVARIATES * [1e3, 1] + [3e3, 0], by_answer)
    np.testing.assert_allclose(one.estimates, two.estimates, rtol=1e-5)


@pytest.mark.parametrize("model", few(["linear", "logit", "probit", "cloglog", "corrected"]))
def test_errors_of_margins_are_by_the_derivatives_of_the_estimates(model):
    answers = np.random.default_rng(2).integers(0, 3, N)
    first = simulate(CARDS, answers, np.random.default_rng(3))
    reports, some = np.column_stack([first, REPORTS])[:1000], COVARIATES[:1000]
    yes = (np.random.default_rng(4).random(N) < 0.2 + 0.2 * answers).astype(int)
    regress = corrected_regression if model == "corrected" else partial(predictor_regression, model=model)
    outcome = NUMBERS if model in ("linear", "corrected") else yes
    fit = regress(outcome[:1000], some, reports, [CARDS, COINS], modifiers=[1])
    moved = np.column_stack([some[:, 0], np.ones(1000)])
    scenarios = [((0, None), None), ((2, None), moved), (None, None), (None, moved), ((None, 1), moved), (5, None)]

    def estimates(at):
        return replace(fit, coefficients=at).margins(some, scenarios).estimates.ravel()

    slopes = first_derivatives(estimates, fit.coefficients)
    found = fit.margins(some, scenarios)
    np.testing.assert_allclose(found.covariance, np.transpose(slopes) @ fit.covariance @ slopes, rtol=1e-5, atol=1e-9)
    assert len(fit.names) == len(fit.coefficients)


@two_models
def test_margins_as_people_are_average_the_outcome(regress):
    """Everybody as she is: the mean of what was seen, which some of these models fit exactly."""
    fit = regress(outcome_of(regress), COVARIATES, REPORTS, COINS, modifiers=[1])
    found = fit.margins(COVARIATES, [(None, None)]).estimates[0, 0]
    assert found == pytest.approx(outcome_of(regress).mean(), abs=0.005)


def test_margins_of_each_group_are_those_of_the_group_alone():
    """Averages of one group's people by the answer are those of the corrected regression of that group alone."""
    fit = corrected_regression(NUMBERS, GROUP, REPORTS, COINS, modifiers=[0])
    there = GROUP[:, 0] == 1
    alone = corrected_regression(NUMBERS[there], np.empty((there.sum(), 0)), REPORTS[there], COINS)
    scenarios = [(0, None), (1, None), (None, None)]
    found, expected = fit.margins(GROUP[there], scenarios), alone.margins(np.empty((there.sum(), 0)), scenarios)
    np.testing.assert_allclose(found.estimates, expected.estimates, rtol=1e-9)
    np.testing.assert_allclose(found.standard_errors, expected.standard_errors, rtol=2e-3)


def density(at, x):
    """The log posterior density, written out: the effect of the answer as it is, at the mean of the modifier."""
    base, slope, effect, by, own, own_slope = at
    share = special.expit(own + own_slope * x)
    turned = 2 * CHOICES - 1
    densities = [special.expit(turned * (base + slope * x + shift)) for shift in (0, effect + by * x)]
    rows = [COINS.matrix[a, REPORTS] * (share if a else 1 - share) * densities[a] for a in (0, 1)]
    at_mean = [base + slope * x.mean(), effect + by * x.mean(), own + own_slope * x.mean()]
    free = np.array([*at_mean, *(x.std() * np.array([slope, by, own_slope]))])
    return np.log(sum(rows)).sum() - (free**2).sum() / (2 * 0.8**2)


def test_priors_give_the_mode_of_the_posterior():
    x = 3 + 2 * COVARIATES[:, 0]
    fit = predictor_regression(CHOICES, x, REPORTS, COINS, model="logit", modifiers=[0], prior=0.8)
    found = optimize.minimize(lambda at: -density(at, x), fit.coefficients, method="BFGS", options={"gtol": 1e-6})
    np.testing.assert_allclose(fit.coefficients, found.x, atol=1e-4)


def test_modifiers_of_a_data_frame_are_named_columns():
    frame = pd.DataFrame(COVARIATES, columns=["age", "female"])
    fit = predictor_regression(CHOICES, frame, REPORTS, COINS, model="logit", modifiers=["female"])
    assert fit.names[4] == "answer: 1 × female"
    people = pd.DataFrame({"female": [0, 1], "age": [0.0, 0.0]})
    np.testing.assert_allclose(
        fit.effects_at(people).estimates[:, 0], [fit.coefficients[3], fit.coefficients[3:5].sum()], rtol=1e-12
    )


@pytest.mark.parametrize(
    ("modifiers", "words"),
    [
        (["female"], r"modifiers\[0\] must be one of the covariates x1, x2; got 'female'"),
        ([2], r"modifiers\[0\] must be from 0 to 1; got 2"),
        ([0, "x1"], r"modifiers\[1\] must differ from those before it; got 'x1'"),
        ("x1", "modifiers must be a sequence of covariates; got 'x1'"),
        ([True], r"modifiers\[0\] must be an integer"),
    ],
)
def test_wrong_modifiers_are_refused_by_name(modifiers, words):
    for regress in (predictor_regression, corrected_regression):
        with pytest.raises(ValueError, match=words):
            regress(NUMBERS, COVARIATES, REPORTS, COINS, modifiers=modifiers)


def test_effects_are_not_told_apart_without_reports_of_an_answer():
    fit = corrected_regression(NUMBERS, GROUP, np.zeros(N, dtype=int), KNOWN, modifiers=[0])
    assert [one.name for one in fit.diagnostics] == ["not identified"]
    assert np.isnan(fit.effects_at([[0]]).standard_errors).all()


@pytest.mark.long
@pytest.mark.parametrize("model", ["logit", "linear", "corrected"])
def test_interaction_covers_at_its_level_and_its_test_has_its_size(model):
    """400 samples of 3,000, half without an interaction: outside of 91.5 to 98.5 % is at most 1 % of seeds each."""
    regress = corrected_regression if model == "corrected" else partial(predictor_regression, model=model)
    generator, held, found = np.random.default_rng(23), np.zeros(2), 0
    for number in range(400):
        by = 1.2 * (number % 2)
        x = generator.integers(0, 2, (3000, 1)).astype(float)
        answers = (generator.random(3000) < 0.3 + 0.2 * x[:, 0]).astype(int)
        line = -0.5 + 0.5 * x[:, 0] + answers * (0.6 + by * x[:, 0])
        outcome = line + generator.normal(size=3000)
        if model == "logit":
            outcome = (generator.random(3000) < special.expit(line)).astype(int)
        fit = regress(outcome, x, simulate(COINS, answers, generator), COINS, modifiers=[0])
        low, high = fit.intervals()[3]
        held[number % 2] += low <= by <= high
        found += not number % 2 and fit.wald_test(np.eye(len(fit.names))[[3]]).p_value < 0.05
    assert ((held / 200 > 0.915) & (held / 200 < 0.985)).all(), held / 200
    assert found / 200 < 0.085
