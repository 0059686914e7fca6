"""Regression of a randomised yes/no answer on another randomised answer, with background questions held fixed.

Neither answer is known: both are integrated over through their tickets, in one likelihood (Blair, Imai & Zhou 2015,
section 3.3). Each background question enters with an indicator for every answer but its first, or in steps, and weights
count as in `adjusted`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from collector.designs import Design
from estimator.analyses.calibrated import Unmet
from estimator.analyses.logistic import criteria, with_numbers
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
)
from estimator.analyses.quantities import Variable, variable_of
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, ENTERED, WALD, AnalysisRow, number
from estimator.base.measures import TOO_FEW
from estimator.runs.groups import answer_key, step_key
from randomized_response import PredictorFit, predictor_regression

MOST_ANSWERS = 6
"""Of the answer that is a predictor."""


def latent_regression(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute the odds ratio of each answer to the randomised predictor against its first, and of background answers.

    Background answers that too few gave are left out with those who gave them. Of questions that interact there is a
    test alone.
    """
    outcome = variable_of(design, parameters["outcome"], binary=True)
    answer = variable_of(design, parameters["answer"])
    questions = design.background.questions
    asked = [place for place, one in enumerate(questions) if one.key in parameters["predictors"]]
    stepped = [place for place, at in enumerate(asked) if questions[at].key in parameters.get("steps", ())]
    pairs = np.array(inputs["pairs"], dtype=np.int64)
    weights = row_weights(design, parameters, inputs, pairs.sum(axis=(1, 2)).tolist())
    if isinstance(weights, Unmet):
        return {"n": 0, "flags": [TOO_FEW], "unmet": asdict(weights), "rows": []}
    whole = table_of(design, asked, stepped, inputs, pairs, weights)
    crossed = pairs_of(parameters, [questions[at].key for at in asked])
    table, rare = enough(whole, crossed, stepped)
    n, weighted = int(table.n.sum()), ENTERED if "weighting" in parameters else ""
    blank = AnalysisRow("odds_ratio", design.items[outcome.position].key, n, choice=outcome.choice, weights=weighted)
    few = [
        replace(blank, n=whole.size((place, one)), group=answer_key(design, asked[place], one), flags=[TOO_FEW])
        for place, one in rare
    ]
    found: dict[str, object] = {"n": n, "left_out": int(pairs.sum()) - n}
    if n < ENOUGH_FOR_NORMAL or any(len(table.told(place)) < 2 for place in range(len(asked))):
        return found | {"flags": [TOO_FEW], "rows": [asdict(row) for row in few]}
    single = single_columns(table, range(len(asked)), stepped)
    columns = [*single, *crossed_columns(table, crossed, single)]
    prior = parameters.get("prior")
    fit = _fitted(table, columns, (outcome, answer), prior, weighted=bool(weighted))
    level = parameters["confidence"]
    rows = [
        *_of_answer(design, blank, answer, fit, level),
        *_of_background(design, blank, asked, table, (single, crossed), fit, level),
    ]
    tests = _tests(fit, columns, crossed, plain=not weighted and prior is None)
    return found | tests | {"rows": [asdict(row) for row in [*rows, *few]]}


def _tests(fit: PredictorFit, columns: Sequence[Column], crossed: Sequence[Pair], *, plain: bool) -> dict[str, object]:
    """Whether the outcome depends on the randomised predictor, which predictors interact, and how well it all fits."""
    first = fit.names.index(f"answer: {fit.labels[1]}")
    own = [
        [k for k, column in enumerate(columns, start=1) if tuple(place for place, _ in column) == pair]
        for pair in crossed
    ]
    return {
        "flags": [] if fit.converged else [EDGE],
        "alike": _wald(fit, range(first, first + len(fit.labels) - 1)),
        **({"interaction": [_wald(fit, places) for places in own]} if crossed else {}),
        "log_likelihood": number(fit.log_likelihood),
        **({"criteria": criteria(fit)} if plain else {}),
    }


def _fitted(
    table: Table,
    columns: Sequence[Column],
    both: tuple[Variable, Variable],
    prior: float | None,
    *,
    weighted: bool,
) -> PredictorFit:
    """Fit the outcome and the answer that is its predictor, which are `both`."""
    outcome, answer = both
    cells, said, reported = table.reports.nonzero()
    return predictor_regression(
        said, design_matrix(table.answers, columns)[cells], reported, answer.channel,
        table.weights[cells] if weighted else None, model="logit", outcome_channel=outcome.channel,
        counts=table.reports[cells, said, reported], prior=prior,
    )  # fmt: skip


def _wald(fit: PredictorFit, places: Sequence[int]) -> dict[str, object]:
    """The test that the coefficients at these places are 0."""
    test = fit.wald_test(np.eye(len(fit.names))[list(places)])
    numbers = {"statistic": number(test.statistic), "p_value": number(test.p_value)}
    return {"test": WALD, "degrees_of_freedom": test.degrees_of_freedom, **numbers}


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
    table: Table,
    terms: tuple[Sequence[Column], Sequence[Pair]],
    fit: PredictorFit,
    level: float,
) -> Iterator[AnalysisRow]:
    """Of each answer, or step, of the questions that interact with none; `terms` are all, and those that interact."""
    single, crossed = terms
    for number_, ((place, one),) in enumerate(single, start=1):
        if any(place in pair for pair in crossed):
            continue
        if one == STEPS:
            row = replace(blank, group=step_key(design, asked[place]))
        else:
            first = table.told(place)[0]
            keys = [answer_key(design, asked[place], each) for each in (one, first)]
            row = replace(
                blank, n=table.size((place, one)) + table.size((place, first)), group=keys[0], against=keys[1]
            )
        yield _ratio(replace(row, level=level), fit, number_, level)


def _ratio(row: AnalysisRow, fit: PredictorFit, place: int, level: float) -> AnalysisRow:
    """The row with the exponential of a coefficient."""
    low, high = fit.intervals(level)[place]
    return with_numbers(
        row, *map(float, (np.exp(fit.coefficients[place]), fit.standard_errors[place], np.exp(low), np.exp(high)))
    )
