"""The table, its exact privacy and what a reader of a report may believe."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randomized_response import Channel, custom, forced_response, k_ary, warner
from randomized_response._exact import inverse, log_up, rank
from tests.tools.gate import few

TRUTHS = ["1/4", "1/2", "2/3", "3/4", "1/100", "99/100"]


def closed_form(name: str) -> float:
    return {"1/4": math.log(5 / 3), "1/2": math.log(3), "3/4": math.log(7)}[name]


@pytest.mark.parametrize("truth", ["1/4", "1/2", "3/4"])
def test_epsilon_of_forced_response_is_the_closed_form(truth):
    epsilon = forced_response(truth=truth).epsilon
    assert epsilon == pytest.approx(closed_form(truth), abs=1e-12)


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("k", [2, 3, 10, 256])
def test_epsilon_of_k_ary_is_the_closed_form(truth, k):
    p = Fraction(truth)
    channel = k_ary(k, truth=truth)
    assert channel.ratio == 1 + k * p / (1 - p)
    assert channel.epsilon == pytest.approx(math.log(1 + k * p / (1 - p)), rel=1e-12)


@settings(deadline=None)
@given(st.fractions(min_value=1, max_value=10**9, max_denominator=10**9))
def test_epsilon_is_rounded_up_by_at_most_one_step(ratio):
    with localcontext() as context:
        context.prec = 80
        exact = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
        epsilon = log_up(ratio)
        assert Decimal(epsilon) >= exact
        assert epsilon == 0 or Decimal(math.nextafter(epsilon, -math.inf)) < exact


@pytest.mark.parametrize("ratio", [Fraction(2**200 + 1, 2**200), Fraction(3**700), Fraction(2**64 + 1, 2**64)])
def test_epsilon_of_extreme_ratios_is_never_understated(ratio):
    with localcontext() as context:
        context.prec = 500
        assert Decimal(log_up(ratio)) >= (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()


def test_epsilon_pure_noise_zero_certainty_infinite():
    assert Channel([[1, 1], [1, 1]]).epsilon == 0.0
    assert Channel([[1, 0], [0, 1]]).epsilon == math.inf
    assert Channel([[1, 1], [0, 2]]).epsilon == math.inf


def test_epsilon_impossible_report_is_ignored():
    assert Channel([[3, 1, 0], [1, 3, 0]]).ratio == 3


def test_posterior_of_two_coins_at_even_odds_is_three_quarters():
    assert forced_response(truth="1/2").posterior([0.5, 0.5]) == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]))


def test_posterior_after_an_impossible_report_is_undefined():
    after = Channel([[3, 1, 0], [1, 3, 0]]).posterior([0.5, 0.5])
    assert np.isnan(after[2]).all()
    assert np.isfinite(after[:2]).all()


@pytest.mark.parametrize("prior", [[0.5], [0.5, 0.6], [-0.1, 1.1], [math.nan, 1.0]])
def test_posterior_invalid_prior_raises(prior):
    with pytest.raises(ValueError, match="prior must"):
        forced_response(truth="1/2").posterior(prior)


def test_matrix_is_exact_and_read_only():
    matrix = k_ary(3, truth="1/2").matrix
    assert matrix.tolist() == [[4 / 6, 1 / 6, 1 / 6], [1 / 6, 4 / 6, 1 / 6], [1 / 6, 1 / 6, 4 / 6]]
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 1


@pytest.mark.parametrize(
    ("channel", "background", "gain"),
    [
        (forced_response(truth="1/2"), [1, 1], 2),
        (forced_response(truth="1/2", yes="1"), [0, 1], 1),
        (warner(truth="1/4"), [3, 3], -2),
        (k_ary(4, truth="1/2"), [1, 1, 1, 1], 4),
        (Channel([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), [1, 1, 1], -1),
    ],
)
def test_background_and_gain_rebuild_channel(channel, background, gain):
    assert channel.background.tolist() == background
    assert channel.gain == gain
    assert (gain * np.eye(channel.answers) + channel.background).astype(int).tolist() == [
        list(r) for r in channel.weights
    ]


@pytest.mark.parametrize("weights", [[[3, 1, 0], [1, 3, 0]], [[4, 1, 1], [1, 4, 1], [1, 2, 3]], [[1, 1], [1, 1]]])
def test_background_none_makes_gain_raise(weights):
    channel = Channel(weights)
    assert channel.background is None
    with pytest.raises(ValueError, match="gain is defined"):
        _ = channel.gain


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("k", few([2, 3, 17, 256], slice(3)))
def test_left_inverse_of_k_ary_is_the_closed_form(truth, k):
    p = float(Fraction(truth))
    closed = (np.eye(k) - (1 - p) / k) / p
    assert k_ary(k, truth=truth).left_inverse == pytest.approx(closed, rel=1e-12, abs=1e-12)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_left_inverse_undoes_channel(seed):
    generator = np.random.default_rng(seed)
    weights = generator.integers(0, 50, size=(3, 5))
    weights[:, -1] += 300 - weights.sum(axis=1)
    channel = Channel(weights.tolist())
    if rank(channel.weights) == 3 and np.linalg.cond(channel.matrix) < 1e4:
        assert channel.left_inverse @ channel.matrix.T == pytest.approx(np.eye(3), abs=1e-9)


def test_left_inverse_nearly_dependent_rows_is_exact():
    """Rows one ticket of 2**32 apart: B is exact to the last digits, where floating-point elimination loses nine."""
    half = 2**31
    table = custom([[half, half, 0], [half + 1, half - 1, 0], [half, half - 1, 1]])
    exact = inverse(table.weights)
    assert table.left_inverse.T.tolist() == [[float(table.denominator * entry) for entry in row] for row in exact]
    columns = list(zip(*exact, strict=True))
    products = [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in table.weights]
    assert products == [[x == y for y in range(3)] for x in range(3)]


def test_custom_dependent_rows_raise():
    assert custom([[2**31, 2**31], [2**31 + 1, 2**31 - 1]]).answers == 2
    with pytest.raises(ValueError, match="rank 3, to be estimated from; got rank 2"):
        custom([[2, 4, 6], [6, 4, 2], [4, 4, 4]])


def test_rank_nearly_dependent_rows_is_exact():
    """Rows of sum 2**32 that differ by one ticket: the singular values differ by 1e10, the rank is full."""
    half = 2**31
    nearly = [[half, half, 0], [half + 1, half - 1, 0], [half, half - 1, 1]]
    assert rank(nearly) == 3
    assert custom(nearly).answers == 3


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=2, max_size=4))
def test_rank_agrees_with_numpy_on_small_tables(rows):
    assert rank(rows) == np.linalg.matrix_rank(np.array(rows))


def test_rank_prime_divides_entry_is_exact():
    prime = 2**31 - 1
    assert rank([[prime, 0], [0, 1]]) == 2


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[3, 1]], "at least 2 rows"),
        ([[3, 1], [1, 2]], r"weights\[1\] must sum to 4 like row 0; got 3"),
        ([[3, 1], [1, 3.0]], r"weights\[1\]\[1\] must be a non-negative integer; got 3.0"),
        ([[3, 1], [-1, 5]], r"weights\[1\]\[0\] must be a non-negative integer; got -1"),
        ([[3, 1], [1, True]], r"weights\[1\]\[1\]"),
        ([[3, 1], [4]], r"weights\[1\] must have as many entries"),
        ([[2**32, 1], [1, 2**32]], "denominator from 1 to 2"),
    ],
)
def test_error_names_place_bound_and_value(weights, message):
    with pytest.raises(ValueError, match=message):
        Channel(weights)
