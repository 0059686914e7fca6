"""The exact interval for those who took part, by enumeration: their reports are the sum of two binomials."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy import special, stats

from randomized_response import (
    EachOption,
    SubsetSelection,
    UnaryEncoding,
    discrete_laplace,
    estimate_proportions,
    forced_response,
    k_ary,
    warner,
)
from randomized_response._participation import _between, took_part_limits
from tests.tools.gate import few

HALVES = [forced_response(truth=truth) for truth in ("1/4", "1/2", "3/4")]
FORCED = [forced_response(truth="1/2", yes=yes) for yes in ("0", "1/10", "1")] + [
    forced_response(truth="2/3", yes="1/6")
]
TABLES = [*HALVES, *FORCED, warner(truth="1/4")]


def named(channel):
    return f"{channel.name} {channel.weights[0]}"


def limits(channel, n, level=0.95):
    """Numbers of holders between which the interval lies, for every count of yes."""
    without, holding = (np.full(n + 1, chance) for chance in channel.matrix[:, 1])
    low, high = took_part_limits(np.arange(n + 1), n, level, holding, without)
    return np.rint(n * low).astype(int), np.rint(n * high).astype(int)


@cache
def chances(channel, n):
    """Of each count of yes, one row for each number of holders: Bin(holders, a) and Bin(others, b) convolved."""
    without, holding = channel.matrix[:, 1]
    rows = []
    for holders in range(n + 1):
        mine = stats.binom.pmf(np.arange(holders + 1), holders, holding)
        rows.append(np.convolve(mine, stats.binom.pmf(np.arange(n - holders + 1), n - holders, without)))
    return np.array(rows)


def coverage(channel, n, level=0.95):
    holders = np.arange(n + 1)[:, None]
    low, high = limits(channel, n, level)
    return (chances(channel, n) * ((low <= holders) & (holders <= high))).sum(axis=1)


@pytest.mark.parametrize("channel", few(TABLES), ids=named)
def test_noise_interval_coverage_is_never_below_level(channel):
    for n in (10, 30, 100, 300):
        assert coverage(channel, n).min() >= 0.95, n


@pytest.mark.long
def test_noise_interval_coverage_of_a_thousand():
    """Least .95000 (a truth of 3/4), .95274 on average at most (1/4)."""
    covered = [coverage(channel, 1000) for channel in (*HALVES, FORCED[-1])]
    assert min(map(min, covered)) >= 0.95
    assert np.mean(covered) == pytest.approx(0.9521, abs=1e-4)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.99, 1 - 0.05 / 256])
def test_noise_interval_coverage_at_other_levels(level):
    for channel, n in itertools.product(TABLES, (10, 30)):
        assert coverage(channel, n, level).min() >= level


@pytest.mark.parametrize("channel", TABLES, ids=named)
@pytest.mark.parametrize("n", [1, 2, 13, 40])
def test_noise_interval_is_hull_of_accepted_numbers(channel, n):
    """From the definition: a number is refuted where counts that speak as strongly against it have 5 % or less, and
    where it cannot produce the count."""
    without, holding = channel.matrix[:, 1]
    counts, (low, high) = np.arange(n + 1), limits(channel, n)
    best = np.clip(counts / n, min(without, holding), max(without, holding))
    kept = []
    for holders, mass in enumerate(chances(channel, n)):
        rate = without + (holding - without) * holders / n
        against = special.rel_entr(counts / n, rate) + special.rel_entr(1 - counts / n, 1 - rate)
        with np.errstate(invalid="ignore"):
            against -= special.rel_entr(counts / n, best) + special.rel_entr(1 - counts / n, 1 - best)
        kept.append([mass[against >= mine - 1e-12].sum() > 0.05 for mine in against] & (mass > 0))
    for count in np.flatnonzero(chances(channel, n).max(axis=0)):
        (within,) = np.nonzero([row[count] for row in kept])
        assert (low[count], high[count]) == (within.min(), within.max())


def test_noise_interval_equals_estimate():
    for channel, n in itertools.product(TABLES, (1, 10, 30)):
        low, high = limits(channel, n)
        for yes in np.flatnonzero(chances(channel, n).max(axis=0)):
            found = estimate_proportions([n - yes, yes], channel)
            assert found.noise_interval == "convolution"
            assert 0 <= found.noise_low[1] <= found.constrained[1] <= found.noise_high[1] <= 1
            assert found.noise_low[1] == pytest.approx(min(low[yes] / n, found.constrained[1]), abs=1e-15)
            assert found.noise_high[1] == pytest.approx(max(high[yes] / n, found.constrained[1]), abs=1e-15)
            assert found.noise_low[0] == pytest.approx(1 - found.noise_high[1], abs=1e-15)


def test_noise_interval_excludes_impossible_numbers():
    low, high = limits(forced_response(truth="1/2", yes="0"), 40)  # only holders send a yes
    assert (low >= np.arange(41)).all()
    low, high = limits(forced_response(truth="1/2", yes="1"), 40)  # all of them do
    assert (high <= np.arange(41))[20:].all()


def test_noise_interval_below_noise_is_no_point():
    """780 no and 220 yes by two coins: the score's was 0 to 0."""
    found = estimate_proportions([780, 220], HALVES[1])
    assert (found.noise_low[1], found.noise_high[1]) == (0, 0.015)


def test_noise_interval_same_for_choice_and_bits():
    """Each choice alone is a yes/no table with the same two chances."""
    counts = [500, 300, 120, 80]
    alone = {k: forced_response(truth="1/2", yes=k) for k in ("1/4", "1/2")}
    for found, channel in (
        (estimate_proportions(counts, k_ary(4, truth="1/2")), alone["1/4"]),
        (EachOption(4, alone["1/4"]).estimate(counts, n=1000), alone["1/4"]),
        (UnaryEncoding(4, on="3/4", off="1/4").estimate(counts, n=1000), alone["1/2"]),
    ):
        low, high = limits(channel, 1000)
        assert found.noise_interval == "convolution"
        assert found.noise_low == pytest.approx(np.minimum(low[counts] / 1000, found.constrained))
        assert found.noise_high == pytest.approx(np.maximum(high[counts] / 1000, found.constrained))
    assert SubsetSelection(4, size=2, truth="3/4").estimate(counts, n=500).noise_interval == "convolution"


def test_noise_interval_equals_that_of_a_census():
    found = estimate_proportions([5, 30, 65], k_ary(3, truth="1/2"), population_size=100)
    assert (found.interval, found.noise_interval) == ("convolution", "convolution")
    assert (found.low.tolist(), found.high.tolist()) == (found.noise_low.tolist(), found.noise_high.tolist())


def test_noise_interval_other_channels_is_normal():
    """Who gives another point reports this one with a chance that depends on which."""
    assert estimate_proportions([5, 30, 65], discrete_laplace(3, epsilon=1.0)).noise_interval == "wald"


@pytest.mark.parametrize(("people", "a", "b"), [(3000, 0.75, 0.25), (9990, 0.01, 0.5), (3, 1.0, 0.0), (50, 0.9, 1e-6)])
def test_chances_equal_convolution(people, a, b):
    """Of 10,000, in the middle and in the tails."""
    n = 10_000
    mean, error = people * a + (n - people) * b, np.sqrt(people * a * (1 - a) + (n - people) * b * (1 - b))
    ends = np.floor(mean + error * np.array([-3.5, -2, -1, 0.3, 2, 4])).astype(int)
    mine = np.arange(people + 1)
    for low, high in itertools.combinations(np.maximum(ends, 0), 2):
        others = stats.binom.cdf(high - mine, n - people, b) - stats.binom.cdf(low - 1 - mine, n - people, b)
        (found,) = _between(*(np.array([one]) for one in (low, high, people)), n, np.array([a]), np.array([b]))
        assert found == pytest.approx(stats.binom.pmf(mine, people, a) @ others, abs=1e-12)
