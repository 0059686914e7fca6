"""Differences between groups."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from randomized_response import Channel, compare, estimate_proportions, forced_response, k_ary

COINS = forced_response(truth="1/2")


def test_difference_and_error_by_hand():
    """Two coins: 40 % against 50 % yes is .3 against .5; SE^2 = (.24 / 999 + .25 / 999) / .25."""
    change = compare(estimate_proportions([600, 400], COINS), estimate_proportions([500, 500], COINS))
    error = math.sqrt((0.24 + 0.25) / 999 / 0.25)
    assert change.difference[1] == pytest.approx(0.2)
    assert change.standard_error[1] == pytest.approx(error)
    assert change.p_value[1] == pytest.approx(2 * stats.norm.sf(0.2 / error))


def test_near_certain_truth_gives_newcombe():
    """statsmodels 0.15 confint_proportions_2indep(56, 70, 48, 80, method="newcomb"), Newcombe 1998 method 10; a table
    that tells the truth with 1 - 1e-9 is a direct question."""
    nearly = Channel([[10**9 - 1, 1], [1, 10**9 - 1]])
    groups = [estimate_proportions(counts, nearly, interval="score") for counts in ([32, 48], [14, 56])]
    change = compare(*groups)
    expected = confint_proportions_2indep(56, 70, 48, 80, method="newcomb", compare="diff")
    assert (change.low[1], change.high[1]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("one", "two"), [(0.1, 0.1), (0.3, 0.5), (0.0, 0.2)])
def test_coverage_by_enumeration(one, two):
    """Every pair of totals of 60 and 80 reports. Approximate: lowest of the three is .941, at a share of 0."""
    groups = [[estimate_proportions([n - c, c], COINS) for c in range(n + 1)] for n in (60, 80)]
    masses = [stats.binom.pmf(range(n + 1), n, 0.25 + share / 2) for n, share in ((60, one), (80, two))]
    held = 0.0
    for first, chance in zip(groups[0], masses[0], strict=True):
        for second, other in zip(groups[1], masses[1], strict=True):
            if chance * other > 1e-9:
                change = compare(first, second)
                held += chance * other * (change.low[1] <= two - one <= change.high[1])
    assert held >= 0.94


def test_never_outside_and_never_empty():
    extremes = [estimate_proportions(counts, COINS) for counts in ([0, 0], [1, 0], [0, 50], [50, 0])]
    for first in extremes:
        for second in extremes:
            change = compare(first, second)
            assert np.all((change.low >= -1) & (change.low <= change.high) & (change.high <= 1))


def test_names_both_methods():
    groups = [estimate_proportions([60, 40], COINS, interval=interval) for interval in ("exact", "score")]
    assert compare(*groups).interval == "variances recovered from exact, score"
    assert "60" not in str(compare(*groups)).splitlines()[0].split(";")[1]


def test_refuses_different_questions():
    with pytest.raises(ValueError, match="same answers at the same confidence"):
        compare(estimate_proportions([60, 40], COINS), estimate_proportions([6, 4, 3], k_ary(3, truth="1/2")))
    with pytest.raises(ValueError, match="same answers at the same confidence"):
        compare(estimate_proportions([60, 40], COINS), estimate_proportions([60, 40], COINS, confidence=0.9))
