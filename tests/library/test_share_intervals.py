"""Intervals on the simplex: profile likelihood, Bayes, bootstrap, and all categories at once."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from randomized_response import Channel, _limits, custom, estimate_proportions, forced_response, k_ary, warner
from randomized_response._limits import bootstrap_limits
from randomized_response.bayes import bayes_limits
from randomized_response.constrained import maximum_likelihood
from randomized_response.intervals import clopper_pearson
from randomized_response.profile import _filled_end, _tilted_end, likelihood_limits, log_likelihood

THREE = custom([[5, 2, 1], [1, 6, 1], [0, 3, 5]])


@pytest.mark.parametrize(("counts", "n"), [(400, 1000), (30, 100), (260, 1000)])
def test_likelihood_interval_yes_no_is_mapped_binomial(counts, n):
    """Limits solve 2 (l(hat) - l(rate)) = scipy.stats.chi2.ppf(.95, 1) in the rate; two coins map by 2 r - 1/2."""
    estimate = estimate_proportions([n - counts, counts], forced_response(truth="1/2"), interval="likelihood")

    def distance(rate):
        top = stats.binom.logpmf(counts, n, counts / n)
        return 2 * (top - stats.binom.logpmf(counts, n, rate)) - 3.841458820694124

    high = optimize.brentq(distance, counts / n, 1 - 1e-9)
    low = optimize.brentq(distance, 1e-9, counts / n)
    assert estimate.high[1] == pytest.approx(2 * high - 0.5, abs=1e-9)
    assert estimate.low[1] == pytest.approx(max(2 * low - 0.5, 0), abs=1e-9)


@pytest.mark.parametrize("counts", [[300, 100, 60, 40], [30, 10, 6, 4], [90, 5, 5, 0], [25, 25, 25, 25]])
@pytest.mark.parametrize(
    "channel", [k_ary(4, truth="1/2"), Channel([[1 if x == y else 2 for y in range(4)] for x in range(4)])]
)
def test_profile_both_algorithms_agree(channel, counts):
    tally = np.array(counts)
    best = maximum_likelihood(tally, channel)
    floor = log_likelihood(best, tally, channel) - 1.92
    for x in range(4):
        for end in (0.0, 1.0):
            filled = _filled_end(x, end, best, floor, tally, channel)
            assert filled == pytest.approx(_tilted_end(x, end, best, floor, tally, channel), abs=2e-5)


@pytest.mark.parametrize("counts", [[50, 30, 20], [8, 1, 1], [500, 3000, 100]])
def test_profile_limits_of_any_channel_by_grid(counts):
    """No theta with theta_x beyond the limit has a likelihood above the floor: a dense grid of the simplex."""
    tally = np.array(counts)
    best = log_likelihood(maximum_likelihood(tally, THREE), tally, THREE)
    steps = np.linspace(0, 1, 401)
    grid = np.array([(a, b, 1 - a - b) for a in steps for b in steps if a + b <= 1 + 1e-12]).clip(0, 1)
    with np.errstate(divide="ignore"):
        inside = grid[np.log(grid @ THREE.matrix) @ tally >= best - stats.chi2.ppf(0.95, 1) / 2]
    low, high = likelihood_limits(tally, THREE, 0.95)
    for x in range(3):
        assert low[x] - 1e-6 <= inside[:, x].min() <= low[x] + 0.006
        assert high[x] - 0.006 <= inside[:, x].max() <= high[x] + 1e-6


@pytest.mark.parametrize(("yes", "no"), [(30, 70), (400, 600), (26, 74)])
def test_bayes_yes_no_is_truncated_beta(yes, no):
    """Two coins: the rate has the density of Beta(1 + yes, 1 + no) kept to [1/4, 3/4]."""
    low, high = bayes_limits(np.array([no, yes]), forced_response(truth="1/2"), 0.95)
    beta = stats.beta(1 + yes, 1 + no)
    rates = [(limit + 0.5) / 2 for limit in (low[1], high[1])]
    mass = (beta.cdf(rates[1]) - beta.cdf(rates[0])) / (beta.cdf(0.75) - beta.cdf(0.25))
    assert mass == pytest.approx(0.95, abs=1e-6)
    assert rates[0] == 0.25 or beta.pdf(rates[0]) == pytest.approx(beta.pdf(rates[1]), rel=1e-4)
    assert (low[0], high[0]) == pytest.approx((1 - high[1], 1 - low[1]), abs=1e-12)


def test_bayes_falling_posterior_includes_border():
    """Fewer yes than the table makes alone: the mode is at 0, and so is the limit."""
    low, high = bayes_limits(np.array([80, 20]), forced_response(truth="1/2"), 0.95)
    beta = stats.beta(21, 81)
    assert low[1] == 0.0
    assert (beta.cdf((high[1] + 0.5) / 2) - beta.cdf(0.25)) / beta.sf(0.25) == pytest.approx(0.95, abs=1e-5)


@pytest.mark.parametrize("counts", [[12, 5, 3], [5, 5, 5], [2, 0, 0], [30, 12, 9]])
@pytest.mark.parametrize(
    "channel", [k_ary(3, truth="1/2"), Channel([[1 if x == y else 2 for y in range(3)] for x in range(3)])]
)
def test_bayes_three_categories_by_grid(channel, counts):
    """The posterior's own definition, summed over a grid of 500,000 triangles' corners."""
    tally, steps = np.array(counts), 1000
    a, b = (axis.ravel() for axis in np.mgrid[0 : steps + 1, 0 : steps + 1])
    keep = a + b <= steps
    theta = np.stack([a[keep], b[keep], steps - a[keep] - b[keep]], axis=1) / steps
    density = np.exp(np.log(theta @ channel.matrix + 1e-300) @ tally)
    low, high = bayes_limits(tally, channel, 0.9)
    for x in range(3):
        marginal = np.bincount(np.rint(theta[:, x] * steps).astype(int), weights=density, minlength=steps + 1)
        inside = np.sort(marginal)[::-1]
        height = inside[np.searchsorted(np.cumsum(inside) / inside.sum(), 0.9)]
        held = np.flatnonzero(marginal >= height) / steps
        assert low[x] == pytest.approx(held[0], abs=0.004)
        assert high[x] == pytest.approx(held[-1], abs=0.004)


def test_bayes_many_rare_categories_is_stable():
    """50 categories, 45 of them below their floor: the tilt keeps the convolution from underflowing."""
    channel = k_ary(50, truth="1/4")
    tally = np.array([4000, 1000, 500, 300, 200, *[110] * 45])
    low, high = bayes_limits(tally, channel, 0.95)
    assert np.all((low >= 0) & (low < high) & (high <= 1))
    assert high[-1] < 0.01
    assert low[0] < maximum_likelihood(tally, channel)[0] < high[0] + 0.05


def test_large_posterior_is_normal():
    """n = 10^6: limits within 2 % of a standard error of estimate +- 1.96 standard errors (Bernstein-von Mises)."""
    tally = np.array([500_000, 300_000, 200_000])
    estimate = estimate_proportions(tally, k_ary(3, truth="1/2"), interval="bayes")
    for limit, sign in ((estimate.low, -1), (estimate.high, 1)):
        distance = (limit - estimate.unbiased) / estimate.standard_error
        assert distance == pytest.approx(np.full(3, sign * 1.959964), abs=0.02)


def test_bootstrap_repeats_itself_and_takes_a_generator():
    tally, channel = np.array([300, 100, 60]), k_ary(3, truth="1/2")
    first = estimate_proportions(tally, channel, interval="bootstrap")
    second = estimate_proportions(tally, channel, interval="bootstrap")
    assert np.array_equal(first.low, second.low)
    other = estimate_proportions(tally, channel, interval="bootstrap", generator=np.random.default_rng(1))
    assert not np.array_equal(first.low, other.low)
    assert other.low == pytest.approx(first.low, abs=0.02)


def test_bootstrap_of_a_large_sample_is_normal():
    """2,000 rounds put a 2.5 % point within 0.1 standard errors of -1.96 (5 of its own standard errors are 0.3)."""
    estimate = estimate_proportions([70_000, 30_000], forced_response(truth="1/2"), interval="wald")
    low, high = bootstrap_limits(
        np.array([70_000, 30_000]), forced_response(truth="1/2"), 0.95, np.random.default_rng(3)
    )
    assert (low - estimate.unbiased) / estimate.standard_error == pytest.approx([-1.96, -1.96], abs=0.3)
    assert (high - estimate.unbiased) / estimate.standard_error == pytest.approx([1.96, 1.96], abs=0.3)


@pytest.mark.parametrize("interval", ["exact", "likelihood", "wald", "score"])
def test_simultaneous_is_bonferroni_over_the_categories(interval):
    counts, channel = [300, 100, 60, 40], k_ary(4, truth="1/2")
    together = estimate_proportions(counts, channel, interval=interval, simultaneous=True)
    alone = estimate_proportions(counts, channel, interval=interval, confidence=1 - 0.05 / 4)
    assert together.low == pytest.approx(alone.low)
    assert together.high == pytest.approx(alone.high)
    assert together.simultaneous
    assert together.confidence == 0.95


def test_simultaneous_changes_nothing_for_yes_or_no():
    pair = [estimate_proportions([70, 30], warner(truth="3/4"), simultaneous=flag).low for flag in (True, False)]
    assert pair[0].tolist() == pair[1].tolist()


@pytest.mark.long
def test_simultaneous_coverage_by_simulation():
    """4,000 surveys of 200 people: all five intervals hold at once in at least 95 % less 4 standard errors; false alarm
    3e-5. A coverage of 0.90 is found with a chance of 0.99 by 1,000 of them."""
    surveys = 4000
    channel, theta = k_ary(5, truth="1/2"), np.array([0.5, 0.3, 0.1, 0.1, 0.0])
    held = 0
    tallies = np.random.default_rng(17).multinomial(200, channel.matrix.T @ theta, size=surveys)
    distinct, repeats = np.unique(tallies, axis=0, return_counts=True)
    for tally, times in zip(distinct, repeats, strict=True):
        estimate = estimate_proportions(tally, channel, interval="score", simultaneous=True)
        held += times * bool(np.all((estimate.low <= theta) & (theta <= estimate.high)))
    assert held / surveys >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / surveys)


@pytest.mark.parametrize(
    ("asked", "channel", "used"),
    [
        ("exact", THREE, "likelihood"),
        ("bayes", THREE, "likelihood"),
        ("bayes", custom([[5, 2, 1], [1, 3, 4]]), "bayes"),
        ("wald", THREE, "wald"),
        ("bootstrap", THREE, "bootstrap"),
        ("exact", k_ary(3, truth="1/2"), "exact"),
    ],
)
def test_the_method_that_was_used_is_named(asked, channel, used):
    assert estimate_proportions([50, 30, 20], channel, interval=asked).interval == used


@pytest.mark.parametrize("interval", ["likelihood", "bayes", "bootstrap"])
@pytest.mark.parametrize("counts", [[0, 0, 0], [1, 0, 0], [0, 0, 2], [50, 0, 0]])
@pytest.mark.parametrize("channel", [THREE, k_ary(3, truth="1/2")])
def test_share_intervals_extreme_counts_stay_in_range(interval, counts, channel):
    estimate = estimate_proportions(counts, channel, interval=interval)
    assert np.all((estimate.low >= 0) & (estimate.low <= estimate.high) & (estimate.high <= 1))
    if sum(counts):
        assert np.all((estimate.low <= estimate.constrained) & (estimate.constrained <= estimate.high))


def test_interval_equal_counts_are_computed_once(monkeypatch):
    """256 choices of 10,000 reports have some 40 different counts: as many intervals, and none the second time."""
    computed = []

    def counted(method, count, n, level, ends):
        computed.append(count)
        return clopper_pearson(count, n, level)

    monkeypatch.setattr(_limits, "binomial_limits", counted)
    channel = k_ary(256, truth="1/2")
    counts = np.random.default_rng(2).multinomial(10_000, np.full(256, 1 / 256))
    for _ in range(2):
        low, high = _limits.mapped_limits("counted for this test", counts, channel, 0.95, 1.0)
    assert sorted(computed) == sorted(set(counts.tolist()))
    assert len(computed) < 60
    place = counts.argmax()
    rates = np.array(clopper_pearson(int(counts[place]), 10_000, 0.95))
    assert [low[place], high[place]] == pytest.approx((rates - 0.5 / 256) / 0.5, abs=1e-12)


def test_k_ary_256_choices_has_closed_form():
    """P(x | x) = 2/3 + 1/3 / 256 and 1/3 / 256 for every other: 513 tickets of 768, and one for each other choice."""
    weights = k_ary(256, truth="2/3").weights
    assert all(row[x] == 513 and sorted(row)[:-1] == [1] * 255 for x, row in enumerate(weights))
