"""A randomised yes/no answer, or a mean, that depends on another randomised answer, background questions held fixed.

Neither answer is known: of a yes both are integrated over through their tickets, in one likelihood (Blair, Imai & Zhou
2015, section 3.3); of a mean the unbiased values of both stand in the normal equations (van den Hout & Kooiman 2006).
The outcome by an answer is averaged over the respondents as if all had given that answer.
"""

from collections.abc import Iterator, Mapping
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

MOST_ANSWERS = 6
"""Of the answer that is a predictor."""


def fit_with_answer(
    covariates: NDArray[np.float64],
    table: Table,
    outcome: Variable | Score,
    answer: Variable,
    parameters: Mapping[str, Any],
) -> PredictorFit | CorrectedFit:
    """Fit the outcome to a table of pairs of reports, the second of the answer that is its predictor."""
    cells, said, reported = table.reports.nonzero()
    rows, counts = covariates[cells], table.reports[cells, said, reported]
    weights = table.weights[cells] if "weighting" in parameters else None
    if isinstance(outcome, Score):
        values = np.array(outcome.scores)[said]
        return corrected_regression(values, rows, reported, answer.channel, weights, counts=counts)
    return predictor_regression(
        said, rows, reported, answer.channel, weights, model=parameters.get("model", "logit"),
        outcome_channel=outcome.channel, counts=counts, prior=parameters.get("prior"),
    )  # fmt: skip


def rows_of_answer(model: FittedRegression, key: str) -> Iterator[AnalysisRow]:
    """The outcome with each answer to the item `key`, then each against the first: difference and odds."""
    fit, level = model.fit, model.level
    assert isinstance(fit, PredictorFit | CorrectedFit)
    answers = range(len(fit.labels))
    covariates = design_matrix(model.table.answers, model.columns)
    margins = fit.margins(covariates, [(answer, None) for answer in answers], model.table.mass)
    limits, reach = margins.intervals(level), normal_quantile(level)
    quantity = "share" if margins.bounded else "mean"
    blank = AnalysisRow(quantity, "", int(model.table.n.sum()), choice=model.choices[0], other_item=key, level=level)
    for one in answers:
        row = replace(blank, other_choice=one)
        yield with_numbers(row, margins.estimates[one, 0], margins.standard_errors[one, 0], *limits[one, 0])
    for one in answers[1:]:
        (by,), (error,) = margins.difference(one, 0)
        row = replace(blank, quantity="difference", other_choice=one)
        yield with_numbers(row, by, error, by - reach * error, by + reach * error)
    for one in answers[1:] if model.odds else ():
        place = fit.names.index(f"answer: {one}")
        low, high = np.exp(fit.intervals(level)[place])
        row = replace(blank, quantity="odds_ratio", other_choice=one)
        yield with_numbers(row, np.exp(fit.coefficients[place]), fit.standard_errors[place], low, high)
