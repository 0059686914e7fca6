"""A randomised yes/no answer, or a mean, that depends on other randomised answers, background questions held fixed.

None of the answers is known: of a yes all are integrated over through their tickets, in one likelihood (Blair, Imai &
Zhou 2015, section 3.3); of a mean the unbiased values of all stand in the normal equations (van den Hout & Kooiman
2006). The effects of several answers add up, and their shares are those of every combination. Effects may differ by the
answers to one background question. The outcome by an answer is averaged over the respondents as if all had given that
answer and each kept her others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from estimator.analyses.logistic import with_numbers
from estimator.analyses.predictors import Table, design_matrix
from estimator.analyses.quantities import Score, Variable
from estimator.analyses.regression_rows import FittedRegression
from estimator.analyses.rows import AnalysisRow
from randomized_response import CorrectedFit, PredictorFit, corrected_regression, predictor_regression
from randomized_response.intervals import normal_quantile

MOST_ANSWERS, MOST_TOGETHER = 6, 36
"""Of an answer that is a predictor, and combinations of those to several."""


def fit_with_answers(
    covariates: NDArray[np.float64],
    table: Table,
    outcome: Variable | Score,
    answers: Sequence[Variable],
    modifiers: Sequence[int],
    parameters: Mapping[str, Any],
) -> PredictorFit | CorrectedFit:
    """Fit the outcome to a table of reports: of the outcome, then of the answers that are its predictors.

    `modifiers` are the places of the covariates that the effects of these answers differ by.
    """
    cells, said, *others = places = table.reports.nonzero()
    rows, counts = covariates[cells], table.reports[places]
    reported = others[0] if len(answers) == 1 else np.stack(others, axis=1)
    channel = answers[0].channel if len(answers) == 1 else [one.channel for one in answers]
    weights = table.weights[cells] if "weighting" in parameters else None
    if isinstance(outcome, Score):
        values = np.array(outcome.scores)[said]
        return corrected_regression(values, rows, reported, channel, weights, counts=counts, modifiers=modifiers)
    return predictor_regression(
        said, rows, reported, channel, weights, model=parameters.get("model", "logit"),
        outcome_channel=outcome.channel, counts=counts, prior=parameters.get("prior"), modifiers=modifiers,
    )  # fmt: skip


def rows_of_answer(model: FittedRegression, place: int, key: str) -> Iterator[AnalysisRow]:
    """The outcome with each answer to a randomised predictor, the item `key`, then each against the first.

    `place` is that of the predictor among the randomised ones, of which each person keeps her answers to the others.
    Where effects differ by the answers to a background question, the numbers with each of these follow.
    """
    fit, answers = model.fit, model.table.answers
    assert isinstance(fit, PredictorFit | CorrectedFit)
    first = sum(fit.sizes[:place]) - place
    own = range(first, first + fit.sizes[place] - 1)
    quantity = "mean" if isinstance(fit, CorrectedFit) else "share"
    blank = AnalysisRow(
        quantity, "", int(model.table.n.sum()), choice=model.choices[0], other_item=key, level=model.level
    )
    yield from _levels(model, place, answers, blank)
    if model.modifier is None:
        yield from _ratios(model, own, answers[:1], blank)
        return
    for answer in model.told[model.modifier]:
        moved = answers.copy()
        moved[:, model.modifier] = answer
        n, group = model.table.size((model.modifier, answer)), model.keys[model.modifier][answer]
        inside = replace(blank, n=n, group=group)
        yield from _levels(model, place, moved, inside)
        yield from _ratios(model, own, moved[:1], inside)


def _levels(
    model: FittedRegression, place: int, answers: NDArray[np.int64], blank: AnalysisRow
) -> Iterator[AnalysisRow]:
    """The outcome with each answer to a randomised predictor, then minus that with the first.

    `answers` are those to the background questions that all are taken to have given.
    """
    fit, level = model.fit, model.level
    assert isinstance(fit, PredictorFit | CorrectedFit)
    each, moved = range(fit.sizes[place]), design_matrix(answers, model.columns)
    as_is = design_matrix(model.table.answers, model.columns)
    margins = fit.margins(as_is, [(_given(fit, place, one), moved) for one in each], model.table.mass)
    limits, reach = margins.intervals(level), normal_quantile(level)
    for one in each:
        row = replace(blank, other_choice=one)
        yield with_numbers(row, margins.estimates[one, 0], margins.standard_errors[one, 0], *limits[one, 0])
    for one in each[1:]:
        (by,), (error,) = margins.difference(one, 0)
        row = replace(blank, quantity="difference", other_choice=one)
        yield with_numbers(row, by, error, by - reach * error, by + reach * error)


def _ratios(
    model: FittedRegression, own: Sequence[int], answers: NDArray[np.int64], blank: AnalysisRow
) -> Iterator[AnalysisRow]:
    """The odds ratios of answers against the first, the effects at the places `own`, on who gave some `answers`."""
    if not model.odds:
        return
    fit = model.fit
    assert isinstance(fit, PredictorFit | CorrectedFit)
    found = fit.effects_at(design_matrix(answers, model.columns))
    limits = found.intervals(model.level)
    for one, at in enumerate(own, start=1):
        row = replace(blank, quantity="odds_ratio", other_choice=one)
        yield with_numbers(row, np.exp(found.estimates[0, at]), found.standard_errors[0, at], *np.exp(limits[0, at]))


def _given(fit: PredictorFit | CorrectedFit, place: int, answer: int) -> list[int | None]:
    """Everybody gives this answer to the randomised predictor at a place, and keeps those to the others."""
    return [answer if at == place else None for at in range(len(fit.sizes))]
