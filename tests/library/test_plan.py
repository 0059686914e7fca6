"""Planning: expected errors against enumeration, the best mechanism by the exact formula."""

import math

import numpy as np
import pytest
from scipy import stats

from randomized_response import (
    EachOption,
    SubsetSelection,
    UnaryEncoding,
    custom,
    estimate_proportions,
    forced_response,
    k_ary,
    plan,
)

COINS = forced_response(truth="1/2")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_standard_error_by_enumeration(share):
    """Variance over every total of 40 reports."""
    rate = 0.25 + share / 2
    estimates = np.array([estimate_proportions([40 - c, c], COINS, interval="wald").unbiased[1] for c in range(41)])
    mass = stats.binom.pmf(range(41), 40, rate)
    spread = math.sqrt(mass @ estimates**2 - (mass @ estimates) ** 2)
    assert plan.standard_error(40, COINS, [1 - share, share])[1] == pytest.approx(spread, rel=1e-9)


@pytest.mark.parametrize(
    "mechanism",
    [
        k_ary(4, truth="1/2"),
        UnaryEncoding(4),
        SubsetSelection(4, size=2, truth="3/4"),
        custom([[5, 1, 1, 1], [1, 5, 1, 1], [1, 1, 5, 1], [0, 0, 2, 6]]),
    ],
)
def test_standard_error_equals_reported(mechanism):
    """At exactly the expected totals of 10^6 reports the two differ by n against n - 1."""
    shares, n = np.array([0.4, 0.3, 0.2, 0.1]), 10**6
    if hasattr(mechanism, "hit"):
        totals = (float(mechanism.miss) + float(mechanism.hit - mechanism.miss) * shares) * n
        reported = mechanism.estimate(totals.round(), n)
    else:
        reported = estimate_proportions((mechanism.matrix.T @ shares * n).round(), mechanism, interval="wald")
    assert plan.standard_error(n, mechanism, shares) == pytest.approx(reported.standard_error, rel=1e-4)


def test_respondents_needed_are_just_enough():
    n = plan.respondents_needed(COINS, [0.7, 0.3], margin=0.05)
    assert 1.959964 * plan.standard_error(n, COINS, [0.7, 0.3]).max() <= 0.05
    assert 1.959964 * plan.standard_error(n - 1, COINS, [0.7, 0.3]).max() > 0.05


def test_respondents_needed_simultaneous_is_bonferroni():
    shares, channel = [0.4, 0.3, 0.2, 0.1], k_ary(4, truth="1/2")
    alone, together = (plan.respondents_needed(channel, shares, margin=0.05, simultaneous=s) for s in (False, True))
    assert together == pytest.approx(alone * (stats.norm.isf(0.05 / 8) / stats.norm.isf(0.025)) ** 2, rel=0.001)


@pytest.mark.parametrize(
    ("n", "share", "against"), [(500, 0.3, 0.2), (1000, 0.1, 0.2), (2000, 0.25, 0.2), (300, 0.5, 0.5)]
)
def test_power_of_one_group_by_enumeration(n, share, against):
    """Every total; the test rejects where the distance exceeds 1.96 standard errors under the null."""
    null, true = 0.25 + against / 2, 0.25 + share / 2
    counts = np.arange(n + 1)
    rejected = np.abs(counts / n - null) > 1.959964 * math.sqrt(null * (1 - null) / n)
    exact = stats.binom.pmf(counts, n, true)[rejected].sum()
    assert plan.power(n, COINS, share, against) == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(("share", "alternative"), [(0.3, "greater"), (0.1, "less"), (0.1, "greater"), (0.2, "less")])
def test_power_of_one_sided_test_by_enumeration(share, alternative):
    """Every total of 600; the test rejects where the rate is 1.645 standard errors on that side of 0.2's."""
    n, null, true, sign = 600, 0.35, 0.25 + share / 2, 1 if alternative == "greater" else -1
    counts = np.arange(n + 1)
    rejected = sign * (counts / n - null) > 1.644854 * math.sqrt(null * (1 - null) / n)
    exact = stats.binom.pmf(counts, n, true)[rejected].sum()
    assert plan.power(n, COINS, share, 0.2, alternative=alternative) == pytest.approx(exact, abs=0.02)


def test_power_of_two_sides_is_that_of_both():
    sides = [plan.power(500, COINS, 0.27, 0.2, alternative=side, confidence=0.975) for side in ("greater", "less")]
    assert plan.power(500, COINS, 0.27, 0.2, confidence=0.95) == pytest.approx(sum(sides))


def test_power_of_two_groups_by_enumeration():
    n, other, rates = 150, 250, (0.25 + 0.6 / 2, 0.25 + 0.2 / 2)
    one, two = np.arange(n + 1)[:, None], np.arange(other + 1)[None, :]
    pooled = (one + two) / (n + other)
    error = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / other))
    rejected = np.abs(one / n - two / other) > 1.959964 * error
    mass = stats.binom.pmf(one, n, rates[0]) * stats.binom.pmf(two, other, rates[1])
    assert plan.power(n, COINS, 0.6, 0.2, against_n=other) == pytest.approx(mass[rejected].sum(), abs=0.02)


@pytest.mark.parametrize(
    ("k", "winner"),
    [(2, "k_ary"), (5, "k_ary"), (6, "subset selection"), (10, "subset selection"), (256, "subset selection")],
)
def test_compare_mechanisms_winner_at_epsilon_1_1(k, winner):
    assert plan.compare_mechanisms(k, epsilon=1.1)[0].name == winner


def test_compare_mechanisms_ten_choices_by_hand():
    """By hand, odds 3.0042, d = 3: a = .5630, b = .2708, (.1 a (1 - a) + .9 b (1 - b)) / (a - b)^2 = 2.37."""
    rows = {row.name: row for row in plan.compare_mechanisms(10, epsilon=1.1)}
    assert rows["subset selection"].noise_variance == pytest.approx(2.37, abs=0.005)
    assert rows["subset selection"].size == 3
    assert rows["k_ary"].noise_variance == pytest.approx(3.14, abs=0.005)
    assert rows["k_ary"].truth == pytest.approx(math.expm1(1.1) / (math.exp(1.1) + 9))


@pytest.mark.parametrize(("k", "epsilon"), [(3, 0.5), (10, 1.1), (40, 3.0)])
def test_compare_mechanisms_variances_equal_channels(k, epsilon):
    """The tables of integers that come nearest to epsilon have the compared variance, to 1 %."""
    shares = np.arange(1, k + 1) / (k * (k + 1) / 2)
    rows = {row.name: row.variance for row in plan.compare_mechanisms(k, epsilon=epsilon, shares=shares)}
    truth = math.expm1(epsilon) / (math.exp(epsilon) + k - 1)
    real = {
        "k_ary": k_ary(k, truth=(round(truth * 10**5), 10**5)),
        "optimised unary": UnaryEncoding.optimised(k, epsilon=epsilon),
        "subset selection": SubsetSelection.optimised(k, epsilon=epsilon),
    }
    for name, mechanism in real.items():
        assert np.mean(plan.standard_error(1, mechanism, shares) ** 2) == pytest.approx(rows[name], rel=0.01)


def test_expected_shares_can_change_the_winner():
    """Very unequal shares move the border between k-ary response and larger sets."""
    names = {plan.compare_mechanisms(6, epsilon=1.1, shares=shares)[0].name for shares in (None, [1, 0, 0, 0, 0, 0])}
    assert names <= {"k_ary", "subset selection"}
    equal, unequal = (plan.compare_mechanisms(6, epsilon=1.1, shares=s)[0].variance for s in (None, [1, 0, 0, 0, 0, 0]))
    assert unequal < equal


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plan.standard_error(0, COINS, [0.5, 0.5]), "n must be at least 1"),
        (lambda: plan.standard_error(10, COINS, [0.5]), "shares must have one value per answer"),
        (lambda: plan.standard_error(10, COINS, [0.5, 0.6]), "shares must be non-negative and sum to 1"),
        (lambda: plan.respondents_needed(COINS, [0.5, 0.5], margin=0), "margin must be greater than 0"),
        (lambda: plan.respondents_needed(COINS, [0.5, 0.5], margin=0.1, confidence=0), "confidence must be"),
        (lambda: plan.power(10, COINS, 1.5, 0.2), r"share must be in \[0, 1\]; got 1.5"),
        (lambda: plan.power(10, COINS, 0.5, -0.2), r"against must be in \[0, 1\]"),
        (lambda: plan.power(10, k_ary(3, truth="1/2"), 0.5, 0.2), "mechanism must have two answers; got 3"),
        (lambda: plan.power(10, COINS, 0.5, 0.2, against_n=0), "against_n must be at least 1"),
        (lambda: plan.forecast(0, COINS, [0.5, 0.5]), "n must be at least 1"),
        (lambda: plan.forecast(10, COINS, [0.5, 0.5], answer=2), "answer must be from 0 to 1; got 2"),
        (lambda: plan.forecast(10, COINS, [0.5, 0.5], values=[1]), "values must be 2 finite numbers"),
        (lambda: plan.forecast(10, UnaryEncoding(2), [0.5, 0.5], values=[0, 1]), "mechanism must be a table"),
        (
            lambda: plan.forecast(10, EachOption(3, COINS), [0.5, 0.5, 0]),
            "must be the table of one option.*take its `bit`",
        ),
        (lambda: plan.power(10, EachOption(3, COINS), 0.5, 0.2), "must be the table of one option"),
        (lambda: plan.standard_error(10, "coins", [0.5, 0.5]), "mechanism must be a Channel, .*; got str"),
        (lambda: plan.respondents_for_power(COINS, 0.3, 0.3), "against must differ from share"),
        (lambda: plan.respondents_for_power(COINS, 0.3, 0.2, power=1), "power must be greater than 0 and less than 1"),
        (lambda: plan.shares_around(5, mean=4, deviation=1), "mean must be greater than 0 and less than 4; got 4"),
        (lambda: plan.shares_around(5, mean=2, deviation=3), "deviation must be from 1 to 2"),
        (lambda: plan.compare_mechanisms(1, epsilon=1.0), "k must be from 2 to 256"),
        (lambda: plan.compare_mechanisms(3, epsilon=0), "epsilon must be greater than 0"),
        (lambda: plan.compare_mechanisms(3, epsilon=1.0, shares=[1, 1, 1]), "shares must be non-negative and sum to 1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
