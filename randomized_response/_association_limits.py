"""Profile likelihood limits for measures of association of a 2 x 2 table."""

from collections.abc import Callable
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response.constrained import interior_point

Floats = NDArray[np.float64]
Measure = Callable[[Floats], tuple[float, Floats]]
"""A measure of a table read row by row, and its gradient."""

_LEAST = 1e-12
_STEPS = 60


def phi(table: Floats) -> tuple[float, Floats]:
    """(p00 p11 - p01 p10) / sqrt(r (1 - r) c (1 - c)), r and c being the shares of the second row and column."""
    p00, p01, p10, p11 = table
    margins = np.array([p00 + p01, p10 + p11, p00 + p10, p01 + p11])
    root = np.sqrt(margins.prod())
    value = (p00 * p11 - p01 * p10) / root
    inverse = 1 / margins
    sides = np.array(
        [inverse[0] + inverse[2], inverse[0] + inverse[3], inverse[1] + inverse[2], inverse[1] + inverse[3]]
    )
    return float(value), np.array([p11, -p10, -p01, p00]) / root - value / 2 * sides


def yules_q(table: Floats) -> tuple[float, Floats]:
    """(p00 p11 - p01 p10) / (p00 p11 + p01 p10), monotone in the odds ratio and finite where a cell is 0."""
    p00, p01, p10, p11 = table
    straight, crossed = p00 * p11, p01 * p10
    both = straight + crossed
    slope = 2 / both**2 * np.array([p11 * crossed, -p10 * straight, -p01 * straight, p00 * crossed])
    return float((straight - crossed) / both), slope


def _turned(found: tuple[float, Floats]) -> tuple[float, Floats]:
    return -found[0], -found[1]


class LikelyTables:
    """The likelihood region of tables at `level`: 2 (log L at the maximum - log L) <= chi-squared(1) quantile.

    The ends of a measure among them are the ends of its profile likelihood interval. They are a convex set, over which
    a measure is climbed from a table within and from the edges towards the corners that it grows to. `counts` and the
    most likely table, `best`, are read row by row; `matrix` is P(reports | answers), shape (4, reports).
    """

    def __init__(self, counts: ArrayLike, matrix: Floats, best: Floats, level: float) -> None:
        given = np.asarray(counts, dtype=np.float64)
        self._counts, self._matrix, self._best = given[given > 0], matrix[:, given > 0], best
        self._floor = self._height(best) - float(scipy.special.chdtri(1, 1 - level)) / 2

    def phi(self) -> tuple[float, float]:
        low = -1.0 if self.hold_without(0, 3) else -self._climb(lambda table: _turned(phi(table)), (1, 2))
        return low, 1.0 if self.hold_without(1, 2) else self._climb(phi, (0, 3))

    def odds_ratio(self) -> tuple[float, float]:
        nought, infinite = (self.hold_without(x) or self.hold_without(y) for x, y in ((0, 3), (1, 2)))
        low = 0.0 if nought else _odds(-self._climb(lambda table: _turned(yules_q(table)), (1, 2)))
        return low, inf if infinite else _odds(self._climb(yules_q, (0, 3)))

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

    def _climb(self, measure: Measure, corners: tuple[int, ...]) -> float:
        """Maximize the measure over the region."""
        starts = [self._towards(np.full(4, 0.25), 0.02), *(self._edge(np.eye(4)[corner]) for corner in corners)]
        return max(self._climbed(measure, start) for start in starts)

    def _climbed(self, measure: Measure, start: Floats) -> float:
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
        highest = table if self._above(table) >= -1e-4 else start
        return measure(highest)[0]

    def _edge(self, corner: Floats) -> Floats:
        """The last table of the region on the way from the maximum to a corner, moved slightly inwards."""
        low, high = 0.0, 1.0
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._above(self._towards(corner, middle)) >= 0 else (low, middle)
        edge = self._towards(corner, low)
        return edge + 1e-3 * (self._towards(np.full(4, 0.25), 0.02) - edge)

    def _towards(self, table: Floats, part: float) -> Floats:
        return self._best + part * (table - self._best)

    def _height(self, table: Floats) -> float:
        return float(self._counts @ np.log(np.maximum(table @ self._matrix, 1e-300)))

    def _slope(self, table: Floats) -> Floats:
        return np.asarray(self._matrix @ (self._counts / np.maximum(table @ self._matrix, 1e-300)))


def _odds(q: float) -> float:
    return (1 + q) / (1 - q) if q < 1 else inf
