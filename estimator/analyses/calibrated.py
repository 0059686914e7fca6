"""Weights of released cells, calibrated to known shares of the answers to several background questions.

A response that tells several answers to a question together counts as each of them in the proportions of the
population; one that tells none, or "prefer not to say", as the population. So a margin is met as far as it is told,
and who did not tell is neither weighted up nor down for it (the rule of missing values in raking; DeBell & Krosnick
2009, ANES Technical Report nes012427). A margin of several questions together has a share for each combination of
answers; one that tells the answer to some of the questions counts as the combinations with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from collector.designs import Background, Design
from estimator.analyses.margins import Margins, choices_of
from estimator.analyses.quantities import item_of, quantity_of, question_at
from estimator.analyses.rows import ENTERED, AnalysisRow
from estimator.analyses.strata import Compared, compared, differences, estimate_row, quantities_told, strata_counts
from estimator.runs.cells import Members, row_answers
from estimator.runs.estimation import Fit, fit_of
from estimator.runs.groups import AND, ENOUGH_TO_WEIGHT, stored
from randomized_response import (
    CalibratedWeights,
    ParameterError,
    Question,
    calibrate,
    combine_weighted,
    combine_weighted_means,
    mean_of_shares,
    weighted_covariance,
)
from randomized_response.means import slope_of_mean

Floats = NDArray[np.float64]
Cells = list[Any]
"""The shares, or the means, of the rows that have responses."""

BINS = 16
NOBODY, OUTSIDE, UNREACHED = "nobody", "outside", "unreached"
"""Why a margin cannot be met: no response tells the answer; responses tell it, but its share is 0; the weights that
would meet it are out of their limits, or would contradict another margin."""


class MarginSummary(TypedDict):
    """How many responses tell an answer; of each answer its number, and its shares among responses and people.

    Of several questions together the numbers are joined by AND. Stored analyses may have them as integers.
    """

    told: int
    answers: list[tuple[str, float, float]]


class WeightsSummary(TypedDict):
    """What an analysis stores of its weights: what responses count, 1 on average, and how they are distributed."""

    effective_size: float
    design_effect: float
    least: float
    largest: float
    histogram: list[tuple[float, float, int]]
    margins: dict[str, MarginSummary]


@dataclass(frozen=True)
class Unmet:
    """The margin that no weights meet: its key, the answer or combination in it, and why."""

    question: str
    answer: str
    reason: str


@dataclass(frozen=True)
class RowWeights:
    """The weights of the rows of released totals that have responses.

    - `rows`: indices of these rows, `sizes`: their responses.
    - `calibrated`: one weight for each of them; before calibration its number of responses.
    - `told`: by margin, how many responses tell its answer, or several that it is one of.
    - `among`: by margin, the share of each of its answers among the responses, as they count.
    - `columns`: by margin and answer, how much each of them counts as it, and the share, which is the mean that is met.
    """

    rows: NDArray[np.intp]
    sizes: NDArray[np.int64]
    calibrated: CalibratedWeights
    told: Mapping[str, int]
    among: Mapping[str, Mapping[str, float]]
    columns: Mapping[str, tuple[Floats, float]]

    @property
    def ratios(self) -> Floats:
        """What each response of a row counts, 1 on average."""
        return np.asarray(self.calibrated.weights / self.sizes * (self.sizes.sum() / self.calibrated.weights.sum()))

    @property
    def effective_size(self) -> float:
        """Number of responses of equal weight that would tell as much (Kish 1965)."""
        ratios = self.ratios
        return float((self.sizes @ ratios) ** 2 / (self.sizes @ ratios**2))


def weights_of(
    design: Design, members: Members, sizes: Sequence[int], weighting: Mapping[str, Any]
) -> RowWeights | Unmet:
    """Calibrate the rows to the margins of `weighting`: `margins`, `method` and `largest`."""
    rows = np.flatnonzero(np.array(sizes))
    counts, held = np.array(sizes, dtype=np.int64)[rows], [members[row] for row in rows]
    told, among, columns = dict[str, int](), dict[str, dict[str, float]](), dict[str, tuple[Floats, float]]()
    for key, margin in weighting["margins"].items():
        answers, known = list(margin), np.array([float(Fraction(share)) for share in margin.values()])
        found = _memberships(design.background, held, key, answers, known)
        if isinstance(found, Unmet):
            return found
        table, tells = found
        nobody = _nobody(answers, table, tells, known)
        if nobody:
            return Unmet(key, nobody, NOBODY)
        told[key] = int(counts[tells].sum())
        among[key] = dict(zip(answers, (counts @ table / counts.sum()).tolist(), strict=True))
        columns |= {
            f"{key}={answer}": (column, share)
            for answer, column, share in zip(answers, table.T, known.tolist(), strict=True)
        }
    weights = _calibrated(columns, counts, weighting)
    return weights if isinstance(weights, Unmet) else RowWeights(rows, counts, weights, told, among, columns)


def _calibrated(
    columns: Mapping[str, tuple[Floats, float]], counts: NDArray[np.int64], weighting: Mapping[str, Any]
) -> CalibratedWeights | Unmet:
    """The weights under which each column has its mean."""
    largest, varied = weighting["largest"], {key: one for key, one in columns.items() if np.ptp(one[0]) > 0}
    bounds = None if largest is None else (1 / largest, largest)
    covariates, margins = (
        {key: one for key, (one, _) in varied.items()},
        {key: mean for key, (_, mean) in varied.items()},
    )
    try:
        return calibrate(covariates, margins, weights=counts, method=weighting["method"], bounds=bounds)
    except ParameterError as error:
        worst = next((key for key in varied if error.place == f"margins[{key!r}]"), next(iter(varied)))
        question, _, answer = worst.rpartition("=")
        return Unmet(question, answer, UNREACHED)


def _memberships(
    background: Background, members: Sequence[Sequence[int]], key: str, answers: Sequence[str], known: Floats
) -> tuple[Floats, NDArray[np.bool_]] | Unmet:
    """How much each row counts as each of the `answers` of a margin, shape (rows, answers), and whether it tells any.

    Unmet where a row tells answers that have no share.
    """
    asked = [one.key for one in background.questions]
    places = [asked.index(one) for one in key.split(AND)]
    numbers = [tuple(int(one) - 1 for one in answer.split(AND)) for answer in answers]
    every = prod(len(choices_of(background, place)) for place in places)
    table, tells = np.empty((len(members), known.size)), np.zeros(len(members), dtype=bool)
    for row, cells in enumerate(members):
        told = _told(background, cells, places)
        tells[row] = len(told) < every
        part = np.where([one in told for one in numbers], known, 0.0) if tells[row] else known
        if not part.any():
            return Unmet(key, AND.join(str(answer + 1) for answer in min(told)), OUTSIDE)
        table[row] = part / part.sum()
    return table, tells


def _told(background: Background, cells: Sequence[int], places: Sequence[int]) -> set[tuple[int, ...]]:
    """The combinations of answers to the questions at `places` that a row of these cells may have.

    "Prefer not to say" is any answer that the row's other cells have, or any at all.
    """
    offered = [tuple(choices_of(background, place)) for place in places]
    answers = row_answers(background, cells)
    named = [
        tuple(one for one in answers[place] if one in choices) or choices
        for place, choices in zip(places, offered, strict=True)
    ]
    found: set[tuple[int, ...]] = set()
    for cell in cells:
        taken = background.cells[cell]
        options = (
            tuple(one for one in taken[place] if one in choices) or either
            for place, choices, either in zip(places, offered, named, strict=True)
        )
        found.update(product(*options))
    return found


def _nobody(answers: Sequence[str], table: Floats, tells: NDArray[np.bool_], known: Floats) -> str | None:
    """The first answer with a share that no response tells."""
    untold = (known > 0) & ((table.max(axis=0) <= known * (1 + 1e-12)) | ~tells.any())
    return answers[int(np.flatnonzero(untold)[0])] if untold.any() else None


def weighting(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Estimate one item with weights that meet the margins, beside the estimates of all responses alike."""
    position, confidence = item_of(design, parameters["item"]), parameters["confidence"]
    question, counts, partition = question_at(design, position), strata_counts(inputs), stored(design, inputs["groups"])
    alike, n = fit_of(question, counts.sum(axis=0), confidence), int(counts[:, 0].sum())
    found: RowWeights | Unmet | None = None
    if partition.parts and n >= ENOUGH_TO_WEIGHT:
        found = weights_of(design, partition.members, counts[:, 0].sum(axis=1).tolist(), parameters)
    whole = weighted_fit(question, counts, found, confidence) if isinstance(found, RowWeights) else None
    rows: list[AnalysisRow] = []
    for quantity in quantities_told(question, position):
        rows.append(replace(estimate_row(design, quantity, whole, n, confidence), weights=ENTERED))
        rows.append(estimate_row(design, quantity, alike, n, confidence))
    result: dict[str, object] = {"rows": [asdict(row) for row in rows]}
    if isinstance(found, Unmet):
        return result | {"unmet": asdict(found)}
    return result if found is None else result | {"weights": summary(found, parameters["margins"])}


def weighted_comparison(design: Design, parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compare groups by one background question, weighted as `weighting` says."""
    quantity = quantity_of(design, parameters["quantity"])
    question = question_at(design, quantity.position)
    counts, partition = strata_counts(inputs), stored(design, inputs["groups"])
    groups, found = compared(partition, parameters["against"]), None
    if partition.parts and counts[:, 0].sum() >= ENOUGH_TO_WEIGHT:
        found = weights_of(design, partition.members, counts[:, 0].sum(axis=1).tolist(), parameters["weighting"])
    sizes = [int(counts[list(group.rows), 0].sum()) for group in groups]
    if not isinstance(found, RowWeights):
        nothing = differences(
            design, parameters, partition, Compared(groups, sizes, lambda _: [None for _ in groups], ENTERED)
        )
        return nothing if found is None else nothing | {"unmet": asdict(found)}
    weights, parts = found, [np.isin(found.rows, group.rows) for group in groups]

    def fits_at(level: float) -> list[Fit | None]:
        cells = _cells(question, counts, weights, level)
        return [_combined(question, cells, weights, part) for part in parts]

    fits, cells = fits_at(parameters["confidence"]), _cells(question, counts, weights, parameters["confidence"])
    of_mean = quantity.choice is None and question.fits_shares

    def covariance(one: int, other: int) -> Floats:
        matrix = weighted_covariance(cells, weights.calibrated, parts[one], parts[other])
        if not of_mean:
            return matrix.diagonal()
        slopes = [slope_of_mean(fit.shares, question.values) for fit in (fits[one], fits[other]) if fit and fit.shares]
        return np.array([slopes[0] @ matrix @ slopes[1]])

    return differences(design, parameters, partition, Compared(groups, sizes, fits_at, ENTERED, covariance))


def weighted_fit(question: Question, counts: NDArray[np.int64], weights: RowWeights, confidence: float) -> Fit | None:
    """The weighted estimates of all responses; counts of shape (rows, symbols, m)."""
    return _combined(question, _cells(question, counts, weights, confidence), weights, np.full(len(weights.rows), True))


def _cells(question: Question, counts: NDArray[np.int64], weights: RowWeights, confidence: float) -> Cells:
    """The estimates of the rows that have responses, with the quickest interval: none of a cell is used."""
    tables = [counts[row] for row in weights.rows]
    if not question.fits_shares:
        return [question.estimate_mean(one, confidence=confidence) for one in tables]
    return [question.estimate(one, confidence=confidence, interval="wald") for one in tables]


def _combined(question: Question, cells: Cells, weights: RowWeights, include: NDArray[np.bool_]) -> Fit | None:
    """The weighted estimates of the responses in some rows; None of too few."""
    if weights.sizes[include].sum() < ENOUGH_TO_WEIGHT:
        return None
    if not question.fits_shares:
        return Fit(None, combine_weighted_means(cells, weights.calibrated, include=include))
    shares = combine_weighted(cells, weights.calibrated, question.mechanism, include=include)
    return Fit(shares, mean_of_shares(shares, question.values) if question.reports_mean else None)


def summary(weights: RowWeights, margins: Margins) -> WeightsSummary:
    """What is told of the weights: their sizes, how the responses differ from the population, and their histogram."""
    ratios = weights.ratios
    edges = np.linspace(min(0.0, float(ratios.min())), float(ratios.max()), BINS + 1).tolist()
    heights, _ = np.histogram(ratios, edges, weights=weights.sizes)
    return {
        "effective_size": weights.effective_size,
        "design_effect": float(weights.sizes.sum() / weights.effective_size),
        "least": float(ratios.min()),
        "largest": float(ratios.max()),
        "histogram": [(*ends, round(height)) for ends, height in zip(pairwise(edges), heights, strict=True)],
        "margins": {
            key: {
                "told": weights.told[key],
                "answers": [(one, weights.among[key][one], float(Fraction(share))) for one, share in known.items()],
            }
            for key, known in margins.items()
        },
    }
