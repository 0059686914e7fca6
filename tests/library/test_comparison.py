"""Differences between groups."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from randomized_response import (
    Channel,
    EachOption,
    UnaryEncoding,
    combine_strata,
    compare,
    discrete_laplace,
    estimate_proportions,
    forced_response,
    k_ary,
    warner,
)
from randomized_response.sequences import shares_at_every_look
from tests.tools.gate import few

COINS = forced_response(truth="1/2")
THREE = k_ary(3, truth="1/2")


def test_compare_by_hand():
    """Two coins: 40 % against 50 % yes is .3 against .5; SE^2 = (.24 / 999 + .25 / 999) / .25. Of so many reports the p
    value is nearly that of a normal difference."""
    change = compare(estimate_proportions([600, 400], COINS), estimate_proportions([500, 500], COINS))
    error = math.sqrt((0.24 + 0.25) / 999 / 0.25)
    assert change.difference[1] == pytest.approx(0.2)
    assert change.standard_error[1] == pytest.approx(error)
    assert change.p_value[1] == pytest.approx(2 * stats.norm.sf(0.2 / error), rel=0.3)


def test_compare_near_certain_truth_equals_newcombe():
    """statsmodels 0.15 confint_proportions_2indep(56, 70, 48, 80, method="newcomb"), Newcombe 1998 method 10; a table
    that tells the truth with 1 - 1e-9 is a direct question."""
    nearly = Channel([[10**9 - 1, 1], [1, 10**9 - 1]])
    groups = [estimate_proportions(counts, nearly, interval="score") for counts in ([32, 48], [14, 56])]
    change = compare(*groups)
    expected = confint_proportions_2indep(56, 70, 48, 80, method="newcomb", compare="diff")
    assert (change.low[1], change.high[1]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("one", "two"), [(0.1, 0.1), (0.3, 0.5), (0.0, 0.2)])
def test_compare_coverage_by_enumeration(one, two):
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


TABLES = {
    "two coins": COINS,
    "seven of ten tell the truth": forced_response(truth="7/10"),
    "three of ten say yes": forced_response(truth="7/10", yes="1"),
    "seven of ten say yes": forced_response(truth="3/10", yes="1"),
    "Warner": warner(truth="7/10"),
    "nearly direct": Channel([[10**6, 1], [1, 10**6]]),
}


GRID = [(name, sizes) for name in TABLES for sizes in ((5, 5), (8, 40))]
GRID += [("two coins", (10, 200)), ("three of ten say yes", (10, 200)), ("two coins", (30, 30))]


@pytest.mark.parametrize(("name", "sizes"), few(GRID))
def test_compare_equal_shares_level_by_enumeration(name, sizes):
    """Every pair of totals, at 41 shares: at most .055 of the intervals leave out 0 (the largest is .052).

    A difference over its standard error reached .106 with two coins and .646 where three of ten say yes (10 and 200).
    """
    channel = TABLES[name]
    first, second = ([estimate_proportions([n - c, c], channel) for c in range(n + 1)] for n in sizes)
    found = [[compare(one, two) for two in second] for one in first]
    apart = np.array([[not change.low[1] <= 0 <= change.high[1] for change in row] for row in found])
    for share in np.linspace(0, 1, 41):
        rate = (1 - share) * channel.matrix[0, 1] + share * channel.matrix[1, 1]
        one, two = (stats.binom.pmf(range(n + 1), n, rate) for n in sizes)
        assert one @ apart @ two <= 0.055
    for change in (change for row in found for change in row):
        assert change.low[1] <= change.difference[1] <= change.high[1]


def test_compare_p_value_level_by_enumeration():
    """Every pair of 6 and 20 reports: equal shares have a p value of at most alpha in at most 1.1 alpha of surveys."""
    first, second = ([estimate_proportions([n - c, c], COINS) for c in range(n + 1)] for n in (6, 20))
    found = np.array([[compare(one, two).p_value[1] for two in second] for one in first])
    for share in np.linspace(0, 1, 11):
        one, two = (stats.binom.pmf(range(n + 1), n, 0.25 + share / 2) for n in (6, 20))
        assert all(one @ (found <= alpha) @ two <= 1.1 * alpha for alpha in (0.01, 0.05, 0.1))


def pairs():
    """Groups of every kind of question, near the border and far from it."""
    yield from ((estimate_proportions([n - c, c], COINS), estimate_proportions([m - d, d], COINS))
                for n, c in ((10, 0), (10, 7), (200, 40)) for m, d in ((10, 9), (200, 52), (200, 110)))  # fmt: skip
    yield estimate_proportions([30, 40, 30], THREE), estimate_proportions([20, 60, 20], THREE, interval="wald")
    yield tuple(estimate_proportions(c, discrete_laplace(3, epsilon=1.0)) for c in ([30, 40, 30], [10, 60, 30]))
    yield tuple(UnaryEncoding(3, on="1/2", off="1/4").estimate(c, 100) for c in ([20, 40, 30], [40, 20, 25]))
    yield tuple(EachOption(2, COINS).estimate(c, 100) for c in ([20, 40], [40, 30]))
    strata = [estimate_proportions(c, COINS) for c in ([50, 50], [60, 40])]
    yield strata[0], combine_strata(strata, [0.5, 0.5])
    yield strata[0], shares_at_every_look(strata[1])


def test_compare_interval_and_p_value_agree():
    """Counts of which the estimate stood outside of its interval, and p below .05 beside an interval over 0."""
    for first, second in pairs():
        change = compare(first, second)
        assert np.all((change.low <= change.difference) & (change.difference <= change.high))
        assert change.difference == pytest.approx(second.constrained - first.constrained)
        assert np.all((change.p_value < 0.05) == ((change.low > 0) | (change.high < 0)))
        assert np.all((change.p_value > 0) & (change.p_value <= 1))
        assert change.to_dict()["p_value"] == change.p_value.tolist()
        assert "groups" not in change.to_dict()


def test_compare_p_value_is_level_where_interval_meets_0():
    groups = [estimate_proportions(counts, COINS) for counts in ([281, 219], [331, 169])]
    p_value = float(compare(*groups).p_value[1])
    again = [estimate_proportions(c, COINS, confidence=1 - p_value) for c in ([281, 219], [331, 169])]
    assert compare(*again).high[1] == pytest.approx(0, abs=5e-4)


def test_compare_p_value_without_reports_is_nan():
    nobody, some = estimate_proportions([0, 0], COINS), estimate_proportions([6, 4], COINS)
    assert np.isnan(compare(nobody, some).p_value).all()
    assert compare(nobody, some).to_dict()["p_value"] == [None, None]
    assert compare(some, some).p_value.tolist() == [1, 1]
    hundreds = (estimate_proportions(counts, COINS) for counts in ([0, 10**6], [10**6, 0]))
    assert compare(*hundreds).p_value[1] == pytest.approx(2.6e-12, rel=0.05)


def test_compare_extremes_stay_in_range():
    extremes = [estimate_proportions(counts, COINS) for counts in ([0, 0], [1, 0], [0, 50], [50, 0])]
    for first in extremes:
        for second in extremes:
            change = compare(first, second)
            assert np.all((change.low >= -1) & (change.low <= change.high) & (change.high <= 1))


def test_compare_names_both_methods():
    groups = [estimate_proportions([60, 40], COINS, interval=interval) for interval in ("exact", "score")]
    assert compare(*groups).interval == "variances recovered from exact, score"
    assert "60" not in str(compare(*groups)).splitlines()[0].split(";")[1]


def test_compare_different_answers_raise():
    with pytest.raises(ValueError, match="same answers at the same confidence"):
        compare(estimate_proportions([60, 40], COINS), estimate_proportions([6, 4, 3], k_ary(3, truth="1/2")))
    with pytest.raises(ValueError, match="same answers at the same confidence"):
        compare(estimate_proportions([60, 40], COINS), estimate_proportions([60, 40], COINS, confidence=0.9))


def test_one_sided_p_values_are_halves():
    change = compare(estimate_proportions([600, 400], COINS), estimate_proportions([560, 440], COINS))
    greater, less = change.one_sided("greater"), change.one_sided("less")
    assert greater[1] == pytest.approx(change.p_value[1] / 2)
    assert greater + less == pytest.approx([1, 1])
    assert less[0] == pytest.approx(change.p_value[0] / 2)
    with pytest.raises(ValueError, match="alternative must be greater or less; got 'two-sided'"):
        change.one_sided("two-sided")


@pytest.mark.long
def test_one_sided_test_holds_its_level():
    """Every pair of totals of 60 and 80 reports with equal shares: too often "greater" at .05 in at most .055."""
    n, other, worst = 60, 80, 0.0
    called = np.array(
        [
            [
                compare(
                    estimate_proportions([n - one, one], COINS), estimate_proportions([other - two, two], COINS)
                ).one_sided("greater")[1]
                < 0.05
                for two in range(0, other + 1, 1)
            ]
            for one in range(0, n + 1, 1)
        ]
    )
    for share in (0.05, 0.2, 0.5, 0.8):
        rate = 0.25 + share / 2
        mass = np.outer(stats.binom.pmf(np.arange(n + 1), n, rate), stats.binom.pmf(np.arange(other + 1), other, rate))
        worst = max(worst, float(mass[called].sum()))
    assert worst < 0.055
