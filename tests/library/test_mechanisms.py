"""The named tables against their closed forms, and the arguments that they refuse."""

from fractions import Fraction

import pytest

from randomized_response import custom, forced_response, k_ary, warner


def probability(channel, report, answer):
    return Fraction(channel.weights[answer][report], channel.denominator)


@pytest.mark.parametrize("yes", ["0", "1/6", "1/2", "1"])
@pytest.mark.parametrize("truth", ["1/4", "2/3", Fraction(5, 6), (3, 4)])
def test_forced_response_has_its_two_probabilities(truth, yes):
    channel = forced_response(truth=truth, yes=yes)
    p, q = Fraction(*truth) if isinstance(truth, tuple) else Fraction(truth), Fraction(yes)
    assert probability(channel, 1, 1) == p + (1 - p) * q
    assert probability(channel, 1, 0) == (1 - p) * q


def test_two_coins_are_three_to_one():
    assert forced_response(truth="1/2").weights == ((3, 1), (1, 3))


@pytest.mark.parametrize("truth", ["1/10", "3/4"])
def test_warner_reports_the_answer_with_its_truth_probability(truth):
    channel = warner(truth=truth)
    assert probability(channel, 0, 0) == probability(channel, 1, 1) == Fraction(truth)
    assert channel.ratio == max(Fraction(truth) / (1 - Fraction(truth)), (1 - Fraction(truth)) / Fraction(truth))


@pytest.mark.parametrize("k", [2, 3, 256])
def test_k_ary_is_uniform_over_all_when_not_true(k):
    channel = k_ary(k, truth="2/3")
    assert probability(channel, 0, 0) == Fraction(2, 3) + Fraction(1, 3 * k)
    assert probability(channel, 1, 0) == Fraction(1, 3 * k)


@pytest.mark.parametrize("truth", ["0", "1", "3/2", "-1/2", 0.5, "half", "nan", None, (1, 0), (1.0, 2), True, 1])
@pytest.mark.parametrize("make", [forced_response, warner, lambda truth: k_ary(3, truth=truth)])
def test_truth_outside_its_range_or_inexact_is_refused(make, truth):
    with pytest.raises(ValueError, match="truth must be"):
        make(truth=truth)


def test_warner_with_a_fair_coin_says_nothing():
    with pytest.raises(ValueError, match="truth must differ from 1/2"):
        warner(truth="1/2")


@pytest.mark.parametrize("k", [1, 0, -2, 257, 2.0, True])
def test_number_of_choices_out_of_range_is_refused(k):
    with pytest.raises(ValueError, match="k must be"):
        k_ary(k, truth="1/2")


def test_table_with_more_reports_than_its_denominator_can_hold_is_refused():
    with pytest.raises(ValueError, match="denominator"):
        forced_response(truth=Fraction(1, 2**33))


def test_custom_keeps_the_table_as_it_is_written():
    assert custom([[6, 2], [2, 6]]).weights == ((6, 2), (2, 6))
