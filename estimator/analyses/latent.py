"""Regression of a randomised yes/no answer on another randomised answer, with background questions held fixed.

Neither answer is known: both are integrated over through their tickets, in one likelihood (Blair, Imai & Zhou 2015,
section 3.3). Each background question enters with an indicator for every answer but its first, as in `adjusted`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.logistic import criteria, with_numbers
from estimator.analyses.quantities import Variable, variable_of
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, WALD, AnalysisRow, number
from estimator.base.measures import TOO_FEW
from estimator.runs.cells import row_answers
from estimator.runs.groups import answer_key, stored
from randomized_response import PredictorFit, predictor_regression

MOST_ANSWERS = 6
"""Of the answer that is a predictor."""
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class _Counted:
    """The responses by answers to the background questions: `told` (cells, q), `pairs` (cells, outcome, predictor)."""

    told: NDArray[np.int64]
    pairs: Counts

    def answers(self, place: int) -> list[int]:
        return sorted(set(self.told[:, place].tolist()))

    def size(self, place: int, answer: int) -> int:
        return int(self.pairs[self.told[:, place] == answer].sum())


def latent_regression(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute the odds ratio of each answer to the randomised predictor against its first, and of background answers.

    Background answers that too few gave are left out with those who gave them.
    """
    outcome = variable_of(design, parameters["outcome"], binary=True)
    answer = variable_of(design, parameters["answer"])
    background = design.background
    asked = [place for place, one in enumerate(background.questions) if one.key in parameters["predictors"]]
    pairs = np.array(inputs["pairs"], dtype=np.int64)
    counted, rare = _enough(_told(design, asked, stored(design, inputs["groups"]).members, pairs))
    n = int(counted.pairs.sum())
    blank = AnalysisRow("odds_ratio", design.items[outcome.position].key, n, choice=outcome.choice)
    few = [
        replace(blank, n=size, group=answer_key(design, asked[place], one), flags=[TOO_FEW])
        for place, one, size in rare
    ]
    found: dict[str, object] = {"n": n, "left_out": int(pairs.sum()) - n}
    if n < ENOUGH_FOR_NORMAL or any(len(counted.answers(place)) < 2 for place in range(len(asked))):
        return found | {"flags": [TOO_FEW], "rows": [asdict(row) for row in few]}
    columns = [(place, one) for place in range(len(asked)) for one in counted.answers(place)[1:]]
    fit = _fitted(counted, columns, outcome, answer)
    level = parameters["confidence"]
    rows = [
        *_of_answer(design, blank, answer, fit, level),
        *_of_background(design, blank, asked, counted, columns, fit, level),
    ]
    test = fit.wald_test(_places(fit, [f"answer: {one}" for one in fit.labels[1:]]))
    return found | {
        "flags": [] if fit.converged else [EDGE],
        "alike": {
            "test": WALD,
            "statistic": number(test.statistic),
            "degrees_of_freedom": test.degrees_of_freedom,
            "p_value": number(test.p_value),
        },
        "log_likelihood": number(fit.log_likelihood),
        "criteria": criteria(fit),
        "rows": [asdict(row) for row in [*rows, *few]],
    }


def _told(design: Design, asked: Sequence[int], members: Sequence[Sequence[int]], pairs: Counts) -> _Counted:
    """The pairs of the rows in which the answer to each predictor is told by itself."""
    sums: dict[tuple[int, ...], Counts] = {}
    for row, counts in zip(members, pairs, strict=True):
        taken = [row_answers(design.background, row)[place] for place in asked]
        if counts.sum() and all(len(one) == 1 for one in taken):
            told = tuple(one[0] for one in taken)
            sums[told] = sums.get(told, np.zeros_like(counts)) + counts
    told_cells = sorted(sums)
    return _Counted(
        np.array(told_cells, dtype=np.int64).reshape(len(told_cells), len(asked)),
        np.array([sums[one] for one in told_cells], dtype=np.int64).reshape(len(told_cells), *pairs.shape[1:]),
    )


def _enough(counted: _Counted) -> tuple[_Counted, list[tuple[int, int, int]]]:
    """The responses without those of background answers that too few gave; these answers and their numbers."""
    rare: list[tuple[int, int, int]] = []
    while True:
        few = [
            (place, one, size)
            for place in range(counted.told.shape[1])
            for one in counted.answers(place)
            if (size := counted.size(place, one)) < ENOUGH_FOR_NORMAL
        ]
        if not few:
            return counted, rare
        rare += few
        keep = ~np.any([counted.told[:, place] == one for place, one, _ in few], axis=0)
        counted = _Counted(counted.told[keep], counted.pairs[keep])


def _fitted(counted: _Counted, columns: Sequence[tuple[int, int]], outcome: Variable, answer: Variable) -> PredictorFit:
    cells, said, reported = counted.pairs.nonzero()
    covariates = np.array([counted.told[cells, place] == one for place, one in columns], dtype=float).T
    return predictor_regression(
        said, covariates.reshape(len(cells), len(columns)), reported, answer.channel, model="logit",
        outcome_channel=outcome.channel, counts=counted.pairs[cells, said, reported],
    )  # fmt: skip


def _places(fit: PredictorFit, names: Sequence[str]) -> NDArray[np.float64]:
    """The contrasts that pick these coefficients."""
    return np.eye(len(fit.names))[[fit.names.index(name) for name in names]]


def _of_answer(
    design: Design, blank: AnalysisRow, answer: Variable, fit: PredictorFit, level: float
) -> Iterator[AnalysisRow]:
    key = design.items[answer.position].key
    for one in range(1, answer.channel.answers):
        row = replace(blank, other_item=key, other_choice=one, level=level)
        yield _ratio(row, fit, fit.names.index(f"answer: {one}"), level)


def _of_background(
    design: Design,
    blank: AnalysisRow,
    asked: Sequence[int],
    counted: _Counted,
    columns: Sequence[tuple[int, int]],
    fit: PredictorFit,
    level: float,
) -> Iterator[AnalysisRow]:
    for number_, (place, one) in enumerate(columns, start=1):
        first = counted.answers(place)[0]
        keys = [answer_key(design, asked[place], each) for each in (one, first)]
        n = counted.size(place, one) + counted.size(place, first)
        yield _ratio(replace(blank, n=n, group=keys[0], against=keys[1], level=level), fit, number_, level)


def _ratio(row: AnalysisRow, fit: PredictorFit, place: int, level: float) -> AnalysisRow:
    """The row with the exponential of a coefficient."""
    low, high = fit.intervals(level)[place]
    return with_numbers(
        row, *map(float, (np.exp(fit.coefficients[place]), fit.standard_errors[place], np.exp(low), np.exp(high)))
    )
