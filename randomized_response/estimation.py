"""Estimation of shares of answers from counts of reports, unbiased and constrained, with intervals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_count, as_counts, as_level
from randomized_response._limits import (
    CONVOLUTION,
    Limits,
    around,
    bootstrap_limits,
    equal_tails,
    mapped_limits,
    nothing_known,
    root_of_diagonal,
    wald_limits,
)
from randomized_response.bayes import bayes_limits
from randomized_response.channel import Channel
from randomized_response.constrained import maximum_likelihood
from randomized_response.intervals import BINOMIAL_INTERVALS, DEFAULT_INTERVAL
from randomized_response.profile import likelihood_limits
from randomized_response.results import ProportionEstimate, Vector

INTERVALS = (*BINOMIAL_INTERVALS, "likelihood", "bayes", "bootstrap")
"""The interval methods of `estimate_proportions`."""

LARGEST_PROFILE = 32
"""Largest number of answers with profile likelihood in place of a binomial interval: above, it is slow."""


def estimate_proportions(
    counts: ArrayLike,
    channel: Channel,
    confidence: float = 0.95,
    interval: str = DEFAULT_INTERVAL,
    population_size: int | None = None,
    simultaneous: bool = False,
    generator: np.random.Generator | None = None,
) -> ProportionEstimate:
    """Estimate the shares of the true answers from the counts of the reports.

    Model: n people are a random sample; person i holds answer x_i and reports y with probability weights[x_i][y] / D,
    independently of the others. So the report shares have mean lambda = P^T theta and theta is estimated by B lambda.

    Parameters
    ----------
    counts : m integers
        Number of reports of each symbol, counts[y]; n is their sum.
    channel : Channel
        The table that the reports were drawn from. Its rows must be linearly independent.
    confidence : float
        Level of each interval, in (0, 1).
    interval : str
        "feldman_cousins" (1998, the default: exact, for a share that is known to lie within [0, 1], and never a point),
        "exact" (Blaker 2000), "clopper_pearson", "score" (Wilson), "mid_p", "jeffreys": intervals for the binomial rate
        of one report, mapped through the table. They exist where everyone who does not hold an answer reports it with
        one probability (every yes/no table, k-ary response). "wald": estimate and standard error.
        "likelihood": profile likelihood on the simplex. "bayes": densest part of the posterior, prior uniform.
        "bootstrap": percentiles of 2,000 resamples. The method that was used is named in the result:
        "likelihood" (above 32 answers "wald") where a table has no such binomial (or no "bayes"), "score" or else
        "wald" where a `population_size` is given, "convolution" or else "wald" where that is n.
    population_size : int or None
        Size N >= n of the finite population that the n were drawn from without replacement; None for a large one. The
        sampling part of the variance is multiplied by (N - n) / (N - 1), the coin's part is not.
    simultaneous : bool
        Whether all k intervals shall hold at once with probability `confidence`: for k > 2 each is computed at level
        1 - (1 - confidence) / k (Bonferroni). For k = 2 the two shares are one.
    generator : numpy.random.Generator or None
        Source of chance of "bootstrap"; without one the same counts always give the same interval (seed 0).

    Returns
    -------
    ProportionEstimate
        `unbiased`, `constrained`, `standard_error`, `covariance`, `noise_standard_error`, `low`, `high`, ... as arrays
        by answer. With n = 0 estimates are NaN and intervals [0, 1]; with n = 1 the standard error is NaN.

    Raises
    ------
    ValueError
        Where counts are negative, fractional, not m of them or impossible under the table; where rows are dependent;
        where an option is unknown or out of range.

    Notes
    -----
    covariance = B (diag(lambda) - lambda lambda^T) B^T / (n - 1). The coin's part is B [sum_x theta_x (diag(P_x) -
    P_x P_x^T)] B^T / n at the constrained theta, so that it is always a covariance. `noise_low`, `noise_high` bound
    the share among the n people who took part (N = n): "convolution", exact, from the tails of the sum of two binomials
    that the reports of an answer are, in the default's order; "wald" where the table has no such sum. Populations that
    are larger, yet finite, have the score test with both parts of the variance, inverted in closed form; approximate.

    The estimate is wrong where respondents do not follow the table (a "no" for self-protection in place of a forced
    "yes") or where those who answer differ from those who do not; no interval here covers that.

    References
    ----------
    Warner, S. L. (1965). JASA 60, 63-69. Fox, J. A. & Tracy, P. E. (1986). Randomized Response. Sage.
    Feldman, G. J. & Cousins, R. D. (1998). Physical Review D 57, 3873-3889.
    Blaker, H. (2000). Canadian Journal of Statistics 28, 783-798.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> estimate = estimate_proportions([600, 400], forced_response(truth="1/2"))
    >>> estimate.unbiased.round(12), estimate.standard_error.round(4)
    (array([0.7, 0.3]), array([0.031, 0.031]))
    >>> print(estimate)
    1000 reports; 95 % intervals: feldman_cousins
    answer  estimate  std. error     low    high  unbiased
         0    0.7000      0.0310  0.6382  0.7603    0.7000
         1    0.3000      0.0310  0.2397  0.3618    0.3000
    """
    tally = as_counts(counts, name="counts", size=channel.reports)
    _require_possible(tally, channel)
    n = int(tally.sum())
    level = as_level(confidence)
    if interval not in INTERVALS:
        raise ValueError(f"interval must be one of {', '.join(INTERVALS)}; got {interval!r}")
    fpc = _sampling_fraction(n, population_size)
    unbiased = channel.left_inverse @ (tally / n) if n else np.full(channel.answers, np.nan)
    constrained = maximum_likelihood(tally, channel)
    noise = _noise_covariance(constrained, channel, n)
    covariance = noise if fpc == 0 else noise + fpc * (_moment_covariance(tally, channel) - noise)
    method, noise_method = (_method(interval, channel, n, size) for size in (population_size, n))
    sample = _Sample(tally, channel, simultaneous, unbiased, constrained, generator)
    limits_at = partial(sample.limits, method, covariance, fpc)
    (low, high), (noise_low, noise_high) = limits_at(level), sample.limits(noise_method, noise, 0.0, level)
    return ProportionEstimate(
        unbiased, constrained, root_of_diagonal(covariance), covariance, root_of_diagonal(noise), noise,
        low, high, noise_low, noise_high, n, method, noise_method, level, population_size, simultaneous,
        limits_at=limits_at, tails_at=sample.tails_at(method, fpc), noise_tails_at=sample.tails_at(noise_method, 0.0),
        rates=tally / n if n else np.full(channel.reports, np.nan), channel=channel,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Sample:
    """The inputs of every interval method."""

    tally: NDArray[np.int64]
    channel: Channel
    simultaneous: bool
    unbiased: Vector
    constrained: Vector
    generator: np.random.Generator | None

    def limits(self, method: str, covariance: Vector, fpc: float, confidence: float) -> Limits:
        answers = self.channel.answers
        level = 1 - (1 - confidence) / answers if self.simultaneous and answers > 2 else confidence
        return around(self.constrained, *self._limits(method, covariance, fpc, level))

    def tails_at(self, method: str, fpc: float) -> Callable[[float], Limits] | None:
        tails = equal_tails(method)
        if tails is None:
            return None
        return lambda confidence: mapped_limits(tails, self.tally, self.channel, confidence, fpc)

    def _limits(self, method: str, covariance: Vector, fpc: float, level: float) -> Limits:
        if self.tally.sum() == 0:
            return nothing_known(self.channel.answers)
        if method == "wald":
            return wald_limits(self.unbiased, covariance, level)
        if method == "bootstrap":
            return bootstrap_limits(self.tally, self.channel, level, self.generator)
        if method in ("likelihood", "bayes"):
            return (likelihood_limits if method == "likelihood" else bayes_limits)(self.tally, self.channel, level)
        return mapped_limits(method, self.tally, self.channel, level, fpc)


def _require_possible(tally: NDArray[np.int64], channel: Channel) -> None:
    impossible = (tally > 0) & (channel.matrix.max(axis=0) == 0)
    if impossible.any():
        y = int(np.flatnonzero(impossible)[0])
        raise ValueError(f"counts[{y}] must be 0: no answer of the table leads to report {y}; got {tally[y]}")


def _sampling_fraction(n: int, population_size: int | None) -> float:
    """The finite population correction of the sampling variance: (N - n) / (N - 1)."""
    if population_size is None:
        return 1.0
    size = as_count(population_size, name="population_size", low=max(n, 1))
    return 0.0 if size == n else (size - n) / (size - 1)


def _moment_covariance(tally: NDArray[np.int64], channel: Channel) -> Vector:
    n = int(tally.sum())
    if n < 2:
        return np.full((channel.answers, channel.answers), np.nan)
    rates, inverse = tally / n, channel.left_inverse
    spread = inverse @ (rates[:, None] * inverse.T) - np.outer(inverse @ rates, inverse @ rates)
    return np.asarray(spread / (n - 1))


def _noise_covariance(theta: Vector, channel: Channel, n: int) -> Vector:
    if n == 0:
        return np.full((channel.answers, channel.answers), np.nan)
    inverse, rates = channel.left_inverse, channel.matrix.T @ theta
    spread = inverse @ (rates[:, None] * inverse.T) - np.diag(theta)
    return np.asarray(spread / n)


def _method(interval: str, channel: Channel, n: int, population_size: int | None) -> str:
    """The applicable method for this table, and for a finite population."""
    binomial = channel.background is not None
    if population_size is not None:
        finite = CONVOLUTION if population_size == n else "score"
        return finite if binomial and interval != "wald" else "wald"
    if interval in ("wald", "likelihood", "bootstrap") or binomial:
        return interval
    if interval == "bayes" and channel.answers == 2:
        return interval
    return "likelihood" if channel.answers <= LARGEST_PROFILE else "wald"
