"""Derivatives by differences, to check those that the library writes out."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def first_derivatives(function: Callable[[Floats], float | Floats], at: Floats, step: float = 1e-5) -> Floats:
    """Central differences of a function, a row for each argument."""
    moves = np.eye(at.size) * step
    return np.array([(function(at + one) - function(at - one)) / (2 * step) for one in moves])


def second_derivatives(function: Callable[[Floats], float], at: Floats, step: float = 1e-4) -> Floats:
    """Central differences of a scalar function, right to about 1e-6 of the largest."""
    moves = np.eye(at.size) * step

    def corner(a: Floats, b: Floats) -> float:
        ends = [function(at + one * a + other * b) * one * other for one in (1, -1) for other in (1, -1)]
        return sum(ends) / (4 * step**2)

    return np.array([[corner(a, b) for b in moves] for a in moves])
