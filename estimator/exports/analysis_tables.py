"""The tables that `analysis.R` reads: responses by predictors, the table of the outcome, and what was asked."""

import csv
import io
from collections.abc import Iterable, Sequence

import numpy as np

from collector.designs import Design
from collector.designs.selectors import get_design
from estimator.analyses.calibrated import Unmet, weights_of
from estimator.analyses.logistic import reports_of
from estimator.analyses.quantities import Score, Variable, outcome_of, variable_of
from estimator.analyses.strata import strata_counts
from estimator.models import Analysis
from estimator.runs.cells import row_answers
from estimator.runs.groups import answer_key, stored

Table = Iterable[Sequence[object]]


def tables_of(analysis: Analysis) -> dict[str, bytes]:
    """The tables by their names in the bundle; none of an analysis that R has no formulas for."""
    design = get_design(analysis.design_id)
    outcome = _outcome(analysis, design)
    if outcome is None or not any(row["estimate"] is not None for row in analysis.result["rows"]):
        return {}
    parameters = analysis.parameters
    usual = "logit" if outcome.channel.answers == 2 else "multinomial"
    settings = {
        "model": parameters.get("model", usual),
        "confidence": parameters["confidence"],
        "prior": parameters.get("prior") or "",
        "weighted": int("weighting" in parameters),
        "choice": "" if outcome.choice is None else outcome.choice,
        "first": parameters.get("reference", ""),
    }
    crossed = [f"interaction {number}" for number in (1, 2)]
    settings |= dict(zip(crossed, parameters.get("interaction", ()), strict=False))
    return {
        "tables/responses.csv": _csv(_responses(analysis, design, outcome)),
        "tables/channel.csv": _csv(outcome.channel.weights),
        "tables/settings.csv": _csv([("name", "value"), *settings.items()]),
    }


def _outcome(analysis: Analysis, design: Design) -> Variable | None:
    """The outcome of a regression on what is told openly; None of other analyses, and of means."""
    parameters = analysis.parameters
    if analysis.kind != Analysis.Kind.REGRESSION or "answer" in parameters:
        return None
    if "predictors" not in parameters:
        return variable_of(design, parameters["outcome"], binary=True)
    outcome = outcome_of(design, parameters["outcome"])
    return None if isinstance(outcome, Score) else outcome


def _responses(analysis: Analysis, design: Design, outcome: Variable) -> Table:
    """A line for each report in each row of totals that tells the predictors: their answers, weight, report, count."""
    partition, reports = stored(design, analysis.inputs["groups"]), reports_of(design, outcome, analysis.inputs)
    weights, parameters = np.ones(len(reports)), analysis.parameters
    if "weighting" in parameters:
        sizes = strata_counts(analysis.inputs)[:, 0].sum(axis=1).tolist()
        found = weights_of(design, partition.members, sizes, parameters["weighting"])
        assert not isinstance(found, Unmet)
        weights[found.rows] = found.ratios
    questions = design.background.questions
    asked = [place for place, one in enumerate(questions) if one.key in parameters.get("predictors", ())]
    names = [questions[place].key for place in asked] or ["group"]
    yield (*names, "weight", "report", "count")
    for row, counts in enumerate(reports):
        if asked:
            taken = [row_answers(design.background, partition.members[row])[place] for place in asked]
            told = [answer_key(design, place, one[0]) for place, one in zip(asked, taken, strict=True) if len(one) == 1]
        else:
            told = [partition.keys[row]]
        if len(told) == len(names):
            yield from ((*told, repr(float(weights[row])), code, n) for code, n in enumerate(counts.tolist()) if n)


def _csv(rows: Table) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()
