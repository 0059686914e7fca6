"""Regression of a randomised answer on several background questions at once: logistic, or linear for numbers.

Each question enters with an indicator for every answer but its first; two whose interaction is asked for with one for
every two answers together but the first. Responses in which the answer to one of them is not told by itself are left
out. The
share of an answer is averaged over the respondents as if all had given it (predictive margin; Graubard & Korn 1999,
Biometrics 55, 652-659), with the delta method on the logit scale. With weights the likelihood and the margins are
weighted and the covariance is robust (White 1982). Weakly informative priors (Gelman et al. 2008, Annals of Applied
Statistics 2, 1360-1383) keep numbers finite where an estimated share is 0 or 1: then the mode of the posterior, and
intervals by its curvature.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.calibrated import Unmet, weights_of
from estimator.analyses.logistic import alike, reports_of, with_numbers
from estimator.analyses.quantities import Score, Variable, outcome_of
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, WALD, AnalysisRow, number
from estimator.base.measures import TOO_FEW
from estimator.runs.cells import row_answers
from estimator.runs.groups import AND, answer_key, stored
from randomized_response import LinearFit, LogisticFit, linear_regression, logistic_regression
from randomized_response.intervals import normal_quantile

Floats = NDArray[np.float64]
RANK = 1e-9
Column = tuple[tuple[int, int], ...]
"""An indicator: the places of predictors, each with the answer that it needs."""


@dataclass(frozen=True)
class _Table:
    """The responses by answers to the predictors: `answers` of shape (cells, q), `reports` (cells, reports).

    `weights` is what a response of each cell counts, 1 where all count alike.
    """

    answers: NDArray[np.int64]
    reports: NDArray[np.int64]
    weights: Floats

    @property
    def n(self) -> NDArray[np.int64]:
        n: NDArray[np.int64] = self.reports.sum(axis=1)
        return n

    @property
    def mass(self) -> Floats:
        return np.asarray(self.n * self.weights)

    def told(self, question: int) -> list[int]:
        """The answers to a question, in order."""
        return sorted(set(self.answers[:, question].tolist()))

    def size(self, *wanted: tuple[int, int]) -> int:
        """The number of responses with these answers to these questions."""
        return int(self.n[_holds(self.answers, wanted)].sum())


@dataclass(frozen=True)
class _Model:
    """A regression fitted to `table`, a part of the `whole` that tells the predictors.

    `told` are the answers to each predictor, `columns` the indicators.
    `keys` names the group of each answer to each predictor; `crossed` are the places of two predictors that interact,
    `pairs` their answers that enough gave together, of which the first has no indicator.
    """

    whole: _Table
    table: _Table
    told: Sequence[Sequence[int]]
    columns: Sequence[Column]
    keys: Sequence[Sequence[str]]
    crossed: tuple[int, ...]
    pairs: Sequence[Column]
    fit: LogisticFit | LinearFit
    level: float

    def shares(self) -> Iterator[AnalysisRow]:
        """The share or mean of the outcome if all had given an answer, for each, or for each two that interact."""
        for place, answers in enumerate(self.told):
            if place not in self.crossed:
                yield from (self._share([(place, answer)]) for answer in answers)
        if self.crossed:
            together = product(*(self.told[place] for place in self.crossed))
            wanted = (tuple(zip(self.crossed, pair, strict=True)) for pair in together)
            yield from (self._share(pair) for pair in wanted if self.whole.size(*pair))

    def _share(self, wanted: Sequence[tuple[int, int]]) -> AnalysisRow:
        given = self.table.answers.copy()
        for place, answer in wanted:
            given[:, place] = answer
        n, group = self.whole.size(*wanted), AND.join(self.keys[place][answer] for place, answer in wanted)
        row = AnalysisRow("mean" if self.linear else "share", "", n, group=group, level=self.level)
        if n < ENOUGH_FOR_NORMAL or not self.table.size(*wanted):  # of two answers together
            return replace(row, level=None, flags=[TOO_FEW])
        covariates = _design(given, self.columns)
        if isinstance(self.fit, LinearFit):
            return with_numbers(row, *_mean(covariates, self.table.mass, self.fit, self.level))
        return with_numbers(row, *_margin(covariates, self.table.mass, self.fit, self.level))

    @property
    def linear(self) -> bool:
        return isinstance(self.fit, LinearFit)

    def effects(self) -> Iterator[AnalysisRow]:
        """The odds ratio, or the difference of means, of each answer against the first to its question.

        With the other questions held fixed.

        None for questions that interact: theirs differ from answer to answer of the other one.
        """
        limits = self.fit.intervals(self.level)
        for k, column in enumerate(self.columns, start=1):
            (place, answer), *others = column
            if others or place in self.crossed:
                continue
            first, keys = self.told[place][0], self.keys[place]
            n = self.table.size((place, answer)) + self.table.size((place, first))
            quantity, scale = ("difference", np.array) if self.linear else ("odds_ratio", np.exp)
            row = AnalysisRow(quantity, "", n, group=keys[answer], against=keys[first], level=self.level)
            numbers = scale(self.fit.coefficients[k]), self.fit.standard_errors[k], *scale(limits[k])
            yield with_numbers(row, *map(float, numbers))

    def rows(self) -> list[AnalysisRow]:
        return [*self.shares(), *self.effects()]

    def tests(self) -> dict[str, object]:
        """Whether any predictor matters and, where two interact, whether their effects add up."""
        crossed = {"interaction": self.interaction()} if self.crossed else {}
        if isinstance(self.fit, LinearFit):
            return {"flags": [], "alike": self.alike(), **crossed, "log_likelihood": None}
        plain = self.fit.prior is None and self.fit.information == "observed"
        return {
            "flags": [] if self.fit.converged else [EDGE],
            "alike": alike(self.fit) if plain else self.alike(),
            **crossed,
            "log_likelihood": number(self.fit.log_likelihood),
        }

    def alike(self) -> dict[str, object]:
        """The test of Wald that no coefficient but the intercept matters."""
        return self._wald(np.eye(len(self.columns) + 1)[1:])

    def interaction(self) -> dict[str, object]:
        """The test of Wald that the effects of the two questions add up: of all contrasts that additive ones lack."""
        used = [k for k, column in enumerate(self.columns, start=1) if len(column) > 1]
        effects = [(at, answer) for at, place in enumerate(self.crossed) for answer in self.told[place][1:]]
        additive = [[1.0, *(float(pair[at][1] == answer) for at, answer in effects)] for pair in self.pairs]
        left, sizes, _ = np.linalg.svd(np.array(additive))
        lacking = left[:, int((sizes > RANK * sizes[0]).sum()) :].T
        contrasts = np.zeros((len(lacking), len(self.columns) + 1))
        contrasts[:, used] = lacking[:, 1:]  # the coefficient of the first pair is 0
        return self._wald(contrasts)

    def _wald(self, contrasts: Floats) -> dict[str, object]:
        found = self.fit.wald_test(contrasts)
        numbers = {"statistic": number(found.statistic), "p_value": number(found.p_value)}
        return {"test": WALD, "degrees_of_freedom": found.degrees_of_freedom, **numbers}


def adjusted_regression(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute the odds ratio of each answer against the first of its question, and the share of each answer.

    Answers with too few responses are left out with those who gave them; without two answers to each question there
    are no numbers.
    """
    outcome, background = outcome_of(design, parameters["outcome"]), design.background
    asked = [place for place, one in enumerate(background.questions) if one.key in parameters["predictors"]]
    reports = reports_of(design, outcome, inputs)
    weights = _weights(design, parameters, inputs, reports)
    if isinstance(weights, Unmet):
        return {"n": 0, "flags": [TOO_FEW], "unmet": asdict(weights), "rows": []}
    whole, key = _table(design, asked, inputs, reports, weights), design.items[outcome.position].key
    interaction = parameters.get("interaction", ())
    crossed = tuple(place for place, at in enumerate(asked) if background.questions[at].key in interaction)
    table, rare = _enough(whole, crossed)
    few = [
        AnalysisRow("odds_ratio", key, whole.size((place, answer)), choice=outcome.choice,
            group=answer_key(design, asked[place], answer), flags=[TOO_FEW])
        for place, answer in rare
    ]  # fmt: skip
    left_out = int(np.array(inputs["totals"])[:, 0].sum() - table.n.sum())
    found: dict[str, object] = {"n": int(table.n.sum()), "left_out": left_out}
    if any(len(table.told(place)) < 2 for place in range(len(asked))):
        return found | {"flags": [TOO_FEW], "rows": [asdict(row) for row in few]}
    keys = [[answer_key(design, q, answer) for answer in background.questions[q].everyone] for q in asked]
    model = _fitted(whole, table, crossed, keys, outcome, parameters)
    weighted = "entered" if "weighting" in parameters else ""
    rows = [replace(row, item=key, choice=outcome.choice, weights=weighted) for row in model.rows()]
    return found | model.tests() | {"rows": [asdict(row) for row in rows + few]}


def _weights(
    design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any], reports: NDArray[np.int64]
) -> Floats | Unmet:
    """What a response of each released row counts."""
    weights, members = np.ones(len(reports)), stored(design, inputs["groups"]).members
    if "weighting" not in parameters or len(members) == 1:
        return weights
    found = weights_of(design, members, reports.sum(axis=1).tolist(), parameters["weighting"])
    if isinstance(found, Unmet):
        return found
    weights[found.rows] = found.ratios
    return weights


def _table(
    design: Design, asked: Sequence[int], inputs: Mapping[str, Any], reports: NDArray[np.int64], weights: Floats
) -> _Table:
    """The reports of the rows in which the answer to each predictor is told by itself."""
    sums: dict[tuple[float, ...], NDArray[np.int64]] = {}
    for members, counts, weight in zip(stored(design, inputs["groups"]).members, reports, weights, strict=True):
        taken = [row_answers(design.background, members)[place] for place in asked]
        if counts.sum() and all(len(one) == 1 for one in taken):
            alike = (*(one[0] for one in taken), float(weight))
            sums[alike] = sums.get(alike, np.zeros_like(counts)) + counts
    told = sorted(sums)
    return _Table(
        np.array([one[:-1] for one in told], dtype=np.int64).reshape(-1, len(asked)),
        np.array([sums[one] for one in told], dtype=np.int64).reshape(-1, reports.shape[1]),
        np.array([one[-1] for one in told]),
    )


def _enough(table: _Table, crossed: Sequence[int]) -> tuple[_Table, list[tuple[int, int]]]:
    """The responses without those of answers, and of two `crossed` ones together, that too few gave; these answers."""
    rare: list[tuple[int, int]] = []
    while True:
        questions = range(table.answers.shape[1])
        few = [(q, one) for q in questions for one in table.told(q) if table.size((q, one)) < ENOUGH_FOR_NORMAL]
        together = product(*(table.told(q) for q in crossed)) if crossed else ()
        drop: list[Column] = [(one,) for one in few]
        drop += [
            pair
            for answers in together
            if 0 < table.size(*(pair := tuple(zip(crossed, answers, strict=True)))) < ENOUGH_FOR_NORMAL
        ]
        if not drop:
            return table, rare
        rare += few
        keep = ~np.any([_holds(table.answers, one) for one in drop], axis=0)
        table = _Table(table.answers[keep], table.reports[keep], table.weights[keep])


def _pairs(table: _Table, told: Sequence[Sequence[int]], crossed: Sequence[int]) -> list[Column]:
    """The answers to two questions that people gave together."""
    if not crossed:
        return []
    together = (tuple(zip(crossed, answers, strict=True)) for answers in product(*(told[place] for place in crossed)))
    return [pair for pair in together if table.size(*pair)]


def _holds(answers: NDArray[np.int64], column: Column) -> NDArray[np.bool_]:
    held: NDArray[np.bool_] = np.logical_and.reduce([answers[:, place] == answer for place, answer in column])
    return held


def _design(answers: NDArray[np.int64], columns: Sequence[Column]) -> Floats:
    return np.stack([_holds(answers, column) for column in columns], axis=1).astype(float)


def _fitted(
    whole: _Table,
    table: _Table,
    crossed: tuple[int, ...],
    keys: Sequence[Sequence[str]],
    outcome: Variable | Score,
    parameters: Mapping[str, Any],
) -> _Model:
    """Fit the model to the table; `keys` names the group of each answer to each predictor."""
    told = [table.told(place) for place in range(len(keys))]
    pairs = _pairs(table, told, crossed)
    columns: list[Column] = [
        ((place, answer),) for place, one in enumerate(told) if place not in crossed for answer in one[1:]
    ]
    columns += pairs[1:]
    cells, codes = table.reports.nonzero()
    covariates, counts = _design(table.answers, columns)[cells], table.reports[cells, codes]
    weights = table.weights[cells] if "weighting" in parameters else None
    fit: LogisticFit | LinearFit
    if isinstance(outcome, Score):
        fit = linear_regression(covariates, codes, None, weights, counts=counts, values=outcome.scores)
    else:
        prior = parameters.get("prior")
        fit = logistic_regression(covariates, codes, outcome.channel, weights, counts=counts, prior=prior)
    return _Model(whole, table, told, columns, keys, crossed, pairs, fit, parameters["confidence"])


def _mean(covariates: Floats, mass: Floats, fit: LinearFit, level: float) -> tuple[float, ...]:
    """The mean over respondents of the predicted values, its error and limits."""
    slope = np.average(np.column_stack([np.ones(len(covariates)), covariates]), axis=0, weights=mass)
    mean, error = float(slope @ fit.coefficients), float(np.sqrt(slope @ fit.covariance @ slope))
    reach = normal_quantile(level) * error
    return mean, error, mean - reach, mean + reach


def _margin(covariates: Floats, mass: Floats, fit: LogisticFit, level: float) -> tuple[float, ...]:
    """The mean of the predicted shares over respondents, its error and limits."""
    design = np.column_stack([np.ones(len(covariates)), covariates])
    shares = 1 / (1 + np.exp(-(design @ fit.reached)))
    mean = float(np.average(shares, weights=mass))
    slope = np.average(design * (shares * (1 - shares))[:, None], axis=0, weights=mass)
    error = float(np.sqrt(slope @ fit.covariance @ slope))
    if not 0 < mean < 1:
        return mean, error, np.nan, np.nan
    logit, reach = np.log(mean / (1 - mean)), normal_quantile(level) * error / (mean * (1 - mean))
    low, high = 1 / (1 + np.exp(-(logit - reach))), 1 / (1 + np.exp(-(logit + reach)))
    return mean, error, float(low), float(high)
