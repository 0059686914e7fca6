"""The mean of a numeric answer, from any table that the mean can be told from."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_counts, as_level
from randomized_response._exact import rank
from randomized_response.channel import Channel
from randomized_response.constrained import maximum_likelihood
from randomized_response.intervals import BINOMIAL_INTERVALS, normal_quantile
from randomized_response.results import Result, Vector


@dataclass(frozen=True, eq=False)
class MeanEstimate(Result):
    """An estimated mean, in the units of the answers' values. Made by `estimate_mean`.

    Attributes
    ----------
    unbiased : float
        May lie outside the range of the values.
    constrained : float
        The estimate to show, inside the range: mean of the maximum-likelihood shares, or clipped where only the mean
        can be told from the table.
    standard_error, noise_standard_error : float
        Of `unbiased`: in all (n - 1 convention), and the part of the coin alone.
    low, high : float
        Interval inside the range of the values, holding `constrained`.
    n : int
    interval : str
        The method that was used.
    confidence : float
    """

    unbiased: float
    constrained: float
    standard_error: float
    noise_standard_error: float
    low: float
    high: float
    n: int
    interval: str
    confidence: float

    def __str__(self) -> str:
        level = f"{100 * self.confidence:g} % interval {self.low:.6g} to {self.high:.6g} ({self.interval})"
        return f"mean {self.constrained:.6g}, std. error {self.standard_error:.4g}, {level}, {self.n} reports"


def estimate_mean(
    counts: ArrayLike,
    channel: Channel,
    values: ArrayLike | None = None,
    confidence: float = 0.95,
    interval: str = "exact",
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
        ones is binomial and "exact" never covers below its level. Else "wald" is used, and named in the result.

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
    mean 6, std. error 0.3148, 95 % interval 5.38035 to 6.62153 (exact), 1000 reports
    """
    tally = as_counts(counts, name="counts", size=channel.reports)
    level = as_level(confidence)
    if interval not in BINOMIAL_INTERVALS:
        raise ValueError(f"interval must be one of {', '.join(BINOMIAL_INTERVALS)}; got {interval!r}")
    grid = _values(values, channel.answers)
    scores = _scores(grid, channel)
    n = int(tally.sum())
    method = interval if channel.reports == 2 else "wald"
    if n == 0:
        return MeanEstimate(nan, nan, nan, nan, float(grid.min()), float(grid.max()), 0, method, level)
    unbiased = float(scores @ tally) / n
    constrained = _constrained(unbiased, tally, channel, grid)
    error = float(np.sqrt((tally @ (scores - unbiased) ** 2) / n / (n - 1))) if n > 1 else nan
    low, high = _limits(method, tally, scores, level, (unbiased, error), grid)
    noise = _noise_error(constrained, tally, channel, grid, scores)
    return MeanEstimate(
        unbiased, constrained, error, noise, min(low, constrained), max(high, constrained), n, method, level
    )


def _values(values: ArrayLike | None, answers: int) -> Vector:
    grid = np.arange(answers, dtype=np.float64) if values is None else np.asarray(values, dtype=np.float64)
    if grid.shape != (answers,) or not np.isfinite(grid).all():
        raise ValueError(f"values must be {answers} finite numbers, one per answer; got {values!r}")
    return grid


def _scores(grid: Vector, channel: Channel) -> Vector:
    """c with P @ c = values, of least sum c[y]^2 rate[y] at equally frequent answers."""
    rates = channel.matrix.mean(axis=0)
    scale = np.sqrt(np.divide(1, rates, out=np.zeros_like(rates), where=rates > 0))
    scores = scale * np.linalg.lstsq(channel.matrix * scale, grid, rcond=None)[0]
    reach = float(np.abs(grid).max()) or 1.0
    if np.abs(channel.matrix @ scores - grid).max() > 1e-9 * reach:
        raise ValueError("channel must tell the mean: no score of the reports has the values as its means; got none")
    return np.asarray(scores)


def _constrained(unbiased: float, tally: NDArray[np.int64], channel: Channel, grid: Vector) -> float:
    mean = grid @ maximum_likelihood(tally, channel) if _tells_shares(channel) else unbiased
    return float(np.clip(mean, grid.min(), grid.max()))


def _tells_shares(channel: Channel) -> bool:
    return channel.background is not None or rank(channel.weights) == channel.answers


def _limits(
    method: str, tally: NDArray[np.int64], scores: Vector, level: float, moments: tuple[float, float], grid: Vector
) -> tuple[float, float]:
    unbiased, error = moments
    if len(tally) == 2:
        rates = BINOMIAL_INTERVALS[method](int(tally[1]), int(tally.sum()), level)
        ends = sorted(scores[0] + (scores[1] - scores[0]) * rate for rate in rates)
    elif np.isnan(error):
        ends = [-np.inf, np.inf]
    else:
        ends = [unbiased - normal_quantile(level) * error, unbiased + normal_quantile(level) * error]
    low, high = np.clip(ends, grid.min(), grid.max())
    return float(low), float(high)


def _noise_error(mean: float, tally: NDArray[np.int64], channel: Channel, grid: Vector, scores: Vector) -> float:
    """The coin's part: the mean over people of the variance of a score, given the answer.

    Where only the mean can be told, everyone is taken to be at it: the most that can be left to the coin.
    """
    variances = channel.matrix @ scores**2 - (channel.matrix @ scores) ** 2
    theta = maximum_likelihood(tally, channel) if _tells_shares(channel) else _between(grid, mean)
    return float(np.sqrt(max(float(theta @ variances), 0.0) / tally.sum()))


def _between(grid: Vector, mean: float) -> Vector:
    """Shares of the two answers next to the mean."""
    order = np.argsort(grid)
    shares = [np.interp(mean, grid[order], np.eye(len(grid))[order][:, x]) for x in range(len(grid))]
    return np.array(shares)
