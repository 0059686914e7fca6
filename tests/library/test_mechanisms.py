"""The named tables against their closed forms, and the arguments that they refuse."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from randomized_response import (
    crosswise,
    custom,
    discrete_laplace,
    forced_response,
    k_ary,
    kuk,
    one_bit,
    triangular,
    unrelated_question,
    warner,
)


def probability(channel, report, answer):
    return Fraction(channel.weights[answer][report], channel.denominator)


@pytest.mark.parametrize("yes", ["0", "1/6", "1/2", "1"])
@pytest.mark.parametrize("truth", ["1/4", "2/3", Fraction(5, 6), (3, 4)])
def test_forced_response_has_its_two_probabilities(truth, yes):
    channel = forced_response(truth=truth, yes=yes)
    p, q = Fraction(*truth) if isinstance(truth, tuple) else Fraction(truth), Fraction(yes)
    assert probability(channel, 1, 1) == p + (1 - p) * q
    assert probability(channel, 1, 0) == (1 - p) * q


def test_forced_response_two_coins_weights():
    assert forced_response(truth="1/2").weights == ((3, 1), (1, 3))


@pytest.mark.parametrize("truth", ["1/10", "3/4"])
def test_warner_reports_the_answer_with_its_truth_probability(truth):
    channel = warner(truth=truth)
    assert probability(channel, 0, 0) == probability(channel, 1, 1) == Fraction(truth)
    assert channel.ratio == max(Fraction(truth) / (1 - Fraction(truth)), (1 - Fraction(truth)) / Fraction(truth))


@pytest.mark.parametrize("k", [2, 3, 256])
def test_k_ary_probabilities(k):
    channel = k_ary(k, truth="2/3")
    assert probability(channel, 0, 0) == Fraction(2, 3) + Fraction(1, 3 * k)
    assert probability(channel, 1, 0) == Fraction(1, 3 * k)


@pytest.mark.parametrize("truth", ["0", "1", "3/2", "-1/2", 0.1, "half", "nan", None, (1, 0), (1.0, 2), True, 1])
@pytest.mark.parametrize("make", [forced_response, warner, lambda truth: k_ary(3, truth=truth)])
def test_truth_out_of_range_or_inexact_raises(make, truth):
    with pytest.raises(ValueError, match="truth must be"):
        make(truth=truth)


def test_warner_fair_coin_raises():
    with pytest.raises(ValueError, match="truth must differ from 1/2"):
        warner(truth="1/2")


@pytest.mark.parametrize("k", [1, 0, -2, 257, 2.0, True])
def test_number_of_choices_out_of_range_is_refused(k):
    with pytest.raises(ValueError, match="k must be"):
        k_ary(k, truth="1/2")


def test_forced_response_denominator_too_large_raises():
    with pytest.raises(ValueError, match="denominator"):
        forced_response(truth=Fraction(1, 2**33))


def test_custom_keeps_the_table_as_it_is_written():
    assert custom([[6, 2], [2, 6]]).weights == ((6, 2), (2, 6))


@pytest.mark.parametrize(("truth", "prevalence"), [("2/3", "1/4"), ("7/10", "1/3")])
def test_unrelated_question_equals_forced_response(truth, prevalence):
    assert (
        unrelated_question(truth=truth, prevalence=prevalence).weights
        == forced_response(truth=truth, yes=prevalence).weights
    )


def test_kuk_is_binomial_and_generalises_warner():
    """Five draws from decks of 4/5 and 1/5 red: P(y | x) = C(5, y) p^y (1 - p)^(5 - y)."""
    channel = kuk(yes="4/5", no="1/5", draws=5)
    assert channel.reports == 6
    assert channel.matrix == pytest.approx(np.array([stats.binom.pmf(range(6), 5, p) for p in (0.2, 0.8)]))
    assert channel.ratio == Fraction(4) ** 5
    assert kuk(yes="3/4", no="1/4").weights == warner(truth="3/4").weights


@pytest.mark.parametrize(
    ("yes", "no", "most"), [("1/2", "1/4", 16), ("3/5", "1/5", 13), ("1/10", "1/4", 7), ("1/2", "1/3", 12)]
)
def test_kuk_number_of_draws_is_bounded(yes, no, most):
    """L^draws tickets, L = 4, 5, 20, 6: 4^16 = 2^32, 5^13 < 2^32 < 5^14, 20^7 < 2^32 < 20^8, 6^12 < 2^32 < 6^13."""
    assert kuk(yes=yes, no=no, draws=most).reports == most + 1
    with pytest.raises(ValueError, match=f"draws must be from 1 to {most}; got {most + 1}"):
        kuk(yes=yes, no=no, draws=most + 1)


def test_crosswise_equals_warner():
    assert crosswise(prevalence="1/4").weights == warner(truth="1/4").weights
    assert crosswise(prevalence="1/4").truth is None


def test_triangular_protects_only_yes():
    channel = triangular(prevalence="1/4")
    assert (probability(channel, 1, 1), probability(channel, 1, 0)) == (1, Fraction(1, 4))
    assert channel.epsilon == float("inf")


@pytest.mark.parametrize("k", [2, 5, 256])
@pytest.mark.parametrize("truth", ["1/4", "2/3"])
def test_one_bit_is_linear_between_its_ends(k, truth):
    channel, p = one_bit(k, truth=truth), Fraction(truth)
    assert [probability(channel, 1, x) for x in range(k)] == [(1 - p) / 2 + p * Fraction(x, k - 1) for x in range(k)]
    assert channel.ratio == (1 + p) / (1 - p)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 8.0])
@pytest.mark.parametrize("k", [2, 5, 11, 101])
def test_discrete_laplace_is_clamped_geometric(k, epsilon):
    """Against scipy's two-sided geometric (dlaplace, parameter epsilon / (k - 1)) with its tails at the ends."""
    channel, grid = discrete_laplace(k, epsilon=epsilon), np.arange(k)
    noise = stats.dlaplace(epsilon / (k - 1))
    expected = noise.pmf(grid - grid[:, None])
    expected[:, 0], expected[:, -1] = noise.cdf(-grid), noise.sf(k - 2 - grid)
    assert channel.matrix == pytest.approx(expected, abs=5e-8)
    assert epsilon * (1 - 1e-5) <= channel.epsilon <= epsilon
    assert [row[::-1] for row in channel.weights[::-1]] == list(channel.weights)


@pytest.mark.parametrize("epsilon", [0, -1, 17, float("nan"), float("inf")])
def test_discrete_laplace_refuses_epsilon_out_of_range(epsilon):
    with pytest.raises(ValueError, match="epsilon must be greater than 0 and at most 16"):
        discrete_laplace(5, epsilon=epsilon)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: unrelated_question(truth="1/2", prevalence="0"), "prevalence must be greater than 0"),
        (lambda: kuk(yes="1/2", no="1/2"), "yes must differ from no"),
        (lambda: kuk(yes="1/2", no="1/4", draws=0), "draws must be from 1 to 16"),
        (lambda: kuk(yes="1/2", no="1/4294967291"), r"common denominator of at most 2\*\*32; got 8589934582"),
        (lambda: crosswise(prevalence="1/2"), "prevalence must differ from 1/2"),
        (lambda: triangular(prevalence="1"), "prevalence must be greater than 0 and less than 1"),
        (lambda: one_bit(1, truth="1/2"), "k must be from 2 to 256"),
        (lambda: discrete_laplace(1, epsilon=1.0), "k must be from 2 to 256"),
    ],
)
def test_arguments_out_of_range_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "truth",
    ["1e-99999999", "1e99999999", "1" * 41, "0x1", "1/2/3", "", "½", "1_0", "1,000", "1,2,3", "5 %%", "%", "1/2 %"],
)
def test_fraction_with_exponent_raises(truth):
    """Python reads an exponent of eight digits into a number that fills the memory."""
    with pytest.raises(ValueError, match="truth must be a fraction as text"):
        forced_response(truth=truth)


@pytest.mark.parametrize(
    ("truth", "same"),
    [
        (" 1/2 ", "1/2"),
        ("1 / 2", "1/2"),
        (".5", "1/2"),
        ("0.25", "1/4"),
        ("0,25", "1/4"),
        ("25%", "1/4"),
        ("12,5 %", "1/8"),
        (0.5, "1/2"),
        (np.float64(0.375), "3/8"),
        (Decimal("0.4"), "2/5"),
    ],
)
def test_fraction_notations_are_equal(truth, same):
    assert forced_response(truth=truth) == forced_response(truth=same)


@pytest.mark.parametrize("truth", [0.1, 2 / 3, 1 - 1e-9])
def test_float_that_is_not_exact_is_refused_with_its_text(truth):
    with pytest.raises(ValueError, match=f"truth must be exact, which the float {truth!r} is not; write it as text"):
        forced_response(truth=truth)


@pytest.mark.parametrize("truth", [Decimal("1e-9999999"), Decimal("9e999999"), Decimal("NaN"), float("inf"), 10**50])
def test_number_without_bounds_is_refused(truth):
    """A Decimal of a million digits would fill the memory as a fraction."""
    with pytest.raises(ValueError, match="truth must be"):
        forced_response(truth=truth)
