"""From totals to estimates: the library's numbers, item by item and stratum by stratum."""

import numpy as np
import pytest
from scipy import stats

from collector.designs import Design
from collector.reports.selectors import Totals
from estimator.base import measures
from estimator.models import Estimate
from estimator.runs import estimation
from estimator.runs.groups import Partition, ungrouped
from randomized_response import (
    Channel,
    ProportionEstimate,
    combine_strata,
    estimate_proportions,
    forced_response,
    k_ary,
)
from tests.factories import payloads

TWO_COINS = forced_response(truth="1/2")


def design(shares: tuple[str | None, str | None] = (None, None)) -> Design:
    return Design.of(payloads.with_known_shares(*shares))


def rows(design: Design, counts: list[list[int]]) -> list[Estimate]:
    return list(estimation.estimate_item(ungrouped(design), 0, (np.array(counts),), 0.95))


def test_estimate_rows_overall_before_strata() -> None:
    computed = rows(design(), [[600, 400], [70, 30]])
    assert [(row.stratum, row.choice, row.n, row.sent) for row in computed] == [
        (None, 0, 1100, 670), (None, 1, 1100, 430),
        (0, 0, 1000, 600), (0, 1, 1000, 400),
        (1, 0, 100, 70), (1, 1, 100, 30),
    ]  # fmt: skip


def test_estimate_two_coins_worked_example() -> None:
    """1000 reports, 400 yes: (0.4 - 0.25) / 0.5 = 0.30."""
    yes = rows(design(), [[600, 400], [70, 30]])[3]
    assert yes.unbiased == pytest.approx(0.30, abs=1e-12)
    assert yes.standard_error == pytest.approx(np.sqrt(0.4 * 0.6 / 999) / 0.5, abs=1e-12)


def test_estimate_row_equals_library() -> None:
    row = rows(design(), [[600, 400], [70, 30]])[1]
    expected = estimate_proportions([670, 430], TWO_COINS)
    for name in ("unbiased", "constrained", "standard_error", "noise_standard_error", "low", "high",
                 "noise_low", "noise_high", "direct_question_n"):  # fmt: skip
        assert getattr(row, name) == pytest.approx(getattr(expected, name)[1], abs=1e-15), name
    assert row.interval == "feldman_cousins"


def test_estimate_known_shares_weight_strata() -> None:
    row = rows(design(("1/4", "3/4")), [[600, 400], [70, 30]])[1]
    strata = [estimate_proportions(counts, TWO_COINS) for counts in ([600, 400], [70, 30])]
    assert row.unbiased == pytest.approx(combine_strata(strata, [0.25, 0.75]).unbiased[1], abs=1e-15)
    assert measures.WEIGHTED in row.flags


@pytest.mark.parametrize(("n", "given"), [(9, False), (10, True)])
def test_estimate_minimum_of_reports_at_both_sides(n: int, given: bool) -> None:
    row = rows(design(), [[n, 0], [0, 0]])[2]
    assert (row.constrained is not None) is given
    assert (measures.TOO_FEW in row.flags) is not given


def test_estimate_small_group_keeps_weighted_total() -> None:
    """28 of 1,200 reports left nothing: not even the estimate of all respondents. They have one of their own too."""
    computed = rows(design(("1/2", "1/2")), [[700, 472], [20, 8]])
    strata = [estimate_proportions(counts, TWO_COINS) for counts in ([700, 472], [20, 8])]
    assert computed[0].unbiased == pytest.approx(combine_strata(strata, [0.5, 0.5]).unbiased[0], abs=1e-15)
    assert computed[0].flags == [measures.WEIGHTED]
    assert computed[4].constrained == pytest.approx(strata[1].constrained[0], abs=1e-15)


def test_estimate_tiny_group_is_collapsed_for_weights() -> None:
    row = rows(design(("1/2", "1/2")), [[600, 400], [5, 0]])[0]
    assert row.unbiased == pytest.approx(estimate_proportions([605, 400], TWO_COINS).unbiased[0], abs=1e-15)
    assert row.flags == [measures.WEIGHTED, measures.COLLAPSED]


def test_estimate_too_few_reports_has_no_weighted_total() -> None:
    """Weighted from 30 on; a partition puts fewer together (`groups.released`), so that they have an estimate."""
    assert rows(design(("1/2", "1/2")), [[10, 4], [10, 5]])[0].flags == [measures.TOO_FEW]
    assert rows(design(("1/2", "1/2")), [[10, 5], [10, 5]])[0].flags == [measures.WEIGHTED]


def test_estimate_without_reports_is_flagged() -> None:
    assert all(row.flags == [measures.TOO_FEW] for row in rows(design(), [[0, 0], [0, 0]]))


def test_estimate_outside_range_is_clipped_and_flagged() -> None:
    """230 yes of 1000 is below the 250 that noes alone send: -0.04 unclipped, 0 shown, no alarm at 1.5 errors."""
    yes = rows(design(), [[770, 230], [0, 0]])[1]
    assert yes.unbiased == pytest.approx(-0.04, abs=1e-12)
    assert (yes.constrained, yes.low) == (0.0, 0.0)
    assert yes.flags == [measures.CLIPPED]


def test_estimate_impossible_reports_are_flagged() -> None:
    """50 yes of 1000 where noes alone send 250: nobody followed the tickets."""
    yes = rows(design(), [[950, 50], [0, 0]])[1]
    assert measures.IMPOSSIBLE in yes.flags


def test_input_digest_depends_on_every_count() -> None:
    totals = (np.array([[1, 2], [3, 4]]), np.array([[1, 1, 1], [1, 1, 1]]))
    other = (np.array([[1, 2], [3, 5]]), totals[1])
    assert estimation.input_digest(design(), totals) == estimation.input_digest(design(), totals)
    assert estimation.input_digest(design(), totals) != estimation.input_digest(design(), other)


def of_eight(channel: Channel) -> Partition:
    """A choice of eight by k-ary response."""
    document = payloads.document()
    choices = [{"en": f"Choice {number}"} for number in range(8)]
    asked = {"kind": "one_choice", "encoding": "single", "choices": choices}
    told = {"name": "k_ary", "truth": str(channel.truth), "weights": [list(row) for row in channel.weights]}
    document["items"][0] |= asked | {"channel": told}
    return ungrouped(Design.of(document))


def alone(partition: Partition, totals: Totals) -> ProportionEstimate | None:
    """The shares with the interval of one fixed beforehand."""
    fit = estimation.overall(partition, 0, totals, 0.95)
    return fit.shares if fit else None


def misses(partition: Partition, channel: Channel, people: int, n: int, *, chosen: bool) -> float:
    """P(the interval of a choice misses its share), exact, where `people` of n hold it."""
    hit, miss = channel.matrix[0, 0], channel.matrix[1, 0]
    held, others = np.arange(people + 1), np.arange(n - people + 1)
    chances = np.convolve(stats.binom.pmf(held, people, hit), stats.binom.pmf(others, n - people, miss))
    missed = 0.0
    for count in np.flatnonzero(chances > 1e-9).tolist():
        tally = [count, *np.diff(np.arange(8) * (n - count) // 7)]
        totals = (np.array([tally, [0] * 8]),)
        shares = estimation.together(partition, 0, totals, 0.95) if chosen else alone(partition, totals)
        assert shares is not None
        if not shares.noise_low[0] <= people / n <= shares.noise_high[0]:
            missed += float(chances[count])
    return missed


@pytest.mark.parametrize("truth", ["1/3", "1/2"])
def test_joint_intervals_largest_share_keeps_coverage(truth: str) -> None:
    """Eight equal shares of 240: the chances that any of the eight misses sum to .05 at most, so the largest does too.

    Of the interval of one fixed beforehand they sum to .4, and the largest misses in 21 to 24 of 100 (simulated).
    """
    channel = k_ary(8, truth=truth)
    partition = of_eight(channel)
    assert 8 * misses(partition, channel, 30, 240, chosen=True) <= 0.05
    assert 8 * misses(partition, channel, 30, 240, chosen=False) > 0.3


def test_joint_intervals_two_choices_equal_single() -> None:
    totals = (np.array([[600, 400], [70, 30]]),)
    shares = estimation.together(ungrouped(design()), 0, totals, 0.95)
    assert shares is not None
    np.testing.assert_array_equal(shares.noise_low, estimate_proportions([670, 430], TWO_COINS).noise_low)
    assert estimation.together(ungrouped(design()), 0, (np.array([[5, 2], [1, 1]]),), 0.95) is None
