"""Responses by their answers to the predictors of a regression, and the indicators that models are fitted to."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from counts import ENOUGH, Analysis, Array

Pair = tuple[int, int]
"""A predictor, by its place, and one of its answers."""
Column = tuple[Pair, ...]
"""An indicator: of one answer, or of two answers together; with STEP the number of the answer."""
STEP = -1


class Cells:
    """Responses by their answers to the predictors: `answers` (cells, q), `counts` (cells, ...), `weights` (cells,).

    Those alone that tell the answer to each predictor by itself, and not "prefer not to say", the last one, where its
    answers are numbers: `stepped` are the places of predictors in steps.
    """

    def __init__(self, one: Analysis, asked: Sequence[int], counts: Array, weights: Array) -> None:
        sums: dict[tuple[float, ...], Array] = {}
        in_steps = one.parameters.get("steps", ())
        self.stepped = [place for place, at in enumerate(asked) if one.questions[at]["key"] in in_steps]
        last = {place: len(one.questions[asked[place]]["choices"]) - 1 for place in self.stepped}
        for told, each, weight in zip(one.told, counts, weights, strict=True):
            taken = [told[place] for place in asked]
            numbered = all(taken[place] != (at,) for place, at in last.items())
            if each.sum() and numbered and all(len(answers) == 1 for answers in taken):
                alike = (*(answers[0] for answers in taken), float(weight))
                sums[alike] = sums.get(alike, np.zeros_like(each)) + each
        self.answers = np.array([key[:-1] for key in sorted(sums)], dtype=np.int64).reshape(len(sums), len(asked))
        self.counts = np.array([sums[key] for key in sorted(sums)], dtype=np.int64).reshape(-1, *counts.shape[1:])
        self.weights = np.array([key[-1] for key in sorted(sums)])

    @property
    def n(self) -> Array:
        return np.asarray(self.counts.sum(axis=tuple(range(1, self.counts.ndim))))

    def given(self, place: int) -> list[int]:
        """The answers to a predictor that responses tell."""
        return sorted(set(self.answers[:, place].tolist()))

    def holds(self, column: Column, answers: Array | None = None) -> Array:
        """Whether cells, or rows of `answers`, have these answers; of a step the number of the answer."""
        table = self.answers if answers is None else answers
        if column[0][1] == STEP:
            return table[:, column[0][0]]
        return np.logical_and.reduce([table[:, place] == answer for place, answer in column])

    def size(self, column: Column) -> int:
        return int(self.n[self.holds(column)].sum())

    def drop(self, columns: Sequence[Column]) -> None:
        """Leave out the responses with these answers."""
        keep = ~np.logical_or.reduce([self.holds(column) for column in columns])
        self.answers, self.counts, self.weights = self.answers[keep], self.counts[keep], self.weights[keep]

    def drop_rare(self, crossed: Sequence[tuple[int, int]] = ()) -> None:
        """Leave out answers that fewer than ENOUGH gave, and pairs of answers to two questions that interact."""
        while True:
            asked = [q for q in range(self.answers.shape[1]) if q not in self.stepped]
            rare: list[Column] = [
                ((q, one),) for q in asked for one in self.given(q) if self.size(((q, one),)) < ENOUGH
            ]
            rare += [both for pair in crossed for both in self.pairs(pair) if 0 < self.size(both) < ENOUGH]
            if not rare:
                return
            self.drop(rare)

    def columns(self, places: Sequence[int]) -> list[Column]:
        """An indicator of each answer but the first, or the number of the answer."""
        return [
            ((place, answer),)
            for place in places
            for answer in ([STEP] if place in self.stepped else self.given(place)[1:])
        ]

    def all_columns(self, crossed: Sequence[tuple[int, int]]) -> list[Column]:
        """Of each answer but the first, and of two together of each two questions that interact."""
        columns = self.columns(range(self.answers.shape[1]))
        for pair in crossed:
            columns = self.crossed(pair, columns)
        return columns

    def pairs(self, crossed: tuple[int, int]) -> list[Column]:
        """Every two answers to two questions that interact."""
        return [tuple(zip(crossed, both, strict=True)) for both in product(*(self.given(place) for place in crossed))]

    def design(self, columns: Sequence[Column], answers: Array | None = None) -> Array:
        n = len(self.answers if answers is None else answers)
        return np.array([self.holds(one, answers) for one in columns], dtype=float).reshape(len(columns), n).T

    def crossed(self, pair: tuple[int, int], before: Sequence[Column]) -> list[Column]:
        """The indicators of two answers together, of those that the columns before them do not add up to."""
        found = list(before)
        first = {(place, self.given(place)[0]) for place in pair}
        for both in sorted(self.pairs(pair), key=lambda each: not first.isdisjoint(each)):
            design = np.insert(self.design([*found, both]), 0, 1, axis=1)
            if np.linalg.matrix_rank(design) > np.linalg.matrix_rank(design[:, :-1]):
                found.append(both)
        return found
