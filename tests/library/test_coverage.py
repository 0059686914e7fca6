"""The guarantees of the exact intervals for yes/no questions, by enumeration of every count: no simulation."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy import stats

from randomized_response import estimate_proportions, forced_response
from randomized_response.intervals import DEFAULT_INTERVAL, binomial_limits

TRUTHS = ["1/4", "1/2", "3/4"]
SHARES = [0.0, 0.01, 0.05, 0.1, 0.3, 0.5]
SIZES = [30, 100, 300, 1000, 10_000]


@cache
def limits(truth, n, interval):
    """Intervals of the share of yes for every count, as `estimate_proportions` gives them (the small n are compared
    with it count by count, below). Of a large n those counts alone that one of the shares can lead to: the others have
    a chance below 1e-15 on either side."""
    p = forced_response(truth=truth).gain / forced_response(truth=truth).denominator
    counts, ends = np.arange(n + 1), ((1 - p) / 2, (1 + p) / 2)
    binomial = np.full((n + 1, 2), np.nan)
    reached = counts if n <= 1000 else range(*stats.binom.ppf([1e-15, 1 - 1e-15], n, [ends[0], 0.5]).astype(int))
    for count in reached:
        binomial[count] = binomial_limits(interval, count, n, 0.95, ends)
    binomial[np.isnan(binomial)] = 0
    mapped = np.clip((binomial - (1 - p) / 2) / p, 0, 1)
    estimate = np.clip((counts / n - (1 - p) / 2) / p, 0, 1)
    return np.minimum(mapped[:, 0], estimate), np.maximum(mapped[:, 1], estimate), (binomial[:, 1] - binomial[:, 0]) / p


@pytest.fixture(scope="module")
def every_point():
    """(n, p, share, coverage, width over Wald's) of Blaker's interval at the 90 points of the specification."""
    points = []
    for n in SIZES:
        for truth in TRUTHS:
            (low, high, width), p = limits(truth, n, "exact"), float(forced_response(truth=truth).truth)
            wald = limits(truth, n, "wald")[2]
            for share in SHARES:
                mass = stats.binom.pmf(np.arange(n + 1), n, (1 - p) / 2 + p * share)
                covered = mass @ ((low <= share) & (share <= high))
                points.append((n, p, share, covered, (mass @ width) / (mass @ wald)))
    return np.array(points)


@pytest.mark.long
def test_exact_coverage_is_never_below_level(every_point):
    assert every_point[:, 3].min() >= 0.95


@pytest.mark.long
def test_exact_coverage_is_at_most_96_percent_on_average(every_point):
    assert every_point[:, 3].mean() <= 0.96


@pytest.mark.long
def test_exact_width_is_within_one_percent_of_wald(every_point):
    """Widths before the limits are cut to [0, 1], where n p^2 >= 30; Clopper and Pearson's give 1.020."""
    enough = every_point[:, 0] * every_point[:, 1] ** 2 >= 30
    assert every_point[enough, 4].mean() <= 1.01


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("n", [30, 100])
def test_enumerated_limits_are_those_of_the_estimate(truth, n):
    low, high, _ = limits(truth, n, DEFAULT_INTERVAL)
    for count in range(n + 1):
        estimate = estimate_proportions([n - count, count], forced_response(truth=truth))
        assert (estimate.low[1], estimate.high[1]) == pytest.approx((low[count], high[count]), abs=1e-12)
        assert 0 <= estimate.low[1] <= estimate.constrained[1] <= estimate.high[1] <= 1


def surveys(interval):
    """Of each truth probability, share and n up to 1,000: the chances of the counts, their intervals, whether those
    hold the share."""
    for n, truth in itertools.product(SIZES[:-1], TRUTHS):
        (low, high, _), p = limits(truth, n, interval), float(forced_response(truth=truth).truth)
        for share in SHARES:
            mass = stats.binom.pmf(np.arange(n + 1), n, (1 - p) / 2 + p * share)
            yield mass, high - low, (low <= share) & (share <= high)


def short_ones(mass, width, held):
    """The chances of an interval less than half as wide as the median one, and of such a one that misses."""
    by = np.argsort(width)
    short = width < width[by][np.searchsorted(np.cumsum(mass[by]), 0.5)] / 2
    return mass @ short, mass @ (short & ~held)


def test_default_coverage_is_never_below_level():
    assert min(mass @ held for mass, _, held in surveys(DEFAULT_INTERVAL)) >= 0.95


def test_default_width_is_near_blaker():
    widths = [[mass @ width for mass, width, _ in surveys(interval)] for interval in (DEFAULT_INTERVAL, "exact")]
    ratios = np.divide(*widths)
    assert ratios.mean() <= 1.0
    assert ratios.max() <= 1.03


@pytest.mark.parametrize(("truth", "narrowest"), [("1/4", 0.030), ("1/2", 0.018), ("3/4", 0.016)])
def test_default_interval_is_never_a_point(truth, narrowest):
    """At n = 100; Blaker's is one, for every one of these tables."""
    (low, high, _), (blakers_low, blakers_high, _) = (limits(truth, 100, name) for name in (DEFAULT_INTERVAL, "exact"))
    assert (high - low).min() >= narrowest
    assert (blakers_high - blakers_low).min() == 0


def test_default_below_noise_is_no_point():
    """780 no and 220 yes by two coins: 30 yes fewer than the coins alone produce."""
    estimate = estimate_proportions([780, 220], forced_response(truth="1/2"))
    assert (estimate.low[1], estimate.constrained[1]) == (0, 0)
    assert estimate.high[1] == pytest.approx(0.0155, abs=5e-5)
    assert (estimate.low[0], estimate.high[0]) == pytest.approx((1 - estimate.high[1], 1))


def test_default_short_intervals_miss_less_than_blaker():
    """Intervals below half the median width: .054 of all, .072 of these miss; of Blaker's .073 and .157."""
    ours, blakers = (
        np.sum([short_ones(*one) for one in surveys(name)], axis=0) for name in (DEFAULT_INTERVAL, "exact")
    )
    assert ours[0] < blakers[0]
    assert ours[1] / ours[0] < 0.08
    assert blakers[1] / blakers[0] > 0.15


@pytest.mark.parametrize(("interval", "missed"), [(DEFAULT_INTERVAL, 0.043), ("exact", 0.216)])
def test_short_intervals_two_coins_miss_rate(interval, missed):
    """Where one of twenty holds the answer."""
    low, high, _ = limits("1/2", 100, interval)
    mass = stats.binom.pmf(np.arange(101), 100, 0.25 + 0.05 / 2)
    chances = short_ones(mass, high - low, (low <= 0.05) & (high >= 0.05))
    assert chances[1] / chances[0] == pytest.approx(missed, abs=5e-4)
