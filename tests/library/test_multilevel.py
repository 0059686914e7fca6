"""Random intercepts: R's lme4 where nothing is randomised, integration by hand where it is, areas of a census."""

import numpy as np
import pandas
import pytest
from scipy import integrate, special, stats

from randomized_response import forced_response, logistic_regression, multilevel_regression, simulate
from tests.tools.gate import few

COINS = forced_response(truth="1/2")
ROW = np.arange(600)
COVARIATE = ((ROW * 29) % 83) / 40 - 1
GROUP = ROW // 30
ANSWER = ((ROW * 17 + (GROUP * 31) % 19 * 7) % 23 < 6 + 5 * ((GROUP * 7) % 3) + 4 * COVARIATE).astype(int)
REPORT = simulate(COINS, ANSWER, np.random.default_rng(2))

GLMER = {
    "logit": (-0.0449232, 0.6936795, 0.6897918, -389.5118407, 0.1774782, 0.1493739),
    "probit": (-0.0268318, 0.4230311, 0.4212409, -389.5774649, 0.1083066, 0.0899746),
    "cloglog": (-0.4403784, 0.4819384, 0.4843659, -389.5245689, 0.1258643, 0.1022866),
}
"""lme4 1.1-31, 25 nodes (`tests/library/multilevel.R`): two coefficients, sigma, log likelihood, their two errors."""


@pytest.mark.parametrize("link", few(GLMER))
def test_direct_answers_equal_glmer(link):
    fit = multilevel_regression(COVARIATE, ANSWER, None, GROUP, link=link, nodes=25)
    found = (*fit.coefficients, fit.sigma, fit.log_likelihood, *fit.standard_errors)
    np.testing.assert_allclose(found, GLMER[link], rtol=1e-5)
    assert fit.aic == pytest.approx(2 * 3 - 2 * fit.log_likelihood)


@pytest.mark.long
def test_randomised_likelihood_is_the_integral():
    """Each group's integral by adaptive quadrature of scipy, and no better point nearby."""
    fit = multilevel_regression(COVARIATE, REPORT, COINS, GROUP, nodes=25)

    def height(intercept, slope, sigma):
        def integrand(u, here):
            share = special.expit(intercept + slope * COVARIATE[here] + sigma * u)
            return np.prod(np.where(REPORT[here], 0.25 + share / 2, 0.75 - share / 2)) * stats.norm.pdf(u)

        parts = [integrate.quad(integrand, -8, 8, args=(g == GROUP,), epsabs=0, epsrel=1e-9)[0] for g in range(20)]
        return np.log(parts).sum()

    at = np.array([*fit.coefficients, fit.sigma])
    best = height(*at)
    assert fit.log_likelihood == pytest.approx(best, abs=1e-6)
    for move in np.vstack([np.eye(3), -np.eye(3)]) * 0.02:
        assert height(*(at + move)) < best


@pytest.mark.long
def test_more_nodes_change_little():
    one, many = (multilevel_regression(COVARIATE, REPORT, COINS, GROUP, nodes=nodes) for nodes in (9, 40))
    np.testing.assert_allclose(one.coefficients, many.coefficients, atol=5e-3)
    np.testing.assert_allclose(
        multilevel_regression(COVARIATE, REPORT, COINS, GROUP).coefficients, many.coefficients, atol=1e-6
    )


def test_groups_that_do_not_differ_have_no_variation():
    generator = np.random.default_rng(1)
    reports = simulate(COINS, (generator.random(600) < 0.3).astype(int), generator)
    fit = multilevel_regression(COVARIATE, reports, COINS, np.arange(600) % 20)
    plain = logistic_regression(COVARIATE, reports, COINS)
    assert fit.sigma == 0
    assert np.isnan(fit.sigma_standard_error)
    assert [each.name for each in fit.diagnostics] == ["no variation"]
    np.testing.assert_allclose(fit.coefficients, plain.coefficients, atol=1e-4)
    np.testing.assert_allclose(fit.covariance, plain.covariance, rtol=1e-3)
    assert fit.variation.p_value == pytest.approx(1, abs=0.51)
    assert (fit.group_standard_errors > 0).all()


def test_variation_is_tested_with_half_a_chi_square():
    fit = multilevel_regression(COVARIATE, ANSWER, None, GROUP)
    plain = logistic_regression(COVARIATE, ANSWER, None)
    statistic = 2 * (fit.log_likelihood - plain.log_likelihood)
    assert fit.variation.statistic == pytest.approx(statistic, abs=1e-8)
    assert fit.variation.p_value == pytest.approx(stats.chi2.sf(statistic, 1) / 2)
    assert fit.intraclass_correlation == pytest.approx(fit.sigma**2 / (fit.sigma**2 + np.pi**2 / 3))


@pytest.mark.long
def test_counts_equal_repeated_rows():
    one = multilevel_regression(np.round(COVARIATE), REPORT, COINS, GROUP, counts=np.full(600, 2))
    two = multilevel_regression(np.repeat(np.round(COVARIATE), 2), np.repeat(REPORT, 2), COINS, np.repeat(GROUP, 2))
    np.testing.assert_allclose(one.coefficients, two.coefficients, rtol=1e-5)
    assert one.n == two.n == 1200


def test_group_effects_shrink_towards_zero():
    fit = multilevel_regression(COVARIATE, ANSWER, None, GROUP)
    dummies = np.equal.outer(GROUP, np.arange(1, 20)).astype(float)
    alone = logistic_regression(np.column_stack([COVARIATE, dummies]), ANSWER, None)
    free = np.append(0.0, alone.coefficients[2:])
    free -= free.mean()
    assert np.corrcoef(free, fit.group_effects)[0, 1] > 0.99
    assert np.std(fit.group_effects) < np.std(free)
    assert fit.groups == tuple(range(20))


def census():
    cells = pandas.DataFrame({"x": np.tile([-0.5, 0.5], 20), "area": np.repeat(np.arange(20), 2)})
    return cells, np.where(cells["x"] > 0, 300, 700)


@pytest.mark.long
def test_areas_are_weighted_means_of_their_cells():
    fit = multilevel_regression(pandas.DataFrame({"x": COVARIATE}), REPORT, COINS, GROUP)
    cells, counts = census()
    found = fit.poststratify(cells[["x"]], cells["area"], counts)
    assert found.areas == (*range(20), "all")
    assert found.population.tolist() == [1000] * 20 + [20_000]
    parts = [fit.poststratify(cells[["x"]], cells["area"], np.where((cells["x"] > 0) == side, 1, 0)) for side in (0, 1)]
    np.testing.assert_allclose(found.estimate, 0.7 * parts[0].estimate + 0.3 * parts[1].estimate, atol=1e-12)
    np.testing.assert_allclose(found.estimate[-1], found.estimate[:-1].mean(), atol=1e-12)
    assert ((found.low < found.estimate) & (found.estimate < found.high)).all()
    assert found.standard_error[-1] < found.standard_error[:-1].min()
    assert found.to_frame().shape == (21, 6)
    assert str(found).splitlines()[0].split() == ["area", "estimate", "std.", "error", "low", "high", "population"]


def test_area_without_respondents_is_less_certain():
    fit = multilevel_regression(COVARIATE, ANSWER, None, GROUP)
    found = fit.poststratify([[0.0], [0.0]], [3, 99], [1, 1])
    assert found.standard_error[1] > 1.5 * found.standard_error[0]
    by = fit.poststratify([[0.0], [0.0]], [3, 99], [1, 1], by=["north", "north"])
    assert by.areas == ("north", "all")


@pytest.mark.long
def test_intervals_of_areas_cover_at_their_level():
    """30 samples of 24 areas: of 720 intervals 663 to 705 hold the truth (areas of a sample as independent, 2 %)."""
    generator, hits = np.random.default_rng(4), 0
    for _ in range(30):
        area, effects = generator.integers(0, 24, 900), 0.8 * generator.normal(size=24)
        answers = (generator.random(900) < special.expit(-0.5 + effects[area])).astype(int)
        fit = multilevel_regression(np.empty((900, 0)), simulate(COINS, answers, generator), COINS, area)
        found = fit.poststratify(np.empty((24, 0)), np.arange(24), np.ones(24))
        truth = special.expit(-0.5 + effects)
        hits += int(((found.low[:-1] <= truth) & (truth <= found.high[:-1])).sum())
    assert stats.binom.ppf(0.0005, 720, 0.95) <= hits <= stats.binom.ppf(0.99, 720, 0.95)


def rare_sample(seed, n=600, low=-6.0):
    """Reports of 12 areas by two coins, whose share is next to 0 for half of the people; and the areas' shares."""
    generator = np.random.default_rng(seed)
    area, rare, effects = generator.integers(0, 12, n), generator.integers(0, 2, n), 0.5 * generator.normal(size=12)
    share = special.expit(-0.5 + low * rare + effects[area])
    reports = simulate(COINS, (generator.random(n) < share).astype(int), generator)
    return rare, reports, area, special.expit(-0.5 + np.array([0, low]) + effects[:, None]).mean(axis=1)


def test_covariate_that_nobody_says_yes_with_is_named():
    """Of a likelihood that rises without end the coefficient is infinite, and the others have their errors."""
    rare, reports, area, _ = rare_sample(1)
    fit = multilevel_regression(rare, reports, COINS, area, names=["rare"])
    assert [each.name for each in fit.diagnostics] == ["separation"]
    assert "along rare:" in fit.diagnostics[0].message
    assert not fit.converged
    assert fit.coefficients[1] == -np.inf
    assert np.isnan(fit.covariance[1]).all()
    others = multilevel_regression(np.empty(((rare == 0).sum(), 0)), reports[rare == 0], COINS, area[rare == 0])
    assert fit.coefficients[0] == pytest.approx(others.coefficients[0], abs=0.1)
    assert fit.standard_errors[0] == pytest.approx(others.standard_errors[0], rel=0.1)


def test_finite_maximum_is_found_where_one_intercept_has_none():
    """With one intercept nobody says yes for certain, with intercepts of areas hardly anybody: the climb comes back."""
    rare, reports, area, _ = rare_sample(3)
    plain, fit = logistic_regression(rare, reports, COINS), multilevel_regression(rare, reports, COINS, area)
    assert plain.coefficients[1] == -np.inf
    assert fit.converged
    assert -8 < fit.coefficients[1] < -4


@pytest.mark.long
def test_intervals_of_areas_cover_where_coefficients_have_no_end():
    """40 samples, of which a third or so has an infinite coefficient: its 12 areas are held in 92 % or more.

    By chance alone 97 % would be less in 1 of 1,000 runs with 12 such samples.
    """
    hits = []
    for seed in range(40):
        rare, reports, area, truth = rare_sample(seed, low=-3.0)
        fit = multilevel_regression(rare, reports, COINS, area)
        if "separation" in [each.name for each in fit.diagnostics]:
            found = fit.poststratify(np.tile([[0.0], [1.0]], (12, 1)), np.repeat(np.arange(12), 2), np.ones(24))
            hits.append(((found.low[:-1] <= truth) & (truth <= found.high[:-1])).mean())
    assert len(hits) >= 8
    assert np.mean(hits) >= 0.92


def test_collinear_covariates_are_named():
    fit = multilevel_regression(np.column_stack([COVARIATE, COVARIATE]), REPORT, COINS, GROUP)
    assert [each.name for each in fit.diagnostics] == ["not identified"]
    with pytest.raises(ValueError, match="fit must have coefficients to predict from"):
        fit.poststratify([[0.0, 0.0]], [0], [1])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"groups": np.zeros(600)}, "groups must be at least 2; got 1"),
        ({"groups": [1, 2]}, r"groups must have one label per report, shape \(600,\)"),
        ({"nodes": 0}, "nodes must be from 9 to 50; got 0"),
        ({"link": "cauchit"}, "link must be one of logit, probit, cloglog"),
        ({"reports": REPORT * 3}, r"reports\[\d+\] must be a whole number from 0 to 1"),
    ],
)
def test_wrong_arguments_are_refused_by_name(change, words):
    arguments = {"covariates": COVARIATE, "reports": REPORT, "channel": COINS, "groups": GROUP}
    with pytest.raises(ValueError, match=words):
        multilevel_regression(**arguments | change)


@pytest.mark.parametrize(
    ("change", "words"),
    few(
        [
            ({"counts": [-1.0]}, "counts must be finite, at least 0"),
            ({"counts": [1, 2]}, r"counts must have one entry per cell, shape \(1,\)"),
            ({"groups": [1, 2]}, r"by must have one area per cell, shape \(1,\)"),
            ({"covariates": [[0.0, 1.0]]}, "covariates must have 1 columns; got 2"),
            ({"confidence": 95}, "confidence must be greater than 0 and less than 1; got 95"),
        ]
    ),
)
def test_wrong_census_tables_are_refused_by_name(change, words):
    fit = multilevel_regression(COVARIATE, ANSWER, None, GROUP)
    arguments = {"covariates": [[0.0]], "groups": [3], "counts": [1]}
    with pytest.raises(ValueError, match=words):
        fit.poststratify(**arguments | change)


@pytest.mark.long
def test_groups_follow_the_labels_of_the_reports():
    turned = pandas.Series(GROUP).iloc[::-1]
    found = multilevel_regression(pandas.Series(COVARIATE), pandas.Series(REPORT), COINS, turned)
    expected = multilevel_regression(COVARIATE, REPORT, COINS, GROUP)
    np.testing.assert_array_equal(found.coefficients, expected.coefficients)
