"""The tests, from counts to p-values; nothing here knows a browser. Where a table is named, its weights are exact."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, permutations
from math import exp, log

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Weights = Sequence[Sequence[int]]

LEAST_EXPECTED = 5
"""Reports that a cell is expected to have, for Pearson's statistic to have its distribution (Cochran 1954)."""

EXACTLY = 100_000
"""Pairs of times up to which the distribution of the largest distance is counted out: of a few times the approximation
takes the largest there is for impossible, which one time against three often has."""


def fit(symbols: ArrayLike, row: Sequence[int]) -> tuple[float, float]:
    """Pearson's chi-squared of reports against the exact row of their answer: statistic, p-value; 0 and 1 of none."""
    counts, weights = np.bincount(symbols, minlength=len(row)), np.asarray(row, dtype=float)
    if len(counts) > len(row) or counts[weights == 0].any():
        return float("inf"), 0.0
    if not counts.any():
        return 0.0, 1.0  # a version of the page that nobody has drawn
    expected = counts.sum() * weights / weights.sum()
    possible = weights > 0
    statistic = float(((counts - expected)[possible] ** 2 / expected[possible]).sum())
    return statistic, float(stats.chi2.sf(statistic, possible.sum() - 1))


def dependence(first: ArrayLike, second: ArrayLike) -> tuple[float, int]:
    """G statistic of independence of two categorical features, and its degrees of freedom."""
    table = np.zeros((np.max(first) + 1, np.max(second) + 1))
    np.add.at(table, (first, second), 1)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    if freedom == 0:
        return 0.0, 0
    return float(stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic), freedom


def categories_given(feature: ArrayLike, answers: NDArray, symbols: NDArray) -> tuple[float, float]:
    """G-test: is the feature independent of the answer given the report? Strata of one report, added up."""
    feature = np.unique(feature, return_inverse=True)[1]
    parts = [dependence(feature[symbols == y], answers[symbols == y]) for y in np.unique(symbols)]
    statistic, freedom = sum(part[0] for part in parts), sum(part[1] for part in parts)
    return statistic, float(stats.chi2.sf(statistic, freedom)) if freedom else 1.0


def ranks_given(times: NDArray, answers: NDArray, symbols: NDArray) -> tuple[float, float]:
    """Mann-Whitney, for more than two answers Kruskal-Wallis: are times shifted by the answer, given the report?"""
    statistic, freedom = 0.0, 0
    for y in np.unique(symbols):
        groups = [times[(symbols == y) & (answers == x)] for x in np.unique(answers[symbols == y])]
        if len(groups) > 1:
            statistic += stats.kruskal(*groups).statistic
            freedom += len(groups) - 1
    return float(statistic), float(stats.chi2.sf(statistic, freedom)) if freedom else 1.0


def shapes_given(times: NDArray, answers: NDArray, symbols: NDArray) -> tuple[float, float]:
    """Kolmogorov-Smirnov, each answer against the others given the report: largest distance, p-value by Bonferroni."""
    largest, smallest, tests = 0.0, 1.0, 0
    for x, y in ((x, y) for x in np.unique(answers) for y in np.unique(symbols)):
        mine, others = times[(symbols == y) & (answers == x)], times[(symbols == y) & (answers != x)]
        if len(mine) and len(others):
            few = len(mine) * len(others) <= EXACTLY
            found = stats.ks_2samp(mine, others, method="exact" if few else "asymp")
            largest, smallest, tests = max(largest, found.statistic), min(smallest, found.pvalue), tests + 1
    return float(largest), float(min(1.0, smallest * tests)) if tests else 1.0


def medians_given(times: NDArray, answers: NDArray, symbols: NDArray, alpha: float) -> list[tuple[float, float, float]]:
    """Median times of each answer less those of the others given the report, each with the limits of an interval.

    Whatever the distribution, all intervals hold together but with chance `alpha`: Bonferroni over pairs and limits.
    """
    groups = [
        (times[(symbols == y) & (answers == x)], times[(symbols == y) & (answers != x)])
        for x in np.unique(answers)
        for y in np.unique(symbols)
    ]
    found = []
    for mine, others in ((mine, others) for mine, others in groups if len(mine) and len(others)):
        (low, high), (least, most) = (median_limits(some, alpha / (4 * len(groups))) for some in (mine, others))
        found.append((float(np.median(mine) - np.median(others)), low - most, high - least))
    return found


def median_limits(times: NDArray, alpha: float) -> tuple[float, float]:
    """Limits that the median of these times lies outside of with chance `alpha` each, at most; infinite for few times.

    Order statistics, whose ranks are binomial (Thompson 1936). No standard error: of a few times it is unknown itself.
    """
    rank = int(stats.binom.ppf(alpha, len(times), 0.5))
    rank += bool(stats.binom.cdf(rank, len(times), 0.5) <= alpha)
    ordered = np.sort(times)
    return (float(ordered[rank - 1]), float(ordered[-rank])) if rank else (-np.inf, np.inf)


def pair_fit(symbols: NDArray, answers: NDArray, tables: Sequence[Weights]) -> tuple[float, float]:
    """Chi-squared of the joint reports of two items against the product of their rows, over all pairs of answers.

    Pairs of answers with too few reports for the approximation are left out: 1.0 is the p-value of no pair at all.
    """
    rows = [np.asarray(table, dtype=float) / sum(table[0]) for table in tables]
    statistic, freedom = 0.0, 0
    for pair in np.unique(answers, axis=0):
        chosen = symbols[(answers == pair).all(axis=1)]
        expected = len(chosen) * np.outer(rows[0][pair[0]], rows[1][pair[1]])
        if expected[expected > 0].min() < LEAST_EXPECTED:
            continue
        counts = np.zeros_like(expected)
        np.add.at(counts, (chosen[:, 0], chosen[:, 1]), 1)
        statistic += float(((counts - expected)[expected > 0] ** 2 / expected[expected > 0]).sum())
        freedom += int((expected > 0).sum()) - 1
    return statistic, float(stats.chi2.sf(statistic, freedom)) if freedom else 1.0


def epsilon_of(weights: Weights) -> float:
    return max(log(a / b) for column in zip(*weights, strict=True) for a, b in permutations(column, 2) if a)


def epsilon_shown(answers: NDArray, symbols: NDArray, weights: Weights, alpha: float) -> float:
    """What the reports alone prove about epsilon: a lower bound by Clopper-Pearson that is too large with chance alpha.

    Over every ordered pair of answers and every event (set of reports); each pair of limits at alpha over their number.
    """
    counts = np.zeros((len(weights), len(weights[0])))
    np.add.at(counts, (answers, symbols), 1)
    sizes, found = counts.sum(axis=1), list(events(len(weights[0])))
    each = alpha / (2 * len(found) * len(weights) * (len(weights) - 1))
    hits = np.array([counts[:, list(event)].sum(axis=1) for event in found])
    low = np.nan_to_num(stats.beta.ppf(each, hits, sizes - hits + 1), nan=0.0)
    high = np.nan_to_num(stats.beta.ppf(1 - each, hits + 1, sizes - hits), nan=1.0)
    with np.errstate(divide="ignore"):
        bounds = np.log(low)[:, :, None] - np.log(high)[:, None, :]
    return float(bounds[:, ~np.eye(len(weights), dtype=bool)].max())


def events(reports: int) -> Iterator[tuple[int, ...]]:
    """Every set of reports that is neither empty nor everything."""
    return chain.from_iterable(combinations(range(reports), size) for size in range(1, reports))


def guess_limit(weights: Weights) -> float:
    """No mechanism of this epsilon lets a uniform answer of k be guessed better: e^eps / (k - 1 + e^eps)."""
    odds = exp(epsilon_of(weights))
    return odds / (len(weights) - 1 + odds)
