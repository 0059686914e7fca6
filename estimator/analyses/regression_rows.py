"""The rows of a fitted regression on background questions: shares or means, their differences, odds ratios, tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from estimator.analyses.logistic import alike, criteria, flags_of, with_numbers
from estimator.analyses.predictors import STEPS, Column, Pair, Table, design_matrix, together
from estimator.analyses.rows import ENOUGH_FOR_NORMAL, RARE, WALD, AnalysisRow, number
from estimator.base.measures import TOO_FEW
from estimator.runs.groups import AND
from randomized_response import (
    CategoricalFit,
    CorrectedFit,
    LinearFit,
    LogisticFit,
    PredictiveMargins,
    PredictorFit,
    predictive_margins,
)
from randomized_response.intervals import normal_quantile

Floats = NDArray[np.float64]
Fit = LogisticFit | LinearFit | CategoricalFit | PredictorFit | CorrectedFit


@dataclass(frozen=True)
class FittedRegression:
    """A regression fitted to `table`, a part of the `whole` that tells the predictors.

    `told` are the answers to each predictor, `columns` the indicators. `keys` names the group of each answer to each
    predictor, and of STEPS; `stepped` are the places of those in steps, `crossed` of each two that interact, `modifier`
    of the one that the effects of randomised predictors differ by.
    `choices` are the places of the outcome's choices whose shares are told, None for a mean. `odds` is whether the
    exponentials of coefficients are odds ratios, `plain` whether the likelihood has neither weights nor priors.
    """

    whole: Table
    table: Table
    told: Sequence[Sequence[int]]
    columns: Sequence[Column]
    keys: Sequence[Mapping[int, str]]
    stepped: Sequence[int]
    crossed: tuple[Pair, ...]
    modifier: int | None
    fit: Fit
    choices: Sequence[int | None]
    odds: bool
    plain: bool
    level: float

    def rows(self) -> list[AnalysisRow]:
        """None where no background question is a predictor."""
        if not self.told:
            return []
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
        designs = [design_matrix(one, self.columns) for one in given]
        return {one: number for number, one in enumerate(enough)}, self._margins(designs)

    def _margins(self, designs: Sequence[Floats]) -> PredictiveMargins:
        """Averages over the respondents; who has a randomised answer as a predictor keeps it."""
        if not designs:  # of predictors in steps alone, whose answers too few gave
            return PredictiveMargins(np.empty((0, len(self.choices))), np.empty((0, 0)), self.choices[0] is not None)
        if isinstance(self.fit, PredictorFit | CorrectedFit):
            as_is = design_matrix(self.table.answers, self.columns)
            return self.fit.margins(as_is, [(None, one) for one in designs], self.table.mass)
        return predictive_margins(self.fit, designs, self.table.mass)

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
        """The odds ratio of each answer against the first to its question, or of each step, the others held fixed.

        None for the question that effects of randomised predictors differ by: theirs differ from answer to answer.
        """
        if not self.odds:
            return
        limits = self.fit.intervals(self.level)
        for row, term in _by_question(self._compared("odds_ratio"), self._each_step()):
            if term[0] == self.modifier:
                continue
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
        crossed: dict[str, object] = (
            {"interaction": [self.interaction(pair) for pair in self.crossed]} if self.crossed else {}
        )
        crossed |= self.answers_alike()
        if isinstance(self.fit, LinearFit | CorrectedFit):
            rare = isinstance(self.fit, CorrectedFit) and bool(self.fit.diagnostics)
            return {"flags": [RARE] * rare, "alike": self.alike(), **crossed, "log_likelihood": None}
        return {
            "flags": flags_of(self.fit),
            "alike": self.alike(),
            **crossed,
            "log_likelihood": number(self.fit.log_likelihood),
            **({"criteria": criteria(self.fit)} if self.plain else {}),
        }

    def alike(self) -> dict[str, object]:
        """The test that no coefficient but the intercepts matters, or none of a randomised predictor's answers."""
        if isinstance(self.fit, PredictorFit | CorrectedFit):
            return self._wald(np.vstack(self._of_answers(self.fit)))
        if self.plain and not isinstance(self.fit, LinearFit):
            return alike(self.fit)
        slopes = np.concatenate([slopes for _, slopes in self._equations])
        return self._wald(np.eye(len(self.fit.names))[slopes])

    def _of_answers(self, fit: PredictorFit | CorrectedFit) -> list[Floats]:
        """For each randomised predictor the contrasts that none of its effects matters, those of all groups first."""
        ends, effects = np.cumsum([0, *(size - 1 for size in fit.sizes)]), sum(fit.sizes) - len(fit.sizes)
        starts = fit.first + effects * np.arange(len(fit.modifiers))
        contrasts = np.eye(len(fit.names))
        return [np.vstack([contrasts[at + start : at + end] for at in starts]) for start, end in pairwise(ends)]

    def answers_alike(self) -> dict[str, object]:
        """Of several randomised predictors the test of each, in their order; and whether its effects differ."""
        if not isinstance(self.fit, PredictorFit | CorrectedFit):
            return {}
        contrasts = self._of_answers(self.fit)
        found: dict[str, object] = {"answers": list(map(self._wald, contrasts))} if len(contrasts) > 1 else {}
        if self.modifier is not None:
            sizes = self.fit.sizes
            found["modified"] = [self._wald(one[size - 1 :]) for one, size in zip(contrasts, sizes, strict=True)]
        return found

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
