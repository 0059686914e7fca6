"""From counts of reports to shares of answers: unbiased and constrained estimates with their errors and intervals."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._checks import as_count, as_counts, as_level
from randomized_response.channel import Channel
from randomized_response.constrained import maximum_likelihood
from randomized_response.intervals import BINOMIAL_INTERVALS, normal_quantile
from randomized_response.results import ProportionEstimate, Vector

Limits = tuple[Vector, Vector]


def estimate_proportions(
    counts: ArrayLike,
    channel: Channel,
    confidence: float = 0.95,
    interval: str = "exact",
    population_size: int | None = None,
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
        "exact" (Blaker 2000, the default), "clopper_pearson", "score" (Wilson), "mid_p", "jeffreys" or "wald". All but
        "wald" are intervals for the binomial rate of one report, mapped through the table; they exist where everyone
        who does not hold an answer reports it with one probability (every yes/no table, k-ary response). For other
        tables, and for "exact" where a `population_size` is given, another method is used, and named in the result.
    population_size : int or None
        Size N >= n of the finite population that the n were drawn from without replacement; None for a large one. The
        sampling part of the variance is multiplied by (N - n) / (N - 1), the coin's part is not.

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
    the share among the n people who took part (N = n): the score test with the coin's variance, inverted in closed
    form; approximate, unlike "exact". The same inversion with both parts of the variance serves a finite population.

    The estimate is wrong where respondents do not follow the table (a "no" for self-protection in place of a forced
    "yes") or where those who answer differ from those who do not; no interval here covers that.

    References
    ----------
    Warner, S. L. (1965). JASA 60, 63-69. Fox, J. A. & Tracy, P. E. (1986). Randomized Response. Sage.
    Blaker, H. (2000). Canadian Journal of Statistics 28, 783-798.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> estimate = estimate_proportions([600, 400], forced_response(truth="1/2"))
    >>> estimate.unbiased.round(12), estimate.standard_error.round(4)
    (array([0.7, 0.3]), array([0.031, 0.031]))
    >>> print(estimate)
    1000 reports; 95 % intervals: exact
    answer  estimate  std. error     low    high  unbiased
         0    0.7000      0.0310  0.6381  0.7602    0.7000
         1    0.3000      0.0310  0.2398  0.3619    0.3000
    """
    tally = as_counts(counts, name="counts", size=channel.reports)
    _require_possible(tally, channel)
    n = int(tally.sum())
    level = as_level(confidence)
    if interval not in BINOMIAL_INTERVALS:
        raise ValueError(f"interval must be one of {', '.join(BINOMIAL_INTERVALS)}; got {interval!r}")
    kept = _sampling_fraction(n, population_size)
    unbiased = channel.left_inverse @ (tally / n) if n else np.full(channel.answers, np.nan)
    constrained = maximum_likelihood(tally, channel)
    noise = _noise_covariance(constrained, channel, n)
    covariance = noise if kept == 0 else noise + kept * (_moment_covariance(tally, channel) - noise)
    method = _method(interval, channel, population_size)
    wald = method == "wald"
    low, high = _wald(unbiased, covariance, level) if wald else _mapped(method, tally, channel, level, kept)
    noise_method = _method("score", channel, population_size)
    wald = noise_method == "wald"
    noise_low, noise_high = _wald(unbiased, noise, level) if wald else _mapped("score", tally, channel, level, 0.0)
    return ProportionEstimate(
        unbiased, constrained, _root_of_diagonal(covariance), covariance, _root_of_diagonal(noise), noise,
        *_around(constrained, low, high), *_around(constrained, noise_low, noise_high),
        n, method, noise_method, level, population_size,
    )  # fmt: skip


def combine_strata(estimates: Sequence[ProportionEstimate], shares: Sequence[float]) -> ProportionEstimate:
    """Shares in a population from estimates in its strata: theta = sum_h W_h theta_h, covariance = sum_h W_h^2 Cov_h.

    Parameters
    ----------
    estimates : sequence of ProportionEstimate
        One per stratum, of the same answers at the same confidence.
    shares : sequence of float
        W_h, the known share of each stratum in the population; non-negative, sum 1 (to 1e-9).

    Returns
    -------
    ProportionEstimate
        Intervals are Wald intervals of the combined estimate, clipped to [0, 1] and holding the constrained one, which
        is the unbiased one moved to the nearest point of the simplex. A stratum without a standard error (n < 2) and
        with a share above 0 leaves the combination without one: NaN, interval [0, 1].

    Raises
    ------
    ValueError
        Where numbers of strata, answers or confidences differ, or shares are no shares.

    Notes
    -----
    Strata are taken as drawn independently, their shares as known without error. The interval relies on normality:
    with few reports or a share near 0 or 1 it covers less than its level.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., chapter 5. Wiley.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> channel = forced_response(truth="1/2")
    >>> young, old = estimate_proportions([600, 400], channel), estimate_proportions([70, 30], channel)
    >>> combine_strata([young, old], [0.25, 0.75]).unbiased.round(12)
    array([0.85, 0.15])
    """
    weights = _strata_weights(estimates, shares)
    pairs = [(weight, estimate) for weight, estimate in zip(weights, estimates, strict=True) if weight > 0]
    unbiased = np.asarray(sum(weight * estimate.unbiased for weight, estimate in pairs))
    covariance = np.asarray(sum(weight**2 * estimate.covariance for weight, estimate in pairs))
    noise = np.asarray(sum(weight**2 * estimate.noise_covariance for weight, estimate in pairs))
    level = estimates[0].confidence
    constrained = nearest_on_simplex(unbiased)
    low, high = _around(constrained, *_wald(unbiased, covariance, level))
    noise_low, noise_high = _around(constrained, *_wald(unbiased, noise, level))
    return ProportionEstimate(
        unbiased, constrained, _root_of_diagonal(covariance), covariance, _root_of_diagonal(noise), noise,
        low, high, noise_low, noise_high,
        sum(estimate.n for estimate in estimates), "wald", "wald", level,
    )  # fmt: skip


def nearest_on_simplex(point: Vector) -> Vector:
    """The point of the simplex that is nearest to `point` (Held, Wolfe & Crowder 1974); NaN stays NaN."""
    if np.isnan(point).any():
        return np.full_like(point, np.nan)
    descending = np.sort(point)[::-1]
    surplus = (np.cumsum(descending) - 1) / np.arange(1, len(point) + 1)
    return np.asarray(np.maximum(point - surplus[np.flatnonzero(descending > surplus)[-1]], 0))


def _require_possible(tally: NDArray[np.int64], channel: Channel) -> None:
    impossible = (tally > 0) & (channel.matrix.max(axis=0) == 0)
    if impossible.any():
        y = int(np.flatnonzero(impossible)[0])
        raise ValueError(f"counts[{y}] must be 0: no answer of the table leads to report {y}; got {tally[y]}")


def _sampling_fraction(n: int, population_size: int | None) -> float:
    """(N - n) / (N - 1): what the finite population leaves of the sampling variance."""
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


def _method(interval: str, channel: Channel, population_size: int | None) -> str:
    if channel.background is None or interval == "wald":
        return "wald"
    return interval if population_size is None else "score"


def _mapped(method: str, tally: NDArray[np.int64], channel: Channel, level: float, kept: float) -> Limits:
    """A binomial interval for each report's rate, mapped through the table to the share of its answer."""
    assert channel.background is not None
    n = int(tally.sum())
    if n == 0:
        return np.zeros(channel.answers), np.ones(channel.answers)
    if method == "score":
        return _score(tally / n, channel, n, normal_quantile(level), kept)
    limits = np.array([BINOMIAL_INTERVALS[method](int(count), n, level) for count in tally])
    mapped = (limits * channel.denominator - channel.background[:, None]) / channel.gain
    return mapped.min(axis=1), mapped.max(axis=1)


def _wald(unbiased: Vector, covariance: Vector, level: float) -> Limits:
    half = normal_quantile(level) * _root_of_diagonal(covariance)
    return unbiased - half, unbiased + half


def _score(rates: Vector, channel: Channel, n: int, z: float, kept: float) -> Limits:
    """All theta with (rate - b - d theta)^2 <= z^2 V(theta) / n: the roots of a quadratic.

    V = theta a (1 - a) + (1 - theta) b (1 - b) + kept d^2 theta (1 - theta), with a and b the probabilities of the
    report with and without the answer and d = a - b. kept = 1 is Wilson's interval mapped through the table, kept = 0
    leaves the coin alone.
    """
    assert channel.background is not None
    b, d = channel.background / channel.denominator, channel.gain / channel.denominator
    a, scale = b + d, z * z / n
    square = d * d * (1 + scale * kept)
    half_linear = d * (rates - b) + scale * (a * (1 - a) - b * (1 - b) + kept * d * d) / 2
    constant = (rates - b) ** 2 - scale * b * (1 - b)
    reach = np.sqrt(np.maximum(half_linear**2 - square * constant, 0))
    return (half_linear - reach) / square, (half_linear + reach) / square


def _around(estimate: Vector, low: Vector, high: Vector) -> Limits:
    """The interval inside [0, 1] that also holds the estimate; [0, 1] where nothing is known."""
    known = ~(np.isnan(low) | np.isnan(high))
    low, high = np.clip(np.where(known, low, 0), 0, 1), np.clip(np.where(known, high, 1), 0, 1)
    return np.fmin(low, estimate), np.fmax(high, estimate)


def _root_of_diagonal(covariance: Vector) -> Vector:
    return np.asarray(np.sqrt(np.maximum(np.diag(covariance), 0)))


def _strata_weights(estimates: Sequence[ProportionEstimate], shares: Sequence[float]) -> Vector:
    weights = np.asarray(shares, dtype=np.float64)
    if len(estimates) == 0 or weights.shape != (len(estimates),):
        raise ValueError(f"shares must have one value per estimate, {len(estimates)}; got shape {weights.shape}")
    if not np.all(weights >= 0) or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(f"shares must be non-negative and sum to 1; got {weights.tolist()}")
    if len({(len(estimate.unbiased), estimate.confidence) for estimate in estimates}) > 1:
        raise ValueError("estimates must be of the same answers at the same confidence; got different ones")
    return weights
