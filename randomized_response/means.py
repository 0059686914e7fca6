"""Estimation of the mean of a numeric answer, from any table that identifies it, or from estimated shares."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isnan, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_counts, as_level
from randomized_response._exact import rank
from randomized_response._limits import equal_tails
from randomized_response.channel import Channel
from randomized_response.constrained import maximum_likelihood
from randomized_response.intervals import BINOMIAL_INTERVALS, DEFAULT_INTERVAL, binomial_limits, normal_quantile
from randomized_response.results import ProportionEstimate, Result, Vector

STEADY = 4.0
"""Minimum share of those who have a value, in standard errors, for a ratio to have a normal interval."""


@dataclass(frozen=True, eq=False)
class MeanEstimate(Result):
    """An estimated mean, in the units of the answers' values. Made by `estimate_mean` and `mean_of_shares`.

    Attributes
    ----------
    unbiased : float
        May lie outside the range of the values. NaN, as every number below it, where nothing can be told.
    constrained : float
        The estimate to show, inside the range: mean of the maximum-likelihood shares, or clipped where only the mean
        can be told from the table.
    standard_error, noise_standard_error : float
        Of `unbiased`: in all (n - 1 convention), and the part of the coin alone.
    low, high : float
        Interval for the mean in the population, inside the range of the values, holding `constrained`.
    noise_low, noise_high : float
        Interval for the mean of the n people who took part, where only the coin is random; normal approximation.
    minimum, maximum : float
        The range of the values.
    n : int
    interval, noise_interval : str
        The methods that were used.
    confidence : float
    direct_variance : float
        n times the variance that the mean of n honest direct answers would have; NaN where the table does not tell it.
    tails : tuple of float, or None
        Limits of equal tails around `unbiased`, not cut to the range, for what puts groups together (`combine_means`);
        None where only normal ones are known. No part of `to_dict()`.
    """

    unbiased: float
    constrained: float
    standard_error: float
    noise_standard_error: float
    low: float
    high: float
    noise_low: float
    noise_high: float
    minimum: float
    maximum: float
    n: int
    interval: str
    noise_interval: str
    confidence: float
    direct_variance: float
    tails: tuple[float, float] | None = field(default=None, repr=False)

    @property
    def direct_question_n(self) -> float:
        """Number of honest respondents whom a direct question would have needed for the same standard error.

        NaN where that is not known, and where the interval touches an end of the range.
        """
        known = self.standard_error > 0 and self.minimum < self.low and self.high < self.maximum
        return 1 + self.direct_variance / self.standard_error**2 if known else nan

    @property
    def misfit(self) -> float:
        """Distance of `unbiased` from the range, in randomization standard errors; 0 inside, NaN if unknown.

        As for shares: above 4 the reports are not those of people who followed the table.
        """
        outside = max(self.minimum - self.unbiased, self.unbiased - self.maximum, 0.0)
        if isnan(self.unbiased) or outside == 0:
            return nan if isnan(self.unbiased) else 0.0
        return outside / self.noise_standard_error if self.noise_standard_error > 0 else inf

    def __str__(self) -> str:
        level = f"{100 * self.confidence:g} % interval {self.low:.6g} to {self.high:.6g} ({self.interval})"
        return f"mean {self.constrained:.6g}, std. error {self.standard_error:.4g}, {level}, {self.n} reports"


def estimate_mean(
    counts: ArrayLike,
    channel: Channel,
    values: ArrayLike | None = None,
    confidence: float = 0.95,
    interval: str = DEFAULT_INTERVAL,
) -> MeanEstimate:
    """Estimate the mean of a numeric answer from the counts of the reports.

    Model: person i holds the value values[x_i] and reports y with probability P[x_i, y]. Each report gets a score c[y]
    with P @ c = values, so that its mean over the coin is the value itself; the estimate is the mean score.

    Parameters
    ----------
    counts : m integers
        Number of reports of each symbol.
    channel : Channel
        Any table with P @ c = values for some c: `one_bit`, `discrete_laplace`, any table with independent rows.
    values : k numbers, increasing or not
        The value of each answer, in any unit; 0..k-1 where not given.
    confidence : float
        In (0, 1).
    interval : str
        A binomial method of `estimate_proportions`. Used where there are two reports (`one_bit`): then the number of
        ones is binomial and the default never covers below its level. Else "wald" is used, and named in the result.

    Returns
    -------
    MeanEstimate

    Raises
    ------
    ValueError
        Where counts are no counts, values are not k finite numbers, or the mean cannot be told from the table.

    Notes
    -----
    Among all scores with P @ c = values those of least variance at equally frequent answers are taken. Wald intervals
    rely on normality: with few reports, or nearly all people at one end, they cover less than their level.

    References
    ----------
    Duchi, J. C., Jordan, M. I. & Wainwright, M. J. (2018). JASA 113, 182-201.

    Examples
    --------
    >>> from randomized_response import one_bit
    >>> mean = estimate_mean([450, 550], one_bit(11, truth="1/2"))  # a scale from 0 to 10
    >>> round(mean.unbiased, 12)
    6.0
    >>> print(mean)
    mean 6, std. error 0.3148, 95 % interval 5.38049 to 6.62214 (feldman_cousins), 1000 reports
    """
    tally = as_counts(counts, name="counts", size=channel.reports)
    level = as_level(confidence)
    if interval not in BINOMIAL_INTERVALS:
        raise ValueError(f"interval must be one of {', '.join(BINOMIAL_INTERVALS)}; got {interval!r}")
    grid = values_of(values, channel.answers)
    scores = scores_of(channel, grid)
    n = int(tally.sum())
    method = interval if channel.reports == 2 else "wald"
    tails = equal_tails(method)
    if n == 0:
        return nothing_known((float(grid.min()), float(grid.max())), 0, level)
    tells_shares = channel.background is not None or rank(channel.weights) == channel.answers
    theta = maximum_likelihood(tally, channel) if tells_shares else None
    # Where all reports are alike their score is the mean to the last digit, and the standard error exactly 0.
    unbiased = float(scores[tally.argmax()] if tally.max() == n else scores @ tally / n)
    constrained = float(np.clip(unbiased if theta is None else grid @ theta, grid.min(), grid.max()))
    error = float(np.sqrt((tally @ (scores - unbiased) ** 2) / n / (n - 1))) if n > 1 else nan
    return around_mean(
        unbiased,
        constrained,
        (error, _noise_error(theta if theta is not None else _between(grid, constrained), channel, scores, n)),
        (float(grid.min()), float(grid.max())),
        n,
        level,
        binomial=_binomial(method, tally, channel, scores, level) if channel.reports == 2 else None,
        interval=method,
        direct_variance=nan if theta is None else float(theta @ (grid - grid @ theta) ** 2),
        tails=_binomial(tails, tally, channel, scores, level) if tails and channel.reports == 2 else None,
    )


def mean_of_shares(shares: ProportionEstimate, values: Sequence[float | None]) -> MeanEstimate:
    """Estimate the mean of the numeric values of the answers from the estimated shares of the answers.

    With a value for each answer the mean is values @ theta and its variance values @ covariance @ values. An answer
    without a value ("prefer not to say") leaves the mean of the others: the ratio of values @ theta to their share,
    with its standard error by the delta method (gradient (values - ratio) / share).

    Parameters
    ----------
    shares : ProportionEstimate
        Of answers that exclude each other; of one table, or of strata by `combine_strata`.
    values : sequence of k numbers or None
        The value of each answer, in any unit; None for an answer that has none.

    Returns
    -------
    MeanEstimate
        Interval "wald", or "delta" for a ratio; normal approximations, clipped to the range of the values. NaN, and
        the whole range, without reports, and where the share of those with a value is not at least `STEADY` standard
        errors above 0: a ratio over it is not nearly normal.

    Raises
    ------
    ValueError
        Where shares do not exclude each other, or values are not one number or None for each answer.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., section 6.3 (ratio estimates). Wiley.

    Examples
    --------
    >>> from randomized_response import estimate_proportions, k_ary
    >>> shares = estimate_proportions([200, 250, 300, 250], k_ary(4, truth="1/2"))
    >>> print(mean_of_shares(shares, [1, 2, 3, None]))
    mean 2.26667, std. error 0.05906, 95 % interval 2.15091 to 2.38242 (delta), 1000 reports
    """
    if not shares.exclusive:
        raise ValueError("shares must be of answers that exclude each other; got options that may go together")
    grid, valued = values_or_none(values, len(shares.unbiased))
    ends = (float(grid[valued].min()), float(grid[valued].max()))
    ratio = not valued.all()
    share = float(shares.unbiased @ valued) if ratio else 1.0
    spread = _error(valued.astype(np.float64), shares.covariance) if ratio else 0.0
    if not shares.n or not share >= STEADY * spread or not share > 0:
        return nothing_known(ends, shares.n, shares.confidence)
    unbiased = float(shares.unbiased @ grid) / share
    slope = slope_of_mean(shares, values)
    theta = shares.constrained * valued
    constrained = float(np.clip(theta @ grid / theta.sum(), *ends))
    errors = (_error(slope, shares.covariance), _error(slope, shares.noise_covariance))
    return around_mean(
        unbiased, constrained, errors, ends, shares.n, shares.confidence,
        interval="delta" if ratio else "wald",
        direct_variance=float(theta @ (grid - constrained) ** 2) / float(theta.sum()) ** 2,
    )  # fmt: skip


def slope_of_mean(shares: ProportionEstimate, values: Sequence[float | None]) -> Vector:
    """The derivatives of `mean_of_shares` by the shares, at the unbiased ones."""
    grid, valued = values_or_none(values, len(shares.unbiased))
    if valued.all():
        return grid
    share = float(shares.unbiased @ valued)
    return np.where(valued, grid - float(shares.unbiased @ grid) / share, 0.0) / share


def around_mean(
    unbiased: float,
    constrained: float,
    errors: tuple[float, float],
    ends: tuple[float, float],
    n: int,
    level: float,
    *,
    interval: str,
    binomial: tuple[float, float] | None = None,
    direct_variance: float = nan,
    tails: tuple[float, float] | None = None,
) -> MeanEstimate:
    """A mean with normal intervals from its `errors` (total, randomization), the first by `binomial` if given.

    Both are clipped to the range `ends` and hold `constrained`.
    """
    (low, high), (noise_low, noise_high) = (
        clipped(limits, constrained, ends)
        for limits in (binomial or _normal(unbiased, errors[0], level), _normal(unbiased, errors[1], level))
    )
    return MeanEstimate(
        unbiased, constrained, *errors, low, high, noise_low, noise_high, *ends,
        n, interval, "delta" if interval == "delta" else "wald", level, direct_variance, tails,
    )  # fmt: skip


def nothing_known(ends: tuple[float, float], n: int, level: float) -> MeanEstimate:
    """No mean: every number is NaN and both intervals are the whole range."""
    return MeanEstimate(nan, nan, nan, nan, *ends, *ends, *ends, n, "none", "none", level, nan)


def scores_of(channel: Channel, values: ArrayLike) -> Vector:
    """c, shape (m,), with P @ c = values, of least sum c[y]^2 rate[y] at equally frequent answers.

    The mean over the coin of the score of a person's report is her value; `estimate_mean` is the mean score. Raises
    ValueError where no score has the values as its means.
    """
    grid = np.asarray(values, dtype=np.float64)
    rates = channel.matrix.mean(axis=0)
    scale = np.sqrt(np.divide(1, rates, out=np.zeros_like(rates), where=rates > 0))
    scores = scale * np.linalg.lstsq(channel.matrix * scale, grid, rcond=None)[0]
    reach = float(np.abs(grid).max()) or 1.0
    if np.abs(channel.matrix @ scores - grid).max() > 1e-9 * reach:
        raise ValueError("channel must tell the mean: no score of the reports has the values as its means; got none")
    return np.asarray(scores)


def _error(slope: Vector, covariance: Vector) -> float:
    """Standard error of slope @ shares."""
    return float(np.sqrt(np.maximum(slope @ covariance @ slope, 0)))


def _normal(unbiased: float, error: float, level: float) -> tuple[float, float]:
    if isnan(error):
        return -inf, inf
    return unbiased - normal_quantile(level) * error, unbiased + normal_quantile(level) * error


def clipped(limits: tuple[float, float], constrained: float, ends: tuple[float, float]) -> tuple[float, float]:
    """Clip an interval to the range `ends` and extend it to `constrained`."""
    low, high = (float(limit) for limit in np.clip(limits, *ends))
    return min(low, constrained), max(high, constrained)


def values_or_none(values: Sequence[float | None], answers: int) -> tuple[Vector, NDArray[np.bool_]]:
    """The values, 0 for answers without one, and a mask of the answers with one."""
    valued = np.array([value is not None for value in values], dtype=bool)
    grid = np.array([0.0 if value is None else value for value in values], dtype=np.float64)
    if grid.shape != (answers,) or not np.isfinite(grid).all() or not valued.any():
        raise ValueError(f"values must be {answers} finite numbers or None, at least one a number; got {values!r}")
    return grid, valued


def values_of(values: ArrayLike | None, answers: int) -> Vector:
    """The value of each answer; 0..k-1 if none are given."""
    grid = np.arange(answers, dtype=np.float64) if values is None else np.asarray(values, dtype=np.float64)
    if grid.shape != (answers,) or not np.isfinite(grid).all():
        raise ValueError(f"values must be {answers} finite numbers, one per answer; got {values!r}")
    return grid


def _binomial(
    method: str, tally: NDArray[np.int64], channel: Channel, scores: Vector, level: float
) -> tuple[float, float]:
    """The interval of the rate of ones, mapped to the mean."""
    ones = channel.matrix[:, 1]
    ends = float(ones.min()), float(ones.max())
    rates = binomial_limits(method, int(tally[1]), int(tally.sum()), level, ends)
    low, high = sorted(float(scores[0] + (scores[1] - scores[0]) * rate) for rate in rates)
    return low, high


def _noise_error(theta: Vector, channel: Channel, scores: Vector, n: int) -> float:
    """The randomization error: from the mean, weighted by `theta`, of the variance of a score given the answer.

    Where only the mean can be told, everyone is taken to be at it: the most that can be left to the coin.
    """
    variances = channel.matrix @ scores**2 - (channel.matrix @ scores) ** 2
    return float(np.sqrt(max(float(theta @ variances), 0.0) / n))


def _between(grid: Vector, mean: float) -> Vector:
    """Shares of the two answers adjacent to the mean."""
    order = np.argsort(grid)
    shares = [np.interp(mean, grid[order], np.eye(len(grid))[order][:, x]) for x in range(len(grid))]
    return np.array(shares)
