"""Limits for shares of answers: binomial intervals mapped through the table, Wald's, and the bootstrap's."""

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from randomized_response._participation import took_part_limits
from randomized_response.channel import Channel
from randomized_response.intervals import Bounds, binomial_limits, normal_quantile
from randomized_response.results import Vector

Limits = tuple[Vector, Vector]
BOOTSTRAP_ROUNDS = 2000
CONVOLUTION = "convolution"
"""The method for the share among those who took part."""
CORRECTED = "corrected score"
"""Its equal-tailed, unclipped counterpart: score limits of the randomization, half a report further out."""


def recovered_distance(one: Vector, other: Vector, correlation: Vector) -> Vector:
    """How far an end of the interval of a difference is from it, from those of its parts (MOVER).

    Zou, G. Y. (2007), Psychological Methods 12, 399-413, equation 11, for correlated parts.
    """
    return np.asarray(np.sqrt(np.maximum(one**2 + other**2 - 2 * correlation * one * other, 0.0)))


def correlation_of(one: Vector, other: Vector, covariance: Vector) -> Vector:
    """Of two estimates from their standard errors; 0 where one has none."""
    together = one * other
    found = np.divide(covariance, together, out=np.zeros_like(together), where=together > 0)
    return np.asarray(np.clip(np.nan_to_num(found), -1, 1))


def nothing_known(answers: int) -> Limits:
    return np.zeros(answers), np.ones(answers)


def mapped_limits(method: str, tally: NDArray[np.int64], channel: Channel, level: float, fpc: float) -> Limits:
    """A binomial interval for each report's rate, mapped through the table to the share of its answer."""
    assert channel.background is not None
    n = int(tally.sum())
    if n == 0:
        return nothing_known(channel.answers)
    if method == "score":
        return _score(tally / n, channel, n, normal_quantile(level), fpc)
    if method == CORRECTED:
        half = np.sign(channel.gain) / 2
        z = normal_quantile(level)
        return _score((tally - half) / n, channel, n, z, fpc)[0], _score((tally + half) / n, channel, n, z, fpc)[1]
    miss = channel.background / channel.denominator
    hit = (channel.background + channel.gain) / channel.denominator
    if method == CONVOLUTION:
        return took_part_limits(tally, n, level, hit, miss)
    ends = zip(np.minimum(miss, hit).tolist(), np.maximum(miss, hit).tolist(), strict=True)
    some = zip(tally.tolist(), ends, strict=True)
    limits = np.array([_binomial_limits(method, count, n, level, between) for count, between in some])
    mapped = (limits - miss[:, None]) / (hit - miss)[:, None]
    return mapped.min(axis=1), mapped.max(axis=1)


@lru_cache(maxsize=8192)
def _binomial_limits(method: str, count: int, n: int, level: float, ends: Bounds) -> Bounds:
    """Cached `binomial_limits`: the same counts recur among many choices and from page to page."""
    return binomial_limits(method, count, n, level, ends)


def _score(rates: Vector, channel: Channel, n: int, z: float, fpc: float) -> Limits:
    """All theta with (rate - b - d theta)^2 <= z^2 V(theta) / n: the roots of a quadratic.

    V = theta a (1 - a) + (1 - theta) b (1 - b) + fpc d^2 theta (1 - theta), with a and b the probabilities of the
    report with and without the answer and d = a - b. fpc is the finite population correction: 1 is Wilson's interval
    mapped through the table, 0 leaves the coin alone.
    """
    assert channel.background is not None
    b, d = channel.background / channel.denominator, channel.gain / channel.denominator
    a, scale = b + d, z * z / n
    square = d * d * (1 + scale * fpc)
    half_linear = d * (rates - b) + scale * (a * (1 - a) - b * (1 - b) + fpc * d * d) / 2
    constant = (rates - b) ** 2 - scale * b * (1 - b)
    reach = np.sqrt(np.maximum(half_linear**2 - square * constant, 0))
    return (half_linear - reach) / square, (half_linear + reach) / square


def limits_of_bits(method: str, bit: Channel, ones: NDArray[np.int64], n: int, fpc: float, level: float) -> Limits:
    """Limits bit by bit, from the binomial count of ones among n, in the row "this answer" of the bit's table."""
    if method == CONVOLUTION and n:
        without, holding = (np.full(ones.size, chance) for chance in bit.matrix[:, 1])
        return took_part_limits(ones, n, level, holding, without)
    found = [mapped_limits(method, np.array([n - one, one]), bit, level, fpc) for one in ones]
    return np.array([one[0][1] for one in found]), np.array([one[1][1] for one in found])


def tails_of_bits(
    method: str, bit: Channel, ones: NDArray[np.int64], n: int, fpc: float
) -> Callable[[float], Limits] | None:
    """Equal-tailed limits bit by bit, as a function of the level, for those of `method`; None if undefined."""
    tails = equal_tails(method)
    return None if tails is None else partial(limits_of_bits, tails, bit, ones, n, fpc)


def equal_tails(method: str) -> str | None:
    """The method of equal-tailed limits around the unbiased share to use for `method`; None if there is none.

    Blaker's are of tails that differ, and Feldman and Cousins' know where [0, 1] ends: Clopper and Pearson's are exact.
    Those for the people who took part know it too, and are of whole people.
    """
    if method == CONVOLUTION:
        return CORRECTED
    if method in ("exact", "feldman_cousins"):
        return "clopper_pearson"
    return None if method in ("wald", "likelihood", "bayes", "bootstrap") else method


def wald_limits(unbiased: Vector, covariance: Vector, level: float) -> Limits:
    half = normal_quantile(level) * root_of_diagonal(covariance)
    return unbiased - half, unbiased + half


def bootstrap_limits(
    tally: NDArray[np.int64], channel: Channel, level: float, generator: np.random.Generator | None
) -> Limits:
    """Percentiles of the unbiased estimate over 2,000 resamples of the n reports with replacement."""
    n = int(tally.sum())
    source = np.random.default_rng(0) if generator is None else generator
    redrawn = source.multinomial(n, tally / n, size=BOOTSTRAP_ROUNDS) / n
    tail = (1 - level) / 2
    low, high = np.quantile(redrawn @ channel.left_inverse.T, [tail, 1 - tail], axis=0)
    return low, high


def around(estimate: Vector, low: Vector, high: Vector) -> Limits:
    """Clip an interval to [0, 1] and extend it to the estimate; [0, 1] where the limits are unknown."""
    known = ~(np.isnan(low) | np.isnan(high))
    low, high = np.clip(np.where(known, low, 0), 0, 1), np.clip(np.where(known, high, 1), 0, 1)
    return np.fmin(low, estimate), np.fmax(high, estimate)


def root_of_diagonal(covariance: Vector) -> Vector:
    return np.asarray(np.sqrt(np.maximum(np.diag(covariance), 0)))


def fieller(rates: Vector, covariance: Vector, z: float, factor: float) -> tuple[float, float]:
    """Limits of 1/2 + factor * rates[0] / rates[1], within [0, 1]; [0, 1] where the divisor is not told from 0."""
    square = rates[1] ** 2 - z**2 * covariance[1, 1]
    if square <= 0:
        return 0.0, 1.0
    cross = rates[0] * rates[1] - z**2 * covariance[0, 1]
    left = rates[0] ** 2 - z**2 * covariance[0, 0]
    reach = np.sqrt(max(cross**2 - square * left, 0.0))
    ends = sorted(0.5 + factor * (cross + side * reach) / square for side in (-1, 1))
    return float(np.clip(ends[0], 0, 1)), float(np.clip(ends[1], 0, 1))
