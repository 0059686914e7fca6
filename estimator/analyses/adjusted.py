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

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.calibrated import Unmet
from estimator.analyses.latent import fit_with_answers, rows_of_answer
from estimator.analyses.logistic import reports_of
from estimator.analyses.predictors import (
    STEPS,
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
from estimator.analyses.quantities import Score, Variable, outcome_of, randomised_predictors
from estimator.analyses.regression_rows import Fit, FittedRegression
from estimator.analyses.rows import ENOUGH_FOR_NORMAL, ENTERED, AnalysisRow
from estimator.base.measures import TOO_FEW
from estimator.runs.groups import answer_key, step_key
from randomized_response import (
    CategoricalFit,
    LogisticFit,
    PredictorFit,
    categorical_regression,
    linear_regression,
    logistic_regression,
)

Floats = NDArray[np.float64]


def adjusted_regression(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute the odds ratio of each answer against the first of its question, and the share of each answer.

    Randomised answers may be predictors, too. Answers with too few responses are left out with those who gave them;
    without two answers to each question there are no numbers.
    """
    outcome, background = outcome_of(design, parameters["outcome"]), design.background
    latent = randomised_predictors(design, parameters)
    asked = [place for place, one in enumerate(background.questions) if one.key in parameters["predictors"]]
    reports = np.array(inputs["pairs"], dtype=np.int64) if latent else reports_of(design, outcome, inputs)
    weights = row_weights(design, parameters, inputs, reports.reshape(len(reports), -1).sum(axis=1).tolist())
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
    n = int(table.n.sum())
    found: dict[str, object] = {"n": n, "left_out": int(reports.sum()) - n}
    if n < ENOUGH_FOR_NORMAL or any(len(table.told(place)) < 2 for place in range(len(asked))):
        return found | {"flags": [TOO_FEW], "rows": [asdict(row) for row in few]}
    keys = [
        {STEPS: step_key(design, q)}
        | {answer: answer_key(design, q, answer) for answer in background.questions[q].everyone}
        for q in asked
    ]
    modifier = named.index(parameters["modifier"]) if "modifier" in parameters else None
    model = _fitted(whole, table, (stepped, crossed, modifier), keys, (outcome, latent), parameters)
    weighted = ENTERED if "weighting" in parameters else ""
    of_answers = [rows_of_answer(model, at, design.items[one.position].key) for at, one in enumerate(latent)]
    rows = [replace(row, item=key, weights=weighted) for row in chain(*of_answers, model.rows())]
    return found | model.tests() | {"rows": [asdict(row) for row in rows + few]}


def _fitted(
    whole: Table,
    table: Table,
    places: tuple[tuple[int, ...], tuple[Pair, ...], int | None],
    keys: Sequence[Mapping[int, str]],
    variables: tuple[Variable | Score, Sequence[Variable]],
    parameters: Mapping[str, Any],
) -> FittedRegression:
    """Fit the model to the table.

    - `places`: of predictors in steps, of each two that interact, and of the one that effects of the randomised
      predictors differ by.
    - `variables`: the outcome, and the randomised answers that are predictors.
    """
    told, (stepped, crossed, modifier) = [table.told(place) for place in range(len(keys))], places
    outcome, latent = variables
    single = single_columns(table, range(len(keys)), stepped)
    columns = [*single, *crossed_columns(table, crossed, single)]
    covariates = design_matrix(table.answers, columns)
    fit: Fit
    if latent:
        modifiers = [at for at, column in enumerate(single) if column[0][0] == modifier]
        fit = fit_with_answers(covariates, table, outcome, latent, modifiers, parameters)
    else:
        fit = _fit(covariates, table, outcome, parameters)
    choices = range(len(fit.labels)) if isinstance(fit, CategoricalFit) else [outcome.choice]
    logit = (isinstance(fit, LogisticFit) and fit.link == "logit") or (
        isinstance(fit, PredictorFit) and fit.model == "logit"
    )
    plain = "weighting" not in parameters and parameters.get("prior") is None
    return FittedRegression(
        whole, table, told, columns, keys, stepped, crossed, modifier, fit, choices,
        odds=logit or isinstance(fit, CategoricalFit), plain=plain, level=parameters["confidence"],
    )  # fmt: skip


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
