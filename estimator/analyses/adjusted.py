"""Regression of a randomised answer on several background questions at once.

Logistic, probit or complementary log-log for two answers, multinomial or ordinal for more, linear for numbers.

Each question enters with an indicator for every answer but its first; two whose interaction is asked for with one for
every two answers together but the first. Responses in which the answer to one of them is not told by itself are left
out. The share of an answer is averaged over the respondents as if all had given it (predictive margin; Graubard & Korn
1999, Biometrics 55, 652-659), with the delta method on the logit scale; the difference of two is the marginal effect.
With weights the likelihood and the margins are weighted and the covariance is robust (White 1982). Weakly informative
priors (Gelman et al. 2008, Annals of Applied Statistics 2, 1360-1383) keep numbers finite where an estimated share is 0
or 1: then the mode of the posterior, and intervals by its curvature.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.calibrated import Unmet, weights_of
from estimator.analyses.logistic import alike, criteria, reports_of, with_numbers
from estimator.analyses.quantities import Score, Variable, outcome_of
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, ENTERED, WALD, AnalysisRow, number
from estimator.base.measures import TOO_FEW
from estimator.runs.cells import row_answers
from estimator.runs.groups import AND, answer_key, stored
from randomized_response import (
    CategoricalFit,
    LinearFit,
    LogisticFit,
    PredictiveMargins,
    categorical_regression,
    linear_regression,
    logistic_regression,
    predictive_margins,
)
from randomized_response.intervals import normal_quantile

Floats = NDArray[np.float64]
Fit = LogisticFit | LinearFit | CategoricalFit
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
    `choices` are the places of the outcome's choices whose shares are told, None for a mean. `odds` is whether the
    exponentials of coefficients are odds ratios.
    """

    whole: _Table
    table: _Table
    told: Sequence[Sequence[int]]
    columns: Sequence[Column]
    keys: Sequence[Sequence[str]]
    crossed: tuple[int, ...]
    pairs: Sequence[Column]
    fit: Fit
    choices: Sequence[int | None]
    odds: bool
    level: float

    def rows(self) -> list[AnalysisRow]:
        return [*self.shares(), *self.differences(), *self.ratios()]

    def scenarios(self) -> Iterator[Column]:
        """The answers that all are taken to have given: each by itself, or each two that interact."""
        for place, answers in enumerate(self.told):
            if place not in self.crossed:
                yield from (((place, answer),) for answer in answers)
        yield from (pair for pair in _together(self.told, self.crossed) if self.whole.size(*pair))

    @cached_property
    def averaged(self) -> tuple[dict[Column, int], PredictiveMargins]:
        """The margins of the scenarios that enough people are in, and the place of each among them."""
        enough = [one for one in self.scenarios() if self._has_numbers(one)]
        given = [self.table.answers.copy() for _ in enough]
        for answers, wanted in zip(given, enough, strict=True):
            for place, answer in wanted:
                answers[:, place] = answer
        found = predictive_margins(self.fit, [_design(one, self.columns) for one in given], self.table.mass)
        return {one: number for number, one in enumerate(enough)}, found

    def _has_numbers(self, wanted: Column) -> bool:
        return self.whole.size(*wanted) >= ENOUGH_FOR_NORMAL and self.table.size(*wanted) > 0

    def shares(self) -> Iterator[AnalysisRow]:
        """The shares or the mean of the outcome in each scenario."""
        places, margins = self.averaged
        limits = margins.intervals(self.level)
        quantity = "share" if margins.bounded else "mean"
        for wanted in self.scenarios():
            group = AND.join(self.keys[place][answer] for place, answer in wanted)
            for of, choice in enumerate(self.choices):
                row = AnalysisRow(quantity, "", self.whole.size(*wanted), choice, group=group, level=self.level)
                if wanted not in places:  # of two answers together
                    yield replace(row, level=None, flags=[TOO_FEW])
                    continue
                at = places[wanted], of
                yield with_numbers(row, margins.estimates[at], margins.standard_errors[at], *limits[at])

    def differences(self) -> Iterator[AnalysisRow]:
        """The share or mean with each answer minus that with the first to its question, the others held fixed.

        None for questions that interact: theirs differ from answer to answer of the other one.
        """
        places, margins = self.averaged
        reach = normal_quantile(self.level)
        for row, (place, answer) in self._compared("difference"):
            first = places[((place, self.told[place][0]),)]
            estimates, errors = margins.difference(places[((place, answer),)], first)
            for choice, estimate, error in zip(self.choices, estimates, errors, strict=True):
                numbers = estimate, error, estimate - reach * error, estimate + reach * error
                yield with_numbers(replace(row, choice=choice), *numbers)

    def ratios(self) -> Iterator[AnalysisRow]:
        """The odds ratio of each answer against the first to its question, the others held fixed."""
        if not self.odds:
            return
        limits = self.fit.intervals(self.level)
        for row, term in self._compared("odds_ratio"):
            column = self.columns.index((term,))
            for choice, slopes in self._equations:
                k = slopes[column]
                numbers = np.exp(self.fit.coefficients[k]), self.fit.standard_errors[k], *np.exp(limits[k])
                yield with_numbers(replace(row, choice=choice), *numbers)

    def _compared(self, quantity: str) -> Iterator[tuple[AnalysisRow, tuple[int, int]]]:
        """A blank row for each answer but the first to each question that does not interact."""
        for place, (first, *others) in enumerate(self.told):
            for answer in others if place not in self.crossed else ():
                n, keys = self.table.size((place, answer)) + self.table.size((place, first)), self.keys[place]
                row = AnalysisRow(quantity, "", n, group=keys[answer], against=keys[first], level=self.level)
                yield row, (place, answer)

    @property
    def _equations(self) -> list[tuple[int | None, NDArray[np.intp]]]:
        """For each equation the choice whose odds it is of, None for those of higher answers, and where its slopes are.

        The slopes follow the columns.
        """
        p = len(self.columns)
        if not isinstance(self.fit, CategoricalFit):
            return [(self.choices[0], np.arange(1, p + 1))]
        if self.fit.model == "ordinal":
            return [(None, np.arange(p) + len(self.choices) - 1)]
        others = enumerate(self.choices[1:])
        return [(choice, np.arange(1, p + 1) + number * (p + 1)) for number, choice in others]

    def tests(self) -> dict[str, object]:
        """Whether any predictor matters and, where two interact, whether their effects add up."""
        crossed = {"interaction": self.interaction()} if self.crossed else {}
        if isinstance(self.fit, LinearFit):
            return {"flags": [], "alike": self.alike(), **crossed, "log_likelihood": None}
        plain = self.fit.information == "observed" and getattr(self.fit, "prior", None) is None
        return {
            "flags": [] if self.fit.converged else [EDGE],
            "alike": alike(self.fit) if plain else self.alike(),
            **crossed,
            "log_likelihood": number(self.fit.log_likelihood),
            **({"criteria": criteria(self.fit)} if plain else {}),
        }

    def alike(self) -> dict[str, object]:
        """The test of Wald that no coefficient but the intercepts matters."""
        slopes = np.concatenate([slopes for _, slopes in self._equations])
        return self._wald(np.eye(len(self.fit.names))[slopes])

    def interaction(self) -> dict[str, object]:
        """The test of Wald that the effects of the two questions add up: of all contrasts that additive ones lack."""
        used = [k for k, column in enumerate(self.columns) if len(column) > 1]
        effects = [(at, answer) for at, place in enumerate(self.crossed) for answer in self.told[place][1:]]
        additive = [[1.0, *(float(pair[at][1] == answer) for at, answer in effects)] for pair in self.pairs]
        left, sizes, _ = np.linalg.svd(np.array(additive))
        lacking = left[:, int((sizes > RANK * sizes[0]).sum()) :].T
        tables = []
        for _, slopes in self._equations:
            contrasts = np.zeros((len(lacking), len(self.fit.names)))
            contrasts[:, slopes[used]] = lacking[:, 1:]  # the coefficient of the first pair is 0
            tables.append(contrasts)
        return self._wald(np.vstack(tables))

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
    weighted = ENTERED if "weighting" in parameters else ""
    rows = [replace(row, item=key, weights=weighted) for row in model.rows()]
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
        told = [table.told(q) for q in questions]
        drop: list[Column] = [(one,) for one in few]
        drop += [pair for pair in _together(told, crossed) if 0 < table.size(*pair) < ENOUGH_FOR_NORMAL]
        if not drop:
            return table, rare
        rare += few
        keep = ~np.any([_holds(table.answers, one) for one in drop], axis=0)
        table = _Table(table.answers[keep], table.reports[keep], table.weights[keep])


def _together(told: Sequence[Sequence[int]], crossed: Sequence[int]) -> list[Column]:
    """Every two answers to the two questions that interact; none if none do."""
    if not crossed:
        return []
    return [tuple(zip(crossed, answers, strict=True)) for answers in product(*(told[place] for place in crossed))]


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
    pairs = [pair for pair in _together(told, crossed) if table.size(*pair)]
    columns: list[Column] = [
        ((place, answer),) for place, one in enumerate(told) if place not in crossed for answer in one[1:]
    ]
    columns += pairs[1:]
    fit = _fit(_design(table.answers, columns), table, outcome, parameters)
    choices = range(len(fit.labels)) if isinstance(fit, CategoricalFit) else [outcome.choice]
    odds = isinstance(fit, CategoricalFit) or (isinstance(fit, LogisticFit) and fit.link == "logit")
    return _Model(
        whole, table, told, columns, keys, crossed, pairs, fit, choices, odds=odds, level=parameters["confidence"]
    )


def _fit(covariates: Floats, table: _Table, outcome: Variable | Score, parameters: Mapping[str, Any]) -> Fit:
    """Fit the model that the outcome and the parameters ask for; a row of covariates for each row of the table."""
    cells, codes = table.reports.nonzero()
    rows, counts = covariates[cells], table.reports[cells, codes]
    weights = table.weights[cells] if "weighting" in parameters else None
    if isinstance(outcome, Score):
        return linear_regression(rows, codes, None, weights, counts=counts, values=outcome.scores)
    if outcome.channel.answers > 2:
        model = parameters.get("model", "multinomial")
        return categorical_regression(rows, codes, outcome.channel, weights, counts=counts, model=model)
    prior, link = parameters.get("prior"), parameters.get("model", "logit")
    return logistic_regression(rows, codes, outcome.channel, weights, counts=counts, prior=prior, link=link)
