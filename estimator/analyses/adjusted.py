"""Regression of a randomised answer on several background questions at once.

Logistic, probit or complementary log-log for two answers, multinomial or ordinal for more, linear for numbers.

Each question enters with an indicator for every answer but its first; two whose interaction is asked for with
indicators of two answers together besides, so that every two have a share of their own. A question may enter in steps
instead: its answers as 0, 1, 2 in their order, so that each further one changes the odds alike (Agresti 2002, section
5.3.4). Responses in which the answer to one of them is not told by itself are left out. The share of an answer is
averaged over the respondents as if all had given it (predictive margin; Graubard & Korn 1999, Biometrics 55, 652-659),
with the delta method on the logit scale; the difference of two is the marginal effect. With weights the likelihood and
the margins are weighted and the covariance is robust (White 1982). Weakly informative priors (Gelman et al. 2008,
Annals of Applied Statistics 2, 1360-1383) keep numbers finite where an estimated share is 0 or 1: then the mode of the
posterior, and intervals by its curvature.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.calibrated import Unmet
from estimator.analyses.logistic import alike, criteria, reports_of, with_numbers
from estimator.analyses.predictors import (
    STEPS,
    Column,
    Pair,
    Table,
    crossed_columns,
    design_matrix,
    enough,
    pairs_of,
    row_weights,
    single_columns,
    table_of,
    together,
)
from estimator.analyses.quantities import Score, Variable, outcome_of
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, ENTERED, WALD, AnalysisRow, number
from estimator.base.measures import TOO_FEW
from estimator.runs.groups import AND, answer_key, step_key
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


@dataclass(frozen=True)
class _Model:
    """A regression fitted to `table`, a part of the `whole` that tells the predictors.

    `told` are the answers to each predictor, `columns` the indicators. `keys` names the group of each answer to each
    predictor, and of STEPS; `stepped` are the places of those in steps, `crossed` of each two that interact.
    `choices` are the places of the outcome's choices whose shares are told, None for a mean. `odds` is whether the
    exponentials of coefficients are odds ratios.
    """

    whole: Table
    table: Table
    told: Sequence[Sequence[int]]
    columns: Sequence[Column]
    keys: Sequence[Mapping[int, str]]
    stepped: Sequence[int]
    crossed: tuple[Pair, ...]
    fit: Fit
    choices: Sequence[int | None]
    odds: bool
    level: float

    def rows(self) -> list[AnalysisRow]:
        return [*self.shares(), *self.differences(), *self.ratios()]

    def scenarios(self) -> Iterator[Column]:
        """The answers that all are taken to have given: each by itself, or each two that interact."""
        for place in self._alone:
            yield from (((place, answer),) for answer in self.told[place])
        for pair in self.crossed:
            yield from (both for both in together(self.table, pair) if self.whole.size(*both))

    @property
    def _alone(self) -> list[int]:
        """The places of the predictors that interact with none."""
        return [place for place in range(len(self.told)) if not any(place in pair for pair in self.crossed)]

    @cached_property
    def averaged(self) -> tuple[dict[Column, int], PredictiveMargins]:
        """The margins of the scenarios that enough people are in, and the place of each among them."""
        enough = [one for one in self.scenarios() if self._has_numbers(one)]
        given = [self.table.answers.copy() for _ in enough]
        for answers, wanted in zip(given, enough, strict=True):
            for place, answer in wanted:
                answers[:, place] = answer
        found = predictive_margins(self.fit, [design_matrix(one, self.columns) for one in given], self.table.mass)
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

        Of a question in steps the last answer alone. None for questions that interact: theirs differ from answer to
        answer of the other one.
        """
        places, margins = self.averaged
        reach = normal_quantile(self.level)
        for row, (place, answer) in _by_question(self._compared("difference"), self._ends()):
            first = places[((place, self._first(place)),)]
            estimates, errors = margins.difference(places[((place, answer),)], first)
            for choice, estimate, error in zip(self.choices, estimates, errors, strict=True):
                numbers = estimate, error, estimate - reach * error, estimate + reach * error
                yield with_numbers(replace(row, choice=choice), *numbers)

    def ratios(self) -> Iterator[AnalysisRow]:
        """The odds ratio of each answer against the first to its question, or of each step, the others held fixed."""
        if not self.odds:
            return
        limits = self.fit.intervals(self.level)
        for row, term in _by_question(self._compared("odds_ratio"), self._each_step()):
            column = self.columns.index((term,))
            for choice, slopes in self._equations:
                k = slopes[column]
                numbers = np.exp(self.fit.coefficients[k]), self.fit.standard_errors[k], *np.exp(limits[k])
                yield with_numbers(replace(row, choice=choice), *numbers)

    def _first(self, place: int) -> int:
        """The answer that others to a question are compared with: the first that has numbers."""
        answers = self.told[place]
        return next((one for one in answers if ((place, one),) in self.averaged[0]), answers[0])

    def _ends(self) -> Iterator[tuple[AnalysisRow, tuple[int, int]]]:
        """A blank row for the last answer to each question in steps, of those that have numbers."""
        for place in self.stepped:
            known = [one for one in self.told[place] if ((place, one),) in self.averaged[0]]
            if len(known) > 1:
                n = self.table.size((place, known[0])) + self.table.size((place, known[-1]))
                one, other = self.keys[place][known[-1]], self.keys[place][known[0]]
                row = AnalysisRow("difference", "", n, group=one, against=other, level=self.level)
                yield row, (place, known[-1])

    def _each_step(self) -> Iterator[tuple[AnalysisRow, tuple[int, int]]]:
        """A blank row for the step of each question in steps."""
        for place in self.stepped:
            n, key = int(self.table.n.sum()), self.keys[place][STEPS]
            yield AnalysisRow("odds_ratio", "", n, group=key, level=self.level), (place, STEPS)

    def _compared(self, quantity: str) -> Iterator[tuple[AnalysisRow, tuple[int, int]]]:
        """A blank row for each answer but the first to each question that is neither in steps nor interacts."""
        for place in self._alone:
            first, *others = self.told[place]
            for answer in others if place not in self.stepped else ():
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
        """Whether any predictor matters and, of each two that interact, whether their effects add up."""
        crossed = {"interaction": [self.interaction(pair) for pair in self.crossed]} if self.crossed else {}
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

    def interaction(self, pair: Pair) -> dict[str, object]:
        """The test of Wald that the effects of two questions add up: that no two answers together matter besides."""
        own = [k for k, column in enumerate(self.columns) if tuple(place for place, _ in column) == pair]
        slopes = np.concatenate([slopes[own] for _, slopes in self._equations])
        return self._wald(np.eye(len(self.fit.names))[slopes])

    def _wald(self, contrasts: Floats) -> dict[str, object]:
        found = self.fit.wald_test(contrasts)
        numbers = {"statistic": number(found.statistic), "p_value": number(found.p_value)}
        return {"test": WALD, "degrees_of_freedom": found.degrees_of_freedom, **numbers}


def _by_question(*parts: Iterator[tuple[AnalysisRow, tuple[int, int]]]) -> list[tuple[AnalysisRow, tuple[int, int]]]:
    """The rows with their places and answers, in the order of the questions."""
    return sorted(chain(*parts), key=lambda pair: pair[1][0])


def adjusted_regression(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute the odds ratio of each answer against the first of its question, and the share of each answer.

    Answers with too few responses are left out with those who gave them; without two answers to each question there
    are no numbers.
    """
    outcome, background = outcome_of(design, parameters["outcome"]), design.background
    asked = [place for place, one in enumerate(background.questions) if one.key in parameters["predictors"]]
    reports = reports_of(design, outcome, inputs)
    weights = row_weights(design, parameters, inputs, reports.sum(axis=1).tolist())
    if isinstance(weights, Unmet):
        return {"n": 0, "flags": [TOO_FEW], "unmet": asdict(weights), "rows": []}
    named = [background.questions[at].key for at in asked]
    crossed = pairs_of(parameters, named)
    stepped = tuple(place for place, one in enumerate(named) if one in parameters.get("steps", ()))
    key = design.items[outcome.position].key
    whole = table_of(design, asked, stepped, inputs, reports, weights)
    table, rare = enough(whole, crossed, stepped)
    few = [
        AnalysisRow("odds_ratio", key, whole.size((place, answer)), choice=outcome.choice,
            group=answer_key(design, asked[place], answer), flags=[TOO_FEW])
        for place, answer in rare
    ]  # fmt: skip
    left_out = int(reports.sum() - table.n.sum())
    found: dict[str, object] = {"n": int(table.n.sum()), "left_out": left_out}
    if any(len(table.told(place)) < 2 for place in range(len(asked))):
        return found | {"flags": [TOO_FEW], "rows": [asdict(row) for row in few]}
    keys = [
        {STEPS: step_key(design, q)}
        | {answer: answer_key(design, q, answer) for answer in background.questions[q].everyone}
        for q in asked
    ]
    model = _fitted(whole, table, (stepped, crossed), keys, outcome, parameters)
    weighted = ENTERED if "weighting" in parameters else ""
    rows = [replace(row, item=key, weights=weighted) for row in model.rows()]
    return found | model.tests() | {"rows": [asdict(row) for row in rows + few]}


def _fitted(
    whole: Table,
    table: Table,
    places: tuple[tuple[int, ...], tuple[Pair, ...]],
    keys: Sequence[Mapping[int, str]],
    outcome: Variable | Score,
    parameters: Mapping[str, Any],
) -> _Model:
    """Fit the model to the table; `places` are those of predictors in steps, and of each two that interact."""
    told, (stepped, crossed) = [table.told(place) for place in range(len(keys))], places
    single = single_columns(table, range(len(keys)), stepped)
    columns = [*single, *crossed_columns(table, crossed, single)]
    fit = _fit(design_matrix(table.answers, columns), table, outcome, parameters)
    choices = range(len(fit.labels)) if isinstance(fit, CategoricalFit) else [outcome.choice]
    odds = isinstance(fit, CategoricalFit) or (isinstance(fit, LogisticFit) and fit.link == "logit")
    return _Model(
        whole,
        table,
        told,
        columns,
        keys,
        stepped,
        crossed,
        fit,
        choices,
        odds=odds,
        level=parameters["confidence"],
    )


def _fit(covariates: Floats, table: Table, outcome: Variable | Score, parameters: Mapping[str, Any]) -> Fit:
    """Fit the model that the outcome and the parameters ask for; a row of covariates for each row of the table."""
    cells, codes = table.reports.nonzero()
    rows, counts = covariates[cells], table.reports[cells, codes]
    weights = table.weights[cells] if "weighting" in parameters else None
    if isinstance(outcome, Score):
        return linear_regression(rows, codes, None, weights, counts=counts, values=outcome.scores)
    prior = parameters.get("prior")
    if outcome.channel.answers > 2:
        model = parameters.get("model", "multinomial")
        return categorical_regression(rows, codes, outcome.channel, weights, counts=counts, model=model, prior=prior)
    link = parameters.get("model", "logit")
    return logistic_regression(rows, codes, outcome.channel, weights, counts=counts, prior=prior, link=link)
