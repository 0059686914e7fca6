"""The estimates of a repetition as numbers, and the plan's forecasts; a row for each estimate of a report."""

import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from estimator.base.measures import MEAN
from estimator.models import KnownShare, Run
from estimator.runs.estimation import known_shares
from estimator.runs.groups import strata_asked, strata_by_code
from estimator.runs.results import EstimateCell, QuestionResults, Truths, read, truth_of_all
from estimator.runs.selectors import known_mean
from randomized_response import EachOption, plan
from randomized_response.intervals import normal_quantile
from surveys.planning.rehearsals.population import Marginals, Population

COLUMNS = ("unbiased", "constrained", "low", "high", "noise_low", "noise_high", "held")
"""Columns of a repetition. `held`: the share or mean among those simulated in it; NaN for missing numbers."""
FORESEEN = ("truth", "width")
"""Columns of the plan: the requested share or mean, and the mean width of its interval."""

Numbers = NDArray[np.float64]
"""Array of shape (estimates, columns)."""


def packed(numbers: Numbers) -> bytes:
    return numbers.astype("<f8").tobytes()


def unpacked(data: bytes | memoryview, columns: tuple[str, ...]) -> Numbers:
    return np.frombuffer(bytes(data), dtype="<f8").reshape(-1, len(columns))


def cells_of(run: Run) -> Iterator[tuple[QuestionResults, EstimateCell]]:
    """The estimates that a report shows, in its order."""
    return ((item, cell) for item in read(run).items for cell in item.shown)


def measured(run: Run, shares: Iterable[KnownShare]) -> Numbers:
    """The estimates of a finished run, with the true share among those who were simulated."""
    held: Truths = {}
    for known in shares:
        held.setdefault((known.position, known.stratum), {})[known.choice] = known.share
    rows = []
    for item, cell in cells_of(run):
        found = [getattr(cell.estimate, name) for name in COLUMNS[:-1]]
        rows.append([*found, _held(item, cell, held)])
    return np.array(rows, dtype=float)  # None becomes NaN


def planned_measures(run: Run, population: Population) -> Numbers:
    """The requested truth and the planner's forecast, for each estimate of a run."""
    strata = population.marginals()
    rows = []
    for item, cell in cells_of(run):
        rows.append([_truth(item, cell, strata, population), _width(item, cell, strata, population)])
    return np.array(rows, dtype=float)


def observed_measures(numbers: Numbers) -> Numbers:
    """The same for given, not drawn, people: the truth is that of these people, and nothing is planned."""
    return np.column_stack([numbers[:, -1], np.full(len(numbers), math.nan)])


def _truth(item: QuestionResults, cell: EstimateCell, strata: list[Marginals], population: Population) -> float:
    everybody = population.weights if known_shares(item.partition) else population.parts
    return _of(item, cell, dict(enumerate(_shares(item, cell, strata, everybody).tolist())))


def _shares(
    item: QuestionResults, cell: EstimateCell, strata: list[Marginals], parts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The true shares among those whom an estimate is of, whose strata have these parts of the respondents.

    NaN where none of them is asked the question.
    """
    asked = strata_asked(item.design, item.position)
    if cell.estimate.stratum is not None:
        among = np.zeros(len(parts), dtype=np.bool_)
        among[list(strata_by_code(item.design)[cell.estimate.stratum])] = True
        asked &= among
    mine = parts * asked
    parts = mine / mine.sum() if mine.any() else np.full(len(parts), math.nan)
    return np.asarray(sum(part * one[item.position] for part, one in zip(parts, strata, strict=True)))


def _of(item: QuestionResults, cell: EstimateCell, shares: dict[int, float]) -> float:
    """The share of a choice, or the mean, from the shares of all answers; NaN if there is none."""
    if cell.estimate.measure == MEAN:
        mean = known_mean(shares, item.question.values)
        return math.nan if mean is None else mean
    return shares.get(cell.estimate.choice, math.nan)


def _held(item: QuestionResults, cell: EstimateCell, held: Truths) -> float:
    """The truth among the participants, weighted as the estimate is."""
    if cell.estimate.stratum is not None:
        return _of(item, cell, held.get((item.position, cell.estimate.stratum), {}))
    return _of(item, cell, truth_of_all(item.partition, item.position, item.totals, held))


def _width(item: QuestionResults, cell: EstimateCell, strata: list[Marginals], population: Population) -> float:
    """Mean width of the interval by the planner; NaN for what it does not plan."""
    stratum, sizes = cell.estimate.stratum, population.respondents * population.parts
    if stratum is not None or not known_shares(item.partition):
        mine = list(range(len(sizes))) if stratum is None else list(strata_by_code(item.design)[stratum])
        size = (sizes * strata_asked(item.design, item.position))[mine].sum()
        if not size:
            return math.nan
        ahead = _forecast(item, cell, _shares(item, cell, strata, population.parts), size)
        return math.nan if ahead is None else ahead.width
    errors = []
    for one, size in zip(strata, sizes, strict=True):
        ahead = _forecast(item, cell, one[item.position], size)
        errors.append(math.nan if ahead is None else ahead.standard_error)
    spread = float(np.sqrt(np.sum((population.weights * np.array(errors)) ** 2)))
    return min(2 * normal_quantile(item.confidence) * spread, _widest(item, cell))


def _widest(item: QuestionResults, cell: EstimateCell) -> float:
    """The width of an interval over all possible values."""
    if cell.estimate.measure != MEAN:
        return 1.0
    points = [float(value) for value in item.question.values if value is not None]
    return max(points) - min(points)


def _forecast(item: QuestionResults, cell: EstimateCell, shares: Numbers, size: float) -> plan.Forecast | None:
    """The planner's forecast; None for the mean of only those who gave a point."""
    mechanism, confidence = item.mechanism, item.confidence
    n = max(1, round(size))
    if isinstance(mechanism, EachOption):
        share = float(shares[cell.estimate.choice])
        return plan.forecast(n, mechanism.channel, [1 - share, share], answer=1, confidence=confidence)
    if cell.estimate.measure == MEAN:
        values = [value for value in item.question.values if value is not None]
        some = len(values) < len(item.question.values)
        return None if some else plan.forecast(n, mechanism, shares, values=values, confidence=confidence)
    return plan.forecast(n, mechanism, shares, answer=cell.estimate.choice, confidence=confidence)
