"""Profile likelihood intervals for the share of one answer, all the other shares left free on the simplex."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from randomized_response import _scipy as scipy
from randomized_response._limits import Limits
from randomized_response.channel import Channel
from randomized_response.constrained import fill_down, fill_up, interior_point, maximum_likelihood
from randomized_response.results import Vector

Counts = NDArray[np.int64]
_IMPOSSIBLE = -1e300


def likelihood_limits(tally: Counts, channel: Channel, level: float) -> Limits:
    """All shares t with 2 (log L at the maximum - log L at the best theta with theta_x = t) <= chi-squared(1) quantile.

    Exact profiles by water-filling where the table has one background; else the two ends are found along the path of
    maxima of log L + kappa theta_x, which is where the profile lives.
    """
    best = maximum_likelihood(tally, channel)
    floor = log_likelihood(best, tally, channel) - float(scipy.special.chdtri(1, 1 - level)) / 2
    end = _filled_end if channel.background is not None else _tilted_end
    low = [end(x, 0.0, best, floor, tally, channel) for x in range(channel.answers)]
    high = [end(x, 1.0, best, floor, tally, channel) for x in range(channel.answers)]
    return np.array(low), np.array(high)


def log_likelihood(theta: Vector, tally: Counts, channel: Channel) -> float:
    """sum_y counts[y] log P(report = y), up to a constant; very negative where a seen report is impossible."""
    return _log_sum(tally, channel.matrix.T @ theta)


def _log_sum(tally: Counts, rates: Vector) -> float:
    seen = tally > 0
    return float(tally[seen] @ np.log(rates[seen])) if (rates[seen] > 0).all() else _IMPOSSIBLE


def _filled_end(x: int, end: float, best: Vector, floor: float, tally: Counts, channel: Channel) -> float:
    def above(share: float) -> float:
        return _log_sum(tally, _profile_rates(x, share, tally, channel)) - floor

    return _crossing(above, float(best[x]), end)


def _profile_rates(x: int, share: float, tally: Counts, channel: Channel) -> Vector:
    """The maximum likelihood rates of the reports for a fixed share of answer x."""
    assert channel.background is not None
    background, gain = channel.background / channel.denominator, channel.gain / channel.denominator
    rates, others = background.copy(), np.arange(channel.answers) != x
    rates[x] += gain * share
    if share < 1 and tally[others].any():
        fill = fill_up if gain > 0 else fill_down
        rates[others] = fill(tally[others], background[others], 1 - float(rates[x]))
    elif share < 1:
        rates[others] += gain * (1 - share) / (channel.answers - 1)
    return rates


def _tilted_end(x: int, end: float, best: Vector, floor: float, tally: Counts, channel: Channel) -> float:
    shares, sign = tally / tally.sum(), 1.0 if end else -1.0
    if log_likelihood(_best_at_border(x, end, shares, channel), tally, channel) >= floor:
        return end

    def tilted(log_kappa: float) -> Vector:
        return interior_point(shares, channel.matrix, sign * np.exp(log_kappa) * (np.arange(channel.answers) == x))

    def above(log_kappa: float) -> float:
        return log_likelihood(tilted(log_kappa), tally, channel) - floor

    upper = -12.0
    while above(upper) > 0 and upper < 12:
        upper += 3
    crossing = scipy.optimize.brentq(above, upper - 3, upper, xtol=1e-12) if upper > -12 and above(upper) < 0 else upper
    reached = float(tilted(crossing)[x])
    return max(reached, float(best[x])) if end else min(reached, float(best[x]))


def _best_at_border(x: int, end: float, shares: Vector, channel: Channel) -> Vector:
    """The most likely theta with theta_x = 1, or with theta_x = 0 where the remaining answers allow every report."""
    theta = np.zeros(channel.answers)
    others = np.arange(channel.answers) != x
    if end:
        theta[x] = 1
    elif (channel.matrix[others][:, shares > 0].max(axis=0) > 0).all():
        theta[others] = interior_point(shares, channel.matrix[others])
    else:
        theta[others] = 1 / (channel.answers - 1)
    return theta


def _crossing(above: Callable[[float], float], inside: float, end: float) -> float:
    """The point where `above`, not negative at `inside`, turns negative towards `end`; `end` if it does not."""
    if above(end) >= 0 or inside == end:
        return end
    return float(scipy.optimize.brentq(above, inside, end, xtol=1e-14)) if above(inside) > 0 else inside
