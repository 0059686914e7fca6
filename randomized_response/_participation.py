"""Exact limits for the share of an answer among the respondents, where only the randomization is random.

If t of n people hold the answer, the reports of it are Bin(t, a) + Bin(n - t, b), a convolution of two binomials, with
a and b the chances of the report with and without the answer.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from randomized_response import _scipy as scipy
from randomized_response.results import Vector

Whole = NDArray[np.int64]

_NEGLIGIBLE = 37.0
"""Minus the logarithm of 1e-16, the precision of computed probabilities."""

_TIED = 1e-6
"""Tolerance, in respondents, within which counts are treated as tied despite rounding."""


def took_part_limits(counts: Whole, n: int, level: float, holding: Vector, without: Vector) -> tuple[Vector, Vector]:
    """Compute exact intervals for the shares of k answers among the respondents.

    `counts` are the reports of each answer among n > 0, `holding` and `without` their chances a and b, which differ;
    all of shape (k,). The interval is the smallest that holds every t / n against which counts that speak as strongly
    as the observed one, or more, have a probability above 1 - level. How strongly is measured as `feldman_cousins`
    does, by the binomial likelihood ratio of the best rate from a to b to that of t: whatever the order, the interval
    covers at least its level, and this one makes it like the one for the population, and never empty.

    References
    ----------
    Feldman, G. J. & Cousins, R. D. (1998). Physical Review D 57, 3873-3889, section IV. Hong, Y. (2013). On computing
    the distribution function for the Poisson binomial distribution. Computational Statistics & Data Analysis 59, 41-51.
    """
    cases = np.stack([counts, holding, without])
    different, places = np.unique(cases, axis=1, return_inverse=True)  # among many choices many are alike
    low, high = _distinct_limits(n, level, *(tuple(row.tolist()) for row in different))
    return low[places.ravel()], high[places.ravel()]


@lru_cache(maxsize=1024)
def _distinct_limits(
    n: int, level: float, counts: tuple[float, ...], holding: tuple[float, ...], without: tuple[float, ...]
) -> tuple[Vector, Vector]:
    """Cached, because the same counts recur from one page to the next."""
    reports, a, b = np.array(counts, dtype=np.int64), np.array(holding), np.array(without)
    lowest, highest = np.minimum(a, b), np.maximum(a, b)
    ends = np.concatenate([1 - highest, lowest]), np.concatenate([1 - lowest, highest])
    others, most = np.split(_most(np.concatenate([n - reports, reports]), n, 1 - level, *ends), 2)
    fewest = n - others
    return np.where(a > b, fewest, n - most) / n, np.where(a > b, most, n - fewest) / n


def _most(counts: Whole, n: int, level: float, lowest: Vector, highest: Vector) -> Whole:
    """The largest number of respondents with chance `highest`, all others `lowest`, that is not rejected.

    As in `intervals`: above the best number for a count, those that speak as strongly are the counts up to it and those
    from another one on, `other`; both speak equally against one rate only, the tie. Between two ties the probability of
    both tails falls and then rises. So the limit is the last number in front of a tie at which that probability is
    above `level`, or the last one behind it.
    """

    def best(some: Whole) -> Vector:
        rate = np.clip(some / n, lowest, highest)
        return np.asarray(scipy.special.xlogy(some, rate) + scipy.special.xlog1py(n - some, -rate))

    observed = best(counts)

    def tied(other: Whole) -> Whole:
        tie = scipy.special.expit((best(np.minimum(other, n)) - observed) / (other - counts))
        part = np.clip((np.where(other > n, highest, tie) - lowest) / (highest - lowest), 0, 1)
        return np.floor(n * part + _TIED).astype(np.int64)

    def likely(other: Whole, people: Whole) -> NDArray[np.bool_]:
        return 1 - _between(counts + 1, other - 1, people, n, highest, lowest) > level

    first = np.maximum(counts + 1, np.ceil(n * lowest).astype(np.int64))
    last = _last(lambda other: likely(other, tied(other)), first, np.full_like(first, n + 2))
    start = tied(last)
    behind = _last(lambda people: likely(last + 1, people), start, np.maximum(tied(last + 1), start + 1))
    most = np.where(counts >= n * highest, n, behind)
    return np.where(highest == 1, np.minimum(most, counts), most)  # whoever is sure to report it did


def _last(holds: Callable[[Whole], NDArray[np.bool_]], low: Whole, beyond: Whole) -> Whole:
    """The last integers at which `holds` is true, as it is at `low` and is not at `beyond`; by bisection."""
    while (beyond - low > 1).any():
        middle = (low + beyond) // 2
        held = holds(middle)
        low, beyond = np.where(held, middle, low), np.where(held, beyond, np.maximum(middle, low + 1))
    return low


def _between(low: Whole, high: Whole, people: Whole, n: int, a: Vector, b: Vector) -> Vector:
    """P(low <= Y <= high) of Y = Bin(people, a) + Bin(n - people, b), to about 1e-13 at a million people.

    The characteristic function at 2 h + 1 frequencies, summed over the counts between (Hong 2013, eq. 7). Of n only h
    counts around the mean on each side have a chance worth mentioning (Bernstein's inequality), and of the frequencies
    those where var (1 - cos s) < 37, which bounds minus the logarithm of the function; whatever n is, some sixty.
    """
    variance = people * a * (1 - a) + (n - people) * b * (1 - b)
    half = np.minimum(np.ceil(27 + 9 * np.sqrt(variance)), (n + 1) // 2)
    size = 2 * half + 1
    start = np.clip(np.floor(people * a + (n - people) * b) - half, 0, np.maximum(n + 1 - size, 0))
    low, high = np.maximum(low, start), np.minimum(high, start + size - 1)
    furthest = np.arccos(1 - _NEGLIGIBLE / np.maximum(variance, _NEGLIGIBLE / 2)) * size / (2 * np.pi)
    k = np.arange(1, int(np.minimum(half, np.ceil(furthest)).max()) + 1)
    s = 2 * np.pi * k / size[:, None]
    turn, decay = np.zeros_like(s), np.zeros_like(s)
    for some, rate in ((people, a), (n - people, b)):
        square, some, rate = np.sin(s / 2) ** 2, some[:, None], rate[:, None]
        decay = decay + some * np.log1p(-4 * rate * (1 - rate) * square) / 2
        turn = turn + some * np.arctan2(rate * np.sin(s), 1 - 2 * rate * square)
    counted = (high - low + 1)[:, None]
    waves = np.exp(decay) * np.cos(turn - s * (low + high)[:, None] / 2) * np.sin(s * counted / 2) / np.sin(s / 2)
    summed = np.where(k <= half[:, None], waves, 0).sum(axis=1)
    return np.where(high < low, 0, (counted[:, 0] + 2 * summed) / size)
