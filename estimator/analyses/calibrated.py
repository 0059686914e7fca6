"""Weights of released cells, calibrated to known shares of the answers to several background questions.

A response that tells several answers to a question together counts as each of them in the proportions of the
population; one that tells none, or "prefer not to say", as the population. So a margin is met as far as it is told,
and who did not tell is neither weighted up nor down for it (the rule of missing values in raking; DeBell & Krosnick
2009, ANES Technical Report nes012427).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from collector.designs import Background, Design
from estimator.analyses.margins import Margins, choices_of
from estimator.analyses.quantities import item_of, question_at
from estimator.analyses.rows import AnalysisRow
from estimator.analyses.strata import estimate_row, quantities_told, strata_counts
from estimator.runs.cells import Members, row_answers
from estimator.runs.estimation import Fit, fit_of
from estimator.runs.groups import ENOUGH_TO_WEIGHT, stored
from randomized_response import (
    CalibratedWeights,
    ParameterError,
    Question,
    calibrate,
    combine_weighted,
    combine_weighted_means,
    mean_of_shares,
)

Floats = NDArray[np.float64]

BINS = 16
NOBODY, OUTSIDE, UNREACHED = "nobody", "outside", "unreached"
"""Why a margin cannot be met: no response tells the answer; responses tell it, but its share is 0; the weights that
would meet it are out of their limits, or would contradict another margin."""


class MarginSummary(TypedDict):
    """How many responses tell an answer; of each answer its number, and its shares among responses and people."""

    told: int
    answers: list[tuple[int, float, float]]


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
    """The margin that no weights meet: key of the question, number of the answer from 1, and why."""

    question: str
    answer: int
    reason: str


@dataclass(frozen=True)
class RowWeights:
    """The weights of the rows of released totals that have responses.

    - `rows`: indices of these rows, `sizes`: their responses.
    - `calibrated`: one weight for each of them; before calibration its number of responses.
    - `told`: by question, how many responses tell its answer, or several that it is one of.
    - `among`: by question, the share of each of its answers among the responses, as they count.
    """

    rows: NDArray[np.intp]
    sizes: NDArray[np.int64]
    calibrated: CalibratedWeights
    told: Mapping[str, int]
    among: Mapping[str, Mapping[str, float]]

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
        place = next(k for k, one in enumerate(design.background.questions) if one.key == key)
        known = np.zeros(len(choices_of(design.background, place)))
        for answer, share in margin.items():
            known[int(answer) - 1] = float(Fraction(share))
        table, tells = _memberships(design.background, held, place, known)
        unmet = _unmet(key, table, tells, known)
        if unmet:
            return unmet
        told[key] = int(counts[tells].sum())
        among[key] = {answer: float(counts @ table[:, int(answer) - 1] / counts.sum()) for answer in margin}
        columns |= {f"{key}={answer}": (table[:, int(answer) - 1], float(known[int(answer) - 1])) for answer in margin}
    found = _calibrated(columns, counts, weighting)
    return found if isinstance(found, Unmet) else RowWeights(rows, counts, found, told, among)


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
        return Unmet(question, int(answer), UNREACHED)


def _memberships(
    background: Background, members: Sequence[tuple[int, ...]], place: int, known: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """How much each row counts as each choice, shape (rows, choices), and whether it tells any.

    NaN where it tells choices without a share.
    """
    table, tells = np.empty((len(members), known.size)), np.zeros(len(members), dtype=bool)
    for row, cells in enumerate(members):
        told = [answer for answer in row_answers(background, cells)[place] if answer < known.size]
        tells[row] = 0 < len(told) < known.size
        part = np.where(np.isin(np.arange(known.size), told), known, 0.0) if tells[row] else known
        table[row] = part / part.sum() if part.any() else np.nan
    return table, tells


def _unmet(key: str, table: Floats, tells: NDArray[np.bool_], known: Floats) -> Unmet | None:
    """The first answer whose share cannot be met, whatever the weights."""
    outside = np.isnan(table).any(axis=1)
    if outside.any():
        return Unmet(key, int(np.flatnonzero(known == 0)[0]) + 1, OUTSIDE)
    untold = (known > 0) & ((table.max(axis=0) <= known * (1 + 1e-12)) | ~tells.any())
    return Unmet(key, int(np.flatnonzero(untold)[0]) + 1, NOBODY) if untold.any() else None


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
        rows.append(replace(estimate_row(design, quantity, whole, n, confidence), weights="entered"))
        rows.append(estimate_row(design, quantity, alike, n, confidence))
    result: dict[str, object] = {"rows": [asdict(row) for row in rows]}
    if isinstance(found, Unmet):
        return result | {"unmet": asdict(found)}
    return result if found is None else result | {"weights": summary(found, parameters["margins"])}


def weighted_fit(
    question: Question,
    counts: NDArray[np.int64],
    weights: RowWeights,
    confidence: float,
    only: Sequence[int] | None = None,
) -> Fit | None:
    """The weighted estimates of all responses, or of those in the rows `only`; counts of shape (rows, symbols, m)."""
    include = np.isin(weights.rows, weights.rows if only is None else np.array(only, dtype=np.intp))
    if weights.sizes[include].sum() < ENOUGH_TO_WEIGHT:
        return None
    tables = [counts[row] for row in weights.rows]
    if not question.fits_shares:
        means = [question.estimate_mean(one, confidence=confidence) for one in tables]
        return Fit(None, combine_weighted_means(means, weights.calibrated, include=include))
    # The quickest interval: none of a cell is used.
    cells = [question.estimate(one, confidence=confidence, interval="wald") for one in tables]
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
                "answers": [
                    (int(one), weights.among[key][one], float(Fraction(share))) for one, share in known.items()
                ],
            }
            for key, known in margins.items()
        },
    }
