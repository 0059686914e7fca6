"""Profile likelihood limits for measures of association of a 2 x 2 table."""

from collections.abc import Callable
from itertools import product
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response.constrained import interior_point

Floats = NDArray[np.float64]
Measure = Callable[[Floats], tuple[Floats, Floats]]
"""A measure of a table read row by row, or of tables that are columns, and its gradient."""

_LEAST = 1e-12
_HALVINGS, _ROUNDS, _CLIMBS = 34, 3, 3
_PARTS = 8
_EVEN = np.full((1, 4), 0.25)
_GRID = np.array([parts for parts in product(range(_PARTS + 1), repeat=4) if sum(parts) == _PARTS]) / _PARTS
_OFFSETS = np.array([offset for offset in product((-1, 0, 1), repeat=4) if sum(offset) == 0]) / _PARTS


def phi(table: Floats) -> tuple[Floats, Floats]:
    """(p00 p11 - p01 p10) / sqrt(r (1 - r) c (1 - c)), r and c being the shares of the second row and column."""
    p00, p01, p10, p11 = table
    margins = np.array([p00 + p01, p10 + p11, p00 + p10, p01 + p11])
    root = np.sqrt(margins.prod(axis=0))
    value = (p00 * p11 - p01 * p10) / root
    inverse = 1 / margins
    sides = np.array(
        [inverse[0] + inverse[2], inverse[0] + inverse[3], inverse[1] + inverse[2], inverse[1] + inverse[3]]
    )
    return value, np.array([p11, -p10, -p01, p00]) / root - value / 2 * sides


def yules_q(table: Floats) -> tuple[Floats, Floats]:
    """(p00 p11 - p01 p10) / (p00 p11 + p01 p10), monotone in the odds ratio and finite where a cell is 0."""
    p00, p01, p10, p11 = table
    straight, crossed = p00 * p11, p01 * p10
    both = straight + crossed
    slope = 2 / both**2 * np.array([p11 * crossed, -p10 * straight, -p01 * straight, p00 * crossed])
    return (straight - crossed) / both, slope


def _turned(found: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return -found[0], -found[1]


class LikelyTables:
    """The likelihood region of tables at `level`: 2 (log L at the maximum - log L) <= chi-squared(1) quantile.

    The ends of a measure among them are the ends of its profile likelihood interval. They are a convex set, on which
    a measure may have several maxima, so that it is climbed from the best of many places. `counts` and the most
    likely table, `best`, are read row by row; `matrix` is P(reports | answers), shape (4, reports).
    """

    def __init__(self, counts: ArrayLike, matrix: Floats, best: Floats, level: float) -> None:
        given = np.asarray(counts, dtype=np.float64)
        self._counts, self._matrix, self._best = given[given > 0], matrix[:, given > 0], best
        self._floor = self._height(best) - float(scipy.special.chdtri(1, 1 - level)) / 2

    def phi(self) -> tuple[float, float]:
        low = -1.0 if self.hold_without(0, 3) else -self._highest(lambda table: _turned(phi(table)))
        return low, 1.0 if self.hold_without(1, 2) else self._highest(phi)

    def odds_ratio(self) -> tuple[float, float]:
        nought, infinite = (self.hold_without(x) or self.hold_without(y) for x, y in ((0, 3), (1, 2)))
        low = 0.0 if nought else _odds(-self._highest(lambda table: _turned(yules_q(table))))
        return low, inf if infinite else _odds(self._highest(yules_q))

    def hold_without(self, *cells: int) -> bool:
        """Return True if some table of the region has 0 in these cells."""
        others = [cell for cell in range(4) if cell not in cells]
        if not (self._matrix[others].max(axis=0) > 0).all():
            return False
        table = np.zeros(4)
        table[others] = interior_point(self._counts / self._counts.sum(), self._matrix[others])
        return self._above(table) >= 0

    def _above(self, table: Floats) -> float:
        return self._height(table) - self._floor

    def _highest(self, measure: Measure) -> float:
        """Maximize the measure over the region: look at its edge, closer and closer to the best places, then climb."""
        goals, tried = _GRID, []
        for step in 0.5 ** np.arange(1, _ROUNDS + 1):
            tables = self._edge(goals)
            best = np.argsort(-_value(measure, tables), kind="stable")[:_CLIMBS]
            tried += list(tables[best])
            around = np.maximum(goals[best][:, None] + step * _OFFSETS, 0.0).reshape(-1, 4)
            goals = around / around.sum(axis=1, keepdims=True)
        ends = [*tried, *(self._climbed(measure, table) for table in tried)]
        ends.append(self._climbed(measure, ends[_value(measure, np.array(ends)).argmax()]))
        return float(_value(measure, np.array(ends)).max())

    def _climbed(self, measure: Measure, table: Floats) -> Floats:
        """The end of a climb from a table, or from slightly further within, as a measure may have no slope at 0."""
        start = table + 1e-3 * (self._towards(_EVEN, np.array([0.02]))[0] - table)
        found = scipy.optimize.minimize(
            lambda table: _turned(measure(np.maximum(table, _LEAST))),
            start, jac=True, method="SLSQP", bounds=[(_LEAST, 1.0)] * 4,
            constraints=[
                {"type": "eq", "fun": lambda table: table.sum() - 1, "jac": lambda table: np.ones(4)},
                {"type": "ineq", "fun": self._above, "jac": self._slope},
            ],
            options={"maxiter": 200, "ftol": 1e-10},
        )  # fmt: skip
        table = np.maximum(found.x, _LEAST)
        table /= table.sum()
        return table if self._above(table) >= -1e-6 else start

    def _edge(self, goals: Floats) -> Floats:
        """The last tables of the region on the way from the maximum to these."""
        low, high = np.zeros(len(goals)), np.ones(len(goals))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            within = self._heights(self._towards(goals, middle)) >= self._floor
            low, high = np.where(within, middle, low), np.where(within, high, middle)
        return np.maximum(self._towards(goals, low), 0.0)

    def _towards(self, tables: Floats, parts: Floats) -> Floats:
        return np.asarray(self._best + parts[:, None] * (tables - self._best))

    def _height(self, table: Floats) -> float:
        return float(self._heights(table))

    def _heights(self, tables: Floats) -> Floats:
        return np.asarray(np.log(np.maximum(tables @ self._matrix, 1e-300)) @ self._counts)

    def _slope(self, table: Floats) -> Floats:
        return np.asarray(self._matrix @ (self._counts / np.maximum(table @ self._matrix, 1e-300)))


def _odds(q: float) -> float:
    return (1 + q) / (1 - q) if q < 1 else inf


def _value(measure: Measure, tables: Floats) -> Floats:
    """The measure of each row; where it is not defined, the least."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(measure(tables.T)[0], nan=-inf)
