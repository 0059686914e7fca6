"""The guarantee of the default interval for yes/no questions, by enumeration of every count: no simulation."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from randomized_response import estimate_proportions, forced_response
from randomized_response.intervals import BINOMIAL_INTERVALS

TRUTHS = ["1/4", "1/2", "3/4"]
SHARES = [0.0, 0.01, 0.05, 0.1, 0.3, 0.5]
SIZES = [30, 100, 300, 1000, 10_000]


@cache
def binomial_limits(interval, count, n):
    return BINOMIAL_INTERVALS[interval](count, n, 0.95)


def limits(truth, n, interval):
    """Intervals of the share of yes for every count, as `estimate_proportions` gives them (the small n are compared
    with it count by count, below)."""
    p = forced_response(truth=truth).gain / forced_response(truth=truth).denominator
    counts = np.arange(n + 1)
    binomial = np.array([binomial_limits(interval, int(count), n) for count in counts])
    mapped = np.clip((binomial - (1 - p) / 2) / p, 0, 1)
    estimate = np.clip((counts / n - (1 - p) / 2) / p, 0, 1)
    return np.minimum(mapped[:, 0], estimate), np.maximum(mapped[:, 1], estimate), (binomial[:, 1] - binomial[:, 0]) / p


@pytest.fixture(scope="module")
def every_point():
    """(n, p, share, coverage, width over Wald's) of the default interval at the 90 points of the specification."""
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


def test_never_covers_below_its_level(every_point):
    assert every_point[:, 3].min() >= 0.95


def test_covers_at_most_point_ninety_six_on_average(every_point):
    assert every_point[:, 3].mean() <= 0.96


def test_on_average_no_wider_than_wald_by_two_per_cent(every_point):
    """Widths before the limits are cut to [0, 1], where n p^2 >= 30; Clopper and Pearson's give 1.020."""
    enough = every_point[:, 0] * every_point[:, 1] ** 2 >= 30
    assert every_point[enough, 4].mean() <= 1.01


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("n", [30, 100])
def test_enumerated_limits_are_those_of_the_estimate(truth, n):
    low, high, _ = limits(truth, n, "exact")
    for count in range(n + 1):
        estimate = estimate_proportions([n - count, count], forced_response(truth=truth))
        assert (estimate.low[1], estimate.high[1]) == pytest.approx((low[count], high[count]), abs=1e-12)
        assert 0 <= estimate.low[1] <= estimate.constrained[1] <= estimate.high[1] <= 1


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
def test_interval_for_the_people_who_took_part_is_near_its_level(share):
    """Only the coin is random: yes reports are Bin(yes, 3/4) + Bin(no, 1/4). 200 people, every total; approximate."""
    n, yes = 200, round(200 * share)
    mass = np.convolve(stats.binom.pmf(range(yes + 1), yes, 0.75), stats.binom.pmf(range(n - yes + 1), n - yes, 0.25))
    estimates = [estimate_proportions([n - c, c], forced_response(truth="1/2")) for c in range(n + 1)]
    covered = sum(m for m, e in zip(mass, estimates, strict=True) if e.noise_low[1] <= yes / n <= e.noise_high[1])
    assert 0.935 <= covered <= 0.985
