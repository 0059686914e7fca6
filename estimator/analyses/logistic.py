"""Logistic regression of a randomised yes/no answer on the groups, which are known."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.quantities import CoinKinds, Score, Variable, variable_of
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, SEVERAL, WALD, AnalysisRow, number
from estimator.analyses.strata import strata_counts
from estimator.base.measures import TOO_FEW
from estimator.runs.cells import row_answers
from estimator.runs.groups import stored
from randomized_response import CategoricalFit, LogisticFit, PredictorFit, logistic_regression


def regression(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute odds ratios of each group against the reference, and the test that all groups are equal.

    Groups with too few reports are left out; without the reference, or with no other group, there are no numbers.
    """
    outcome = variable_of(design, parameters["outcome"], binary=True)
    partition, reports = stored(design, inputs["groups"]), reports_of(design, outcome, inputs)
    if not partition.parts:
        return {"n": int(reports.sum()), "reference_n": 0, "flags": [TOO_FEW], "rows": []}
    keys, reference = partition.keys, partition.row_of(parameters["reference"])
    enough = [place for place, counts in enumerate(reports) if counts.sum() >= ENOUGH_FOR_NORMAL]
    others = [place for place in enough if place != reference]
    key = design.items[outcome.position].key
    blank = [
        AnalysisRow("odds_ratio", key, int(reports[place].sum()), choice=outcome.choice,
            group=group, against=keys[reference], flags=[TOO_FEW])
        for place, group in enumerate(keys)
    ]  # fmt: skip
    if reference not in enough or not others:
        rows = [row for place, row in enumerate(blank) if place != reference]
        found = {"n": int(reports.sum()), "reference_n": int(reports[reference].sum()), "flags": [TOO_FEW]}
        return found | {"rows": [asdict(row) for row in rows]}
    fit = _fitted(reports, others, reference, outcome)
    rows = _rows(key, keys, outcome, reports, [reference, *others], fit, parameters["confidence"])
    rows += [row for place, row in enumerate(blank) if place not in enough]
    return {
        "n": int(reports[[reference, *others]].sum()),
        "flags": flags_of(fit),
        "alike": alike(fit),
        "intercept": {"estimate": number(fit.coefficients[0]), "standard_error": number(fit.standard_errors[0])},
        "log_likelihood": number(fit.log_likelihood),
        "criteria": criteria(fit),
        "rows": [asdict(row) for row in rows],
    }


def flags_of(fit: LogisticFit | CategoricalFit | PredictorFit) -> list[str]:
    """What to say of a regression beside its numbers."""
    several = any(one.name == "several optima" for one in fit.diagnostics)
    return [EDGE] * (not fit.converged) + [SEVERAL] * several


def alike(fit: LogisticFit | CategoricalFit) -> dict[str, object]:
    """The test that no group or predictor matters, against the intercept alone."""
    return _tested(fit.likelihood_ratio)


def _tested(test: Any) -> dict[str, object]:
    return {
        "statistic": number(test.statistic),
        "degrees_of_freedom": test.degrees_of_freedom,
        "p_value": number(test.p_value),
    }


def criteria(fit: LogisticFit | CategoricalFit | PredictorFit) -> dict[str, object]:
    """How well a model describes the responses that it was fitted to by maximum likelihood.

    `goodness` is the test against a share of its own for every combination of answers (of a logistic model); None where
    there are too few responses to each, or as many coefficients.
    """
    goodness = None
    if isinstance(fit, LogisticFit):
        with suppress(ValueError):
            goodness = fit.goodness_of_fit()
    if goodness is not None and goodness.degrees_of_freedom < 1:
        goodness = None
    return {
        "parameters": len(fit.names),
        "aic": number(fit.aic),
        "bic": number(fit.bic),
        "goodness": None if goodness is None else _tested(goodness),
    }


def reports_of(design: Design, outcome: Variable | Score, inputs: Mapping[str, Any]) -> NDArray[np.int64]:
    """The outcome's totals by report of its channel: shape (strata, reports of the channel).

    Of who follows a coin those of the rows that tell the version, which has one.
    """
    if isinstance(outcome, CoinKinds):
        return _by_coin(design, outcome, inputs)
    column = outcome.column - design.fields[outcome.position].start
    values = strata_counts(inputs)[:, column, :]
    reports = np.zeros((len(values), outcome.reports), dtype=np.int64)
    for value, code in enumerate(outcome.codes):
        reports[:, code] += values[:, value]
    return reports


def _by_coin(design: Design, outcome: CoinKinds, inputs: Mapping[str, Any]) -> NDArray[np.int64]:
    counts, members = strata_counts(inputs), stored(design, inputs["groups"]).members
    reports = np.zeros((len(counts), outcome.reports), dtype=np.int64)
    for row, cells in enumerate(members):
        arm, *others = row_answers(design.background, cells)[0]
        if arm in outcome.arms and not others:
            place, first = outcome.arms[arm]
            reports[row, first : first + 2] = counts[row, place]
    return reports


def _fitted(reports: NDArray[np.int64], others: list[int], reference: int, outcome: Variable) -> LogisticFit:
    """Fit the regression on one indicator for each other group; equal respondents share one row with a count."""
    used = [reference, *others]
    cells = [(place, code) for place in used for code in range(reports.shape[1]) if reports[place, code]]
    covariates = np.array([[float(place == other) for other in others] for place, _ in cells])
    counts = [int(reports[cell]) for cell in cells]
    return logistic_regression(covariates, [code for _, code in cells], outcome.channel, counts=counts)


def _rows(
    key: str,
    groups: Sequence[str],
    outcome: Variable,
    reports: NDArray[np.int64],
    used: list[int],
    fit: LogisticFit,
    level: float,
) -> list[AnalysisRow]:
    """The share of each group in the model, then the odds ratio of each against the first."""
    n = reports.sum(axis=1).tolist()
    predicted = fit.predict(np.vstack([np.zeros(len(used) - 1), np.eye(len(used) - 1)]), level)
    shares = [
        with_numbers(
            AnalysisRow("share", key, n[place], choice=outcome.choice, group=groups[place], level=level),
            predicted.proportions[k], predicted.standard_errors[k], predicted.low[k], predicted.high[k],
        )
        for k, place in enumerate(used)
    ]  # fmt: skip
    limits, against = fit.intervals(level), groups[used[0]]
    ratios = [
        with_numbers(
            AnalysisRow("odds_ratio", key, n[place] + n[used[0]], choice=outcome.choice,
                group=groups[place], against=against, level=level),
            np.exp(fit.coefficients[k]), fit.standard_errors[k], *np.exp(limits[k]),
        )
        for k, place in enumerate(used[1:], start=1)
    ]  # fmt: skip
    return shares + ratios


def with_numbers(row: AnalysisRow, *numbers: float) -> AnalysisRow:
    """The row with its numbers; only a flag if the maximum likelihood odds are 0 or infinite."""
    if not np.isfinite(numbers).all():
        return replace(row, flags=[EDGE])
    estimate, error, low, high = map(float, numbers)
    return replace(row, estimate=estimate, standard_error=error, low=low, high=high, interval=WALD)
