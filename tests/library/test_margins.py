"""Predictive margins: by hand, by finite differences of the coefficients, and between scenarios."""

import numpy as np
import pytest

from randomized_response import (
    categorical_regression,
    forced_response,
    k_ary,
    linear_regression,
    logistic_regression,
    predictive_margins,
    simulate,
)

N = 1500
GENERATOR = np.random.default_rng(11)
COVARIATES = np.column_stack([GENERATOR.integers(0, 2, N), GENERATOR.normal(size=N)])
ANSWERS = (GENERATOR.random((N, 1)) > np.cumsum([[0.3, 0.4]], axis=1)).sum(axis=1)
COINS, TABLE = forced_response(truth="1/2"), k_ary(3, truth="2/3")
YES = simulate(COINS, (ANSWERS > 0).astype(int), GENERATOR)
REPORTS = simulate(TABLE, ANSWERS, GENERATOR)
FITS = {
    "logistic": logistic_regression(COVARIATES, YES, COINS),
    "probit": logistic_regression(COVARIATES, YES, COINS, link="probit"),
    "linear": linear_regression(COVARIATES, YES, COINS),
    "multinomial": categorical_regression(COVARIATES, REPORTS, TABLE),
    "ordinal": categorical_regression(COVARIATES, REPORTS, TABLE, model="ordinal"),
}
SCENARIOS = [np.column_stack([np.full(N, value), COVARIATES[:, 1]]) for value in (1.0, 0.0)]


@pytest.mark.parametrize("name", FITS)
def test_margins_are_averages_of_predictions(name):
    fit = FITS[name]
    margins = predictive_margins(fit, SCENARIOS)
    for found, scenario in zip(margins.estimates, SCENARIOS, strict=True):
        predicted = fit.predict(scenario)
        each = predicted.means if name == "linear" else predicted.proportions
        np.testing.assert_allclose(found, np.atleast_1d(each.mean(axis=0)), rtol=1e-12)


@pytest.mark.parametrize("name", ["logistic", "probit", "multinomial", "ordinal"])
def test_difference_of_two_margins_is_the_marginal_effect_of_a_step(name):
    fit = FITS[name]
    estimates, errors = predictive_margins(fit, SCENARIOS).difference(0, 1)
    effects, k = fit.get_margeff(), len(estimates)
    np.testing.assert_allclose(estimates, effects.margeff[:k], atol=1e-9)
    np.testing.assert_allclose(errors, effects.margeff_se[:k], rtol=1e-5)


def test_difference_of_means_is_the_slope():
    fit = FITS["linear"]
    estimates, errors = predictive_margins(fit, SCENARIOS).difference(0, 1)
    assert (estimates[0], errors[0]) == pytest.approx((fit.coefficients[1], fit.standard_errors[1]), rel=1e-9)


def test_one_person_has_the_interval_of_a_prediction():
    fit = FITS["logistic"]
    margins, predicted = predictive_margins(fit, [[[1, 0.3]]]), fit.predict([[1, 0.3]], 0.9)
    assert margins.intervals(0.9)[0, 0] == pytest.approx([predicted.low[0], predicted.high[0]], rel=1e-9)
    assert margins.standard_errors[0, 0] == pytest.approx(predicted.standard_errors[0], rel=1e-9)


def test_weights_count_people():
    twice = np.vstack([COVARIATES[:3], COVARIATES[:2]])
    found = predictive_margins(FITS["logistic"], [COVARIATES[:3]], [2, 2, 1])
    assert found.estimates == pytest.approx(predictive_margins(FITS["logistic"], [twice]).estimates, rel=1e-12)


def test_separated_fit_has_no_errors():
    fit = logistic_regression([[0], [1]], [0, 1], COINS, counts=[400, 400])
    margins = predictive_margins(fit, [[[0]], [[1]]])
    assert not fit.converged
    assert np.isnan(margins.standard_errors).all()
    assert np.isnan(margins.intervals()).all()


@pytest.mark.parametrize(
    ("scenarios", "weights", "words"),
    [
        ([], None, "scenarios must be at least one; got none"),
        ([[[1, 0]], [[1, 0], [0, 0]]], None, r"scenarios must have the same people, at least 1; got \[1, 2\]"),
        ([[[1, 0]]], [-1], "weights must be 1 finite numbers from 0, not all 0"),
        ([[[1, 0]]], [0], "not all 0"),
        ([[[1, 0]]], [1, 1], r"got an array of shape \(2,\)"),
    ],
)
def test_wrong_use_is_refused(scenarios, weights, words):
    with pytest.raises(ValueError, match=words):
        predictive_margins(FITS["logistic"], scenarios, weights)
