"""Cross-tables of two questions, corrected for the randomisation of both."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from collector.designs import Design
from estimator.analyses.calibrated import Unmet, weights_of
from estimator.analyses.quantities import variable_of
from estimator.analyses.rows import (
    EDGE,
    ENOUGH_FOR_NORMAL,
    ENTERED,
    MAYBE_EMPTY,
    TOO_FEW_IN_GROUPS,
    AnalysisRow,
    number,
)
from estimator.base.measures import TOO_FEW
from estimator.runs.groups import stored
from randomized_response import JointEstimate, estimate_joint, weighted_joint
from randomized_response.joint import Association

WALD, DELTA, LIKELIHOOD = "wald", "delta", "likelihood"
MakeRow = Callable[..., AnalysisRow]
"""A row from its quantity and numbers."""


def cross_table(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute joint shares, shares by row, association and independence test."""
    first, second = (variable_of(design, parameters[name]) for name in ("rows", "columns"))
    pairs = np.array(inputs["pairs"], dtype=np.int64)
    group, partition = parameters["group"], stored(design, inputs["groups"])
    weighted = "weighting" in parameters
    if (group or weighted) and not partition.parts:
        return {"n": 0, "flags": [TOO_FEW_IN_GROUPS], "rows": []}
    table = pairs[partition.row_of(group)] if group else pairs.sum(axis=0)
    n = int(table.sum())
    if n < ENOUGH_FOR_NORMAL:
        return {"n": n, "flags": [TOO_FEW], "rows": []}
    channels, confidence = (first.channel, second.channel), parameters["confidence"]
    if weighted:
        weights = weights_of(design, partition.members, pairs.sum(axis=(1, 2)).tolist(), parameters["weighting"])
        if isinstance(weights, Unmet):
            return {"n": 0, "flags": [TOO_FEW], "unmet": asdict(weights), "rows": []}
        joint = weighted_joint(pairs[weights.rows], weights.calibrated, *channels, confidence=confidence)
    else:
        joint = estimate_joint(table, *channels, confidence=confidence)
    return _told(joint, *(design.items[variable.position].key for variable in (first, second)), weighted=weighted)


def _told(joint: JointEstimate, item: str, other: str, *, weighted: bool) -> dict[str, object]:
    """The rows of a table, and the test of independence."""
    weights = ENTERED if weighted else ""
    row = partial(AnalysisRow, item=item, other_item=other, n=joint.n, level=joint.confidence, weights=weights)
    rows = [*_joint_rows(row, joint), *_shares_by_row(row, joint), *_associations(row, joint)]
    test = joint.independence
    return {
        "n": joint.n,
        "flags": [EDGE] if joint.diagnostics else [],
        "independence": {
            **({"test": WALD} if weighted else {}),
            "statistic": number(test.statistic),
            "degrees_of_freedom": test.degrees_of_freedom,
            "p_value": number(test.p_value),
        },
        "rows": [asdict(row) for row in rows],
    }


def _joint_rows(row: MakeRow, joint: JointEstimate) -> Iterator[AnalysisRow]:
    for i, j in product(*map(range, joint.constrained.shape)):
        yield row(
            "joint_share", choice=i, other_choice=j, estimate=number(joint.constrained[i, j]),
            unbiased=number(joint.unbiased[i, j]), standard_error=number(joint.standard_error[i, j]),
            low=number(joint.low[i, j]), high=number(joint.high[i, j]), interval=WALD,
        )  # fmt: skip


def _shares_by_row(row: MakeRow, joint: JointEstimate) -> Iterator[AnalysisRow]:
    """The shares of the second question's answers among respondents with each answer to the first."""
    found = joint.conditional()
    for i, j in product(*map(range, found.shares.shape)):
        if np.isnan(found.shares[i, j]):
            yield row("row_share", choice=i, other_choice=j, level=None, flags=[MAYBE_EMPTY])
            continue
        yield row(
            "row_share", choice=i, other_choice=j, estimate=number(found.shares[i, j]),
            standard_error=number(found.standard_error[i, j]), low=number(found.low[i, j]),
            high=number(found.high[i, j]), interval=DELTA,
        )  # fmt: skip


def _associations(row: MakeRow, joint: JointEstimate) -> Iterator[AnalysisRow]:
    found: dict[str, Association | None] = {"phi": joint.phi, "odds_ratio": joint.odds_ratio}
    for name, one in found.items():
        if one is None:
            continue
        # Where the most likely table has a cell of nought there is no standard error, and one end may be infinite.
        error = one.standard_error / one.estimate if name == "odds_ratio" and one.estimate else one.standard_error
        yield row(
            name, estimate=number(one.estimate), standard_error=number(error), low=number(one.low),
            high=number(one.high), interval=LIKELIHOOD if np.isnan(error) else DELTA,
            flags=[] if np.isfinite(one.estimate) else [EDGE],
        )  # fmt: skip
