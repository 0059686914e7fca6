"""Shared parts of the designs with two arms: two binomial rates, and a likelihood on a polygon of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isnan, log, nan, sqrt
from typing import Any

from randomized_response import _scipy as scipy
from randomized_response._checks import as_count, as_level, as_probability
from randomized_response._diagnostics import LikelihoodRatio
from randomized_response.channel import Channel
from randomized_response.results import Result

Rates = tuple[float, float]
"""The rates of yes in the two arms."""

Moment = tuple[float, float]
"""An unbiased estimate and its standard error."""

_EDGE = 1e-14


@dataclass(frozen=True)
class ShareEstimate(Result):
    """An estimated share: `unbiased` from the two rates may leave [0, 1]; `constrained` is the MLE within it.

    `standard_error` is of `unbiased` (n - 1 convention); `low` and `high` are profile-likelihood limits, in [0, 1].
    """

    unbiased: float
    constrained: float
    standard_error: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.constrained:.4f} ({self.standard_error:.4f}), interval {self.low:.4f} to {self.high:.4f}"


@dataclass(frozen=True)
class Arms:
    """Counts of two arms, their tables and the level of the intervals.

    `honest_yes` and `honest_no` are the chances, in each arm, that who follows the coin reports yes, of people of whom
    yes or no is true; `truth` are their differences.
    """

    yes: tuple[int, int]
    n: tuple[int, int]
    honest_yes: Rates
    honest_no: Rates
    confidence: float

    @property
    def truth(self) -> Rates:
        (t1, t2), (f1, f2) = self.honest_yes, self.honest_no
        return t1 - f1, t2 - f2

    def linear(self, constant: float, first: float, second: float) -> Moment:
        """constant + first * rate_1 + second * rate_2, and its standard error with n - 1."""
        (l1, v1), (l2, v2) = self._moments()
        return constant + first * l1 + second * l2, sqrt(first**2 * v1 + second**2 * v2)

    def ratio(self, above: Rates, below: Rates, denominator: float) -> Moment:
        """(above . rates) / denominator, whose slopes in the rates are `below`; NaN where the denominator is 0."""
        if denominator == 0:
            return nan, nan
        (l1, v1), (l2, v2) = self._moments()
        value = (above[0] * l1 + above[1] * l2) / denominator
        slopes = [(a - value * b) / denominator for a, b in zip(above, below, strict=True)]
        return value, sqrt(slopes[0] ** 2 * v1 + slopes[1] ** 2 * v2)

    def log_likelihood(self, rates: Rates) -> float:
        """sum y log(rate) + (n - y) log(1 - rate); minus infinity where a count is impossible."""
        terms = [term for y, n, rate in self._each(rates) for term in ((y, rate), (n - y, 1 - rate))]
        if any(count > 0 and chance <= 0 for count, chance in terms):
            return -inf
        return sum(count * log(chance) for count, chance in terms if count > 0)

    def along(self, start: Rates, end: Rates) -> tuple[float, float]:
        """Maximize the concave log likelihood on the segment between two pairs of rates; return also the position."""

        def at(s: float) -> Rates:
            return start[0] + s * (end[0] - start[0]), start[1] + s * (end[1] - start[1])

        def slope(s: float) -> float:
            steps = (end[0] - start[0], end[1] - start[1])
            parts = zip(steps, self._each(at(s)), strict=True)
            return sum(d * (_over(y, rate) - _over(n - y, 1 - rate)) for d, (y, n, rate) in parts if d != 0)

        if slope(_EDGE) <= 0:
            s = 0.0
        elif slope(1 - _EDGE) >= 0:
            s = 1.0
        else:
            s = float(scipy.optimize.brentq(slope, _EDGE, 1 - _EDGE, xtol=1e-15, rtol=1e-14))
        return self.log_likelihood(at(s)), s

    def best(
        self,
        moment: tuple[float, float],
        inside: bool,
        corners: Sequence[tuple[float, float]],
        rates: Callable[[float, float], Rates],
    ) -> tuple[float, tuple[float, float]]:
        """Maximum likelihood of two shares in a polygon: the moment estimate if inside, else the best of the edges."""
        if inside:
            return self.log_likelihood((self.yes[0] / self.n[0], self.yes[1] / self.n[1])), moment
        edges = [(corners[i - 1], corners[i]) for i in range(len(corners))]
        found = [(*self.along(rates(*a), rates(*b)), a, b) for a, b in edges]
        top, s, a, b = max(found, key=lambda each: each[0])
        return top, (a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]))

    def share(
        self, moment: Moment, constrained: float, line: Callable[[float], tuple[Rates, Rates]], top: float
    ) -> ShareEstimate:
        """Add limits where the profile likelihood, `line(v)` for a share of v, falls by half a chi-square quantile."""
        drop = float(scipy.special.gammaincinv(0.5, self.confidence))

        def above(v: float) -> float:
            return max(self.along(*line(v))[0] - top + drop, -1e6)

        if isnan(constrained):
            return ShareEstimate(moment[0], constrained, moment[1], 0.0, 1.0)
        low = 0.0 if above(0.0) >= 0 else float(scipy.optimize.brentq(above, 0.0, constrained, xtol=1e-13))
        high = 1.0 if above(1.0) >= 0 else float(scipy.optimize.brentq(above, constrained, 1.0, xtol=1e-13))
        return ShareEstimate(moment[0], constrained, moment[1], low, high)

    def _moments(self) -> list[tuple[float, float]]:
        """Each arm's rate of yes and its estimated variance."""
        rates = [y / n for y, n in zip(self.yes, self.n, strict=True)]
        return [(rate, rate * (1 - rate) / (n - 1)) for rate, n in zip(rates, self.n, strict=True)]

    def _each(self, rates: Rates) -> list[tuple[int, int, float]]:
        return list(zip(self.yes, self.n, rates, strict=True))


def boundary_test(larger: float, smaller: float) -> LikelihoodRatio:
    """Test a share of 0 against a positive one: half chi-square(0), half chi-square(1) (Self & Liang 1987)."""
    statistic = max(2 * (larger - smaller), 0.0)
    p_value = float(scipy.special.chdtrc(1, statistic)) / 2 if statistic > 1e-10 else 1.0
    return LikelihoodRatio(statistic, 1, p_value)


def read_arms(yes: Any, n: Any, truth: Any, confidence: float, *, tables: bool = False) -> Arms:
    """Validate the arguments of a design with two arms; with `tables`, entries of `truth` may be binary channels."""
    for name, pair in (("yes", yes), ("n", n), ("truth", truth)):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(f"{name} must be a pair, one entry per arm; got {pair!r}")
    sizes = tuple(as_count(size, name=f"n[{i}]", low=2) for i, size in enumerate(n))
    counts = tuple(as_count(y, name=f"yes[{i}]", high=sizes[i]) for i, y in enumerate(yes))
    (t1, f1), (t2, f2) = (_chances(one, f"truth[{i}]", tables=tables) for i, one in enumerate(truth))
    if t1 * f2 == t2 * f1:
        what = truth[0] if (t1, f1) == (t2, f2) else "tables that tell nothing more together"
        raise ValueError(f"truth must differ between the arms; got {what} in both")
    level = as_level(confidence)
    return Arms((counts[0], counts[1]), (sizes[0], sizes[1]), (float(t1), float(t2)), (float(f1), float(f2)), level)


def _chances(truth: Any, name: str, *, tables: bool) -> tuple[Fraction, Fraction]:
    """The chances of a report of yes, where yes is true and where no is; by a truth probability else yes is forced."""
    if not (tables and isinstance(truth, Channel)):
        return Fraction(1), 1 - as_probability(truth, name=name, closed=True)
    if (truth.answers, truth.reports) != (2, 2):
        shape = f"{truth.answers} x {truth.reports}"
        raise ValueError(f"{name} must be a channel of two answers and two reports; got {shape}")
    no, yes = (Fraction(row[1], sum(row)) for row in truth.weights)
    return yes, no


def _over(count: int, chance: float) -> float:
    """count / chance with 0 / 0 = 0."""
    if count == 0:
        return 0.0
    return count / chance if chance > 0 else inf
