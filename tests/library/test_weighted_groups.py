"""Groups put together by their known shares: the intervals of the sum cover, by enumeration of every count."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from randomized_response import (
    Channel,
    EachOption,
    ProportionEstimate,
    UnaryEncoding,
    combine_means,
    combine_strata,
    discrete_laplace,
    estimate_mean,
    estimate_proportions,
    forced_response,
    k_ary,
    one_bit,
    unrelated_question,
)

COINS = forced_response(truth="1/2")
TABLES = {
    "coins": COINS,
    "forced response": forced_response(truth="4/5"),
    "forced yes": forced_response(truth="1/2", yes="9/10"),
    "unrelated question": unrelated_question(truth="7/10", prevalence="1/10"),
}
SHARES = (0, 0.03, 0.1, 0.3, 0.5, 0.8, 0.97, 1)


def every_interval(channel: Channel, sizes: Sequence[int], weights: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Limits of the weighted share of yes for every outcome, shape (n + 1, ...) with an axis for each group."""
    groups = [[estimate_proportions([n - yes, yes], channel) for yes in range(n + 1)] for n in sizes]
    found = [combine_strata(one, weights) for one in itertools.product(*groups)]
    shape = [n + 1 for n in sizes]
    return np.array([one.low[1] for one in found]).reshape(shape), np.array([one.high[1] for one in found]).reshape(
        shape
    )


def chances(channel: Channel, sizes: Sequence[int], shares: Sequence[float]) -> np.ndarray:
    """The probability of every outcome."""
    rates = channel.matrix[0, 1] + (channel.matrix[1, 1] - channel.matrix[0, 1]) * np.array(shares)
    alone = [stats.binom.pmf(np.arange(n + 1), n, rate) for n, rate in zip(sizes, rates, strict=True)]
    return np.asarray(np.multiply.outer(alone[0], alone[1]) if len(alone) == 2 else np.einsum("i,j,k->ijk", *alone))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    ("sizes", "weights", "lowest"),
    [
        ((10, 40), (0.5, 0.5), 0.937),
        ((40, 10), (0.02, 0.98), 0.937),
        ((15, 15), (0.2, 0.8), 0.937),
        ((10, 10, 10), (0.3, 0.3, 0.4), 0.9367),
        ((10, 10), (0.5, 0.5), 0.9269),
    ],
    ids=str,
)
def test_the_interval_of_the_sum_covers(
    name: str, sizes: tuple[int, ...], weights: tuple[float, ...], lowest: float
) -> None:
    """Of 40 and 10 reports Wald's covered .26 with the unrelated question, .40 with the forced yes; this .98, .977."""
    channel = TABLES[name]
    low, high = every_interval(channel, sizes, weights)
    assert (high > low).all()
    for shares in itertools.product(SHARES, repeat=len(sizes)):
        truth = float(np.dot(weights, shares))
        covers = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
        assert (chances(channel, sizes, shares) * covers).sum() >= lowest, shares


def test_limits_are_recovered_from_those_of_equal_tails() -> None:
    strata = [estimate_proportions(counts, COINS) for counts in ([55, 45], [120, 80])]
    both = combine_strata(strata, [0.4, 0.6])
    exact = [estimate_proportions(counts, COINS, interval="clopper_pearson") for counts in ([55, 45], [120, 80])]
    below = np.hypot(*(w * (one.unbiased - one.low) for w, one in zip((0.4, 0.6), exact, strict=True)))
    assert both.low == pytest.approx(both.unbiased - below)
    assert both.interval == "recovered"


@pytest.mark.parametrize("interval", ["score", "jeffreys", "mid_p", "clopper_pearson"])
def test_groups_with_limits_of_their_own_keep_them(interval: str) -> None:
    groups = [estimate_proportions([60, 40], COINS, interval=interval)] * 2
    reach = (groups[0].unbiased - groups[0].low) / np.sqrt(2)
    assert combine_strata(groups, [0.5, 0.5]).low == pytest.approx(groups[0].unbiased - reach)


@pytest.mark.parametrize(
    "groups",
    [
        [estimate_proportions([60, 40], COINS, interval="wald")] * 2,
        [estimate_proportions([60, 40], COINS), estimate_proportions([60, 40], COINS, interval="likelihood")],
        [estimate_proportions([30, 40, 30], discrete_laplace(3, epsilon=1.0))] * 2,
    ],
)
def test_groups_without_such_limits_have_a_normal_interval(groups: list[ProportionEstimate]) -> None:
    both = combine_strata(groups, [0.5, 0.5])
    assert both.interval == "wald"
    reach = 1.959963985 * both.standard_error
    assert both.low == pytest.approx(np.minimum(np.clip(both.unbiased - reach, 0, 1), both.constrained), abs=1e-9)


@pytest.mark.parametrize(
    "group",
    [
        estimate_proportions([780, 220], COINS),
        estimate_proportions([600, 250, 150], k_ary(3, truth="1/2")),
        UnaryEncoding(3, on="1/2", off="1/4").estimate([10, 10, 50], 100),
        EachOption(2, COINS).estimate([10, 90], 100),
    ],
)
def test_no_interval_is_a_point_or_outside(group: ProportionEstimate) -> None:
    """780 no and 220 yes by two coins in both groups were 0 to 0."""
    both = combine_strata([group, group], [0.3, 0.7])
    assert (both.interval, both.exclusive) == ("recovered", group.exclusive)
    assert np.all((both.low >= 0) & (both.low < both.high) & (both.high <= 1))
    assert np.all((both.low <= both.constrained) & (both.constrained <= both.high))


def test_one_report_of_a_group_is_something() -> None:
    both = combine_strata([estimate_proportions([0, 1], COINS), estimate_proportions([55, 45], COINS)], [0.1, 0.9])
    assert np.isnan(both.standard_error).all()
    assert both.high[1] < 0.9


def test_the_mean_of_a_number_covers() -> None:
    """Of two groups of one bit each, every count."""
    channel, sizes, weights = one_bit(11, truth="4/5"), (12, 20), (0.3, 0.7)
    groups = [[estimate_mean([n - ones, ones], channel) for ones in range(n + 1)] for n in sizes]
    found = [[combine_means([one, other], weights) for other in groups[1]] for one in groups[0]]
    low, high = (np.array([[getattr(one, end) for one in row] for row in found]) for end in ("low", "high"))
    assert {one.interval for row in found for one in row} == {"recovered"}
    for shares in itertools.product((0, 0.03, 0.1, 0.5, 0.9, 1), repeat=2):
        rates = 0.1 + 0.8 * np.array(shares)
        one, other = (stats.binom.pmf(np.arange(n + 1), n, rate) for n, rate in zip(sizes, rates, strict=True))
        truth = 10 * float(np.dot(weights, shares))
        assert one @ ((low <= truth + 1e-9) & (truth - 1e-9 <= high)) @ other >= 0.937
