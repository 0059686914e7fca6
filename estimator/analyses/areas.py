"""Shares in small areas: multilevel regression with poststratification to a census table.

The answers to one background question are the areas, each with an intercept of its own that is drawn towards the
others'; other questions may be predictors (Gelman & Little 1997, Survey Methodology 23, 127-135). Responses that do not
tell the area and each predictor by itself are left out, and those who prefer not to say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from estimator.analyses.logistic import reports_of
from estimator.analyses.quantities import Variable, variable_of
from estimator.analyses.rows import ENOUGH_FOR_NORMAL, ENTERED, AnalysisRow, number
from estimator.base.measures import TOO_FEW
from estimator.runs.cells import row_answers
from estimator.runs.groups import answer_key, stored
from randomized_response import AreaEstimate, MultilevelFit, estimate_proportions, multilevel_regression

FEWEST_AREAS = 3
POSTERIOR = "posterior"
"""The interval of an area: equal tails of the approximate posterior."""
UNMODELLED = "unmodelled"
"""A census has people with an answer that no response tells."""


@dataclass(frozen=True)
class AreaCells:
    """The responses by area and predictors: `answers` of shape (cells, 1 + predictors), `reports` (cells, reports)."""

    answers: NDArray[np.int64]
    reports: NDArray[np.int64]

    def told(self, column: int) -> list[int]:
        return sorted(set(self.answers[:, column].tolist()))

    def columns(self, answers: NDArray[np.int64]) -> NDArray[np.float64]:
        """The indicators of the predictors' answers but their first ones, of shape (rows, p)."""
        used = [(column, answer) for column in range(1, self.answers.shape[1]) for answer in self.told(column)[1:]]
        found = [answers[:, column] == answer for column, answer in used]
        return np.stack(found, axis=1).astype(float) if found else np.empty((len(answers), 0))


def small_areas(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Estimate the share of the outcome in each area, and in all of them together."""
    outcome, cells = area_cells(design, parameters, inputs)
    n = int(cells.reports.sum())
    left_out = int(np.array(inputs["totals"])[:, 0].sum()) - n
    found: dict[str, object] = {"n": n, "left_out": left_out, "flags": [], "rows": []}
    if n < ENOUGH_FOR_NORMAL or len(cells.told(0)) < FEWEST_AREAS:
        return found | {"flags": [TOO_FEW]}
    census = census_of(cells, parameters["census"])
    unknown = _unknown(cells, census[0])
    if unknown is not None:
        column, answer = unknown
        asked = (parameters["area"], *parameters["predictors"])
        unmet = {"question": asked[column], "answer": answer + 1, "reason": UNMODELLED}
        return found | {"unmet": unmet}
    fit = _fitted(cells, outcome)
    if not fit.draws.size:
        return found | {"flags": [one.name for one in fit.diagnostics]}
    people, counts = census
    areas = fit.poststratify(cells.columns(people), people[:, 0], counts, confidence=parameters["confidence"])
    rows = _rows(design, parameters["area"], outcome, cells, areas, weighted=bool(parameters["census"]))
    return found | {
        "sigma": number(fit.sigma),
        "sigma_standard_error": number(fit.sigma_standard_error),
        "alike": {
            "statistic": number(fit.variation.statistic),
            "degrees_of_freedom": fit.variation.degrees_of_freedom,
            "p_value": number(fit.variation.p_value),
        },
        "direct": _direct(cells, outcome),
        "rows": [asdict(row) for row in rows],
    }


def area_cells(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> tuple[Variable, AreaCells]:
    """The outcome, and the responses that tell the area and each predictor by itself, by what they tell."""
    outcome, questions = variable_of(design, parameters["outcome"], binary=True), design.background.questions
    keys = [one.key for one in questions]
    asked = [keys.index(key) for key in (parameters["area"], *parameters["predictors"])]
    reports = reports_of(design, outcome, inputs)
    sums: dict[tuple[int, ...], NDArray[np.int64]] = {}
    for members, counts in zip(stored(design, inputs["groups"]).members, reports, strict=True):
        taken = [row_answers(design.background, members)[place] for place in asked]
        told = all(len(one) == 1 and one[0] in questions[q].offered for one, q in zip(taken, asked, strict=True))
        if counts.sum() and told:
            answers = tuple(one[0] for one in taken)
            sums[answers] = sums.get(answers, np.zeros_like(counts)) + counts
    told_cells = sorted(sums)
    return outcome, AreaCells(
        np.array(told_cells, dtype=np.int64).reshape(-1, len(asked)),
        np.array([sums[one] for one in told_cells], dtype=np.int64).reshape(-1, reports.shape[1]),
    )


def census_of(cells: AreaCells, census: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The answers and the people of each cell of the population; those of the responses where none are entered."""
    if not census:
        return cells.answers, cells.reports.sum(axis=1).astype(float)
    table = np.array(census, dtype=np.int64)
    return table[:, :-1] - 1, table[:, -1].astype(float)


def _unknown(cells: AreaCells, people: NDArray[np.int64]) -> tuple[int, int] | None:
    """A predictor and an answer to it that people of the census have and no response tells."""
    for column in range(1, people.shape[1]):
        missing = set(people[:, column].tolist()) - set(cells.told(column))
        if missing:
            return column, min(missing)
    return None


def _fitted(cells: AreaCells, outcome: Variable) -> MultilevelFit:
    rows, codes = cells.reports.nonzero()
    covariates, areas = cells.columns(cells.answers)[rows], cells.answers[rows, 0]
    return multilevel_regression(covariates, codes, outcome.channel, areas, counts=cells.reports[rows, codes])


def _rows(
    design: Design, area_key: str, outcome: Variable, cells: AreaCells, areas: AreaEstimate, *, weighted: bool
) -> list[AnalysisRow]:
    """A row for each area, then one for all of them."""
    key = design.items[outcome.position].key
    question = [one.key for one in design.background.questions].index(area_key)
    sizes = {area: int(cells.reports[cells.answers[:, 0] == area].sum()) for area in cells.told(0)}
    rows = []
    for place, area in enumerate(areas.areas):
        whole = place == len(areas.areas) - 1
        rows.append(
            AnalysisRow(
                "share",
                key,
                sum(sizes.values()) if whole else sizes.get(area, 0),
                choice=outcome.choice,
                group="" if whole else answer_key(design, question, int(area)),
                weights=ENTERED if weighted else "",
                estimate=number(areas.estimate[place]),
                standard_error=number(areas.standard_error[place]),
                low=number(areas.low[place]),
                high=number(areas.high[place]),
                interval=POSTERIOR,
                level=areas.confidence,
            )
        )
    return rows


def _direct(cells: AreaCells, outcome: Variable) -> dict[str, float]:
    """The share in each area from its own responses alone, by the number of its answer from 1."""
    found = {}
    for area in cells.told(0):
        counts = cells.reports[cells.answers[:, 0] == area].sum(axis=0)
        found[str(area + 1)] = float(estimate_proportions(counts, outcome.channel, interval="wald").constrained[1])
    return found
