"""Groups put together by their known shares: the intervals of the sum cover, by enumeration of every count."""

import itertools
from collections.abc import Sequence
from functools import cache, reduce

import numpy as np
import pytest
from scipy import optimize, stats

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
    warner,
)
from tests.tools.gate import few

COINS = forced_response(truth="1/2")
TABLES = {
    "coins": COINS,
    "forced response": forced_response(truth="4/5"),
    "forced yes": forced_response(truth="1/2", yes="9/10"),
    "unrelated question": unrelated_question(truth="7/10", prevalence="1/10"),
}
ONE_SIDED = {"yes by force alone": forced_response(truth="1/2", yes="1")}
"""Nobody is forced to say no, so the coin adds nothing where everybody holds the answer."""
GROUPS = [
    ((10, 40), (0.5, 0.5)),
    ((40, 10), (0.02, 0.98)),
    ((15, 15), (0.2, 0.8)),
    ((10, 10, 10), (0.3, 0.3, 0.4)),
    ((10, 10), (0.5, 0.5)),
]
"""Sizes of groups with their shares of the population."""
SHARES = (0, 0.03, 0.1, 0.3, 0.5, 0.8, 0.97, 1)


@cache
def outcomes(name: str, sizes: tuple[int, ...], weights: tuple[float, ...]) -> list[ProportionEstimate]:
    """The estimate of every outcome, the last group's count changing fastest."""
    table = (TABLES | ONE_SIDED)[name]
    groups = [[estimate_proportions([n - yes, yes], table) for yes in range(n + 1)] for n in sizes]
    return [combine_strata(one, weights) for one in itertools.product(*groups)]


def of_yes(found: Sequence[ProportionEstimate], end: str, sizes: Sequence[int]) -> np.ndarray:
    """An end of the interval of yes for every outcome, shape (n + 1, ...) with an axis for each group."""
    return np.array([getattr(one, end)[1] for one in found]).reshape([n + 1 for n in sizes])


def chances(channel: Channel, sizes: Sequence[int], shares: Sequence[float]) -> np.ndarray:
    """The probability of every outcome."""
    rates = channel.matrix[0, 1] + (channel.matrix[1, 1] - channel.matrix[0, 1]) * np.array(shares)
    return reduce(
        np.multiply.outer,
        [stats.binom.pmf(np.arange(n + 1), n, rate) for n, rate in zip(sizes, rates, strict=True)],
    )


def chances_among(channel: Channel, sizes: Sequence[int], holders: Sequence[int]) -> np.ndarray:
    """The same where so many people of each group hold the answer, and only the coin is random."""
    rates = channel.matrix[::-1, 1]
    alone = [
        np.convolve(*(stats.binom.pmf(np.arange(m + 1), m, rate) for m, rate in zip((t, n - t), rates, strict=True)))
        for n, t in zip(sizes, holders, strict=True)
    ]
    return reduce(np.multiply.outer, alone)


@pytest.mark.parametrize("name", few(TABLES))
@pytest.mark.parametrize(
    ("sizes", "weights", "lowest"),
    [(*group, lowest) for group, lowest in zip(GROUPS, (0.937, 0.937, 0.937, 0.9367, 0.9269), strict=True)],
    ids=str,
)
def test_combined_interval_coverage_by_enumeration(
    name: str, sizes: tuple[int, ...], weights: tuple[float, ...], lowest: float
) -> None:
    """Of 40 and 10 reports Wald's covered .26 with the unrelated question, .40 with the forced yes; this .98, .977."""
    found = outcomes(name, sizes, weights)
    low, high = (of_yes(found, end, sizes) for end in ("low", "high"))
    assert (high > low).all()
    for shares in itertools.product(SHARES, repeat=len(sizes)):
        truth = float(np.dot(weights, shares))
        covers = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
        assert (chances(TABLES[name], sizes, shares) * covers).sum() >= lowest, shares


@pytest.mark.parametrize(("name", "lowest"), few([*((name, 0.965) for name in TABLES), ("yes by force alone", 0.96)]))
@pytest.mark.parametrize(("sizes", "weights"), GROUPS, ids=str)
def test_combined_noise_coverage_by_enumeration(
    name: str, lowest: float, sizes: tuple[int, ...], weights: tuple[float, ...]
) -> None:
    """Wald's covered .845 of 40 and 10 people with the unrelated question, and .5 with yes by force alone.

    It was 0 to 0 in up to 2.7 % of surveys.
    """
    found = outcomes(name, sizes, weights)
    low, high = (of_yes(found, end, sizes) for end in ("noise_low", "noise_high"))
    assert {one.noise_interval for one in found} == {"recovered_score"}
    assert (high - low).min() > 0.1
    for shares in itertools.product(SHARES, repeat=len(sizes)):
        holders = [round(share * n) for share, n in zip(shares, sizes, strict=True)]
        truth = sum(weight * t / n for weight, t, n in zip(weights, holders, sizes, strict=True))
        covers = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
        assert (chances_among((TABLES | ONE_SIDED)[name], sizes, holders) * covers).sum() >= lowest, shares


def test_combined_limits_are_recovered_from_exact() -> None:
    strata = [estimate_proportions(counts, COINS) for counts in ([55, 45], [120, 80])]
    both = combine_strata(strata, [0.4, 0.6])
    exact = [estimate_proportions(counts, COINS, interval="clopper_pearson") for counts in ([55, 45], [120, 80])]
    below = np.hypot(*(w * (one.unbiased - one.low) for w, one in zip((0.4, 0.6), exact, strict=True)))
    assert both.low == pytest.approx(both.unbiased - below)
    assert both.interval == "recovered"


@pytest.mark.parametrize("channel", [COINS, warner(truth="1/5"), forced_response(truth="1/2", yes="1")], ids=str)
def test_combined_noise_limits_are_recovered_from_score(channel: Channel) -> None:
    """Where half a report beyond the count is 1.96 standard errors of the coin from what is expected of the share."""
    counts, weights = ([88, 112], [160, 240]), (0.4, 0.6)
    (b, a), z = channel.matrix[:, 1], stats.norm.isf(0.025)

    def score(yes: float, n: int, side: int) -> float:
        def distance(share: float) -> float:
            variance = (share * a * (1 - a) + (1 - share) * b * (1 - b)) / n
            return float(share - (yes / n - b) / (a - b) - side * z * np.sqrt(max(variance, 0)) / abs(a - b))

        return float(optimize.brentq(distance, *sorted(((yes / n - b) / (a - b), side * 2.0)), xtol=1e-14))

    strata = [estimate_proportions(one, channel) for one in counts]
    both, half = combine_strata(strata, weights), np.sign(a - b) / 2
    for side, end in ((-1, both.noise_low[1]), (1, both.noise_high[1])):
        reach = [
            weight * (score(yes + side * half, no + yes, side) - one.unbiased[1])
            for weight, (no, yes), one in zip(weights, counts, strata, strict=True)
        ]
        assert end == pytest.approx(np.clip(both.unbiased[1], 0, 1) + side * np.hypot(*reach), abs=1e-9)


@pytest.mark.parametrize("interval", ["score", "jeffreys", "mid_p", "clopper_pearson"])
def test_combined_limits_use_given_intervals(interval: str) -> None:
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
def test_combined_without_limits_is_wald(groups: list[ProportionEstimate]) -> None:
    both = combine_strata(groups, [0.5, 0.5])
    assert both.interval == "wald"
    assert both.noise_interval == ("wald" if groups[0].noise_interval == "wald" else "recovered_score")
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
def test_combined_interval_is_no_point_and_in_range(group: ProportionEstimate) -> None:
    """780 no and 220 yes by two coins in both groups were 0 to 0."""
    both = combine_strata([group, group], [0.3, 0.7])
    assert (both.interval, both.noise_interval, both.exclusive) == ("recovered", "recovered_score", group.exclusive)
    for low, high in ((both.low, both.high), (both.noise_low, both.noise_high)):
        assert np.all((low >= 0) & (low < high) & (high <= 1))
        assert np.all((low <= both.constrained) & (both.constrained <= high))


def test_combined_one_report_in_a_group_narrows() -> None:
    both = combine_strata([estimate_proportions([0, 1], COINS), estimate_proportions([55, 45], COINS)], [0.1, 0.9])
    assert np.isnan(both.standard_error).all()
    assert both.high[1] < 0.9


def test_combined_mean_coverage_by_enumeration() -> None:
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
