"""Derivatives by differences, to check those that the library writes out."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize

from randomized_response import PredictorFit

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


def assert_maximum(fit: PredictorFit, log_likelihood: Callable[[Floats], float]) -> None:
    """A fit is where a likelihood that is written out is highest, and its covariance is the curvature there.

    Of a linear model the logarithm of sigma is the last argument.
    """
    at = np.append(fit.coefficients, np.log(fit.sigma)) if fit.model == "linear" else fit.coefficients
    best = optimize.minimize(lambda x: -log_likelihood(x), at + 0.05, options={"gtol": 1e-5})
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(log_likelihood(at), rel=1e-12)
    covariance = np.linalg.inv(-second_derivatives(log_likelihood, at))
    q = len(fit.coefficients)
    np.testing.assert_allclose(fit.covariance, covariance[:q, :q], rtol=1e-3, atol=1e-7)
    assert fit.parameters == at.size
