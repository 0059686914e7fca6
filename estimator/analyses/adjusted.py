"""Logistic regression of a randomised yes/no answer on several background questions at once.

Each question enters with an indicator for every answer but its first; responses in which the answer to one of them is
not told by itself are left out. The share of an answer is averaged over the respondents as if all had given it
(predictive margin; Graubard & Korn 1999, Biometrics 55, 652-659), with the delta method on the logit scale.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.logistic import alike, reports_of, with_numbers
from estimator.analyses.quantities import variable_of
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, AnalysisRow, number
from estimator.base.measures import TOO_FEW
from estimator.runs.cells import row_answers
from estimator.runs.groups import answer_key, stored
from randomized_response import LogisticFit, logistic_regression
from randomized_response.intervals import normal_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Table:
    """The responses by answers to the predictors: `answers` of shape (cells, q), `reports` (cells, reports)."""

    answers: NDArray[np.int64]
    reports: NDArray[np.int64]

    @property
    def n(self) -> NDArray[np.int64]:
        n: NDArray[np.int64] = self.reports.sum(axis=1)
        return n

    def told(self, question: int) -> list[int]:
        """The answers to a question, in order."""
        return sorted(set(self.answers[:, question].tolist()))

    def size(self, question: int, answer: int) -> int:
        return int(self.n[self.answers[:, question] == answer].sum())


@dataclass(frozen=True)
class _Model:
    """A fitted regression: `told` are the answers to each predictor, `columns` those with an indicator.

    `keys` names the group of each answer to each predictor.
    """

    table: _Table
    told: Sequence[Sequence[int]]
    columns: Sequence[tuple[int, int]]
    keys: Sequence[Sequence[str]]
    fit: LogisticFit
    level: float

    def shares(self) -> Iterator[AnalysisRow]:
        """The share of the outcome if all had given an answer, for each answer."""
        for place, answer in ((place, answer) for place, one in enumerate(self.told) for answer in one):
            given = self.table.answers.copy()
            given[:, place] = answer
            n, group = self.table.size(place, answer), self.keys[place][answer]
            row = AnalysisRow("share", "", n, group=group, level=self.level)
            yield with_numbers(row, *_margin(_design(given, self.columns), self.table.n, self.fit, self.level))

    def ratios(self) -> Iterator[AnalysisRow]:
        """The odds ratio of each answer against the first to its question, with the other questions held fixed."""
        limits = self.fit.intervals(self.level)
        for k, (place, answer) in enumerate(self.columns, start=1):
            first, keys = self.told[place][0], self.keys[place]
            n = self.table.size(place, answer) + self.table.size(place, first)
            row = AnalysisRow("odds_ratio", "", n, group=keys[answer], against=keys[first], level=self.level)
            numbers = np.exp(self.fit.coefficients[k]), self.fit.standard_errors[k], *np.exp(limits[k])
            yield with_numbers(row, *map(float, numbers))


def adjusted_regression(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute the odds ratio of each answer against the first of its question, and the share of each answer.

    Answers with too few responses are left out with those who gave them; without two answers to each question there
    are no numbers.
    """
    outcome, background = variable_of(design, parameters["outcome"], binary=True), design.background
    asked = [place for place, one in enumerate(background.questions) if one.key in parameters["predictors"]]
    whole = _table(design, asked, inputs, reports_of(design, outcome, inputs))
    table, rare = _enough(whole)
    key = design.items[outcome.position].key
    few = [
        AnalysisRow("odds_ratio", key, whole.size(place, answer), choice=outcome.choice,
            group=answer_key(design, asked[place], answer), flags=[TOO_FEW])
        for place, answer in rare
    ]  # fmt: skip
    found = {"n": int(table.n.sum()), "left_out": int(np.array(inputs["totals"])[:, 0].sum() - table.n.sum())}
    told = [table.told(place) for place in range(len(asked))]
    if any(len(one) < 2 for one in told):
        return found | {"flags": [TOO_FEW], "rows": [asdict(row) for row in few]}
    columns = [(place, answer) for place, one in enumerate(told) for answer in one[1:]]
    fit = _fitted(table, columns, outcome.channel)
    keys = [[answer_key(design, q, answer) for answer in background.questions[q].everyone] for q in asked]
    model = _Model(table, told, columns, keys, fit, parameters["confidence"])
    rows = [replace(row, item=key, choice=outcome.choice) for row in (*model.shares(), *model.ratios())] + few
    return found | {
        "flags": [] if fit.converged else [EDGE],
        "alike": alike(fit),
        "log_likelihood": number(fit.log_likelihood),
        "rows": [asdict(row) for row in rows],
    }


def _table(design: Design, asked: Sequence[int], inputs: Mapping[str, Any], reports: NDArray[np.int64]) -> _Table:
    """The reports of the rows in which the answer to each predictor is told by itself."""
    sums: dict[tuple[int, ...], NDArray[np.int64]] = {}
    for members, counts in zip(stored(design, inputs["groups"]).members, reports, strict=True):
        taken = [row_answers(design.background, members)[place] for place in asked]
        if all(len(one) == 1 for one in taken):
            answers = tuple(one[0] for one in taken)
            sums[answers] = sums.get(answers, np.zeros_like(counts)) + counts
    told = sorted(answers for answers in sums if sums[answers].sum())
    return _Table(
        np.array(told, dtype=np.int64).reshape(-1, len(asked)),
        np.array([sums[answers] for answers in told], dtype=np.int64).reshape(-1, reports.shape[1]),
    )


def _enough(table: _Table) -> tuple[_Table, list[tuple[int, int]]]:
    """The responses without those of answers that too few gave, and these answers."""
    rare: list[tuple[int, int]] = []
    while True:
        questions = range(table.answers.shape[1])
        few = [(q, one) for q in questions for one in table.told(q) if table.size(q, one) < ENOUGH_FOR_NORMAL]
        if not few:
            return table, rare
        rare += few
        keep = ~np.any([table.answers[:, q] == one for q, one in few], axis=0)
        table = _Table(table.answers[keep], table.reports[keep])


def _design(answers: NDArray[np.int64], columns: Sequence[tuple[int, int]]) -> Floats:
    return np.stack([(answers[:, place] == answer).astype(float) for place, answer in columns], axis=1)


def _fitted(table: _Table, columns: Sequence[tuple[int, int]], channel: Any) -> LogisticFit:
    cells, codes = table.reports.nonzero()
    covariates = _design(table.answers, columns)[cells]
    return logistic_regression(covariates, codes, channel, counts=table.reports[cells, codes])


def _margin(covariates: Floats, n: NDArray[np.int64], fit: LogisticFit, level: float) -> tuple[float, ...]:
    """The mean of the predicted shares over respondents, its error and limits."""
    design = np.column_stack([np.ones(len(covariates)), covariates])
    shares = 1 / (1 + np.exp(-(design @ fit.reached)))
    mean = float(np.average(shares, weights=n))
    slope = np.average(design * (shares * (1 - shares))[:, None], axis=0, weights=n)
    error = float(np.sqrt(slope @ fit.covariance @ slope))
    if not 0 < mean < 1:
        return mean, error, np.nan, np.nan
    logit, reach = np.log(mean / (1 - mean)), normal_quantile(level) * error / (mean * (1 - mean))
    low, high = 1 / (1 + np.exp(-(logit - reach))), 1 / (1 + np.exp(-(logit + reach)))
    return mean, error, float(low), float(high)
