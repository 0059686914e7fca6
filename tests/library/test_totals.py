"""Totals of complex samples: enumeration of every sample and draw, RRTCS's formulas written out apart, bad input."""

import itertools
import json

import numpy as np
import pytest

from randomized_response import Channel, custom, forced_response, k_ary, simulate, unrelated_question
from randomized_response.totals import estimate_total
from tests.tools.gate import few

COINS = forced_response(truth="1/2")
THREE = k_ary(3, truth="1/2")


def every_sample(answers, n, channel):
    """Each simple random sample of n and each set of its reports, with its probability."""
    samples = list(itertools.combinations(range(len(answers)), n))
    for people in samples:
        for reports in itertools.product(range(channel.reports), repeat=n):
            chance = np.prod(channel.matrix[np.asarray(answers)[list(people)], list(reports)])
            if chance > 0:
                yield people, list(reports), chance / len(samples)


@pytest.mark.parametrize(("channel", "answers"), [(COINS, [0, 1, 1, 0, 1]), (THREE, [0, 2, 1, 2, 2])])
def test_total_is_unbiased_by_enumeration(channel, answers):
    truth = np.bincount(answers, minlength=channel.answers)
    k = channel.answers
    mean, covariance, second = np.zeros(k), np.zeros((k, k)), np.zeros((k, k))
    for _, reports, chance in every_sample(answers, 3, channel):
        t = estimate_total(reports, channel, 3 / 5)
        mean += chance * t.unbiased
        covariance += chance * t.covariance
        second += chance * np.outer(t.unbiased, t.unbiased)
    np.testing.assert_allclose(mean, truth, atol=1e-12)
    np.testing.assert_allclose(covariance, second - np.outer(truth, truth), atol=1e-11)


def test_total_of_strata_is_unbiased_by_enumeration():
    first, second = [0, 1, 1], [1, 0, 0, 0]
    mean, variance, square = 0.0, 0.0, 0.0
    for _, a, chance_a in every_sample(first, 2, COINS):
        for _, b, chance_b in every_sample(second, 2, COINS):
            t = estimate_total(a + b, COINS, [2 / 3] * 2 + [1 / 2] * 2, strata=["a", "a", "b", "b"])
            mean += chance_a * chance_b * t.unbiased[1]
            variance += chance_a * chance_b * t.covariance[1, 1]
            square += chance_a * chance_b * t.unbiased[1] ** 2
    assert mean == pytest.approx(3, abs=1e-12)
    assert variance == pytest.approx(square - 9, abs=1e-11)


def test_total_census_has_only_noise():
    reports = [0, 1, 1, 0, 1, 1, 0, 0]
    t = estimate_total(reports, COINS, 1.0)
    unbiased = np.where(np.array(reports) == 1, 1.5, -0.5)
    assert t.unbiased[1] == pytest.approx(unbiased.sum(), abs=1e-12)
    assert t.standard_error[1] == pytest.approx(np.sqrt((unbiased * (unbiased - 1)).sum()), rel=1e-12)
    np.testing.assert_allclose(t.noise_standard_error, t.standard_error, rtol=1e-12)


@pytest.mark.parametrize(
    ("yes", "prevalence"),
    [(328, "1/12"), (180, "1/10"), (280, "2/3"), (81, "1/10"), (164, "1/3"), (53, "1/12")],
    ids=["copied", "fought", "bullied", "bullying", "drug", "sex"],
)
def test_total_granada_equals_rrtcs(yes, prevalence):
    """The survey in RRTCS's vignette (Cobo, Rueda & Arcos 2021, CRAN): 710 of 10,777 students, a coin, six questions.

    Estimate and variance by the formulas in its manual (Horvitz): r = (z - (1 - p) alpha) / p, r (r - 1) for the coin,
    and the textbook variance of simple random sampling, to which Deville's reduces.
    """
    n, size, alpha = 710, 10_777, eval(prevalence)
    channel = unrelated_question(truth="1/2", prevalence=prevalence)
    t = estimate_total([1] * yes + [0] * (n - yes), channel, n / size, population_size=size, target="mean")
    r = (np.repeat([1.0, 0.0], [yes, n - yes]) - alpha / 2) * 2
    variance = (1 - n / size) * r.var(ddof=1) / n + (r * (r - 1)).sum() * (size / n) / size**2
    assert t.unbiased[1] == pytest.approx((yes / n - alpha / 2) * 2, abs=1e-12)
    assert t.covariance[1, 1] == pytest.approx(variance, rel=1e-11)


class TestUnequalProbabilities:
    CHANCES = np.random.default_rng(1).uniform(0.05, 0.6, 40)
    REPORTS = np.random.default_rng(2).integers(0, 2, 40)
    R = np.where(REPORTS == 1, 1.5, -0.5)

    def test_horvitz_thompson_with_devilles_variance(self):
        # varest() of R's package sampling, which RRTCS calls: its loop over the sample, written out.
        a = (1 - self.CHANCES) / (1 - self.CHANCES).sum()
        centre = sum(x * r / p for x, r, p in zip(a, self.R, self.CHANCES, strict=True))
        deville = sum((1 - p) * (r / p - centre) ** 2 for r, p in zip(self.R, self.CHANCES, strict=True))
        variance = deville / (1 - (a**2).sum()) + (self.R * (self.R - 1) / self.CHANCES).sum()
        t = estimate_total(self.REPORTS, COINS, self.CHANCES)
        assert t.unbiased[1] == pytest.approx((self.R / self.CHANCES).sum(), rel=1e-12)
        assert t.covariance[1, 1] == pytest.approx(variance, rel=1e-11)
        assert t.variance == "deville"
        mean = estimate_total(self.REPORTS, COINS, self.CHANCES, 200, "mean")
        np.testing.assert_allclose(mean.unbiased * 200, t.unbiased, rtol=1e-12)
        np.testing.assert_allclose(mean.standard_error * 200, t.standard_error, rtol=1e-12)

    def test_hajek_is_a_ratio(self):
        t = estimate_total(self.REPORTS, COINS, self.CHANCES, target="mean", estimator="hajek")
        weights = 1 / self.CHANCES
        assert t.unbiased[1] == pytest.approx((weights * self.R).sum() / weights.sum(), rel=1e-12)
        assert t.unbiased.sum() == pytest.approx(1, abs=1e-12)
        assert t.standard_error[0] == pytest.approx(t.standard_error[1], rel=1e-10)
        total = estimate_total(self.REPORTS, COINS, self.CHANCES, population_size=500, estimator="hajek")
        np.testing.assert_allclose(total.unbiased, 500 * t.unbiased, rtol=1e-12)
        np.testing.assert_allclose(total.standard_error, 500 * t.standard_error, rtol=1e-12)

    def test_clusters_within_strata(self):
        strata = np.repeat(["n", "s"], [24, 16])
        clusters = np.concatenate([np.repeat(range(4), 6), np.repeat(range(4), 4)])
        t = estimate_total(self.REPORTS, COINS, self.CHANCES, strata=strata, clusters=clusters)
        variance = 0.0
        for stratum in ("n", "s"):
            totals = [(self.R / self.CHANCES)[(strata == stratum) & (clusters == c)].sum() for c in range(4)]
            variance += 4 * np.var(totals, ddof=1)
        assert t.covariance[1, 1] == pytest.approx(variance, rel=1e-11)
        assert t.variance == "clusters by strata"

    def test_total_row_order_does_not_matter(self):
        order = np.random.default_rng(3).permutation(40)
        strata = np.arange(40) % 3
        one = estimate_total(self.REPORTS, COINS, self.CHANCES, strata=strata)
        other = estimate_total(self.REPORTS[order], COINS, self.CHANCES[order], strata=strata[order])
        np.testing.assert_allclose(one.covariance, other.covariance, rtol=1e-10)


def test_total_interval_holds_constrained_estimate():
    t = estimate_total([1] * 20 + [0] * 80, COINS, 0.1, population_size=1000)
    assert t.unbiased[1] == pytest.approx(-100, abs=1e-9)
    assert t.constrained.tolist() == [1000, 0]
    assert (t.low >= 0).all()
    assert (t.high <= 1000).all()
    assert ((t.low <= t.constrained) & (t.constrained <= t.high)).all()


@pytest.mark.parametrize(("m", "strata"), few([(4, 1), (6, 2)]))
def test_total_few_clusters_coverage_by_simulation(m, strata):
    """.958 and .953 of samples, where normal ones covered .860 and .874. Seeded; else 1 of 500 runs alarms at .95."""
    generator, covered = np.random.default_rng(1), 0
    clusters = np.repeat(range(m), 25)
    for _ in range(1000):
        shares = np.clip(generator.normal(0.3, 0.1, m), 0, 1)
        reports = simulate(COINS, (generator.random(25 * m) < shares[clusters]).astype(int), generator)
        parts = {"clusters": clusters, "strata": clusters % strata}
        t = estimate_total(reports, COINS, 0.01, 2500 * m, "mean", estimator="hajek", **parts)
        covered += t.low[1] <= 0.3 <= t.high[1]
        assert t.degrees_of_freedom == m - strata
    assert covered >= 930


def test_total_lone_respondent_or_cluster_has_no_error():
    for reports, parts in (([1], {}), ([1, 0, 1], {"strata": [1, 1, 2]}), ([1, 0, 1], {"clusters": [1, 1, 1]})):
        t = estimate_total(reports, COINS, 0.5, **parts)
        assert np.isnan(t.standard_error).all()
        assert t.low.tolist() == [0, 0]
        assert t.high.tolist() == [t.estimated_size] * 2


class TestWeightsAndPopulation:
    def test_total_weights_not_adding_up_are_diagnosed(self):
        """500 of 10,000 people with probability .1 stand for 5,000: all shares together are a half."""
        t = estimate_total([1] * 200 + [0] * 300, COINS, 0.1, population_size=10_000, target="mean")
        assert t.unbiased.sum() == pytest.approx(0.5, abs=1e-12)
        assert [each.name for each in t.diagnostics] == ["weights"]
        assert "is 5000 and not population_size, 10000: all shares together come to 0.5 of it" in str(t)

    def test_total_fitting_weights_have_no_diagnostic(self):
        reports = [1] * 200 + [0] * 300
        fitting = [5_000, 5_049, 4_951]
        assert not any(estimate_total(reports, COINS, 0.1, population_size=size).diagnostics for size in fitting)
        assert estimate_total(reports, COINS, 0.1, population_size=5_051).diagnostics
        assert not estimate_total(reports, COINS, 0.1).diagnostics
        assert not estimate_total(reports, COINS, 0.1, population_size=10_000, estimator="hajek").diagnostics

    def test_total_dropped_reports_are_diagnosed(self):
        reports = [1.0] * 200 + [0.0] * 200 + [np.nan] * 100
        t = estimate_total(reports, COINS, 0.1, population_size=5_000, missing="drop")
        assert [each.name for each in t.diagnostics] == ["weights"]


def test_missing_reports_are_dropped_by_choice():
    with pytest.raises(ValueError, match=r"reports\[1\] must be a whole number, or missing=\"drop\" chosen; got nan"):
        estimate_total([1, np.nan, 0, 1], COINS, 0.5)
    t = estimate_total([1, np.nan, 0, 1], COINS, [0.1, 0.2, 0.3, 0.4], missing="drop", strata=[1, 2, 1, 1])
    assert (t.n, t.dropped) == (3, 1)
    same = estimate_total([1, 0, 1], COINS, [0.1, 0.3, 0.4])
    np.testing.assert_allclose(t.covariance, same.covariance)


def test_total_standard_errors_by_simulation():
    # 500 samples with unequal probabilities from 5000 people: the mean squared error over the mean variance is 1 up to
    # about 0.063 (one standard deviation of a chi-square with 500 degrees over 500); 4 of them, 1 alarm in 16,000.
    generator = np.random.default_rng(8)
    answers = (generator.random(5000) < 0.3).astype(int)
    chances = np.where(answers == 1, 0.12, 0.06) * generator.uniform(0.8, 1.2, 5000)
    errors, variances = [], []
    for _ in range(500):
        taken = generator.random(5000) < chances
        coin = generator.random(taken.sum())
        reports = np.where(coin < 0.5, answers[taken], coin < 0.75).astype(int)
        t = estimate_total(reports, COINS, chances[taken], target="mean", estimator="hajek")
        errors.append(t.unbiased[1] - answers.mean())
        variances.append(t.covariance[1, 1])
    assert abs(np.mean(np.square(errors)) / np.mean(variances) - 1) < 0.26


def test_result_is_plain_and_readable():
    t = estimate_total([1, 0, 1, 0, 0], COINS, 0.5)
    plain = json.loads(json.dumps(t.to_dict(), allow_nan=False))
    assert plain["target"] == "total"
    assert plain["population_size"] is None
    assert "horvitz_thompson" in str(t)
    with pytest.raises(ValueError, match="read-only"):
        t.unbiased[0] = 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reports": [0, 2, 1]}, r"reports\[1\] must be a whole number from 0 to 1; got 2"),
        ({"reports": [[0, 1, 1]]}, r"reports must have one dimension and at least 1 entry; got shape \(1, 3\)"),
        ({"reports": []}, r"at least 1 entry; got shape \(0,\)"),
        ({"reports": ["yes", "no", "no"]}, "reports must be whole numbers"),
        ({"inclusion_probabilities": [0.5, 0.5]}, r"one number or of shape \(3,\); got shape \(2,\)"),
        ({"inclusion_probabilities": [0.5, 0, 0.5]}, r"\[1\] must be greater than 0 and at most 1; got 0.0"),
        ({"inclusion_probabilities": [0.5, 1.1, 0.5]}, r"\[1\] must be greater than 0 and at most 1; got 1.1"),
        ({"inclusion_probabilities": [0.5, np.nan, 0.5]}, r"\[1\] must be greater than 0 and at most 1; got nan"),
        ({"population_size": 2}, "population_size must be finite and at least the number of reports, 3; got 2"),
        ({"population_size": np.inf}, "population_size must be finite .*; got inf"),
        ({"target": "share"}, 'target must be "total" or "mean"; got \'share\''),
        ({"target": "mean"}, "population_size must be given for the horvitz_thompson mean; got None"),
        ({"estimator": "hajek"}, "population_size must be given for the hajek total; got None"),
        ({"estimator": "ratio"}, "estimator must be .*; got 'ratio'"),
        ({"strata": [1, 2]}, r"strata must have one label per report, shape \(3,\); got shape \(2,\)"),
        ({"clusters": [1, np.nan, 2]}, r"clusters\[1\] must be a label; got nan"),
        ({"confidence": 95}, "confidence must be greater than 0 and less than 1; got 95"),
        ({"missing": "zero"}, "missing must be .*; got 'zero'"),
        ({"channel": Channel(((1, 1), (1, 1)))}, "linearly"),
    ],
)
def test_bad_input_names_argument_bound_and_value(change, message):
    good = {"reports": [0, 1, 1], "channel": COINS, "inclusion_probabilities": 0.5}
    with pytest.raises(ValueError, match=message):
        estimate_total(**(good | change))


def test_more_reports_than_answers():
    sure = custom([[5, 3, 2, 0], [1, 2, 3, 4]])
    mean = np.zeros(2)
    for _, reports, chance in every_sample([0, 1, 1], 2, sure):
        mean += chance * estimate_total(reports, sure, 2 / 3).unbiased
    np.testing.assert_allclose(mean, [1, 2], atol=1e-12)
