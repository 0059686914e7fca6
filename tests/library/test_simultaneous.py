"""Several comparisons at once: published critical values, counted false alarms, and what is refused."""

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from randomized_response import simultaneous_level


def critical(*errors: float, **options: Any) -> float:
    """How many standard errors of a difference an interval reaches at the level."""
    return float(special.ndtri((1 + simultaneous_level(errors, **options)) / 2))


@pytest.mark.parametrize(("k", "expected"), [(3, 3.314), (4, 3.633), (8, 4.286)])
def test_critical_all_pairs_is_studentized_range(k: int, expected: float) -> None:
    """Upper 5 % points of the studentized range with infinite degrees of freedom, as printed in the tables."""
    assert critical(*[1.0] * k) * np.sqrt(2) == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize(("compared", "expected"), [(2, 2.21), (3, 2.35), (4, 2.44), (9, 2.69)])
def test_critical_equal_errors_is_dunnett(compared: int, expected: float) -> None:
    """Dunnett (1964), two-sided 5 % points, infinite degrees of freedom, equal groups."""
    assert critical(*[0.3] * (compared + 1), reference=0) == pytest.approx(expected, abs=6e-3)


def test_critical_unequal_errors_agrees_with_scipy() -> None:
    errors, level = np.array([0.02, 0.01, 0.05, 0.03]), 0.9
    reach = critical(*errors, reference=2, confidence=level)
    others = np.delete(errors, 2)
    loads = errors[2] / np.hypot(errors[2], others)
    correlation = np.outer(loads, loads)
    np.fill_diagonal(correlation, 1.0)
    inside = stats.multivariate_normal(np.zeros(3), correlation, seed=1, abseps=1e-7)
    assert inside.cdf([reach] * 3, lower_limit=[-reach] * 3) == pytest.approx(level, abs=1e-5)


@pytest.mark.parametrize(("reference", "allowed"), [(0, 0.0035), (None, 0.0035)])
def test_simultaneous_false_alarms_by_simulation(reference: int | None, allowed: float) -> None:
    """40,000 rounds of five equal groups of unequal errors: 5 % of rounds alarm, give or take 3.2 of its own errors
    (this test fails by chance once in 700 times with another seed); every pair is at most that."""
    errors = np.array([0.01, 0.03, 0.02, 0.05, 0.01])
    reach = critical(*errors, reference=reference)
    estimates = np.random.default_rng(7).normal(size=(40_000, 5)) * errors
    apart = np.abs(estimates[:, :, None] - estimates[:, None, :]) > reach * np.hypot.outer(errors, errors)
    alarms = (apart[:, reference] if reference is not None else apart.reshape(len(apart), -1)).any(axis=1).mean()
    assert alarms <= 0.05 + allowed
    assert alarms >= (0.05 - allowed if reference is not None else 0.03)


def test_simultaneous_group_without_error_is_included() -> None:
    assert 0.95 < simultaneous_level([0.0, 0.02, 0.02], reference=0) < 0.976
    assert 0.95 < simultaneous_level([0.0, 0.0, 0.0], reference=1) < 0.98
    assert simultaneous_level([0.0, 0.1]) == 0.95


@pytest.mark.parametrize(
    ("errors", "options", "message"),
    [
        ([0.1], {}, r"at least 2 entries; got shape \(1,\)"),
        ([0.1, float("nan")], {}, "finite and not negative"),
        ([0.1, 0.1, 0.1], {"reference": 3}, "reference must be from 0 to 2; got 3"),
        ([0.1, 0.1], {"confidence": 1.0}, "confidence"),
    ],
)
def test_simultaneous_bad_input_raises(errors: list[float], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simultaneous_level(errors, **options)
