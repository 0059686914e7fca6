"""Comparison and weighting of groups. No database, no clock: the same totals give the same numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.quantities import Quantity, item_of, quantity_of, question_at
from estimator.analyses.rows import ENTERED, AnalysisRow, number
from estimator.base.measures import TOO_FEW, TOO_FEW_VALUES
from estimator.runs import targets
from estimator.runs.estimation import Fit, fit_of, weighted
from estimator.runs.groups import Partition, ReleasedGroup, stored
from randomized_response import Question, compare, simultaneous_level
from randomized_response.intervals import normal_quantile

Counts = NDArray[np.int64]
"""Counts of each value of each symbol of one item: shape (strata, symbols, m)."""

PAIRS = "pairs"
"""Compare every pair of groups; otherwise one group, named by its key, with each other. `pairs:region` compares every
pair of answers to a background question."""


def strata_counts(inputs: Mapping[str, Any]) -> Counts:
    """The totals of one item from a snapshot, with a row for each row of the partition."""
    return np.array(inputs["totals"], dtype=np.int64)


@dataclass(frozen=True)
class Compared:
    """The groups of a comparison and their estimates.

    - `sizes`: the responses of each group.
    - `fits_at`: the estimates of the groups at a confidence level.
    - `weights`: as of rows: empty of groups in which all responses count alike.
    - `covariance`: of the estimates of a quantity in two groups, by their places; None of independent groups.
    """

    groups: Sequence[ReleasedGroup]
    sizes: Sequence[int]
    fits_at: Callable[[float], Sequence[Fit | None]]
    weights: str = ""
    covariance: Callable[[int, int], NDArray[np.float64]] | None = None

    def level(self, errors: Sequence[float], reference: int | None, count: int, confidence: float) -> float:
        """The confidence level of each difference's interval at which all `count` of them hold simultaneously.

        Of groups that are not independent by Sidak's inequality (1967, JASA 62, 626-633): it takes any correlations.
        """
        if self.covariance is None:
            return simultaneous_level(errors, confidence=confidence, reference=reference)
        return float(confidence ** (1 / count))


def comparison(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Estimate each group, and the differences of groups with simultaneous confidence intervals."""
    question = question_at(design, quantity_of(design, parameters["quantity"]).position)
    partition = stored(design, inputs["groups"])
    groups = compared(partition, parameters["against"])
    counts = [strata_counts(inputs)[list(group.rows)].sum(axis=0) for group in groups]
    sizes = [int(one[0].sum()) for one in counts]
    fits = Compared(groups, sizes, lambda level: [fit_of(question, one, level) for one in counts])
    return differences(design, parameters, partition, fits)


def differences(
    design: Design, parameters: Mapping[str, Any], partition: Partition, compared: Compared
) -> dict[str, object]:
    """The estimates of the groups, and their differences."""
    quantity, confidence = quantity_of(design, parameters["quantity"]), parameters["confidence"]
    keys, weights = [group.key for group in compared.groups], compared.weights
    rows = [
        replace(estimate_row(design, quantity, fit, n, confidence), group=key, weights=weights)
        for key, fit, n in zip(keys, compared.fits_at(confidence), compared.sizes, strict=True)
    ]
    ready = [place for place, row in enumerate(rows) if row.known]
    reference = _reference(partition, compared.groups, parameters["against"])
    pairs = list(_pairs(ready, reference))
    if not pairs:
        return {"level": confidence, "rows": [asdict(row) for row in rows]}
    errors = [rows[place].standard_error or 0.0 for place in ready]
    level = compared.level(errors, None if reference is None else ready.index(reference), len(pairs), confidence)
    at_level = compared.fits_at(level)
    for one, other in pairs:
        shared = None if compared.covariance is None else compared.covariance(one, other)
        row = difference_row(design, quantity, at_level[one], at_level[other], level, shared)
        rows.append(replace(row, group=keys[one], against=keys[other], weights=weights))
    return {"level": level, "rows": [asdict(row) for row in rows]}


def weighting(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Estimate one item for a population with known group shares, beside the unweighted estimates."""
    position, confidence = item_of(design, parameters["item"]), parameters["confidence"]
    question, counts, partition = question_at(design, position), strata_counts(inputs), stored(design, inputs["groups"])
    fits = [fit_of(question, one, confidence) for one in counts]
    whole = None
    if partition.parts:
        whole = weighted(question, counts, _shares(partition, parameters["shares"]), confidence)
    alike = fit_of(question, counts.sum(axis=0), confidence)
    n = int(counts[:, 0].sum())
    rows: list[AnalysisRow] = []
    for quantity in quantities_told(question, position):
        rows.append(replace(estimate_row(design, quantity, whole, n, confidence), weights=ENTERED))
        rows.append(estimate_row(design, quantity, alike, n, confidence))
        rows += (
            replace(estimate_row(design, quantity, fit, int(one[0].sum()), confidence), group=part.key)
            for part, fit, one in zip(partition.parts, fits, counts, strict=bool(partition.parts))
        )
    return {"rows": [asdict(row) for row in rows]}


def _shares(partition: Partition, entered: Mapping[str, str]) -> list[float]:
    """The entered share of each released group; of combined groups the sum."""
    keys = partition.design.strata
    return [float(sum(Fraction(entered[keys[group]]) for group in groups)) for groups in partition.members]


def estimate_row(design: Design, quantity: Quantity, fit: Fit | None, n: int, confidence: float) -> AnalysisRow:
    """The row of one quantity of some respondents; without numbers if `fit` is None."""
    item, choice = design.items[quantity.position].key, quantity.choice
    blank = AnalysisRow("mean" if choice is None else "share", item, n, choice=choice)
    if fit is None:
        return replace(blank, flags=[TOO_FEW])
    found = fit.part(choice)
    if found is None:
        return replace(blank, flags=[TOO_FEW_VALUES])
    values = [fit.value(choice, name) for name in ("constrained", "unbiased", "standard_error", "low", "high")]
    return _filled(blank, values, found.interval, confidence)


def difference_row(
    design: Design,
    quantity: Quantity,
    one: Fit | None,
    other: Fit | None,
    level: float,
    covariance: NDArray[np.float64] | None = None,
) -> AnalysisRow:
    """One estimate minus another; both have numbers, computed at `level`.

    `covariance` is that of the two, of each share or of the mean; None where they are independent.
    """
    item, choice = design.items[quantity.position].key, quantity.choice
    assert one is not None
    assert other is not None
    if choice is None:
        return _difference_of_means(item, one, other, level, 0.0 if covariance is None else float(covariance[0]))
    assert one.shares is not None
    assert other.shares is not None
    found = compare(other.shares, one.shares, covariance=covariance)
    columns = (found.difference, found.unbiased, found.standard_error, found.low, found.high)
    values, method = [float(column[choice]) for column in columns], targets.of_difference(mean=False)
    return _filled(AnalysisRow("difference", item, one.shares.n + other.shares.n, choice=choice), values, method, level)


def _difference_of_means(item: str, one: Fit, other: Fit, level: float, covariance: float) -> AnalysisRow:
    assert one.mean is not None
    assert other.mean is not None
    widest = one.mean.maximum - one.mean.minimum
    unbiased, estimate = one.mean.unbiased - other.mean.unbiased, one.mean.constrained - other.mean.constrained
    error = sqrt(max(one.mean.standard_error**2 + other.mean.standard_error**2 - 2 * covariance, 0.0))
    reach = normal_quantile(level) * error
    low, high = max(min(unbiased - reach, estimate), -widest), min(max(unbiased + reach, estimate), widest)
    values = (estimate, unbiased, error, low, high)
    return _filled(
        AnalysisRow("difference", item, one.mean.n + other.mean.n), values, targets.of_difference(mean=True), level
    )


def _filled(blank: AnalysisRow, values: Sequence[float], interval: str, level: float) -> AnalysisRow:
    estimate, unbiased, error, low, high = map(number, values)
    return replace(
        blank, estimate=estimate, unbiased=unbiased, standard_error=error, low=low, high=high, interval=interval,
        level=level,
    )  # fmt: skip


def compared(partition: Partition, against: str) -> tuple[ReleasedGroup, ...]:
    """The groups to compare: all, or those by the background question that `against` names."""
    if not partition.design.background:
        return partition.parts
    question = against.removeprefix(f"{PAIRS}:").partition("=")[0]
    return tuple(group for group in partition.groups if group.key.partition("=")[0] == question)


def _reference(partition: Partition, groups: Sequence[ReleasedGroup], against: str) -> int | None:
    """The place of the group that all are compared with, -1 if it is not told of; None to compare every pair."""
    if against.startswith(PAIRS) and against not in partition.design.strata:
        return None
    if partition.design.background:
        return next((place for place, group in enumerate(groups) if group.key == against), -1)
    return partition.row_of(against)


def reference_key(partition: Partition, groups: Sequence[ReleasedGroup], against: str) -> str:
    """The key of the group that all are compared with, as it is told of; empty where every pair is compared."""
    place = _reference(partition, groups, against)
    if place is None:
        return ""
    return groups[place].key if 0 <= place < len(groups) else against


def _pairs(ready: Sequence[int], reference: int | None) -> Iterator[tuple[int, int]]:
    """The positions of the groups to compare, the later minus the earlier."""
    if reference is None:
        yield from ((later, earlier) for earlier, later in combinations(ready, 2))
    elif reference in ready:
        yield from ((place, reference) for place in ready if place != reference)


def quantities_told(question: Question, position: int) -> Iterator[Quantity]:
    """The mean and the shares that are told of a question."""
    if question.reports_mean:
        yield Quantity(position, None)
    if question.reports_shares:
        mechanism = question.mechanism
        answers = mechanism.answers if hasattr(mechanism, "answers") else mechanism.k
        yield from (Quantity(position, choice) for choice in range(answers))
