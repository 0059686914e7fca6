"""Responses by their answers to the background questions that are the predictors of a regression."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.calibrated import Unmet, weights_of
from estimator.analyses.rows import ENOUGH_FOR_NORMAL
from estimator.runs.cells import row_answers
from estimator.runs.groups import stored

Floats = NDArray[np.float64]
Column = tuple[tuple[int, int], ...]
"""An indicator: the places of predictors, each with the answer that it needs; or with STEPS for the answer's number."""
STEPS = -1
Pair = tuple[int, int]
"""The places of two predictors that interact."""
RANK = 1e-9


@dataclass(frozen=True)
class Table:
    """The responses by answers to the predictors: `answers` of shape (cells, q), `reports` (cells, reports).

    With randomised predictors, too, `reports` are of all: (cells, reports, reports of the first predictor, ...).

    `weights` is what a response of each cell counts, 1 where all count alike.
    """

    answers: NDArray[np.int64]
    reports: NDArray[np.int64]
    weights: Floats

    @property
    def n(self) -> NDArray[np.int64]:
        n: NDArray[np.int64] = self.reports.sum(axis=tuple(range(1, self.reports.ndim)))
        return n

    @property
    def mass(self) -> Floats:
        return np.asarray(self.n * self.weights)

    def told(self, question: int) -> list[int]:
        """The answers to a question, in order."""
        return sorted(set(self.answers[:, question].tolist()))

    def size(self, *wanted: tuple[int, int]) -> int:
        """The number of responses with these answers to these questions."""
        return int(self.n[holds(self.answers, wanted)].sum())


def row_weights(
    design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any], sizes: Sequence[int]
) -> Floats | Unmet:
    """What a response of each released row counts, from their numbers of responses."""
    weights, members = np.ones(len(sizes)), stored(design, inputs["groups"]).members
    if "weighting" not in parameters or len(members) == 1:
        return weights
    found = weights_of(design, members, sizes, parameters["weighting"])
    if isinstance(found, Unmet):
        return found
    weights[found.rows] = found.ratios
    return weights


def table_of(
    design: Design,
    asked: Sequence[int],
    stepped: Sequence[int],
    inputs: Mapping[str, Any],
    reports: NDArray[np.int64],
    weights: Floats,
) -> Table:
    """The reports of the rows in which the answer to each predictor is told by itself.

    "Prefer not to say" has no number in steps.
    """
    offered = [design.background.questions[asked[place]].offered for place in stepped]
    sums: dict[tuple[float, ...], NDArray[np.int64]] = {}
    for members, counts, weight in zip(stored(design, inputs["groups"]).members, reports, weights, strict=True):
        taken = [row_answers(design.background, members)[place] for place in asked]
        numbered = all(taken[place][0] in one for place, one in zip(stepped, offered, strict=True))
        if counts.sum() and numbered and all(len(one) == 1 for one in taken):
            alike = (*(one[0] for one in taken), float(weight))
            sums[alike] = sums.get(alike, np.zeros_like(counts)) + counts
    told = sorted(sums)
    return Table(
        np.array([one[:-1] for one in told], dtype=np.int64).reshape(len(told), len(asked)),
        np.array([sums[one] for one in told], dtype=np.int64).reshape(-1, *reports.shape[1:]),
        np.array([one[-1] for one in told]),
    )


def pairs_of(parameters: Mapping[str, Any], keys: Sequence[str]) -> tuple[Pair, ...]:
    """The places of the predictors of `keys` that interact; the parameter names them two by two."""
    crossed = parameters.get("interaction", ())
    both = zip(crossed[::2], crossed[1::2], strict=True)
    found = (sorted((keys.index(one), keys.index(other))) for one, other in both)
    return tuple((one, other) for one, other in found)


def enough(table: Table, crossed: Sequence[Pair], stepped: Sequence[int]) -> tuple[Table, list[tuple[int, int]]]:
    """The responses without those of answers, and of two `crossed` ones together, that too few gave; these answers.

    Few suffice in steps.
    """
    rare: list[tuple[int, int]] = []
    while True:
        questions = range(table.answers.shape[1])
        few = [
            (q, one)
            for q in questions
            for one in table.told(q)
            if q not in stepped and table.size((q, one)) < ENOUGH_FOR_NORMAL
        ]
        drop: list[Column] = [(one,) for one in few]
        for pair in crossed:
            drop += [both for both in together(table, pair) if 0 < table.size(*both) < ENOUGH_FOR_NORMAL]
        if not drop:
            return table, rare
        rare += few
        keep = ~np.any([holds(table.answers, one) for one in drop], axis=0)
        table = Table(table.answers[keep], table.reports[keep], table.weights[keep])


def single_columns(table: Table, places: Sequence[int], stepped: Sequence[int]) -> list[Column]:
    """An indicator of each answer but the first to the predictors at `places`, or the number of the answer."""
    return [
        ((place, answer),) for place in places for answer in ([STEPS] if place in stepped else table.told(place)[1:])
    ]


def together(table: Table, pair: Pair) -> list[Column]:
    """Every two answers to two questions that interact."""
    return [tuple(zip(pair, answers, strict=True)) for answers in product(*(table.told(place) for place in pair))]


def crossed_columns(table: Table, crossed: Sequence[Pair], single: Sequence[Column]) -> list[Column]:
    """Indicators of two answers together, of all that interact: those that the columns before them do not add up to.

    Products of two indicators come before those with a first answer, which are needed where nobody gave some of them.
    """
    found: list[Column] = []
    first = {(place, table.told(place)[0]) for pair in crossed for place in pair}
    wanted = [sorted(together(table, pair), key=lambda both: not first.isdisjoint(both)) for pair in crossed]
    basis = np.linalg.qr(np.column_stack([np.ones(len(table.answers)), design_matrix(table.answers, single)]))[0]
    for both in chain(*wanted):
        values = holds(table.answers, both).astype(float)
        rest = values - basis @ (basis.T @ values)
        rest -= basis @ (basis.T @ rest)  # once more: what rounding left
        length = float(np.linalg.norm(rest))
        if length > RANK * max(float(np.linalg.norm(values)), 1.0):
            basis = np.column_stack([basis, rest / length])
            found.append(both)
    return found


def holds(answers: NDArray[np.int64], column: Column) -> NDArray[np.bool_]:
    """Which rows have the answers that an indicator needs."""
    held: NDArray[np.bool_] = np.logical_and.reduce([answers[:, place] == answer for place, answer in column])
    return held


def design_matrix(answers: NDArray[np.int64], columns: Sequence[Column]) -> Floats:
    """The columns of the predictors, without the intercept: indicators, and numbers of answers from 0."""
    if not columns:
        return np.empty((len(answers), 0))
    values = [answers[:, one[0][0]] if one[0][1] == STEPS else holds(answers, one) for one in columns]
    return np.stack(values, axis=1).astype(float)
