"""Sums of privacy loss, what anyone may believe, and the hard bound on poisoning."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randomized_response import (
    EachOption,
    UnaryEncoding,
    custom,
    epsilon_total,
    false_reports_needed,
    forced_response,
    k_ary,
    poisoning_bound,
    posterior,
    warner,
)


def test_epsilon_total_is_the_sum():
    channels = [forced_response(truth="1/4"), forced_response(truth="1/2"), forced_response(truth="3/4")]
    assert epsilon_total(channels) == pytest.approx(math.log(5 / 3) + math.log(3) + math.log(7), abs=1e-12)
    assert epsilon_total([]) == 0.0


def test_epsilon_total_thousand_items_is_not_understated():
    """ln(3**1000) is 1000 ln 3 = 1098.6122886681098 (100 digits of ln 3, bc -l)."""
    total = epsilon_total([forced_response(truth="1/2")] * 1000)
    assert 1098.6122886681098 <= total < 1098.6122886681105


def test_total_with_an_unprotected_question_is_infinite():
    assert epsilon_total([forced_response(truth="1/2"), custom([[1, 1], [0, 2]])]) == math.inf


@pytest.mark.parametrize(
    ("prior", "epsilon", "low", "high"),
    [
        (0.5, math.log(3), 0.25, 0.75),
        (0.1, 5.0, 0.1 / (0.1 + 0.9 * math.exp(5)), 0.942826),  # 1 / (1 + 9 exp(-5))
        (0.05, 0.8, 0.023103, 0.104852),  # odds 1/19 times exp(-.8), exp(.8); below .05 e^.8 = .111
        (0.0, 3.0, 0.0, 0.0),
        (1.0, 3.0, 1.0, 1.0),
        (0.3, 0.0, 0.3, 0.3),
        (0.3, math.inf, 0.0, 1.0),
    ],
)
def test_posterior_bounds_by_hand(prior, epsilon, low, high):
    assert posterior(prior, epsilon) == pytest.approx((low, high), abs=1e-6)


@settings(deadline=None)
@given(st.floats(0.001, 0.999), st.floats(0, 8))
def test_posterior_grows_at_most_by_factor_e_to_epsilon(prior, epsilon):
    low, high = posterior(prior, epsilon)
    assert prior * math.exp(-epsilon) * (1 - 1e-12) <= low <= prior * (1 + 1e-12)
    assert prior * (1 - 1e-12) <= high <= prior * math.exp(epsilon) * (1 + 1e-12)


@pytest.mark.parametrize(
    "channel", [forced_response(truth="1/2", yes="1/4"), k_ary(4, truth="2/3"), warner(truth="1/5")]
)
def test_posterior_bounds_hold_for_every_report(channel):
    generator = np.random.default_rng(11)
    for prior in generator.dirichlet(np.ones(channel.answers), size=200):
        after = channel.posterior(prior)
        for x, belief in enumerate(prior):
            low, high = posterior(belief, channel)
            assert low - 1e-12 <= after[:, x].min()
            assert after[:, x].max() <= high + 1e-12


@pytest.mark.parametrize(("prior", "epsilon"), [(-0.1, 1), (1.1, 1), (math.nan, 1), (0.5, -1), (0.5, math.nan)])
def test_posterior_invalid_prior_or_epsilon_raises(prior, epsilon):
    with pytest.raises(ValueError, match="must be"):
        posterior(prior, epsilon)


@pytest.mark.parametrize("truth", ["1/4", "1/2", "2/3"])
def test_poisoning_bound_is_m_over_n_p(truth):
    assert poisoning_bound(1000, 10, truth) == float(Fraction(10, 1000) / Fraction(truth))
    assert poisoning_bound(1000, 10, forced_response(truth=truth)) == pytest.approx(poisoning_bound(1000, 10, truth))
    assert poisoning_bound(1000, 10, k_ary(5, truth=truth)) == pytest.approx(poisoning_bound(1000, 10, truth))


@pytest.mark.parametrize("channel", [forced_response(truth="1/2"), k_ary(5, truth="1/3")])
@pytest.mark.parametrize("shift", [0.0, 0.01, 0.05, 0.3, 2.0])
def test_false_reports_needed_is_the_inverse_of_the_bound(channel, shift):
    needed = false_reports_needed(10_000, shift, channel)
    assert needed * poisoning_bound(10_000, 1, channel) >= shift - 1e-9
    assert needed == 0 or (needed - 1) * poisoning_bound(10_000, 1, channel) < shift


@pytest.mark.parametrize("shift", [-0.1, math.nan, math.inf])
def test_false_reports_needed_invalid_shift_raises(shift):
    with pytest.raises(ValueError, match="shift must be at least 0"):
        false_reports_needed(100, shift, "1/2")


def test_epsilon_total_counts_encodings():
    bits, options = UnaryEncoding(4, on="1/2", off="1/4"), EachOption(3, forced_response(truth="1/2"))
    assert epsilon_total([bits, options, k_ary(3, truth="1/2")]) == pytest.approx(math.log(3 * 27 * 4), abs=1e-12)


@pytest.mark.parametrize(("n", "false"), [(0, 0), (10, 11), (10, -1), (10, 1.5), (10.0, 1)])
def test_poisoning_bound_invalid_numbers_raise(n, false):
    with pytest.raises(ValueError, match="must be"):
        poisoning_bound(n, false, "1/2")
