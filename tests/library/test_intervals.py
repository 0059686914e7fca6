"""Binomial intervals: against their definitions, against other programs, and by their coverage, enumerated."""

import itertools

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from randomized_response.intervals import BINOMIAL_INTERVALS, blaker, clopper_pearson, feldman_cousins, mid_p
from tests.tools.gate import few

SIZES = [1, 2, 3, 5, 10, 30, 100]
LEVELS = [0.5, 0.9, 0.95, 0.99]


def acceptability(rate, count, n):
    """Blaker's definition, term by term: P(smaller tail of Y <= smaller tail of count)."""
    values = np.arange(n + 1)
    smaller_tail = np.minimum(stats.binom.cdf(values, n, rate), stats.binom.sf(values - 1, n, rate))
    return stats.binom.pmf(values, n, rate)[smaller_tail <= smaller_tail[count] * (1 + 1e-10)].sum()


def coverage(method, n, rates, confidence):
    limits = np.array([BINOMIAL_INTERVALS[method](count, n, confidence) for count in range(n + 1)])
    mass = stats.binom.pmf(np.arange(n + 1)[:, None], n, rates)
    return (mass * ((limits[:, :1] <= rates) & (rates <= limits[:, 1:]))).sum(axis=0)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("n", few([1, 2, 3, 5, 10, 25], slice(4)))
def test_blaker_is_the_hull_of_the_acceptable_rates(n, confidence):
    """On a grid of 2,000 rates and next to the limits: none outside is acceptable, some just inside is."""
    grid = np.linspace(0, 1, 2001)[1:-1]
    for count in range(n + 1):
        low, high = blaker(count, n, confidence)
        outside = [rate for rate in grid if rate < low - 1e-9 or rate > high + 1e-9]
        assert all(acceptability(rate, count, n) <= 1 - confidence + 1e-9 for rate in outside[::7])
        if count > 0:
            assert acceptability(low + 1e-7, count, n) > 1 - confidence - 1e-7
            assert acceptability(low * (1 - 1e-7), count, n) <= 1 - confidence + 1e-7
        if count < n:
            assert acceptability(high - 1e-7, count, n) > 1 - confidence - 1e-7


ENDS = [(0, 1), (0.25, 0.75), (0.375, 0.625), (0.5, 1), (0.1, 0.6), (0, 0.5)]


def p_values(rate, n, ends):
    """By the definition, term by term: P(likelihood ratio of Y against the rate >= that of the count), every count."""
    counts = np.arange(n + 1)
    ratios = stats.binom.logpmf(counts, n, np.clip(counts / n, *ends)) - stats.binom.logpmf(counts, n, rate)
    as_far = ratios[None, :] >= ratios[:, None] - 1e-9
    return as_far @ stats.binom.pmf(counts, n, rate)


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_feldman_cousins_is_the_hull_of_the_accepted_rates(n, ends):
    """On a grid of 100 rates and next to the limits: none outside is accepted, those just inside are."""
    for confidence in (0.8, 0.95):
        limits = np.array([feldman_cousins(count, n, confidence, ends) for count in range(n + 1)])
        for rate in np.linspace(*ends, 102)[1:-1]:
            accepted = p_values(rate, n, ends) > 1 - confidence + 1e-9
            assert np.all(~accepted | ((limits[:, 0] <= rate) & (rate <= limits[:, 1])))
        for count, (low, high) in enumerate(limits):
            for inside, border in ((low + 1e-8, ends[0]), (high - 1e-8, ends[1])):
                if abs(inside - border) > 1e-6:
                    assert p_values(inside, n, ends)[count] > 1 - confidence - 1e-6


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("n", [1, 7, 100])
def test_feldman_cousins_covers_every_rate_between_the_ends(n, ends):
    """Enumerated over every count at 2,000 rates and on both sides of every limit; no interval is a point."""
    limits = np.array([feldman_cousins(count, n, 0.95, ends) for count in range(n + 1)])
    edges = np.concatenate([limits.ravel() - 1e-9, limits.ravel() + 1e-9]).clip(*ends)
    rates = np.concatenate([np.linspace(*ends, 2001), edges])
    mass = stats.binom.pmf(np.arange(n + 1)[:, None], n, rates)
    held = (limits[:, :1] <= rates) & (rates <= limits[:, 1:])
    assert (mass * held).sum(axis=0).min() >= 0.95 - 1e-9
    assert (limits[:, 1] - limits[:, 0]).min() > 0
    assert np.all(np.diff(limits, axis=0) >= -1e-12)


@pytest.mark.parametrize("count", [0, 1, 249_000, 250_000, 250_900, 500_000, 750_500, 10**6])
def test_feldman_cousins_of_a_million_reports(count):
    """Its limits satisfy the definition, from scipy's tails; counts as far off as the observed one by bisection."""
    n, ends = 10**6, (0.25, 0.75)
    low, high = feldman_cousins(count, n, 0.95, ends)
    assert ends[0] <= low < high <= ends[1]

    def ratio(some, rate):
        at = stats.binom.logpmf(some, n, rate)
        return stats.binom.logpmf(some, n, min(max(some / n, ends[0]), ends[1])) - at

    def p_value(rate):
        mirrored = count > n * rate
        a, r = (n - count, 1 - rate) if mirrored else (count, rate)
        first, last = int(n * r), n + 1
        while last - first > 1:
            middle = (first + last) // 2
            far = ratio(n - middle if mirrored else middle, rate) >= ratio(count, rate)
            first, last = (first, middle) if far else (middle, last)
        return stats.binom.cdf(a, n, r) + stats.binom.sf(last - 1, n, r)

    for limit, step, border in ((low, -1e-9, ends[0]), (high, 1e-9, ends[1])):
        if limit != border:
            assert p_value(limit - step) > 0.05 - 1e-5
            assert p_value(limit + step) <= 0.05 + 1e-5


def test_blaker_finds_first_acceptable_rate():
    """Acceptability is not monotone: on 400 grids the first acceptable rate is never below the limit."""
    for n, count in [(10, 3), (13, 5), (20, 12), (37, 9), (50, 25)]:
        low, _ = blaker(count, n, 0.95)
        below = np.linspace(low * 0.9, low * (1 - 1e-9), 400)
        assert max(acceptability(rate, count, n) for rate in below) <= 0.05 + 1e-9


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("n", SIZES)
def test_blaker_lies_inside_clopper_pearson_and_holds_the_rate(n, confidence):
    for count in range(n + 1):
        (low, high), (outer_low, outer_high) = blaker(count, n, confidence), clopper_pearson(count, n, confidence)
        assert outer_low <= low <= count / n <= high <= outer_high


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("method", ["feldman_cousins", "exact", "clopper_pearson"])
def test_exact_methods_never_cover_below_their_level(method, n, confidence):
    """Enumerated over every count at 5,000 rates and on both sides of every limit, where coverage is smallest."""
    limits = np.array([BINOMIAL_INTERVALS[method](count, n, confidence) for count in range(n + 1)]).ravel()
    edges = np.concatenate([limits * (1 - 1e-9), limits + 1e-9 * (1 - limits)])
    rates = np.concatenate([np.linspace(0, 1, 5001), edges])
    assert coverage(method, n, rates, confidence).min() >= confidence - 1e-9


def test_blaker_is_shorter_than_clopper_pearson():
    for n in (10, 30, 100):
        widths = [
            [high - low for low, high in (method(count, n, 0.95) for count in range(n + 1))]
            for method in (blaker, clopper_pearson)
        ]
        assert np.mean(widths[0]) < 0.985 * np.mean(widths[1])


@pytest.mark.parametrize(
    ("method", "peer"), [("clopper_pearson", "beta"), ("score", "wilson"), ("jeffreys", "jeffreys")]
)
@pytest.mark.parametrize(("count", "n"), [(1, 7), (3, 10), (400, 1000), (9_999, 10_000), (5, 10**6)])
def test_agrees_with_statsmodels(method, peer, count, n):
    """statsmodels 0.15 proportion_confint; Jeffreys' differs at counts 0 and n, where ours opens the interval."""
    expected = proportion_confint(count, n, alpha=0.05, method=peer)
    assert BINOMIAL_INTERVALS[method](count, n, 0.95) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("method", "peer"), [("clopper_pearson", "exact"), ("score", "wilson")])
@pytest.mark.parametrize(("count", "n"), [(0, 1), (1, 1), (0, 30), (30, 30), (17, 30)])
def test_agrees_with_scipy(method, peer, count, n):
    expected = stats.binomtest(count, n).proportion_ci(0.9, method=peer)
    assert BINOMIAL_INTERVALS[method](count, n, 0.9) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize(("count", "n"), [(1, 1), (0, 10), (3, 10), (10, 10), (400, 1000), (2, 10**7)])
def test_mid_p_limits_have_half_of_the_observed_probability(count, n):
    low, high = mid_p(count, n, 0.95)
    if count > 0:
        assert stats.binom.sf(count, n, low) + stats.binom.pmf(count, n, low) / 2 == pytest.approx(0.025)
    if count < n:
        assert stats.binom.cdf(count - 1, n, high) + stats.binom.pmf(count, n, high) / 2 == pytest.approx(0.025)


@pytest.mark.parametrize("method", ["feldman_cousins", "clopper_pearson", "exact", "mid_p", "score"])
@pytest.mark.parametrize("n", [1, 7, 30])
def test_intervals_are_symmetric_and_ordered(method, n):
    limits = [BINOMIAL_INTERVALS[method](count, n, 0.95) for count in range(n + 1)]
    for count, (low, high) in enumerate(limits):
        assert (1 - high, 1 - low) == pytest.approx(limits[n - count], abs=1e-12)
        assert 0 <= low < high <= 1
    assert all(before[0] <= after[0] and before[1] <= after[1] for before, after in itertools.pairwise(limits))


@pytest.mark.parametrize("count", [0, 1, 3, 12_345, 4_000_000, 9_999_999, 10_000_000])
def test_blaker_ten_million_reports(count):
    """The limits still satisfy Blaker's definition, computed from scipy's tails alone."""
    n = 10**7
    low, high = blaker(count, n, 0.95)
    outer_low, outer_high = clopper_pearson(count, n, 0.95)
    assert outer_low <= low <= count / n <= high <= outer_high
    if count > 0:
        upper_tail = stats.binom.sf(count - 1, n, low)
        other = stats.binom.ppf(upper_tail * (1 + 1e-9), n, low)
        accepted = upper_tail + stats.binom.cdf([other - 2, other - 1, other], n, low)
        assert accepted[0] - 1e-9 <= 0.05 <= accepted[2] + 1e-9
        assert 0.025 - 1e-9 <= upper_tail <= 0.05 + 1e-9


def test_wald_has_the_standard_error_of_the_estimate():
    """z sqrt(r (1 - r) / (n - 1)), the n - 1 convention; z = scipy.stats.norm.isf(.025)."""
    half = 1.959963984540054 * (0.3 * 0.7 / 39) ** 0.5
    assert BINOMIAL_INTERVALS["wald"](12, 40, 0.95) == pytest.approx((0.3 - half, 0.3 + half), abs=1e-12)
    assert BINOMIAL_INTERVALS["wald"](1, 1, 0.95) == (0, 1)


@pytest.mark.parametrize(("method", "least"), [("score", 0.83), ("wald", 0.0), ("mid_p", 0.92), ("jeffreys", 0.88)])
def test_approximate_methods_fall_below_their_level_somewhere(method, least):
    """That they do is why none of them is the default; the lower figure is where n = 30 takes them."""
    lowest = coverage(method, 30, np.linspace(0.001, 0.999, 2001), 0.95).min()
    assert least <= lowest < 0.95
