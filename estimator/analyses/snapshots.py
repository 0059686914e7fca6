"""Inputs of an analysis: totals, or counts of pairs, read from one snapshot of the store."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design, canonical, selectors
from collector.reports import folding
from collector.reports import selectors as store
from estimator.analyses import scores
from estimator.analyses.quantities import (
    COIN,
    Score,
    Variable,
    coin_kinds,
    item_of,
    measured_of,
    outcome_of,
    randomised_predictors,
    variable_of,
)
from estimator.models import Analysis
from estimator.runs.groups import Partition, of_totals, released

Kind = Analysis.Kind


@dataclass(frozen=True)
class Snapshot:
    """The counts that an analysis needs and when they were read; `reports` is summed over all its versions."""

    inputs: dict[str, object]
    reports: int
    at: datetime
    while_open: bool


def take(kind: str, parameters: Mapping[str, Any], design: Design) -> Snapshot:
    """Fold waiting reports, of an open design in whole steps, then read the inputs of this kind of analysis."""
    now, while_open = store.released_moment(design.digest), not selectors.is_final(design.digest)
    if needs_pairs(kind, parameters, design):
        variables = _counted_together(kind, parameters, design)
        folding.fold(design.digest)
        counts = count_together(design, variables)
        partition = released(design, counts.reshape(len(counts), -1).sum(axis=1).tolist())
        asked = (one.position for one in variables)
        inputs = {"pairs": partition.merge(counts, *asked).tolist(), "groups": partition.members}
        return Snapshot(inputs, int(counts.sum()), now, while_open)
    if kind == Kind.SCORES:
        counted = scores.variables(design, parameters)
        folding.fold(design.digest)
        patterns = scores.count_patterns(design, counted)
        return Snapshot({"patterns": patterns}, sum(row[-1] for row in patterns), now, while_open)
    if kind == Kind.VERSIONS:
        designs = [selectors.get_design(digest) for digest in parameters["designs"]]
        key = parameters["quantity"].partition(":")[0]
        versions = [_totals(one, item_of(one, key)) for one in designs]
        inputs = {
            "versions": [[table.tolist() for table in tables] for _, tables in versions],
            "groups": [partition.members for partition, _ in versions],
        }
        return Snapshot(inputs, sum(int(tables[0].sum()) for _, tables in versions), now, while_open)
    token = next(parameters[name] for name in ("quantity", "item", "outcome", "columns") if parameters.get(name))
    kinds = coin_kinds(design, item_of(design, token.partition(":")[0])) if token.endswith(f":{COIN}") else None
    positions = (item_of(design, token.partition(":")[0]),) if kinds is None else kinds.asked
    partition, totals = _totals(design, *positions)
    counts = np.stack(totals, axis=1)
    inputs = {"totals": counts.tolist(), "groups": partition.members}
    # Of a coin that is tossed for other questions in other versions each person was asked one.
    return Snapshot(inputs, int(counts.sum() if kinds else counts[:, 0].sum()), now, while_open)


def needs_pairs(kind: str, parameters: Mapping[str, Any], design: Design) -> bool:
    """Whether two or more randomised answers of each person are counted together, for which totals do not suffice."""
    if kind == Kind.CROSS_TABLE:
        return measured_of(design, parameters["rows"]) is None
    return "answer" in parameters


def _counted_together(kind: str, parameters: Mapping[str, Any], design: Design) -> list[Variable | Score]:
    if kind == Kind.CROSS_TABLE:
        return [variable_of(design, parameters["rows"]), variable_of(design, parameters["columns"])]
    return [outcome_of(design, parameters["outcome"]), *randomised_predictors(design, parameters)]


def digest_of(kind: str, parameters: Mapping[str, Any], design: Design, inputs: Mapping[str, Any]) -> str:
    """SHA-256 of everything that a result depends on except the version of the library."""
    document = {"kind": kind, "parameters": parameters, "design": design.digest, "inputs": inputs}
    return hashlib.sha256(canonical(document)).hexdigest()


def count_together(design: Design, variables: Sequence[Variable | Score]) -> NDArray[np.int64]:
    """Count the stored reports of several questions together by stratum: shape (strata, reports of each in turn).

    One pass over the reports, in one statement: the counts are of one state of the store, whatever comes in meanwhile.
    """
    sizes = (len(design.strata), *(one.reports for one in variables))
    counts = np.zeros(int(np.prod(sizes)), dtype=np.int64)
    codes = [(np.array(one.codes, dtype=np.intp), one.column) for one in variables]
    for strata, symbols in store.stored_reports(design.digest):
        places = (strata, *(code[symbols[:, column]] for code, column in codes))
        counts += np.bincount(np.ravel_multi_index(places, sizes), minlength=counts.size)
    return counts.reshape(sizes)


def _totals(design: Design, *positions: int) -> tuple[Partition, store.Totals]:
    """The released totals of the symbols of the items at these positions."""
    waits = True
    while waits:  # as a run does: closed behind the fold, it may be half folded
        folding.fold(design.digest)
        with store.one_snapshot():
            exact = store.totals(design.digest)
            waits = store.report_counts([design.digest])[design.digest].waiting > 0
    partition = of_totals(design, exact, final=selectors.is_final(design.digest))
    fields = [(position, design.fields[position]) for position in positions]
    merged = (partition.merge_item(exact[field.start : field.stop], position) for position, field in fields)
    return partition, tuple(chain.from_iterable(merged))
