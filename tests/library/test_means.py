"""Means of numeric answers: unbiased by enumeration, exact intervals where a binomial allows them."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from randomized_response import Channel, discrete_laplace, estimate_mean, estimate_proportions, k_ary, one_bit, simulate
from randomized_response.intervals import BINOMIAL_INTERVALS, binomial_limits
from tests.tools.gate import few


@pytest.mark.parametrize("channel", [one_bit(4, truth="1/2"), k_ary(3, truth="1/2"), discrete_laplace(3, epsilon=1.0)])
def test_unbiased_by_full_enumeration(channel):
    n, values = 4, np.linspace(-1, 2, channel.answers)
    theta = np.arange(1, channel.answers + 1) / (channel.answers * (channel.answers + 1) / 2)
    rates = [
        sum(
            Fraction(float(t)) * Fraction(row[y], channel.denominator)
            for t, row in zip(theta, channel.weights, strict=True)
        )
        for y in range(channel.reports)
    ]
    mean = Fraction(0)
    for counts in product(range(n + 1), repeat=channel.reports):
        if sum(counts) == n:
            ways = math.factorial(n) // math.prod(map(math.factorial, counts))
            chance = ways * math.prod(rate**count for rate, count in zip(rates, counts, strict=True))
            mean += chance * Fraction(estimate_mean(counts, channel, values).unbiased)
    assert float(mean) == pytest.approx(float(theta @ values), abs=1e-12)


@pytest.mark.parametrize("interval", BINOMIAL_INTERVALS)
def test_mean_one_bit_interval_is_mapped_binomial(interval):
    """P(1) = (1 - p) / 2 + p mean / (k - 1), so the mean is (k - 1) (rate - 1/4) / (1/2) for p = 1/2."""
    mean = estimate_mean([450, 550], one_bit(11, truth="1/2"), interval=interval)
    limits = binomial_limits(interval, 550, 1000, 0.95, (0.25, 0.75))
    low, high = (10 * (rate - 0.25) / 0.5 for rate in limits)
    assert (mean.low, mean.high) == pytest.approx((low, high))
    assert mean.unbiased == pytest.approx(10 * (0.55 - 0.25) / 0.5)
    assert mean.interval == interval


def test_mean_one_bit_of_two_values_is_a_share():
    channel = one_bit(2, truth="1/2")
    mean, share = estimate_mean([60, 40], channel), estimate_proportions([60, 40], channel)
    assert mean.unbiased == pytest.approx(share.unbiased[1])
    assert mean.standard_error == pytest.approx(share.standard_error[1])
    assert mean.noise_standard_error == pytest.approx(share.noise_standard_error[1])
    assert (mean.low, mean.high) == pytest.approx((share.low[1], share.high[1]))


def test_mean_from_shares_is_the_delta_method():
    channel, counts, values = discrete_laplace(5, epsilon=2.0), [300, 150, 100, 150, 300], np.array([0, 1, 2, 5, 10.0])
    mean, shares = estimate_mean(counts, channel, values), estimate_proportions(counts, channel)
    assert mean.unbiased == pytest.approx(values @ shares.unbiased)
    assert mean.standard_error == pytest.approx(math.sqrt(values @ shares.covariance @ values))
    assert mean.noise_standard_error == pytest.approx(math.sqrt(values @ shares.noise_covariance @ values))
    assert mean.interval == "wald"


@pytest.mark.parametrize(
    ("channel", "exact"), few([(one_bit(11, truth="1/2"), True), (discrete_laplace(11, epsilon=2.0), False)])
)
def test_mean_coverage_by_simulation(channel, exact):
    """800 surveys of 400 people: at least 95 % less 4 standard errors (3 points); false alarm 3e-5. The exact one
    covers by proof, Wald's by normality."""
    generator = np.random.default_rng(21)
    shares = stats.binom.pmf(np.arange(11), 10, 0.4)
    held = 0
    for _ in range(800):
        answers = generator.choice(11, size=400, p=shares)
        mean = estimate_mean(np.bincount(simulate(channel, answers, generator), minlength=channel.reports), channel)
        held += mean.low <= 4.0 <= mean.high
    assert held / 800 >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 800)
    assert (mean.interval == "feldman_cousins") == exact


@pytest.mark.parametrize("counts", [[0, 0], [1, 0], [0, 1], [30, 0]])
def test_mean_none_one_or_unanimous_reports(counts):
    mean = estimate_mean(counts, one_bit(11, truth="1/2"))
    assert 0 <= mean.low <= mean.high <= 10
    assert math.isnan(mean.standard_error) == (sum(counts) < 2)
    assert mean.to_dict()["n"] == sum(counts)


def test_mean_exists_where_shares_do_not():
    """The middle answer is half of each end: its share is lost, the mean is not."""
    mean = estimate_mean([100, 120, 180], Channel([[4, 2, 0], [2, 2, 2], [0, 2, 4]]))
    assert mean.unbiased == pytest.approx(1 + 1.5 * (180 - 100) / 400)
    assert mean.low < mean.constrained < mean.high


def test_mean_falling_values_mirror_the_scale():
    up, down = (estimate_mean([450, 550], one_bit(11, truth="1/2"), v) for v in (range(11), range(10, -1, -1)))
    assert down.unbiased == pytest.approx(10 - up.unbiased)
    assert (down.low, down.high) == pytest.approx((10 - up.high, 10 - up.low))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], one_bit(3, truth="1/2"), [1, 2]), "values must be 3 finite numbers"),
        (([1, 2], one_bit(3, truth="1/2"), [1, 2, math.nan]), "values must be 3 finite numbers"),
        (([1, 2], one_bit(3, truth="1/2"), [0, 1, 4]), "channel must tell the mean"),
        (([1, 2], Channel([[1, 1], [1, 1]])), "channel must tell the mean"),
        (([1, 2, 3], one_bit(3, truth="1/2")), "counts must have one entry per report"),
        (([1, -2], one_bit(3, truth="1/2")), r"counts\[1\]"),
        (([1, 2], one_bit(3, truth="1/2"), None, 1.5), "confidence must be"),
        (([1, 2], one_bit(3, truth="1/2"), None, 0.9, "likelihood"), "interval must be one of"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        estimate_mean(*arguments)
