"""Comparison of two independent groups that were asked the same question."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from randomized_response import _scipy as scipy
from randomized_response._limits import Limits, correlation_of, recovered_distance
from randomized_response.errors import ParameterError
from randomized_response.intervals import normal_quantile
from randomized_response.results import ProportionEstimate, Result, Vector, answer_table

NEAREST, FURTHEST, STEPS = 1e-3, 7.0, 56
"""The grid of p-values: standard normal deviates, p from .9992 to 2.6e-12, in steps of an eighth."""


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Differences of the shares of two groups, second minus first, by answer. Made by `compare`.

    Attributes
    ----------
    difference : array (k,)
        In the population: of the constrained estimates, the ones to show.
    unbiased : array (k,)
        Of the unbiased estimates. May lie outside the interval and [-1, 1]; its mean over repetitions is the truth.
    standard_error : array (k,)
        Of `unbiased`.
    low, high : array (k,)
        Interval for each difference, inside [-1, 1] and holding it, built from the two groups' own intervals.
    n : tuple of int
    confidence : float
    interval : str
    groups : tuple of ProportionEstimate
        What was compared. No part of `to_dict()`.
    correlation : array (k,)
        Of the two estimates; 0 of independent groups. No part of `to_dict()`.
    """

    difference: Vector
    unbiased: Vector
    standard_error: Vector
    low: Vector
    high: Vector
    n: tuple[int, int]
    confidence: float
    interval: str
    groups: tuple[ProportionEstimate, ProportionEstimate] = field(repr=False)
    correlation: Vector = field(repr=False)

    @cached_property
    def p_value(self) -> Vector:
        """P-values for equal shares, by answer, from inversion of the interval.

        1 less the largest confidence at which the interval leaves out 0: below 1 - `confidence` exactly where `low` and
        `high` leave out 0. Not below 2.6e-12; NaN without reports. Computed when first asked for.
        """
        found = _p_values(*self.groups, self.correlation)
        found.setflags(write=False)
        return found

    def one_sided(self, alternative: Literal["greater", "less"]) -> Vector:
        """P-values, by answer, for a share of the second group that is not greater, or not less, than the first's.

        Half of `p_value` where the difference points that way, else 1 less that half. Which way is to be said before
        the data are seen. Raises ValueError for another `alternative`.
        """
        if alternative not in ("greater", "less"):
            raise ParameterError("alternative", f"must be greater or less; got {alternative!r}")
        half, sign = self.p_value / 2, 1 if alternative == "greater" else -1
        return np.where(sign * self.difference > 0, half, 1 - half)

    def to_dict(self) -> dict[str, object]:
        """Every field by name, as of every result, and `p_value`."""
        numbers = [None if np.isnan(number) else number for number in self.p_value.tolist()]
        return super().to_dict() | {"p_value": numbers}

    def __str__(self) -> str:
        head = f"{self.n[1]} against {self.n[0]} reports; {100 * self.confidence:g} % intervals: {self.interval}"
        columns = {"difference": "10.4f", "std. error": "10.4f", "low": "7.4f", "high": "7.4f", "p value": "7.4f"}
        values = (self.difference, self.standard_error, self.low, self.high, self.p_value)
        return "\n".join([head, *answer_table(columns, *values)])


def compare(
    first: ProportionEstimate, second: ProportionEstimate, *, covariance: ArrayLike | None = None
) -> Comparison:
    """Estimate the differences of shares between two groups: second minus first, by answer.

    Parameters
    ----------
    first, second : ProportionEstimate
        Of the same answers at the same confidence; the tables may differ. People of one group are not in the other.
    covariance : array (k,) or (k, k), optional
        Of the two estimates of each answer, where weights are calibrated together (`weighted_covariance`). 0 by
        default, as of independent groups.

    Returns
    -------
    Comparison
        The interval recovers the variances from the two groups' own limits (MOVER): with estimates e and limits l, u,
        low = d - sqrt((e2 - l2)^2 + (u1 - e1)^2) and high = d + sqrt((u2 - e2)^2 + (e1 - l1)^2), d = e2 - e1 of the
        constrained estimates; with a covariance twice the product of the two distances times the correlation is taken
        off below the root. It is as good as the intervals it is built from, and never outside [-1, 1].

    Raises
    ------
    ValueError
        Where answers or confidences differ, or the covariance is not one number for each answer.

    Notes
    -----
    Recovering variances is an approximation. With yes/no tables and the default interval equal shares are called
    different at .05 in at most .053 of all surveys (enumerated: seven tables, 5 to 300 reports in each group). The p
    value is found among levels an eighth of a standard deviation apart, and by a straight line between two of them. A
    group's interval that is known at one confidence alone (combined strata) is taken to grow with the normal quantile.
    k answers give k tests: to look for any difference, multiply p values by k.

    References
    ----------
    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions. Statistics in
    Medicine 17, 873-890. Zou, G. Y. & Donner, A. (2008). Statistics in Medicine 27, 1693-1702. Zou, G. Y. (2007).
    Psychological Methods 12, 399-413 (correlated estimates).

    Examples
    --------
    >>> from randomized_response import estimate_proportions, forced_response
    >>> channel = forced_response(truth="1/2")
    >>> change = compare(estimate_proportions([600, 400], channel), estimate_proportions([500, 500], channel))
    >>> change.difference.round(12), change.p_value.round(6)
    (array([-0.2,  0.2]), array([7.e-06, 7.e-06]))
    """
    if len(first.unbiased) != len(second.unbiased) or first.confidence != second.confidence:
        raise ValueError("first and second must be of the same answers at the same confidence; got different ones")
    difference = second.constrained - first.constrained
    shared = _read_covariance(covariance, len(first.unbiased))
    error = np.sqrt(np.maximum(first.standard_error**2 + second.standard_error**2 - 2 * shared, 0.0))
    correlation = correlation_of(first.standard_error, second.standard_error, shared)
    below, above = _reaches(first, second, (first.low, first.high), (second.low, second.high), correlation)
    low, high = np.clip(difference - below, -1, 1), np.clip(difference + above, -1, 1)
    unknown = np.isnan(low) | np.isnan(high)
    interval = first.interval if first.interval == second.interval else f"{first.interval}, {second.interval}"
    return Comparison(
        difference, second.unbiased - first.unbiased, error,
        np.where(unknown, -1.0, low), np.where(unknown, 1.0, high), (first.n, second.n), first.confidence,
        f"variances recovered from {interval}", (first, second), correlation,
    )  # fmt: skip


def _read_covariance(covariance: ArrayLike | None, answers: int) -> Vector:
    if covariance is None:
        return np.zeros(answers)
    given = np.asarray(covariance, dtype=np.float64)
    shared = given.diagonal() if given.ndim == 2 and given.shape[0] == given.shape[1] else given
    if shared.shape != (answers,):
        raise ParameterError("covariance", f"must have shape ({answers},), one per answer; got shape {given.shape}")
    return shared


def _reaches(
    first: ProportionEstimate, second: ProportionEstimate, one: Limits, two: Limits, correlation: Vector
) -> Limits:
    """The distances of the interval's ends below and above the difference, from the limits of both groups."""
    below = recovered_distance(second.constrained - two[0], one[1] - first.constrained, correlation)
    above = recovered_distance(two[1] - second.constrained, first.constrained - one[0], correlation)
    return below, above


def _p_values(first: ProportionEstimate, second: ProportionEstimate, correlation: Vector) -> Vector:
    difference, stated = second.constrained - first.constrained, normal_quantile(first.confidence)
    stored = _reaches(first, second, (first.low, first.high), (second.low, second.high), correlation)

    @cache
    def excess(z: float) -> Vector:
        """The distance by which the interval of z standard deviations extends beyond 0."""
        if z == stated or first.limits_at is None or second.limits_at is None:
            below, above = (reach * z / stated for reach in stored)
        else:
            level = float(1 - 2 * scipy.special.ndtr(-z))
            below, above = _reaches(first, second, first.limits_at(level), second.limits_at(level), correlation)
        return np.asarray(np.where(difference > 0, below, above) - np.abs(difference))

    steps = sorted({NEAREST, stated, *np.linspace(0, FURTHEST, STEPS + 1)[1:].tolist()})
    found = np.array([_crossing(excess, answer, steps, stated) for answer in range(len(difference))])
    return np.where(np.isnan(difference), np.nan, np.where(found <= NEAREST, 1.0, 2 * scipy.special.ndtr(-found)))


def _crossing(excess: Callable[[float], Vector], answer: int, steps: list[float], stated: float) -> float:
    """The deviate at which an interval reaches 0, for increasing `excess`; on the correct side of `stated`."""
    inside, middle = excess(stated)[answer] >= 0, steps.index(stated)
    part = steps[: middle + 1] if inside else steps[middle:]
    place = bisect_left(part, True, key=lambda z: bool(excess(z)[answer] >= 0))
    if place in (0, len(part)):
        return part[min(place, len(part) - 1)]
    low, high = part[place - 1], part[place]
    below, above = float(excess(low)[answer]), float(excess(high)[answer])
    return low - below * (high - low) / (above - below)
