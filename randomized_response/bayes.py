"""Bayesian intervals under a uniform prior on the simplex, by numerical integration: no sampling, no seed.

With one background b the posterior is prod_y (b[y] + p theta[y])^counts[y] on the simplex: k independent densities
conditioned on their sum being 1. The density of one share is its own factor times the convolution of all the others.
Every factor may be multiplied by exp(-tilt theta) without changing the posterior; the tilt for which the means sum to
1 puts the mass where it is needed, so that the convolution keeps its digits.
"""

import numpy as np
from numpy.typing import NDArray

from randomized_response import _scipy as scipy
from randomized_response._limits import Limits
from randomized_response.channel import Channel
from randomized_response.results import Vector

_GRID = 2**13
_CELLS = 2**24


def bayes_limits(tally: NDArray[np.int64], channel: Channel, level: float) -> Limits:
    """The shortest interval of posterior probability `level` for each share, under the prior Dirichlet(1, ..., 1).

    Equal tails would never hold a share of 0. For two answers, or a table with one background; to about 1e-4 of the
    posterior's width.
    """
    if channel.answers == 2:
        return _two_answers(tally, channel, level)
    assert channel.background is not None
    size = _grid_size(tally, channel)
    theta = np.linspace(0, 1, size + 1)
    logs = _log_factors(tally, channel, theta)
    densities = _tilted(logs, theta, _balancing_tilt(logs, theta))
    pairs = zip(densities, _others(densities), strict=True)
    limits = [_densest(theta, own * rest[::-1], level) for own, rest in pairs]
    low, high = np.array(limits).T
    return low, high


def _two_answers(tally: NDArray[np.int64], channel: Channel, level: float) -> Limits:
    """The share of answer 1 has density prod_y P(y)^counts[y] on [0, 1], whatever the number of reports."""
    theta = np.linspace(0, 1, _grid_size(tally, channel) + 1)
    rates = channel.matrix[0][:, None] + (channel.matrix[1] - channel.matrix[0])[:, None] * theta
    density = _from_logs(_log_powers(tally, rates).sum(axis=0))
    low, high = _densest(theta, density, level)
    return np.array([1 - high, low]), np.array([1 - low, high])


def _grid_size(tally: NDArray[np.int64], channel: Channel) -> int:
    """Grid size: about twenty points per standard deviation of a share, as far as memory allows."""
    widest = float(np.abs(channel.left_inverse).max())
    wanted = 2 ** np.ceil(np.log2(40 * np.sqrt(max(tally.sum(), 1)) / widest))
    return int(min(max(_GRID, wanted), _CELLS // channel.answers))


def _log_factors(tally: NDArray[np.int64], channel: Channel, theta: Vector) -> Vector:
    assert channel.background is not None
    rates = (channel.background[:, None] + channel.gain * theta) / channel.denominator
    return _log_powers(tally, rates)


def _log_powers(tally: NDArray[np.int64], rates: Vector) -> Vector:
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(rates, 0))
    return np.where(tally[:, None] > 0, tally[:, None] * np.where(tally[:, None] > 0, logs, 0), 0)


def _tilted(logs: Vector, theta: Vector, tilt: float) -> Vector:
    return _from_logs(logs - tilt * theta)


def _from_logs(logs: Vector) -> Vector:
    return np.asarray(np.exp(logs - logs.max(axis=-1, keepdims=True)))


def _balancing_tilt(logs: Vector, theta: Vector) -> float:
    """The tilt under which the means of the k factors sum to 1."""

    def excess(tilt: float) -> float:
        densities = _tilted(logs, theta, tilt)
        return float(((densities @ theta) / densities.sum(axis=1)).sum() - 1)

    reach = 1.0
    while excess(-reach) < 0 or excess(reach) > 0:
        reach *= 4
    return float(scipy.optimize.brentq(excess, -reach, reach, rtol=1e-9))


def _others(densities: Vector) -> list[Vector]:
    """For each factor, the convolution of all others on the grid: products before it with those after it."""
    factors = densities / densities.sum(axis=1, keepdims=True)
    factors[:, 0] /= 2
    before, after = [_unit(factors[0])], [_unit(factors[0])]
    for i in range(len(factors) - 1):
        before.append(_convolved(before[-1], factors[i]))
        after.append(_convolved(after[-1], factors[-1 - i]))
    return [_convolved(one, other) for one, other in zip(before, after[::-1], strict=True)]


def _unit(like: Vector) -> Vector:
    unit = np.zeros_like(like)
    unit[0] = 1
    return unit


def _convolved(one: Vector, other: Vector) -> Vector:
    """The density of a sum, truncated at 1, since no share is negative."""
    if one[0] == 1:
        return np.asarray(other)
    if other[0] == 1:
        return np.asarray(one)
    # scipy.signal.fftconvolve does the same, and would load a hundred megabytes with it.
    size = scipy.fft.next_fast_len(len(one) + len(other) - 1, real=True)
    product = scipy.fft.irfft(scipy.fft.rfft(one, size) * scipy.fft.rfft(other, size), size)[: len(one)]
    product[0] = 0
    return np.asarray(np.maximum(product, 0))


def _densest(theta: Vector, density: Vector, level: float) -> tuple[float, float]:
    """The shortest interval of mass `level`: it ends at equal densities, or at the border where the mode is there."""
    cumulative = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    cumulative /= cumulative[-1]

    def ends(left_out: float) -> tuple[float, float]:
        low, high = np.interp([left_out, left_out + level], cumulative, theta)
        return float(low), float(high)

    def rise(left_out: float) -> float:
        below, above = np.interp(ends(left_out), theta, density)
        return float(above - below)

    if rise(0.0) <= 0:
        return 0.0, ends(0.0)[1]
    if rise(1 - level) >= 0:
        return ends(1 - level)[0], 1.0
    return ends(float(scipy.optimize.brentq(rise, 0.0, 1 - level, xtol=1e-12)))
