"""Logistic regression through channels: closed forms, other programs' numbers, and every named failure."""

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats
from statsmodels.datasets import fair, spector
from statsmodels.discrete.discrete_model import Logit

from randomized_response import Channel, _logistic, _newton, forced_response, simulate, warner
from randomized_response.regression import logistic_regression

COINS = forced_response(truth="1/2")
DIE = forced_response(truth="2/3", yes="1/2")
COUNTS = {"women": (789, 334), "men": (815, 497)}
"""Reports of no and yes in the Nigeria survey."""
KUK = Channel(((5, 3, 2, 0), (1, 2, 3, 4)))
"""Four possible reports of a yes/no answer."""


def drawn(answers, channel, generator):
    """Reports of answers through a channel, or one channel per row; None is a direct question."""
    channels = channel if isinstance(channel, list) else [channel] * len(answers)
    tickets = generator.random(len(answers))
    return np.array(
        [
            x if each is None else int(np.searchsorted(np.cumsum(each.matrix[x]), u, side="right"))
            for x, each, u in zip(answers, channels, tickets, strict=True)
        ]
    )


def chances(reports, channel):
    """P(report | no) and P(report | yes) row by row, written out apart from the library."""
    channels = channel if isinstance(channel, list) else [channel] * len(reports)
    tables = [np.eye(2) if each is None else each.matrix for each in channels]
    return np.array([[table[0, y], table[1, y]] for table, y in zip(tables, reports, strict=True)]).T


def log_likelihood(coefficients, covariates, reports, channel):
    eta = np.column_stack([np.ones(len(reports)), covariates]) @ coefficients
    no, yes = chances(reports, channel)
    return float(np.log(no * special.expit(-eta) + yes * special.expit(eta)).sum())


def sandwich(fit, covariates, reports, weights):
    """The robust covariance through two coins, written out: bread, squared weighted scores, bread."""
    design = np.column_stack([np.ones(len(reports)), covariates])
    share = special.expit(design @ fit.coefficients)
    no, yes = chances(reports, COINS)
    mixed = no * (1 - share) + yes * share
    score = (yes - no) * share * (1 - share) / mixed
    bread = np.linalg.inv((design.T * (weights * score * (score - (1 - 2 * share)))) @ design)
    return bread @ ((design.T * (weights * score) ** 2) @ design) @ bread


def affairs(channel, seed=0):
    """The 6366 women of Fair (1978), which statsmodels ships: an affair or none, reported through a channel."""
    data = fair.load_pandas()
    covariates = data.exog[["rate_marriage", "age", "yrs_married", "religious", "educ"]]
    return covariates, drawn((data.endog > 0).astype(int).to_numpy(), channel, np.random.default_rng(seed))


class TestNumbersOfOthers:
    def test_logistic_spector_equals_greene(self):
        # Greene, Econometric Analysis, 5th ed. 2003, table 21.1 (logit), as printed by Stata and kept in
        # statsmodels' discrete results: constant -13.02135, GPA 2.826113, TUCE 0.0951577, PSI 2.378688.
        data = spector.load_pandas()
        fit = logistic_regression(data.exog, data.endog, None)
        assert fit.names == ("intercept", "GPA", "TUCE", "PSI")
        np.testing.assert_allclose(fit.coefficients, [-13.02135, 2.826113, 0.0951577, 2.378688], rtol=1e-6)
        np.testing.assert_allclose(fit.standard_errors, [4.931325, 1.262941, 0.1415542, 1.064564], rtol=1e-6)
        assert fit.log_likelihood == pytest.approx(-12.88963, abs=1e-5)
        assert fit.likelihood_ratio.statistic == pytest.approx(15.40, abs=5e-3)

    def test_logistic_fair_equals_statsmodels(self):
        covariates, reports = affairs(None)
        fit = logistic_regression(covariates, reports, None)
        other = Logit(reports, np.column_stack([np.ones(len(reports)), covariates])).fit(disp=0, tol=1e-14)
        np.testing.assert_allclose(fit.coefficients, other.params, rtol=1e-9)
        np.testing.assert_allclose(fit.covariance, other.cov_params(), rtol=1e-8)
        assert fit.log_likelihood == pytest.approx(other.llf, abs=1e-9)
        assert fit.likelihood_ratio.p_value == pytest.approx(other.llr_pvalue, rel=1e-6)

    def test_logistic_nigeria_survey_by_hand(self):
        # Blair, Imai & Zhou (2015), JASA 110, the survey on contacts with armed groups: a die, truth 2/3, forced yes
        # 1/6. Counts by sex of the data set `nigeria` of R's package rr (CRAN). With
        # two groups the model is saturated, so every coefficient has a closed form.
        women, men = (COUNTS["women"][1], sum(COUNTS["women"])), (COUNTS["men"][1], sum(COUNTS["men"]))
        shares = [(yes / n - 1 / 6) * 1.5 for yes, n in (men, women)]
        counts = [men[0], men[1] - men[0], women[0], women[1] - women[0]]
        fit = logistic_regression([0, 0, 1, 1], [1, 0, 1, 0], DIE, counts=counts, names=["female"])
        np.testing.assert_allclose(fit.predict([[0], [1]]).proportions, shares, atol=1e-12)
        logits = special.logit(shares)
        np.testing.assert_allclose(fit.coefficients, [logits[0], logits[1] - logits[0]], atol=1e-12)


class TestClosedForms:
    @pytest.mark.parametrize("information", ["observed", "expected", "opg", "robust"])
    def test_logistic_intercept_alone_is_debiased_share(self, information):
        fit = logistic_regression(np.empty((2, 0)), [1, 0], COINS, counts=[400, 600], information=information)
        # (0.4 - 1/4) / (1/2) = 0.3; the error of a rate of 0.4 with n = 1000, through the channel and the logit.
        assert special.expit(fit.coefficients[0]) == pytest.approx(0.3, abs=1e-13)
        expected = np.sqrt(0.4 * 0.6 / 1000) / 0.5 / (0.3 * 0.7)
        assert fit.standard_errors[0] == pytest.approx(expected, rel=1e-12)
        assert fit.log_likelihood == pytest.approx(400 * np.log(0.4) + 600 * np.log(0.6), abs=1e-9)

    def test_logistic_groups_are_fitted_separately(self):
        fit = logistic_regression([0, 0, 1, 1], [0, 1, 0, 1], warner(truth="3/4"), counts=[60, 40, 45, 55])
        shares = special.expit([fit.coefficients[0], fit.coefficients.sum()])
        np.testing.assert_allclose(shares, [(0.40 - 0.25) / 0.5, (0.55 - 0.25) / 0.5], atol=1e-13)
        errors = [np.sqrt(r * (1 - r) / 100) / 0.5 for r in (0.40, 0.55)]
        np.testing.assert_allclose(fit.predict([0, 1]).standard_errors, errors, rtol=1e-12)
        assert fit.likelihood_ratio.degrees_of_freedom == 1

    def test_logistic_mean_prediction_of_group_is_its_share(self):
        fit = logistic_regression([0, 0, 1, 1], [0, 1, 0, 1], COINS, counts=[60, 40, 45, 55])
        many = fit.predict(np.ones(7))
        assert many.mean == pytest.approx(0.6, abs=1e-12)
        assert many.mean_standard_error == pytest.approx(many.standard_errors[0], rel=1e-12)
        assert many.low[0] < 0.6 < many.high[0]


class TestAgainstOtherOptimizers:
    @pytest.mark.long
    @pytest.mark.parametrize(
        "channel", [COINS, DIE, warner(truth="1/4"), KUK], ids=["coins", "die", "warner", "four reports"]
    )
    def test_logistic_maximum_agrees_with_scipy(self, channel):
        covariates, reports = affairs(channel)
        table = covariates.to_numpy()
        scale = np.concatenate([[1.0], table.std(axis=0)])
        fit = logistic_regression(covariates, reports, channel)
        assert fit.converged
        assert fit.diagnostics == ()

        def loss(b):
            return -log_likelihood(b / scale, table, reports, channel)

        other = optimize.minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-3})
        assert fit.log_likelihood >= -other.fun - 1e-9
        assert fit.log_likelihood == pytest.approx(-loss(fit.coefficients * scale), abs=1e-8)
        np.testing.assert_allclose(fit.coefficients * scale, other.x, atol=2e-3)
        slope = optimize.approx_fprime(fit.coefficients * scale, loss, 1e-6)
        assert np.abs(slope).max() < 0.02

    @pytest.mark.parametrize("information", ["observed", "expected", "opg"])
    def test_covariance_is_the_inverse_of_the_information(self, information):
        generator = np.random.default_rng(7)
        channel = [(COINS, KUK, None)[i % 3] for i in range(300)]
        table = generator.normal(size=(300, 2))
        reports = drawn((generator.random(300) < 0.4).astype(int), channel, generator)
        fit = logistic_regression(table, reports, channel, information=information)
        design = np.column_stack([np.ones(300), table])
        share = special.expit(design @ fit.coefficients)
        slope, bend = share * (1 - share), share * (1 - share) * (1 - 2 * share)
        no, yes = chances(reports, channel)
        mixed = no * (1 - share) + yes * share
        score = (yes - no) * slope / mixed
        each = {"observed": score**2 - (yes - no) * bend / mixed, "opg": score**2}
        tables = [np.eye(2) if c is None else c.matrix for c in channel]
        each["expected"] = [
            sum((t[1, y] - t[0, y]) ** 2 * s**2 / (t[0, y] * (1 - m) + t[1, y] * m) for y in range(t.shape[1]))
            for t, s, m in zip(tables, slope, share, strict=True)
        ]
        matrix = (design.T * np.asarray(each[information])) @ design
        np.testing.assert_allclose(fit.covariance, np.linalg.inv(matrix), rtol=1e-8)

    def test_robust_covariance_is_the_sandwich(self):
        generator = np.random.default_rng(8)
        table, weights = generator.normal(size=(200, 2)), generator.random(200) + 0.5
        reports = drawn((generator.random(200) < 0.5).astype(int), COINS, generator)
        fit = logistic_regression(table, reports, COINS, weights=weights, information="robust")
        np.testing.assert_allclose(fit.covariance, sandwich(fit, table, reports, weights), rtol=1e-8)

    def test_logistic_finds_the_global_maximum(self):
        # Four random small data sets with steep truths; 24 random BFGS starts each find nothing higher.
        for seed in range(4):
            generator = np.random.default_rng(seed)
            table = generator.normal(size=(40, 2))
            answers = (generator.random(40) < special.expit(table @ [3.0, -3.0])).astype(int)
            reports = drawn(answers, COINS, generator)
            fit = logistic_regression(table, reports, COINS)
            starts = generator.normal(size=(24, 3)) * np.repeat([1, 3, 8, 20], 6)[:, None]
            with np.errstate(all="ignore"):
                ends = [
                    -optimize.minimize(
                        lambda b, t=table, y=reports: -log_likelihood(b, t, y, COINS), start, method="BFGS"
                    ).fun
                    for start in starts
                ]
            assert fit.log_likelihood >= max(ends) - 1e-6


class TestRowsAndChannels:
    @pytest.mark.parametrize("information", ["observed", "expected", "opg", "robust"])
    def test_logistic_counts_equal_repeated_rows(self, information):
        table, reports = [[0, 1.5], [1, 0.5], [1, -1.0], [0, 2.0], [0, 0]], [0, 1, 0, 1, 1]
        counts = [30, 20, 41, 17, 9]
        folded = logistic_regression(table, reports, COINS, counts=counts, information=information)
        rows = np.repeat(table, counts, axis=0), np.repeat(reports, counts)
        spread = logistic_regression(*rows, COINS, information=information)
        assert folded.n == spread.n == 117
        assert folded.distinct_rows == spread.distinct_rows == 5
        assert spread.log_likelihood == pytest.approx(folded.log_likelihood, rel=1e-12)
        np.testing.assert_allclose(spread.coefficients, folded.coefficients, rtol=1e-9)
        np.testing.assert_allclose(spread.standard_errors, folded.standard_errors, rtol=1e-9)

    def test_logistic_weighted_counts_equal_repeated_rows(self):
        table, reports, weights = [[0], [1], [1], [0]], [0, 1, 0, 1], np.array([1.5, 2.0, 1.0, 3.0])
        counts = [30, 20, 41, 17]
        folded = logistic_regression(table, reports, COINS, weights, counts=counts)
        rows = np.repeat(table, counts, axis=0), np.repeat(reports, counts)
        spread = logistic_regression(*rows, COINS, np.repeat(weights, counts))
        np.testing.assert_allclose(spread.coefficients, folded.coefficients, rtol=1e-9)
        np.testing.assert_allclose(spread.covariance, folded.covariance, rtol=1e-9)

    def test_logistic_weights_matter_by_proportion_only(self):
        generator = np.random.default_rng(6)
        table, weights = generator.integers(0, 2, size=300), generator.random(300) + 0.5
        reports = drawn((generator.random(300) < 0.5).astype(int), COINS, generator)
        one = logistic_regression(table, reports, COINS, weights)
        many = logistic_regression(table, reports, COINS, 1000 * weights)
        assert one.information == many.information == "robust"
        np.testing.assert_allclose(many.covariance, one.covariance, rtol=1e-9)
        assert many.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-12)
        assert np.isnan(many.likelihood_ratio.p_value)

    def test_logistic_folding_keeps_sandwich(self):
        generator = np.random.default_rng(5)
        table, weights = generator.integers(0, 2, size=(400, 2)), generator.random(400) + 0.1
        reports = drawn((generator.random(400) < 0.5).astype(int), COINS, generator)
        # A third column that makes every row distinct is dropped again by giving it no effect: same sandwich.
        folded = logistic_regression(table, reports, COINS, weights=weights, information="robust")
        assert folded.distinct_rows == 8
        np.testing.assert_allclose(folded.covariance, sandwich(folded, table, reports, weights), rtol=1e-8)

    def test_the_order_of_rows_does_not_matter(self):
        covariates, reports = affairs(COINS, seed=3)
        order = np.random.default_rng(0).permutation(len(reports))
        one = logistic_regression(covariates, reports, COINS)
        other = logistic_regression(covariates.to_numpy()[order], reports[order], COINS)
        np.testing.assert_allclose(one.coefficients, other.coefficients, rtol=1e-8)

    def test_logistic_covariate_units_do_not_matter(self):
        covariates, reports = affairs(COINS, seed=4)
        table = covariates.to_numpy()
        one = logistic_regression(table, reports, COINS)
        other = logistic_regression(1e4 + table * 1e-2, reports, COINS)
        np.testing.assert_allclose(other.coefficients[1:] * 1e-2, one.coefficients[1:], rtol=1e-5)
        assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-6)

    def test_logistic_channel_per_person(self):
        generator = np.random.default_rng(11)
        channel = [(COINS, DIE, None)[i % 3] for i in range(3000)]
        table = generator.normal(size=(3000, 2))
        answers = (generator.random(3000) < special.expit(-0.5 + table @ [1.0, -0.5])).astype(int)
        reports = drawn(answers, channel, generator)
        fit = logistic_regression(table, reports, channel)
        loss = lambda b: -log_likelihood(b, table, reports, channel)  # noqa: E731
        other = optimize.minimize(loss, np.zeros(3), method="BFGS")
        np.testing.assert_allclose(fit.coefficients, other.x, atol=1e-4)
        assert fit.likelihood_ratio.statistic > 100

    def test_logistic_uninformative_report_changes_nothing(self):
        silent = Channel(((2, 1, 1), (1, 2, 1)))
        generator = np.random.default_rng(2)
        table = generator.normal(size=200)
        reports = drawn((generator.random(200) < 0.5).astype(int), silent, generator)
        fit = logistic_regression(table, reports, silent)
        told = logistic_regression(table[reports < 2], reports[reports < 2], silent)
        np.testing.assert_allclose(fit.coefficients, told.coefficients, rtol=1e-9)
        assert fit.log_likelihood == pytest.approx(told.log_likelihood + (reports == 2).sum() * np.log(0.25), abs=1e-9)

    def test_logistic_missing_rows_raise_or_are_dropped(self):
        table, reports = [0.0, 1.0, np.nan, 2.0, 3.0, -1.0], [0, 1, 1, np.nan, 0, 1]
        with pytest.raises(ValueError, match=r"covariates\[2, 0\] must be a number"):
            logistic_regression(table, reports, COINS)
        fit = logistic_regression(table, reports, COINS, missing="drop")
        assert (fit.n, fit.dropped) == (4, 2)

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.integers(1, 60), min_size=4, max_size=4))
    @example([1, 4, 11, 33])
    @example([12, 4, 20, 6])
    @example([1, 3, 1, 3])
    def test_logistic_any_two_groups_converge_or_are_diagnosed(self, counts):
        """A climb to infinity ends where the next step promises less than 1e-6 of log likelihood.

        Where a group's rate is 1/4 or 3/4 itself, the likelihood is flat in its proportion there: of four respondents,
        2e-6 of log likelihood are 9e-4 of proportion (n d^2 / 1.5).
        """
        fit = logistic_regression([0, 0, 1, 1], [0, 1, 0, 1], COINS, counts=counts)
        rates = [counts[1] / (counts[0] + counts[1]), counts[3] / (counts[2] + counts[3])]
        inside = all(0.25 < rate < 0.75 for rate in rates)
        assert fit.converged == inside
        assert inside or fit.diagnostics
        best = sum(
            y * np.log(r) + (n - y) * np.log(1 - r)
            for y, n, r in zip(
                (counts[1], counts[3]),
                (counts[0] + counts[1], counts[2] + counts[3]),
                np.clip(rates, 0.25, 0.75),
                strict=True,
            )
        )
        assert fit.log_likelihood == pytest.approx(best, abs=2e-6)
        np.testing.assert_allclose(fit.predict([0, 1]).proportions, (np.clip(rates, 0.25, 0.75) - 0.25) * 2, atol=1e-3)


class TestNamedFailures:
    def test_logistic_separation_is_diagnosed(self):
        fit = logistic_regression([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1], None)
        assert [each.name for each in fit.diagnostics] == ["separation"]
        assert "x1" in fit.diagnostics[0].message
        assert not fit.converged
        assert fit.coefficients[1] == np.inf
        assert np.isnan(fit.standard_errors).all()
        assert fit.log_likelihood == pytest.approx(0, abs=1e-6)

    def test_logistic_separation_keeps_other_coefficients(self):
        # Group 2 reports yes at a rate of 0.1, less than the forced quarter; groups 0 and 1 are as ever.
        table = [[0, 0], [0, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
        fit = logistic_regression(table, [0, 1] * 3, COINS, counts=[60, 40, 50, 50, 90, 10])
        assert [each.name for each in fit.diagnostics] == ["separation"]
        assert fit.coefficients[2] == -np.inf
        assert fit.coefficients[1] == pytest.approx(special.logit(0.5) - special.logit(0.3), abs=1e-9)
        errors = [np.sqrt(r * (1 - r) / 100) / 0.5 / (p * (1 - p)) for r, p in ((0.4, 0.3), (0.5, 0.5))]
        np.testing.assert_allclose(fit.standard_errors[:2], [errors[0], np.hypot(*errors)], rtol=1e-6)
        assert np.isnan(fit.standard_errors[2])
        np.testing.assert_allclose(fit.predict([[0, 0], [1, 0], [0, 1]]).proportions, [0.3, 0.5, 0.0], atol=1e-6)

    @pytest.mark.parametrize(("yes", "share"), [(200, 0), (250, 0), (750, 1), (900, 1)])
    def test_logistic_impossible_rates_are_diagnosed(self, yes, share):
        fit = logistic_regression(np.empty((2, 0)), [1, 0], COINS, counts=[yes, 1000 - yes])
        assert [each.name for each in fit.diagnostics] == ["boundary"]
        assert f"exactly {share}" in fit.diagnostics[0].message
        assert not fit.converged
        assert np.isinf(fit.coefficients[0])
        assert np.isnan(fit.standard_errors[0])
        assert fit.log_likelihood == pytest.approx(fit.null_log_likelihood, abs=1e-6)

    @pytest.mark.parametrize(
        "column", [[1.0, 1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0], [3.0, 5.0, 7.0, 9.0, 11.0]]
    )
    def test_logistic_collinear_covariates_are_diagnosed(self, column):
        table = np.column_stack([[1.0, 2.0, 3.0, 4.0, 5.0], column])
        fit = logistic_regression(table, [0, 1, 0, 1, 1], COINS, names=["age", "again"])
        assert [each.name for each in fit.diagnostics] == ["not identified"]
        assert "again is determined" in fit.diagnostics[0].message
        assert not fit.converged
        assert np.isnan(fit.coefficients).all()

    def test_logistic_more_columns_than_rows_is_diagnosed(self):
        fit = logistic_regression(np.eye(3), [0, 1, 1], COINS)
        assert [each.name for each in fit.diagnostics] == ["not identified"]

    def test_logistic_step_limit_is_not_convergence(self, monkeypatch):
        monkeypatch.setattr(_logistic._newton, "_STEPS", 1)
        covariates, reports = affairs(COINS)
        fit = logistic_regression(covariates, reports, COINS)
        assert [each.name for each in fit.diagnostics] == ["did not converge"]
        assert np.isnan(fit.coefficients).all()
        assert not fit.converged

    def test_logistic_several_maxima_are_diagnosed(self):
        """The second summits of these data sets, by seed: 0.38, 0.67, none, 1.03, none and 0.10 below the highest."""
        named = []
        for seed in range(6):
            generator = np.random.default_rng(seed)
            table = generator.normal(size=(30, 1))
            reports = drawn((generator.random(30) < 0.5).astype(int), COINS, generator)
            fit = logistic_regression(table, reports, COINS)
            named.append([str(each) for each in fit.diagnostics if each.name == "several optima"])
        assert [bool(each) for each in named] == [True, False, False, False, False, True]
        assert "2 different summits are within 0.5 of the highest log likelihood" in named[0][0]

    def test_climbs_end_at_their_own_summits_and_known_ones_are_recognized(self):
        """Two hills of normal shape about -4 and 4: each climb ends at its own, a second one is the first's object."""

        class Hills:
            def evaluate(self, at):
                heights = np.array([0.6, 0.4]) * stats.norm.pdf(at[0], [-4, 4])
                parts, away = heights / heights.sum(), np.array([-4, 4]) - at[0]
                slope = parts @ away
                curve = 1 - parts @ away**2 + slope**2
                return _newton.Point(at, np.log(heights.sum()), np.array([slope]), np.array([[curve]]))

        starts = [np.array([place]) for place in (-5.5, 3.0, 5.0, -3.0, 4.05)]
        climbs = _newton.climb_all(Hills(), starts, 1.0)
        np.testing.assert_allclose([one.point.at[0] for one in climbs], [-4, 4, 4, -4, 4], atol=1e-6)
        assert all(one.converged for one in climbs)
        assert climbs[2] is climbs[1]
        assert climbs[3] is climbs[0]
        assert climbs[4] is climbs[1]

    def test_logistic_swapped_yes_and_no_negates_coefficients(self):
        covariates, reports = affairs(COINS, seed=9)
        one = logistic_regression(covariates, reports, COINS)
        other = logistic_regression(covariates, 1 - reports, COINS)
        np.testing.assert_allclose(one.coefficients, -other.coefficients, rtol=1e-7)


class TestStatistics:
    @pytest.mark.parametrize("sets", [200, pytest.param(400, marks=pytest.mark.long)])
    def test_intervals_cover_at_their_level(self, sets):
        # Data sets of 2000 people, two coefficients: a true coverage of 0.95 leaves 0.95 +- 3 standard deviations of
        # the share of sets ([0.904, 0.996] of 200) with a chance below 0.003 for each of the two counts.
        generator, truth, hits = np.random.default_rng(1998), np.array([-1.0, 0.8]), np.zeros(2)
        for _ in range(sets):
            group = generator.integers(0, 2, size=2000)
            answers = generator.random(2000) < special.expit(truth[0] + truth[1] * group)
            coin = generator.random(2000)
            reports = np.where(coin < 0.5, answers, coin < 0.75).astype(int)
            ends = logistic_regression(group, reports, COINS).intervals()
            hits += (ends[:, 0] < truth) & (truth < ends[:, 1])
        assert (abs(hits / sets - 0.95) < 3 * np.sqrt(0.95 * 0.05 / sets)).all()

    def test_p_values_follow_from_estimate_and_error(self):
        covariates, reports = affairs(COINS)
        fit = logistic_regression(covariates, reports, COINS)
        expected = 2 * stats.norm.sf(abs(fit.coefficients / fit.standard_errors))
        np.testing.assert_allclose(fit.p_values, expected, rtol=1e-12)


class TestResult:
    def test_logistic_result_is_frozen_and_readable(self):
        fit = logistic_regression([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1], None, names=["age"])
        with pytest.raises(ValueError, match="read-only"):
            fit.coefficients[0] = 1.0
        with pytest.raises(AttributeError):
            fit.n = 7
        assert "age" in str(fit)
        assert "! separation" in str(fit)
        plain = json.loads(json.dumps(fit.to_dict(), allow_nan=False))
        assert plain["coefficients"] == [None, None]
        assert plain["diagnostics"][0]["name"] == "separation"

    def test_logistic_predict_bad_input_raises(self):
        fit = logistic_regression([0, 0, 1, 1], [0, 1, 0, 1], COINS, counts=[60, 40, 45, 55])
        with pytest.raises(ValueError, match="covariates must have 1 columns; got 2"):
            fit.predict([[1, 2]])
        with pytest.raises(ValueError, match=r"covariates\[0, 0\] must be finite; got nan"):
            fit.predict([np.nan])
        with pytest.raises(ValueError, match="confidence must be greater than 0 and less than 1; got 1"):
            fit.predict([1], confidence=1)


GOOD = {"covariates": [[0.5], [1.0], [1.5], [0.0]], "reports": [0, 1, 0, 1], "channel": COINS}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"covariates": [[1.0], [2.0, 3.0], [1.0], [2.0]]}, "covariates must be numbers in rows of equal length"),
        ({"covariates": [["a"], ["b"], ["c"], ["d"]]}, "covariates must be numbers"),
        ({"covariates": np.ones((4, 1, 1))}, r"covariates must have shape \(n, p\).*got shape \(4, 1, 1\)"),
        ({"covariates": [[0.5], [np.inf], [1.5], [0.0]]}, r"covariates\[1, 0\] must be finite; got inf"),
        ({"covariates": [[0.5], [np.nan], [1.5], [0.0]]}, r"covariates\[1, 0\] must be a number.*got nan"),
        ({"reports": [0, 1, 0]}, r"reports must have one entry per row of covariates, shape \(4,\); got shape \(3,\)"),
        ({"reports": [0, 1, 2, 0]}, r"reports\[2\] must be a whole number from 0 to 1; got 2"),
        ({"reports": [0, 1, -1, 0]}, r"reports\[2\] must be a whole number from 0 to 1; got -1"),
        ({"reports": [0, 1, 0.5, 0]}, r"reports\[2\] must be a whole number from 0 to 1; got 0.5"),
        ({"reports": [0, 1, None, 0]}, r"reports\[2\] must be a whole number, or missing=\"drop\" chosen; got nan"),
        ({"reports": ["no", "yes", "no", "no"]}, "reports must be whole numbers from 0"),
        ({"channel": [COINS, COINS]}, "channel must be one channel or one per row of covariates, 4; got 2"),
        ({"channel": [COINS, "coins", COINS, COINS]}, r"channel\[1\] must be a Channel or None .*; got str"),
        ({"channel": Channel(((2, 1, 1), (1, 2, 1), (1, 1, 2)))}, "channel must have 2 answers .*; got 3"),
        ({"channel": Channel(((1, 1), (1, 1)))}, "channel must have linearly independent rows"),
        ({"channel": Channel(((1, 1, 0), (2, 0, 0))), "reports": [0, 1, 2, 0]}, r"reports\[2\] must be a report its"),
        ({"weights": [1, 2, 3]}, r"weights must have one entry per row of covariates, shape \(4,\); got shape \(3,\)"),
        ({"weights": [1, 2, 0, 1]}, r"weights\[2\] must be positive and finite; got 0.0"),
        ({"weights": [1, np.nan, 1, 1]}, r"weights\[1\] must be positive and finite; got nan"),
        ({"weights": [1, 2, 1, 1], "information": "expected"}, "must be \"robust\" with weights .*; got 'expected'"),
        ({"counts": [1, 2, 0, 1]}, r"counts\[2\] must be positive and finite; got 0.0"),
        ({"counts": [1, 2, 1.5, 1]}, r"counts\[2\] must be a whole number of respondents .*; got 1.5"),
        ({"names": ["a", "b"]}, "names must have one entry per column of covariates, 1; got 2"),
        ({"names": ["intercept"]}, "names must differ .* got 'intercept' again"),
        (
            {"information": "fisher"},
            "information must be one of observed, expected, opg, robust, cluster; got 'fisher'",
        ),
        ({"missing": "ignore"}, 'missing must be "error" or "drop"; got \'ignore\''),
        ({"reports": [np.nan] * 4, "missing": "drop"}, "at least 1 complete row; got 0 of 4"),
    ],
)
def test_bad_input_names_argument_bound_and_value(change, message):
    with pytest.raises(ValueError, match=message):
        logistic_regression(**(GOOD | change))


def test_wald_test_of_one_coefficient_is_its_square_and_of_all_holds_their_covariance():
    source = np.random.default_rng(7)
    covariates = source.normal(size=(800, 3))
    truth = source.random(800) < 1 / (1 + np.exp(-covariates[:, 0]))
    channel = forced_response(truth="1/2")
    fit = logistic_regression(covariates, simulate(channel, truth.astype(int), source), channel)
    one = fit.wald_test([0, 0, 1, 0])
    assert one.statistic == pytest.approx(fit.z_values[2] ** 2)
    assert one.p_value == pytest.approx(fit.p_values[2])
    slopes = fit.wald_test(np.eye(4)[1:])
    expected = fit.coefficients[1:] @ np.linalg.inv(fit.covariance[1:, 1:]) @ fit.coefficients[1:]
    assert (slopes.statistic, slopes.degrees_of_freedom) == (pytest.approx(expected), 3)
    assert "df = 3" in str(slopes)
    same = fit.wald_test([[0, 1, -1, 0]])
    spread = fit.covariance[1, 1] + fit.covariance[2, 2] - 2 * fit.covariance[1, 2]
    assert same.statistic == pytest.approx((fit.coefficients[1] - fit.coefficients[2]) ** 2 / spread)
