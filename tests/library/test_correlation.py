"""Correlations: Pearson's where nothing is randomised, simulated truth, level and coverage, refusals."""

import numpy as np
import pandas
import pytest
from scipy import stats

from randomized_response import (
    Channel,
    correlation,
    discrete_laplace,
    estimate_joint,
    forced_response,
    k_ary,
    simulate,
    warner,
)

COINS, WARNER = forced_response(truth="1/2"), warner(truth="9/10")
KNOWN = Channel(((1, 0), (0, 1)))
N = 4000


def people(n, generator, slope=1.0):
    trait = generator.normal(size=n)
    return trait, (slope * trait + generator.normal(size=n) > 0.5).astype(int)


def test_measured_numbers_have_pearsons_correlation():
    trait, answers = people(N, np.random.default_rng(1))
    noisy = trait + np.random.default_rng(2).normal(size=N)
    found, other = correlation(trait, noisy), stats.pearsonr(trait, noisy)
    assert found.unbiased == pytest.approx(other.statistic, rel=1e-12)
    interval = other.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=0.01)
    assert correlation(answers, trait, KNOWN).unbiased == pytest.approx(np.corrcoef(answers, trait)[0, 1], rel=1e-12)


@pytest.mark.parametrize(("first", "second"), [(COINS, None), (COINS, WARNER), (WARNER, WARNER)])
def test_randomised_correlation_is_that_of_the_answers(first, second):
    """Within 4 standard errors of the sample's own (false alarm 6e-5)."""
    generator = np.random.default_rng(3)
    trait, answers = people(20_000, generator)
    others = (trait + generator.normal(size=20_000) > 0).astype(int)
    truth = np.corrcoef(answers, trait if second is None else others)[0, 1]
    other = trait if second is None else simulate(second, others, generator)
    found = correlation(simulate(first, answers, generator), other, first, second)
    assert found.unbiased == pytest.approx(truth, abs=4 * found.standard_error)
    assert found.p_value < 1e-6


@pytest.mark.parametrize("channel", [k_ary(5, truth="1/2"), discrete_laplace(5, epsilon=2.0)], ids=["k-ary", "laplace"])
def test_scales_correlate_by_their_values(channel):
    generator = np.random.default_rng(4)
    trait = generator.normal(size=30_000)
    points = np.clip(np.round(trait + generator.normal(size=30_000)) + 2, 0, 4).astype(int)
    found = correlation(simulate(channel, points, generator), trait, channel, values=[1, 2, 3, 4, 5])
    assert found.unbiased == pytest.approx(np.corrcoef(points, trait)[0, 1], abs=4 * found.standard_error)
    turned = correlation(simulate(channel, points, generator), trait, channel, values=[5, 4, 3, 2, 1])
    assert turned.unbiased < 0


def test_units_and_order_do_not_matter():
    generator = np.random.default_rng(5)
    trait, answers = people(N, generator)
    reports = simulate(COINS, answers, generator)
    found = correlation(reports, trait, COINS)
    other = correlation(1e6 + 3 * trait, reports, None, COINS)
    assert other.unbiased == pytest.approx(found.unbiased, rel=1e-6)
    assert other.standard_error == pytest.approx(found.standard_error, rel=1e-6)


@pytest.mark.parametrize("slope", [0.0, 0.7])
def test_intervals_and_level(slope):
    """1,000 samples of 500: at least 932 intervals hold the truth (binomial at .95, .5 %), and no more than 980."""
    generator = np.random.default_rng(6)
    truth = np.corrcoef(*people(1_000_000, generator, slope))[0, 1] if slope else 0.0
    hits = rejected = 0
    for _ in range(1000):
        trait, answers = people(500, generator, slope)
        found = correlation(simulate(COINS, answers, generator), trait, COINS)
        hits += found.low <= truth <= found.high
        rejected += found.p_value < 0.05
    assert stats.binom.ppf(0.005, 1000, 0.95) <= hits <= 980
    if not slope:
        assert stats.binom.ppf(0.005, 1000, 0.05) <= rejected <= stats.binom.ppf(0.995, 1000, 0.05)


def test_weights_repeat_people():
    generator = np.random.default_rng(7)
    trait, answers = people(400, generator)
    reports, weights = simulate(COINS, answers, generator), generator.integers(1, 4, 400)
    weighted = correlation(reports, trait, COINS, weights=weights)
    repeated = correlation(np.repeat(reports, weights), np.repeat(trait, weights), COINS)
    assert weighted.unbiased == pytest.approx(repeated.unbiased, rel=1e-9)


def test_series_are_matched_by_their_index():
    generator = np.random.default_rng(8)
    trait, answers = people(300, generator)
    reports = pandas.Series(simulate(COINS, answers, generator))
    turned = pandas.Series(trait).iloc[::-1]
    assert correlation(reports, turned, COINS).unbiased == correlation(reports, trait, COINS).unbiased


@pytest.mark.parametrize("other", [k_ary(4, truth="1/2"), Channel(tuple(map(tuple, np.eye(4, dtype=int).tolist())))])
def test_table_has_the_correlation_of_its_people(other):
    """Through both draws, and where the second number was measured; with values of years."""
    generator, values, years = np.random.default_rng(9), [0, 10], [1950, 1975, 1990, 2005]
    born = generator.integers(0, 4, 3000)
    reports = simulate(COINS, (generator.random(3000) < 0.2 + 0.15 * born).astype(int), generator)
    others = simulate(other, born, generator)
    table = np.zeros((2, 4), dtype=int)
    np.add.at(table, (reports, others), 1)
    found = estimate_joint(table, COINS, other, confidence=0.9).correlation(values, years)
    each = correlation(reports, others, COINS, other, values=values, other_values=years, confidence=0.9)
    assert found.to_dict() == pytest.approx(each.to_dict(), rel=1e-8)
    assert estimate_joint(table, COINS, other).correlation().n == 3000


def test_correlation_of_a_table_with_wrong_values_is_refused():
    joint = estimate_joint([[380, 190], [220, 210]], COINS, COINS)
    with pytest.raises(ValueError, match="other_values must be 2 finite numbers, one per answer"):
        joint.correlation(other_values=[1, 2, 3])


def test_answer_without_variance_has_no_correlation():
    reports = np.array([0] * 90 + [1] * 10)
    found = correlation(reports, np.arange(100.0), COINS)
    assert np.isnan(found.unbiased)
    assert (found.low, found.high) == (-1, 1)
    assert 0 <= found.p_value <= 1


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([0, 1, 2], [1, 2, 3], COINS), {}, r"first\[2\] must be a whole number from 0 to 1; got 2"),
        (([0, 1, 1], [1, 2, np.nan], COINS), {}, r"second\[2\] must be finite"),
        (([0, 1, 1], [1, 2], COINS), {}, "second must have one dimension and at least 3 entries"),
        (([0, 1, 1], [1, 2, 3, 4], COINS), {}, "second must have one entry per entry of first, 3; got 4"),
        (([0, 1, 1], ["a", "b", "c"], COINS), {}, "second must be numbers"),
        (([0, 1, 1], [1, 2, 3], COINS), {"values": [1]}, "values must be 2 finite numbers"),
        (([0, 1, 1], [1, 2, 3], COINS), {"other_values": [1, 2]}, "other_values must be left out"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, options, words):
    with pytest.raises(ValueError, match=words):
        correlation(*arguments, **options)
