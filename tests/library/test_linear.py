"""Least squares on debiased reports: closed forms, statsmodels, enumeration of every draw, bad input."""

import itertools
import json

import numpy as np
import pytest
from statsmodels.api import WLS

from randomized_response import Channel, discrete_laplace, forced_response, k_ary
from randomized_response.linear import linear_regression

COINS = forced_response(truth="1/2")
DIE = forced_response(truth="2/3", yes="1/4")


def sample(n=200, p=3, seed=0):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(n, p)), generator.integers(0, 2, n), generator.random(n) + 0.5


@pytest.mark.parametrize("robust", ["HC0", "HC1", "HC2", "HC3"])
def test_linear_agrees_with_statsmodels(robust):
    table, reports, weights = sample()
    unbiased = (reports - DIE.matrix[0, 1]) / (DIE.matrix[1, 1] - DIE.matrix[0, 1])
    other = WLS(unbiased, np.column_stack([np.ones(200), table]), weights=weights).fit(cov_type=robust)
    fit = linear_regression(table, reports, DIE, weights=weights, robust=robust)
    np.testing.assert_allclose(fit.coefficients, other.params, atol=1e-12)
    np.testing.assert_allclose(fit.covariance, other.cov_params(), rtol=1e-10)
    np.testing.assert_allclose(fit.p_values, other.pvalues, rtol=1e-9)
    wald = other.wald_test(np.eye(4)[1:], use_f=False, scalar=True)
    assert fit.wald == pytest.approx(wald.statistic, rel=1e-9)
    assert fit.wald_p_value == pytest.approx(wald.pvalue, rel=1e-9)


@pytest.mark.parametrize("robust", ["HC0", "HC1", "HC2", "HC3"])
@pytest.mark.parametrize("weighted", [False, True])
def test_linear_counts_equal_repeated_rows(robust, weighted):
    table, reports, counts = [[0, 1.5], [1, 0.5], [1, -1.0], [0, 2.0], [0, 0]], [0, 1, 0, 1, 1], [30, 20, 41, 17, 9]
    weights = [0.5, 2.0, 1.0, 3.0, 0.2] if weighted else np.ones(5)
    folded = linear_regression(table, reports, DIE, weights, counts=counts, robust=robust)
    rows = np.repeat(table, counts, axis=0), np.repeat(reports, counts)
    spread = linear_regression(*rows, DIE, np.repeat(weights, counts), robust=robust)
    assert folded.n == spread.n == 117
    np.testing.assert_allclose(spread.coefficients, folded.coefficients, rtol=1e-9)
    np.testing.assert_allclose(spread.covariance, folded.covariance, rtol=1e-9)


def test_linear_groups_have_debiased_shares():
    group, reports = np.repeat([0, 0, 1, 1], [60, 40, 45, 55]), np.repeat([0, 1, 0, 1], [60, 40, 45, 55])
    fit = linear_regression(group, reports, COINS, robust="HC1")
    np.testing.assert_allclose(fit.coefficients, [0.3, 0.3], atol=1e-12)
    predicted = fit.predict([0, 1])
    np.testing.assert_allclose(predicted.means, [0.3, 0.6], atol=1e-12)
    # HC1 of a group: 4 * rate (1 - rate) / n, times 200 / 198.
    errors = [np.sqrt(4 * r * (1 - r) / 100 * 200 / 198) for r in (0.40, 0.55)]
    np.testing.assert_allclose(predicted.standard_errors, errors, rtol=1e-12)


@pytest.mark.parametrize("channel", [k_ary(3, truth="1/2"), Channel(((5, 3, 2, 0), (1, 2, 3, 4), (0, 0, 1, 9)))])
def test_slopes_are_unbiased_over_every_draw(channel):
    """All m^5 sets of reports of five people, each with its probability: the mean is least squares on the answers."""
    answers, table, values = np.array([0, 2, 1, 2, 0]), np.array([0.0, 1.0, 2.0, 4.0, 5.0]), np.array([1.0, 5.0, 7.0])
    design = np.column_stack([np.ones(5), table])
    target = np.linalg.lstsq(design, values[answers], rcond=None)[0]
    mean = np.zeros(2)
    for reports in itertools.product(range(channel.reports), repeat=5):
        chance = np.prod(channel.matrix[answers, list(reports)])
        if chance > 0:
            mean += chance * linear_regression(table, reports, channel, values=values).coefficients
    np.testing.assert_allclose(mean, target, atol=1e-11)


def test_linear_direct_question_is_least_squares():
    table, _, _ = sample()
    reports = np.arange(200) % 7
    fit = linear_regression(table, reports, None)
    target = np.linalg.lstsq(np.column_stack([np.ones(200), table]), reports.astype(float), rcond=None)[0]
    np.testing.assert_allclose(fit.coefficients, target, atol=1e-12)


def test_linear_channel_per_person():
    table, reports, _ = sample()
    channel = [(COINS, DIE, None)[i % 3] for i in range(200)]
    tables = [np.eye(2) if c is None else c.matrix for c in channel]
    unbiased = [(y - t[0, 1]) / (t[1, 1] - t[0, 1]) for y, t in zip(reports, tables, strict=True)]
    target = np.linalg.lstsq(np.column_stack([np.ones(200), table]), np.array(unbiased), rcond=None)[0]
    np.testing.assert_allclose(linear_regression(table, reports, channel).coefficients, target, atol=1e-12)


def test_linear_number_on_a_grid():
    grid = discrete_laplace(11, epsilon=2)
    generator = np.random.default_rng(4)
    group = generator.integers(0, 2, 20_000)
    answers = generator.binomial(10, 0.3 + 0.2 * group)
    steps = grid.matrix.cumsum(axis=1)[answers]
    reports = (generator.random(20_000)[:, None] > steps).sum(axis=1)
    fit = linear_regression(group, np.minimum(reports, 10), grid)
    # Means 3 and 5: within 4 standard errors, a false alarm in 16,000 for each of the two.
    np.testing.assert_array_less(abs(fit.coefficients - [3.0, 2.0]), 4 * fit.standard_errors)


def test_collinear_covariates_are_named():
    table, reports, _ = sample(p=2)
    fit = linear_regression(np.column_stack([table, table @ [1, 2]]), reports, COINS, names=["a", "b", "sum"])
    assert [each.name for each in fit.diagnostics] == ["not identified"]
    assert "sum is determined" in fit.diagnostics[0].message
    assert not fit.identified
    assert not fit.converged
    assert np.isnan(fit.coefficients).all()
    assert "! not identified" in str(fit)


def test_result_is_plain_and_frozen():
    table, reports, _ = sample()
    fit = linear_regression(table, reports, COINS, names=["a", "b", "c"])
    assert json.loads(json.dumps(fit.to_dict(), allow_nan=False))["names"] == ["intercept", "a", "b", "c"]
    with pytest.raises(ValueError, match="read-only"):
        fit.covariance[0, 0] = 1
    assert fit.intervals(0.9).shape == (4, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"robust": "HC4"}, "robust must be one of HC0, HC1, HC2, HC3; got 'HC4'"),
        ({"values": [0, 1, 2]}, "channel must have 3 answers .*; got 2"),
        ({"values": [0, np.nan]}, "values must be at least 2 finite numbers"),
        (
            {"channel": [COINS, COINS, COINS, k_ary(3, truth="1/2")]},
            r"same number of answers in every row; got \[2, 3\]",
        ),
        ({"reports": [0, 1, 2, 1]}, r"reports\[2\] must be a whole number from 0 to 1; got 2"),
        ({"covariates": [[1, 2, 3], [2, 2, 2], [4, 5, 7], [1, 1, 0]]}, "covariates must have more than 4 rows; got 4"),
    ],
)
def test_bad_input_names_argument_bound_and_value(change, message):
    good = {"covariates": [0.5, 1.0, 1.5, 0.0], "reports": [0, 1, 0, 1], "channel": COINS}
    with pytest.raises(ValueError, match=message):
        linear_regression(**(good | change))


def test_linear_predict_bad_columns_raise():
    fit = linear_regression([0.5, 1.0, 1.5, 0.0], [0, 1, 0, 1], COINS)
    with pytest.raises(ValueError, match="covariates must have 1 columns; got 2"):
        fit.predict([[1, 2]])
    with pytest.raises(ValueError, match=r"covariates\[1, 0\] must be finite; got nan"):
        fit.predict([1, np.nan])
