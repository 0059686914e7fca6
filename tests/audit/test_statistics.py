"""The audit's own arithmetic, against scipy, formulas and cases that can be done by hand."""

from math import comb, isclose, log

import numpy as np
import pytest
from scipy import stats

from randomized_response import forced_response, k_ary
from tests.audit import statistics
from tests.audit.items import audited, linked, said
from tests.factories import kinds

TWO_COINS = [[3, 1], [1, 3]]


def test_fit_equals_scipy_chisquare() -> None:
    symbols = np.repeat([0, 1, 2], [30, 50, 20])
    known = stats.chisquare([30, 50, 20], [50, 25, 25])
    assert statistics.fit(symbols, [2, 1, 1]) == pytest.approx((known.statistic, known.pvalue))


def test_fit_impossible_report_has_p_value_0() -> None:
    assert statistics.fit(np.array([0, 0, 1]), [4, 0])[1] == 0
    assert statistics.fit(np.array([0, 2]), [3, 1])[1] == 0


def test_nothing_to_test_is_no_leak() -> None:
    """Of a version of the page that nobody has drawn, and of one whose answers are all alike."""
    none, same = np.zeros(0, dtype=int), np.zeros(9, dtype=int)
    assert statistics.fit(none, [3, 1]) == (0.0, 1.0)
    assert statistics.shapes_given(np.arange(9.0), same, same) == (0.0, 1.0)
    assert statistics.ranks_given(np.arange(9.0), same, same) == (0.0, 1.0)


def test_conditional_test_one_stratum_equals_scipy() -> None:
    source = np.random.default_rng(3)
    answers, feature, times = source.integers(0, 2, 200), source.integers(0, 3, 200), source.random(200)
    same = np.zeros(200, dtype=int)
    counts = [[((answers == x) & (feature == f)).sum() for x in (0, 1)] for f in range(3)]
    known = stats.chi2_contingency(counts, correction=False, lambda_="log-likelihood")
    assert statistics.categories_given(feature, answers, same) == pytest.approx((known.statistic, known.pvalue))
    ranks = stats.kruskal(times[answers == 0], times[answers == 1])
    assert statistics.ranks_given(times, answers, same) == pytest.approx((ranks.statistic, ranks.pvalue))


def test_conditional_tests_find_answer_but_not_report() -> None:
    """Seeded: a feature that is the report itself is independent of the answer given the report; the answer is not."""
    source = np.random.default_rng(4)
    answers = source.integers(0, 2, 2_000)
    symbols = np.where(source.random(2_000) < 0.75, answers, 1 - answers)
    assert statistics.categories_given(symbols, answers, symbols) == (0.0, 1.0)
    assert statistics.categories_given(answers, answers, symbols)[1] < 1e-100
    assert statistics.ranks_given(source.random(2_000) + 0.3 * answers, answers, symbols)[1] < 1e-20
    assert statistics.shapes_given(source.random(2_000) * (1 + answers), answers, symbols)[1] < 1e-20


def test_shapes_given_single_time_has_p_value_1() -> None:
    """One of four is the largest or the smallest in every second order."""
    times, answers, symbols = np.array([4.0, 1.0, 2.0, 3.0]), np.array([1, 0, 0, 0]), np.zeros(4, dtype=int)
    assert statistics.shapes_given(times, answers, symbols) == (1.0, 1.0)


@pytest.mark.parametrize("channel", [forced_response(truth="1/2"), forced_response(truth="2/3"), k_ary(5, truth="1/3")])
def test_epsilon_of_equals_library(channel: object) -> None:
    assert isclose(statistics.epsilon_of(channel.weights), channel.epsilon)


def test_epsilon_bound_matches_manual_value() -> None:
    """750 and 250 of 1,000: two pairs and two events, so each of eight limits has an eighth of alpha."""
    answers = np.repeat([0, 1], 1_000)
    symbols = np.concatenate([np.repeat([0, 1], [750, 250]), np.repeat([0, 1], [250, 750])])
    low = stats.binomtest(750, 1_000, alternative="greater").proportion_ci(1 - 0.01 / 8).low
    high = stats.binomtest(250, 1_000, alternative="less").proportion_ci(1 - 0.01 / 8).high
    assert statistics.epsilon_shown(answers, symbols, TWO_COINS, 0.01) == pytest.approx(log(low / high))


def test_guess_limit_examples() -> None:
    assert statistics.guess_limit(TWO_COINS) == pytest.approx(3 / 4)
    assert statistics.guess_limit([[4, 1, 1], [1, 4, 1], [1, 1, 4]]) == pytest.approx(4 / 6)


def test_events_are_all_proper_subsets() -> None:
    assert sorted(statistics.events(3)) == [(0,), (0, 1), (0, 2), (1,), (1, 2), (2,)]


@pytest.mark.parametrize(("times", "alpha"), [(1, 0.5), (6, 0.02), (11, 0.05), (40, 0.001), (501, 1e-5)])
def test_median_limits_match_binomial_tail(times: int, alpha: float) -> None:
    """The k-th time is above the median where fewer than k are below it: a binomial tail, added up by hand."""
    tails = np.cumsum([comb(times, below) * 0.5**times for below in range(times)])
    rank = int((tails <= alpha).sum())
    assert statistics.median_limits(np.arange(1.0, times + 1), alpha) == (rank, times + 1 - rank)


def test_median_limits_few_values_are_infinite() -> None:
    assert statistics.median_limits(np.arange(9.0), 1e-3) == (-np.inf, np.inf)


def test_medians_given_difference_is_found() -> None:
    """Seeded; the ends of a normal median's interval lie z times 1.2533 sigma / sqrt(n) away from it."""
    source = np.random.default_rng(5)
    times, answers = source.normal(size=40_000), np.tile([0, 1], 20_000)
    found = statistics.medians_given(times + 0.3 * answers, answers, np.zeros(40_000, dtype=int), 1e-3)
    away = 2 * stats.norm.isf(1e-3 / 8) * 1.2533 / 20_000**0.5
    assert [difference for difference, _, _ in found] == pytest.approx([-0.3, 0.3], abs=0.05)
    assert [high - low for _, low, high in found] == pytest.approx([2 * away] * 2, rel=0.1)
    assert all(max(low, -high) > 0.2 for _, low, high in found)


@pytest.mark.long
def test_medians_given_independent_times_rarely_reject() -> None:
    """Seeded, 200 runs of 200 in 24 cells, times with two humps as on a busy machine: one in 1,000 may be found."""
    source, wrong = np.random.default_rng(6), 0
    for _ in range(200):
        answers, symbols = source.permutation(np.arange(200) % 4), source.integers(0, 6, 200)
        times = np.where(source.random(200) < 0.5, source.normal(5, 0.3, 200), source.normal(25, 5, 200))
        found = statistics.medians_given(times, answers, symbols, 1e-3)
        wrong += any(max(low, -high) > 0.2 for _, low, high in found)
    assert wrong == 0


def test_item_table_combines_all_symbols() -> None:
    items = {one.item["key"]: one for one in audited(kinds.document())}
    assert items["smokes"].table == [[2, 1], [1, 2]]
    substance = items["substance"]
    assert (len(substance.answers), len(substance.reports)) == (6, 64)
    assert statistics.epsilon_of(substance.table) == pytest.approx(log(2))
    assert statistics.epsilon_of(items["place"].table) == pytest.approx(log(6 * 5 / (5 * 3)))
    assert statistics.epsilon_of(items["habits"].table) <= 4 * log(6 / 5) + 1e-12
    assert all(len({sum(row) for row in one.table}) == 1 for one in items.values() if one.field.symbols < 6)


def test_linked_lists_dependent_questions() -> None:
    assert linked(audited(kinds.document())) == {"smokes", "often", "habits", "hours"}


def test_unasked_question_uses_its_default_answer() -> None:
    items = audited(kinds.document())
    everybody = [0] * len(items)
    assert dict(enumerate(said(items, everybody)))[1] == (0, False)
    smokers = [1, 2, *everybody[2:]]
    assert list(said(items, smokers))[1] == (2, True)
    drinkers = [0, 0, 0, 0, items[4].answers.index((0, 1, 0, 0, 0)), 0, 0, 0, 7]
    assert [list(said(items, one))[8] for one in (drinkers, [*everybody[:8], 7])] == [(7, True), (0, False)]
