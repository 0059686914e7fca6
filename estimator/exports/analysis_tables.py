"""The tables that `analysis.R` reads: responses by predictors, the table of the outcome, and what was asked."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from collector.designs import Design
from collector.designs.selectors import get_design
from estimator.analyses.calibrated import Unmet, weights_of
from estimator.analyses.logistic import reports_of
from estimator.analyses.quantities import Score, Variable, outcome_of, variable_of
from estimator.models import Analysis
from estimator.runs.cells import row_answers
from estimator.runs.groups import answer_key, stored

Table = Iterable[Sequence[object]]


def tables_of(analysis: Analysis) -> dict[str, bytes]:
    """The tables by their names in the bundle; none of an analysis that R has no formulas for."""
    if analysis.kind != Analysis.Kind.REGRESSION or all(row["estimate"] is None for row in analysis.result["rows"]):
        return {}
    design, parameters = get_design(analysis.design_id), analysis.parameters
    outcome = _outcome(parameters, design)
    answer = variable_of(design, parameters["answer"]) if "answer" in parameters else None
    settings = {
        "model": "linear" if isinstance(outcome, Score) else parameters.get("model", _usual(outcome)),
        "confidence": parameters["confidence"],
        "prior": parameters.get("prior") or "",
        "weighted": int("weighting" in parameters),
        "choice": "" if outcome.choice is None else outcome.choice,
        "first": parameters.get("reference", ""),
    }
    settings |= {f"interaction {number}": key for number, key in enumerate(parameters.get("interaction", ()), start=1)}
    settings |= {f"steps {number}": key for number, key in enumerate(parameters.get("steps", ()), start=1)}
    tables: dict[str, Table] = {
        "responses": _responses(analysis, design, outcome, paired=answer is not None),
        "settings": [("name", "value"), *settings.items()],
    }
    if isinstance(outcome, Score):
        tables["scores"] = [(repr(score),) for score in outcome.scores]
    else:
        tables["channel"] = outcome.channel.weights
    if answer is not None:
        tables["answer"] = answer.channel.weights
    return {f"tables/{name}.csv": _csv(rows) for name, rows in tables.items()}


def _outcome(parameters: Mapping[str, Any], design: Design) -> Variable | Score:
    if "predictors" in parameters and "answer" not in parameters:
        return outcome_of(design, parameters["outcome"])
    return variable_of(design, parameters["outcome"], binary=True)


def _usual(outcome: Variable) -> str:
    return "logit" if outcome.channel.answers == 2 else "multinomial"


def _responses(analysis: Analysis, design: Design, outcome: Variable | Score, *, paired: bool) -> Table:
    """A line for each report in each row of totals that tells the predictors: their answers, weight, report, count.

    Where a randomised answer is a predictor, too, its report stands beside that of the outcome: they are `paired`.
    """
    inputs, parameters = analysis.inputs, analysis.parameters
    partition = stored(design, inputs["groups"])
    reports = np.array(inputs["pairs"]) if paired else reports_of(design, outcome, inputs)
    weights = np.ones(len(reports))
    if "weighting" in parameters:
        sizes = reports.reshape(len(reports), -1).sum(axis=1).tolist()
        found = weights_of(design, partition.members, sizes, parameters["weighting"])
        assert not isinstance(found, Unmet)
        weights[found.rows] = found.ratios
    questions = design.background.questions
    asked = [place for place, one in enumerate(questions) if one.key in parameters.get("predictors", ())]
    names = [questions[place].key for place in asked] if "predictors" in parameters else ["group"]
    allowed = [
        questions[place].offered if questions[place].key in parameters.get("steps", ()) else questions[place].everyone
        for place in asked
    ]  # who prefers not to say has no number in steps
    yield (*names, "weight", "report", *(["answer"] if paired else []), "count")
    for row, counts in enumerate(reports):
        if asked:
            taken = [row_answers(design.background, partition.members[row])[place] for place in asked]
            told = [
                answer_key(design, place, one[0])
                for place, one, among in zip(asked, taken, allowed, strict=True)
                if len(one) == 1 and one[0] in among
            ]
        else:
            told = [partition.keys[row]][: len(names)]
        if len(told) == len(names):
            yield from ((*told, repr(float(weights[row])), *code, int(n)) for code, n in np.ndenumerate(counts) if n)


def _csv(rows: Table) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()
