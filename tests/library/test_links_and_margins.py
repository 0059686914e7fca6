"""Probit and cloglog, clusters, marginal effects, fit: statsmodels where nothing is randomised, by hand where it is."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize, special, stats

from randomized_response import forced_response, logistic_regression, simulate
from randomized_response._links import LINKS
from tests.tools.derivatives import second_derivatives

COINS = forced_response(truth="1/2")
GENERATOR = np.random.default_rng(31)
N = 2000
COVARIATES = np.column_stack([GENERATOR.normal(size=N), GENERATOR.integers(0, 2, N)])
DESIGN = sm.add_constant(COVARIATES)
ANSWERS = (GENERATOR.random(N) < special.expit(DESIGN @ [-0.5, 0.8, -0.6])).astype(int)
REPORTS = simulate(COINS, ANSWERS, GENERATOR)
CLUSTERS = GENERATOR.integers(0, 50, N)
CURVES = {"logit": special.expit, "probit": stats.norm.cdf, "cloglog": lambda eta: -np.expm1(-np.exp(eta))}


def log_likelihood(coefficients, link):
    share = CURVES[link](DESIGN @ coefficients)
    return float(np.log(np.where(REPORTS, 0.25 + share / 2, 0.75 - share / 2)).sum())


@pytest.mark.parametrize("link", LINKS)
def test_links_agree_with_their_derivatives(link):
    """To full precision at both ends, and the two shares sum to 1."""
    eta = np.linspace(-4, 1.5, 40)
    yes, no = LINKS[link].shares(eta)
    np.testing.assert_allclose(yes, CURVES[link](eta), rtol=1e-13)
    np.testing.assert_allclose(yes + no, 1, rtol=1e-15)
    first, second = LINKS[link].slopes(eta, yes, no)
    ends = [LINKS[link].shares(eta + move) for move in (-1e-5, 1e-5)]
    np.testing.assert_allclose(first, (ends[1][0] - ends[0][0]) / 2e-5, rtol=1e-7)
    slopes = [LINKS[link].slopes(eta + move, *end)[0] for move, end in zip((-1e-5, 1e-5), ends, strict=True)]
    np.testing.assert_allclose(second, (slopes[1] - slopes[0]) / 2e-5, rtol=1e-5, atol=1e-9)
    assert LINKS[link].quantile(0.3) == pytest.approx(optimize.brentq(lambda x: CURVES[link](x) - 0.3, -5, 2), abs=1e-9)


@pytest.mark.parametrize(("link", "model"), [("logit", sm.Logit), ("probit", sm.Probit)])
def test_direct_answers_equal_statsmodels(link, model):
    fit, other = logistic_regression(COVARIATES, ANSWERS, None, link=link), model(ANSWERS, DESIGN).fit(disp=0)
    np.testing.assert_allclose(fit.params, other.params, rtol=1e-10)
    np.testing.assert_allclose(fit.bse, other.bse, rtol=1e-10)
    np.testing.assert_allclose(fit.cov_params(), other.cov_params(), rtol=1e-9)
    np.testing.assert_allclose(fit.conf_int(0.1), other.conf_int(0.1), rtol=1e-10)
    np.testing.assert_allclose(fit.tvalues, other.tvalues, rtol=1e-9)
    np.testing.assert_allclose(fit.pvalues, other.pvalues, rtol=1e-7, atol=1e-300)
    assert (fit.aic, fit.bic) == pytest.approx((other.aic, other.bic), rel=1e-12)
    for dummy in (True, False):
        ours, theirs = fit.get_margeff(dummy=dummy), other.get_margeff(dummy=dummy)
        np.testing.assert_allclose(ours.margeff, theirs.margeff, rtol=1e-9)
        np.testing.assert_allclose(ours.margeff_se, theirs.margeff_se, rtol=1e-9)
        np.testing.assert_allclose(ours.conf_int(), theirs.conf_int(), rtol=1e-9)


def test_direct_cloglog_equals_statsmodels():
    fit = logistic_regression(COVARIATES, ANSWERS, None, link="cloglog", information="expected")
    family = sm.families.Binomial(sm.families.links.CLogLog())
    other = sm.GLM(ANSWERS, DESIGN, family=family).fit(tol=1e-12)
    np.testing.assert_allclose(fit.params, other.params, rtol=1e-8)
    np.testing.assert_allclose(fit.bse, other.bse, rtol=1e-8)
    assert fit.log_likelihood == pytest.approx(other.llf, rel=1e-12)


@pytest.mark.parametrize("link", LINKS)
def test_randomised_fit_is_the_maximum_with_its_second_derivatives(link):
    fit = logistic_regression(COVARIATES, REPORTS, COINS, link=link)
    best = optimize.minimize(lambda b: -log_likelihood(b, link), np.zeros(3), method="BFGS", options={"gtol": 1e-6})
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-7)
    np.testing.assert_allclose(fit.coefficients, best.x, atol=1e-4)
    curvature = second_derivatives(lambda b: log_likelihood(b, link), fit.coefficients)
    np.testing.assert_allclose(fit.covariance, np.linalg.inv(-curvature), rtol=1e-4)


@pytest.mark.parametrize("link", LINKS)
def test_effects_of_a_randomised_fit_by_hand(link):
    fit = logistic_regression(COVARIATES, REPORTS, COINS, link=link)

    def effects(coefficients):
        ends = [CURVES[link](np.column_stack([DESIGN[:, :2], np.full(N, x)]) @ coefficients).mean() for x in (0, 1)]
        moved = [CURVES[link]((DESIGN + np.array([0, move, 0])) @ coefficients).mean() for move in (-1e-5, 1e-5)]
        return np.array([(moved[1] - moved[0]) / 2e-5, ends[1] - ends[0]])

    found = fit.get_margeff()
    np.testing.assert_allclose(found.margeff, effects(fit.coefficients), rtol=1e-6)
    steps = np.eye(3) * 1e-4
    slopes = np.array([(effects(fit.coefficients + one) - effects(fit.coefficients - one)) / 2e-4 for one in steps]).T
    np.testing.assert_allclose(found.covariance, slopes @ fit.covariance @ slopes.T, rtol=1e-4)
    assert found.steps == (False, True)
    assert found.to_frame()["name"].tolist() == ["x1", "x2"]
    np.testing.assert_allclose(fit.get_margeff(COVARIATES).covariance, found.covariance, rtol=1e-12)


def test_errors_of_clusters_equal_statsmodels():
    fit = logistic_regression(COVARIATES, ANSWERS, None, clusters=CLUSTERS)
    kinds = {"groups": CLUSTERS, "use_correction": False}
    other = sm.Logit(ANSWERS, DESIGN).fit(disp=0, cov_type="cluster", cov_kwds=kinds)
    np.testing.assert_allclose(fit.standard_errors, other.bse * np.sqrt(50 / 49), rtol=1e-10)
    assert fit.information == "cluster"
    assert np.isnan(fit.likelihood_ratio.p_value)


def test_clusters_of_one_are_the_sandwich():
    alone = logistic_regression(COVARIATES, REPORTS, COINS, clusters=np.arange(N))
    robust = logistic_regression(COVARIATES, REPORTS, COINS, information="robust")
    np.testing.assert_allclose(alone.covariance, robust.covariance * N / (N - 1), rtol=1e-10)


def test_equal_rows_of_different_clusters_are_not_merged():
    coarse = np.round(COVARIATES).clip(-1, 1)
    order = np.random.default_rng(2).permutation(N)
    fit = logistic_regression(coarse, REPORTS, COINS, clusters=CLUSTERS)
    again = logistic_regression(coarse[order], REPORTS[order], COINS, clusters=CLUSTERS[order])
    np.testing.assert_allclose(fit.covariance, again.covariance, rtol=1e-9)
    assert logistic_regression(coarse, REPORTS, COINS).distinct_rows < fit.distinct_rows <= N


def test_intercept_alone_of_many_clusters():
    """Rows of different clusters are not merged, and one coefficient has no steep starts."""
    fit = logistic_regression(np.empty((N, 0)), REPORTS, COINS, clusters=np.arange(N))
    plain = logistic_regression(np.empty((N, 0)), REPORTS, COINS)
    np.testing.assert_allclose(fit.coefficients, plain.coefficients, rtol=1e-9)


def test_goodness_of_fit_is_the_test_against_the_saturated_model():
    groups = GENERATOR.integers(0, 3, N)
    dummies = np.equal.outer(groups, [1, 2]).astype(float)
    full = logistic_regression(dummies, REPORTS, COINS)
    line = logistic_regression(groups, REPORTS, COINS)
    assert full.goodness_of_fit().degrees_of_freedom == 0
    found = line.goodness_of_fit()
    assert found.degrees_of_freedom == 1
    assert found.statistic == pytest.approx(2 * (full.log_likelihood - line.log_likelihood), abs=1e-6)
    with pytest.raises(ValueError, match="goodness_of_fit needs 5 respondents to each distinct row"):
        logistic_regression(COVARIATES, REPORTS, COINS).goodness_of_fit()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"link": "cauchit"}, "link must be one of logit, probit, cloglog; got 'cauchit'"),
        ({"clusters": np.zeros(N)}, "clusters must be at least 2; got 1"),
        ({"clusters": [1, 2]}, r"clusters must have one label per row of covariates, shape \(2000,\)"),
        ({"clusters": CLUSTERS, "information": "robust"}, 'information must be "cluster" with clusters'),
        ({"information": "cluster"}, 'information must be "cluster" with clusters, and with them alone'),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        logistic_regression(COVARIATES, REPORTS, COINS, **options)


@pytest.mark.parametrize("link", ["probit", "cloglog"])
def test_separation_is_diagnosed_under_every_link(link):
    covariate = np.repeat([0.0, 1.0], 200)
    reports = np.repeat([0, 1, 1], [150, 50, 200])
    fit = logistic_regression(covariate, reports, COINS, link=link)
    assert not fit.converged
    assert [each.name for each in fit.diagnostics] == ["separation"]
    assert fit.coefficients[1] == np.inf
    assert fit.predict([[1.0]]).proportions[0] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("link", LINKS)
def test_posterior_mode_and_curvature_by_hand(link):
    """Normal priors: 2.5 for the intercept at the means, 2.5 / standard deviation for each slope."""
    few = slice(0, 300)
    fit = logistic_regression(COVARIATES[few], REPORTS[few], COINS, link=link, prior=2.5)
    means, deviations = COVARIATES[few].mean(axis=0), COVARIATES[few].std(axis=0)

    def posterior(at):
        share = CURVES[link](DESIGN[few] @ at)
        likelihood = np.log(np.where(REPORTS[few], 0.25 + share / 2, 0.75 - share / 2)).sum()
        pull = (at[0] + means @ at[1:]) ** 2 + ((at[1:] * deviations) ** 2).sum()
        return float(likelihood - pull / (2 * 2.5**2))

    best = optimize.minimize(lambda at: -posterior(at), fit.coefficients + 0.1, options={"gtol": 1e-6})
    np.testing.assert_allclose(fit.coefficients, best.x, atol=1e-4)
    found = second_derivatives(posterior, fit.coefficients)
    np.testing.assert_allclose(fit.covariance, np.linalg.inv(-found), rtol=1e-4)
    assert np.isnan(fit.likelihood_ratio.p_value)
    assert "posterior, prior 2.5" in str(fit)


def test_prior_keeps_a_separated_coefficient_finite():
    covariate, reports = np.repeat([0.0, 1.0], 200), np.repeat([0, 1, 1], [150, 50, 200])
    fit = logistic_regression(covariate, reports, COINS, prior=2.5)
    assert fit.converged
    assert fit.diagnostics == ()
    assert 2 < fit.coefficients[1] < 15
    assert fit.predict([[1.0]]).proportions[0] > 0.9


def test_prior_says_little_where_there_is_much_data():
    wide = logistic_regression(COVARIATES, ANSWERS, None, prior=1000.0)
    plain = logistic_regression(COVARIATES, ANSWERS, None)
    np.testing.assert_allclose(wide.coefficients, plain.coefficients, rtol=1e-5)
    scaled = logistic_regression(COVARIATES * [1000, 1], REPORTS, COINS, prior=2.5)
    np.testing.assert_allclose(
        scaled.coefficients * [1, 1000, 1], logistic_regression(COVARIATES, REPORTS, COINS, prior=2.5).coefficients
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": 0}, "prior must be positive and finite; got 0"),
        ({"prior": np.inf}, "prior must be positive and finite; got inf"),
        ({"prior": 2.5, "information": "opg"}, 'information must not be "opg" with a prior'),
    ],
    ids=str,
)
def test_prior_without_a_posterior_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        logistic_regression(COVARIATES, REPORTS, COINS, **options)


def test_weighted_posterior_by_hand():
    """Weights count as if their mean were 1; the covariance is the sandwich, its bread has the prior's curvature."""
    few = slice(0, 300)
    weights = np.where(COVARIATES[few, 1] > 0, 3.0, 1.0)
    fit = logistic_regression(COVARIATES[few], REPORTS[few], COINS, weights, prior=1.5)
    mass = weights / weights.mean()
    means = mass @ COVARIATES[few] / mass.sum()
    deviations = np.sqrt(mass @ (COVARIATES[few] - means) ** 2 / mass.sum())

    def each(at):
        share = special.expit(DESIGN[few] @ at)
        return np.log(np.where(REPORTS[few], 0.25 + share / 2, 0.75 - share / 2))

    def posterior(at):
        pull = (at[0] + means @ at[1:]) ** 2 + ((at[1:] * deviations) ** 2).sum()
        return float(mass @ each(at) - pull / (2 * 1.5**2))

    best = optimize.minimize(lambda at: -posterior(at), fit.coefficients + 0.1, options={"gtol": 1e-6})
    np.testing.assert_allclose(fit.coefficients, best.x, atol=1e-4)
    bread = np.linalg.inv(-second_derivatives(posterior, fit.coefficients))
    step = 1e-5 * np.eye(3)
    scores = np.array([(each(fit.coefficients + h) - each(fit.coefficients - h)) / 2e-5 for h in step]) * mass
    np.testing.assert_allclose(fit.covariance, bread @ scores @ scores.T @ bread, rtol=1e-4)
    scaled = logistic_regression(COVARIATES[few], REPORTS[few], COINS, weights * 10, prior=1.5)
    np.testing.assert_allclose(scaled.coefficients, fit.coefficients, rtol=1e-8)
