"""Cross-tables of two randomised answers, or of a background question and one, corrected for the randomisation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.calibrated import Unmet, weights_of
from estimator.analyses.logistic import reports_of
from estimator.analyses.quantities import Measured, Variable, sides_of, values_of
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
from estimator.runs.cells import row_answers
from estimator.runs.groups import Partition, stored
from randomized_response import Channel, JointEstimate, estimate_joint, weighted_joint
from randomized_response.joint import Association

WALD, DELTA, LIKELIHOOD = "wald", "delta", "likelihood"
MakeRow = Callable[..., AnalysisRow]
"""A row from its quantity and numbers."""


@dataclass(frozen=True)
class Side:
    """One of the two variables of a table.

    - `key`: of its question; `choices`: the place of each of its answers.
    - `values`: the numbers that these stand for; None where they have no order.
    """

    key: str
    channel: Channel
    choices: Sequence[int]
    values: Sequence[float] | None


@dataclass(frozen=True)
class Counted:
    """The counts of pairs by released row, shape (rows, reports of one, reports of the other).

    - `sizes`: all responses of each row.
    - `inside`: the rows that the table is made of; of the others a sum over `pairs` is their number of responses.
    - `left_out`: responses that do not tell the background question; None without one.
    """

    sides: tuple[Side, Side]
    pairs: NDArray[np.int64]
    sizes: NDArray[np.int64]
    inside: NDArray[np.bool_]
    left_out: int | None = None

    @property
    def correlated(self) -> bool:
        """Whether both are numbers; of two yes or no the correlation is phi, which is told already."""
        first, second = self.sides
        return None not in (first.values, second.values) and (len(first.choices), len(second.choices)) != (2, 2)


def cross_table(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute joint shares, shares by row, association, correlation and independence test."""
    partition, group = stored(design, inputs["groups"]), parameters["group"]
    weighting, confidence = parameters.get("weighting"), parameters["confidence"]
    if (group or weighting or "pairs" not in inputs) and not partition.parts:
        return {"n": 0, "flags": [TOO_FEW_IN_GROUPS], "rows": []}
    counted = counted_of(design, parameters, inputs)
    if counted is None:
        return {"n": 0, "flags": [TOO_FEW], "rows": []}
    table = counted.pairs[counted.inside].sum(axis=0)
    n, channels = int(table.sum()), [side.channel for side in counted.sides]
    if n < ENOUGH_FOR_NORMAL:
        return {"n": n, "flags": [TOO_FEW], "rows": []}
    if weighting:
        weights = weights_of(design, partition.members, counted.sizes.tolist(), weighting)
        if isinstance(weights, Unmet):
            return {"n": 0, "flags": [TOO_FEW], "unmet": asdict(weights), "rows": []}
        joint = weighted_joint(
            counted.pairs[weights.rows], weights.calibrated, *channels,
            include=counted.inside[weights.rows], confidence=confidence,
        )  # fmt: skip
    else:
        joint = estimate_joint(table, *channels, confidence=confidence)
    left_out = {} if counted.left_out is None else {"left_out": counted.left_out}
    return _told(joint, counted, weighted=weighting is not None) | left_out


def counted_of(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> Counted | None:
    """The counts of a table; None of a background question that too few tell."""
    first, second = sides_of(design, parameters)
    partition = stored(design, inputs["groups"])
    if isinstance(first, Measured):
        return _by_background(design, first, second, inputs, partition)
    return _of_pairs(design, first, second, inputs, partition, parameters["group"])


def _of_pairs(
    design: Design, first: Variable, second: Variable, inputs: Mapping[str, Any], partition: Partition, group: str
) -> Counted:
    """Of two randomised answers, by the reports of each person; of one group where it is named."""
    pairs = np.array(inputs["pairs"], dtype=np.int64)
    inside = np.arange(len(pairs)) == partition.row_of(group) if group else np.ones(len(pairs), dtype=bool)
    return Counted((_side(design, first), _side(design, second)), pairs, pairs.sum(axis=(1, 2)), inside)


def _by_background(
    design: Design, measured: Measured, second: Variable, inputs: Mapping[str, Any], partition: Partition
) -> Counted | None:
    """Of the answers to a background question that enough people tell by themselves; None of fewer than two answers."""
    reports = reports_of(design, second, inputs)
    sizes = reports.sum(axis=1)
    told = [row_answers(design.background, members)[measured.question] for members in partition.members]
    alone = np.array([one[0] if len(one) == 1 else -1 for one in told])
    answers = [one for one in measured.answers if sizes[alone == one].sum() >= ENOUGH_FOR_NORMAL]
    if len(answers) < 2:
        return None
    inside = np.isin(alone, answers)
    taken = np.where(inside, alone, answers[0])  # that others are people counts in weights, not what they answered
    pairs = np.stack([np.where((taken == one)[:, None], reports, 0) for one in answers], axis=1)
    open_answer = Channel(tuple(tuple(int(one == other) for other in answers) for one in answers))
    values = [float(one) for one in answers] if measured.stepped else None
    first = Side(design.background.questions[measured.question].key, open_answer, answers, values)
    return Counted((first, _side(design, second)), pairs, sizes, inside, int(sizes[~inside].sum()))


def _side(design: Design, variable: Variable) -> Side:
    key, answers = design.items[variable.position].key, range(variable.channel.answers)
    return Side(key, variable.channel, answers, values_of(design, variable))


def _told(joint: JointEstimate, counted: Counted, *, weighted: bool) -> dict[str, object]:
    """The rows of a table, and the test of independence."""
    weights, sides = ENTERED if weighted else "", counted.sides
    one, other = sides
    row = partial(AnalysisRow, item=one.key, other_item=other.key, n=joint.n, level=joint.confidence, weights=weights)
    rows = [
        *_joint_rows(row, joint, sides),
        *_shares_by_row(row, joint, sides),
        *_associations(row, joint),
        *(_correlation(row, joint, sides) if counted.correlated else ()),
    ]
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


def _places(sides: tuple[Side, Side]) -> Iterator[tuple[tuple[int, int], dict[str, int]]]:
    """Each cell of a table: its place, and the answers that it is of."""
    for i, j in product(*(range(len(side.choices)) for side in sides)):
        yield (i, j), {"choice": sides[0].choices[i], "other_choice": sides[1].choices[j]}


def _joint_rows(row: MakeRow, joint: JointEstimate, sides: tuple[Side, Side]) -> Iterator[AnalysisRow]:
    for (i, j), answers in _places(sides):
        yield row(
            "joint_share", **answers, estimate=number(joint.constrained[i, j]),
            unbiased=number(joint.unbiased[i, j]), standard_error=number(joint.standard_error[i, j]),
            low=number(joint.low[i, j]), high=number(joint.high[i, j]), interval=WALD,
        )  # fmt: skip


def _shares_by_row(row: MakeRow, joint: JointEstimate, sides: tuple[Side, Side]) -> Iterator[AnalysisRow]:
    """The shares of the second question's answers among respondents with each answer to the first."""
    found = joint.conditional()
    for (i, j), answers in _places(sides):
        if np.isnan(found.shares[i, j]):
            yield row("row_share", **answers, level=None, flags=[MAYBE_EMPTY])
            continue
        yield row(
            "row_share", **answers, estimate=number(found.shares[i, j]),
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


def _correlation(row: MakeRow, joint: JointEstimate, sides: tuple[Side, Side]) -> Iterator[AnalysisRow]:
    """Pearson's correlation of two numbers."""
    found = joint.correlation(*(side.values for side in sides))
    yield row(
        "correlation", estimate=number(found.constrained), unbiased=number(found.unbiased),
        standard_error=number(found.standard_error), low=number(found.low), high=number(found.high), interval=DELTA,
        flags=[] if np.isfinite(found.unbiased) else [EDGE],
    )  # fmt: skip
