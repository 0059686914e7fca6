"""Intervals for a binomial rate, and the names under which they are available.

Each function takes a count, the number of trials n >= 1 and a confidence level and returns (low, high) for the rate.
scipy offers three of them in `scipy.stats.binomtest`; not Feldman and Cousins', Blaker's and the mid-p interval.
"""

from collections.abc import Callable, Mapping
from math import ceil, sqrt
from types import MappingProxyType

from randomized_response import _scipy as scipy

Bounds = tuple[float, float]
DEFAULT_INTERVAL = "feldman_cousins"
"""The default interval method of every estimate."""
_LAST_DIGITS = 4 * 2.220446049250313e-16


def feldman_cousins(count: int, n: int, confidence: float, ends: Bounds = (0.0, 1.0)) -> Bounds:
    """Exact interval of a rate that is known to lie within `ends`: covers at least its level, never a point.

    The smallest interval that holds every rate r in `ends` at which the counts that speak as strongly against r as the
    observed one, or more, have a probability above 1 - confidence. How strongly a count speaks against r is the
    likelihood ratio of the best rate within `ends` to r. A table's noise alone sends an answer with a known rate: below
    it no share of the answer is left, and a count far below leaves a short interval, but at levels from .75 never a
    point.

    References
    ----------
    Feldman, G. J. & Cousins, R. D. (1998). Unified approach to the classical statistical analysis of small signals.
    Physical Review D 57, 3873-3889, section IV.

    Examples
    --------
    Two coins send a yes with rates from 1/4 (nobody) to 3/4 (everybody).

    >>> [round(limit, 6) for limit in feldman_cousins(220, 1000, 0.95, (0.25, 0.75))]
    [0.25, 0.257753]
    >>> [round(limit, 6) for limit in feldman_cousins(3, 10, 0.95)]
    [0.087264, 0.619411]
    """
    level, (lowest, highest) = 1 - confidence, ends
    mirrored = _ordered_upper(n - count, n, level, 1 - highest, 1 - lowest)
    low = lowest if mirrored == 1 - lowest else 1 - mirrored
    return low, _ordered_upper(count, n, level, lowest, highest)


def clopper_pearson(count: int, n: int, confidence: float) -> Bounds:
    """Equal-tailed interval: never covers below its level, usually well above. Clopper & Pearson (1934)."""
    tail = (1 - confidence) / 2
    return _lower_limit(count, n, tail), 1 - _lower_limit(n - count, n, tail)


def blaker(count: int, n: int, confidence: float) -> Bounds:
    """Blaker's (2000) exact interval: never covers below its level and lies inside Clopper and Pearson's.

    The smallest interval that holds every rate whose acceptability exceeds 1 - confidence, where the acceptability of
    a rate is the probability of a count whose smaller tail is no larger than that of the observed count.

    References
    ----------
    Blaker, H. (2000). Confidence curves and improved exact confidence intervals for discrete distributions. Canadian
    Journal of Statistics 28, 783-798. Klaschka, J. (2010). BlakerCI: an algorithm and R package for the Blaker's
    binomial confidence limits calculation. Technical report, Institute of Computer Science, Prague.

    Examples
    --------
    >>> [round(limit, 6) for limit in blaker(3, 10, 0.95)]
    [0.087264, 0.619411]
    """
    level = 1 - confidence
    return _blaker_lower(count, n, level), 1 - _blaker_lower(n - count, n, level)


def wilson(count: int, n: int, confidence: float) -> Bounds:
    """The score interval of Wilson (1927): closed form, near its level on average, below it for some rates."""
    z = normal_quantile(confidence)
    rate = count / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return (0.0 if count == 0 else max(centre - half, 0.0)), (1.0 if count == n else min(centre + half, 1.0))


def mid_p(count: int, n: int, confidence: float) -> Bounds:
    """Clopper and Pearson's with half of the observed count's probability in each tail: on average near its level."""
    tail = (1 - confidence) / 2
    return _mid_p_lower(count, n, tail), 1 - _mid_p_lower(n - count, n, tail)


def jeffreys(count: int, n: int, confidence: float) -> Bounds:
    """Equal tails of the posterior under the prior Beta(1/2, 1/2), opened at counts 0 and n (Brown et al. 2001)."""
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else float(scipy.special.betaincinv(count + 0.5, n - count + 0.5, tail))
    high = 1.0 if count == n else float(scipy.special.betainccinv(count + 0.5, n - count + 0.5, tail))
    return low, high


def wald(count: int, n: int, confidence: float) -> Bounds:
    """Estimate plus and minus z standard errors (n - 1 convention). For comparison: covers far too little near 0."""
    if n == 1:
        return 0.0, 1.0
    rate = count / n
    half = normal_quantile(confidence) * sqrt(rate * (1 - rate) / (n - 1))
    return rate - half, rate + half


BINOMIAL_INTERVALS: Mapping[str, Callable[[int, int, float], Bounds]] = MappingProxyType(
    {
        "feldman_cousins": feldman_cousins,
        "exact": blaker,
        "clopper_pearson": clopper_pearson,
        "score": wilson,
        "mid_p": mid_p,
        "jeffreys": jeffreys,
        "wald": wald,
    }
)


def binomial_limits(method: str, count: int, n: int, confidence: float, ends: Bounds) -> Bounds:
    """The interval of a rate within `ends`: one method uses them, the others clip nothing."""
    if method == "feldman_cousins":
        return feldman_cousins(count, n, confidence, ends)
    return BINOMIAL_INTERVALS[method](count, n, confidence)


def normal_quantile(confidence: float) -> float:
    """z such that a standard normal lies in (-z, z) with probability `confidence`."""
    return float(-scipy.special.ndtri((1 - confidence) / 2))


def _lower_limit(count: int, n: int, tail: float) -> float:
    """The rate at which `count` or more has probability `tail`."""
    return 0.0 if count == 0 else float(scipy.special.betaincinv(count, n - count + 1, tail))


def _at_least(count: int, n: int, rate: float) -> float:
    """P(Y >= count) of a binomial Y; from the incomplete beta function, to full relative precision."""
    if count <= 0:
        return 1.0
    return 0.0 if count > n else float(scipy.special.betainc(count, n - count + 1, rate))


def _at_most(count: int, n: int, rate: float) -> float:
    if count >= n:
        return 1.0
    return 0.0 if count < 0 else float(scipy.special.betaincc(count + 1, n - count, rate))


def _blaker_lower(count: int, n: int, level: float) -> float:
    """The smallest rate whose acceptability reaches above `level`.

    Below the observed rate the acceptability is P(Y >= count) + P(Y <= j), j the largest count with P(Y <= j) <=
    P(Y >= count). It jumps up where j grows by one, to 2 P(Y >= count); between jumps it falls and then rises. At
    Clopper and Pearson's limit P(Y >= count) = level / 2, so the acceptability is at most `level` there and below,
    and at the next jump it is above. The limit is that jump, or the only crossing in front of it.
    """
    if count == 0:
        return 0.0
    start = _lower_limit(count, n, level / 2)
    j = _largest_other_tail(n, start, level / 2)
    jump = _root(lambda rate: _at_least(count, n, rate) - _at_most(j + 1, n, rate), start, count / n)
    before_jump = _at_least(count, n, jump) + _at_most(j, n, jump)
    if before_jump <= level:
        return jump
    return _root(lambda rate: _at_least(count, n, rate) + _at_most(j, n, rate) - level, start, jump)


def _ordered_upper(count: int, n: int, level: float, lowest: float, highest: float) -> float:
    """The largest rate from `lowest` to `highest` at which a likelihood ratio as large as that of `count` is likely.

    The ratio is convex in the count, so at a rate above the best one of `count` the counts at least as far off are
    those up to `count` and those from another one on, `other`. The two speak equally against one rate only, `tie`: in
    front of it the probability of both tails falls and then rises, and behind it `other` grows by one. So the limit is
    the last tie at which that probability is above `level`, or the only crossing behind it.
    """
    if count >= n * highest:
        return highest

    def best(some: int) -> float:
        rate = min(max(some / n, lowest), highest)
        return float(scipy.special.xlogy(some, rate) + scipy.special.xlog1py(n - some, -rate))

    observed = best(count)

    def tie(other: int) -> float:
        return float(scipy.special.expit((best(other) - observed) / (other - count))) if other <= n else highest

    def tails(other: int, rate: float) -> float:
        return _at_most(count, n, rate) + _at_least(other, n, rate)

    last, too_far = max(count + 1, ceil(n * lowest)), n + 2
    while too_far - last > 1:
        middle = (last + too_far) // 2
        if tails(middle, tie(middle)) > level:
            last = middle
        else:
            too_far = middle
    start = tie(last)
    if last > n or tails(last + 1, start) <= level:
        return start
    return _root(lambda rate: level - tails(last + 1, rate), start, tie(last + 1))


def _largest_other_tail(n: int, rate: float, tail: float) -> int:
    """The largest j with P(Y <= j) <= `tail`; -1 where there is none."""
    j = int(max(n * rate + scipy.special.ndtri(tail) * sqrt(n * rate * (1 - rate)), -1))
    while _at_most(j, n, rate) > tail:
        j -= 1
    while _at_most(j + 1, n, rate) <= tail:
        j += 1
    return j


def _mid_p_lower(count: int, n: int, tail: float) -> float:
    if count == 0:
        return 0.0

    def excess(rate: float) -> float:
        return (_at_least(count, n, rate) + _at_least(count + 1, n, rate)) / 2 - tail

    return _root(excess, _lower_limit(count, n, tail), 1.0)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find the root of `function`, not above 0 at `low` and not below 0 at `high`, to the last digits."""
    if function(low) >= 0:
        return low
    if function(high) <= 0:
        return high
    return float(scipy.optimize.brentq(function, low, high, xtol=1e-300, rtol=_LAST_DIGITS, maxiter=500))
