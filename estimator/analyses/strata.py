"""Comparison and weighting of groups. No database, no clock: the same totals give the same numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from itertools import combinations
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.quantities import Quantity, item_of, quantity_of, question_at
from estimator.analyses.rows import AnalysisRow, number
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


def comparison(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Estimate each group, and the differences of groups with simultaneous confidence intervals."""
    quantity, confidence = quantity_of(design, parameters["quantity"]), parameters["confidence"]
    question, partition = question_at(design, quantity.position), stored(design, inputs["groups"])
    against = parameters["against"]
    groups = compared(partition, against)
    counts = [strata_counts(inputs)[list(group.rows)].sum(axis=0) for group in groups]
    keys, reference = [group.key for group in groups], _reference(partition, groups, against)
    fits = [fit_of(question, one, confidence) for one in counts]
    rows = [
        replace(estimate_row(design, quantity, fit, int(one[0].sum()), confidence), group=part.key)
        for part, fit, one in zip(groups, fits, counts, strict=True)
    ]
    ready = [place for place, row in enumerate(rows) if row.known]
    pairs = list(_pairs(ready, reference))
    level, differences = confidence, []
    if pairs:
        level = _level(rows, ready, reference, parameters["confidence"])
        at_level = {place: fit_of(question, counts[place], level) for place in ready}
        differences = [
            replace(
                difference_row(design, quantity, at_level[one], at_level[other], level),
                group=keys[one],
                against=keys[other],
            )
            for one, other in pairs
        ]
    return {"level": level, "rows": [asdict(row) for row in rows + differences]}


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
        rows.append(replace(estimate_row(design, quantity, whole, n, confidence), weights="entered"))
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


def difference_row(design: Design, quantity: Quantity, one: Fit | None, other: Fit | None, level: float) -> AnalysisRow:
    """One estimate minus an independent other; both have numbers, computed at `level`."""
    item, choice = design.items[quantity.position].key, quantity.choice
    assert one is not None
    assert other is not None
    if choice is None:
        return _difference_of_means(item, one, other, level)
    assert one.shares is not None
    assert other.shares is not None
    found = compare(other.shares, one.shares)
    columns = (found.difference, found.unbiased, found.standard_error, found.low, found.high)
    values, method = [float(column[choice]) for column in columns], targets.of_difference(mean=False)
    return _filled(AnalysisRow("difference", item, one.shares.n + other.shares.n, choice=choice), values, method, level)


def _difference_of_means(item: str, one: Fit, other: Fit, level: float) -> AnalysisRow:
    assert one.mean is not None
    assert other.mean is not None
    widest = one.mean.maximum - one.mean.minimum
    unbiased, estimate = one.mean.unbiased - other.mean.unbiased, one.mean.constrained - other.mean.constrained
    error = hypot(one.mean.standard_error, other.mean.standard_error)
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


def _pairs(ready: Sequence[int], reference: int | None) -> Iterator[tuple[int, int]]:
    """The positions of the groups to compare, the later minus the earlier."""
    if reference is None:
        yield from ((later, earlier) for earlier, later in combinations(ready, 2))
    elif reference in ready:
        yield from ((place, reference) for place in ready if place != reference)


def _level(rows: Sequence[AnalysisRow], ready: Sequence[int], reference: int | None, confidence: float) -> float:
    """The confidence level of each difference's interval at which all hold simultaneously."""
    errors = [rows[place].standard_error or 0.0 for place in ready]
    place = None if reference is None else ready.index(reference)
    return simultaneous_level(errors, confidence=confidence, reference=place)


def quantities_told(question: Question, position: int) -> Iterator[Quantity]:
    """The mean and the shares that are told of a question."""
    if question.reports_mean:
        yield Quantity(position, None)
    if question.reports_shares:
        mechanism = question.mechanism
        answers = mechanism.answers if hasattr(mechanism, "answers") else mechanism.k
        yield from (Quantity(position, choice) for choice in range(answers))
