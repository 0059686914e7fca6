"""Privacy amplification by shuffling: n unlinkable local reports together are more private than each alone.

For information about a collector that keeps no order and no link; never the promise to a respondent, which is epsilon
of the channel and needs no trust in anyone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from randomized_response import _scipy as scipy
from randomized_response._checks import as_count, as_level
from randomized_response.channel import Channel
from randomized_response.results import Result, Vector

_TRUNCATED = 1e-4
"""Fraction of delta that truncated tails may lose; it is added back, so that every result is a bound."""

LARGEST_BLANKET = 200_000
"""Largest number of reports for the blanket's sum over two counts."""


@dataclass(frozen=True)
class ShuffleAmplification(Result):
    """Central privacy of n shuffled reports: (epsilon, delta). Made by `shuffle_amplification`.

    Attributes
    ----------
    epsilon, delta : float
        Whoever sees all reports without their order learns of one respondent at most this.
    local_epsilon : float
        What one report alone allows.
    n : int
    method : str
        The bound that gave `epsilon`.
    """

    epsilon: float
    delta: float
    local_epsilon: float
    n: int
    method: str

    def __str__(self) -> str:
        local = f"from local epsilon {self.local_epsilon:.4g}"
        return f"epsilon {self.epsilon:.4g} at delta {self.delta:g}, {local}, {self.n} reports, by {self.method}"


def shuffle_amplification(
    protection: Channel | float, n: int, delta: float = 1e-6, method: str = "best"
) -> ShuffleAmplification:
    """Central (epsilon, delta) of n reports of one channel, unlinkable to respondents and to their order.

    Parameters
    ----------
    protection : Channel or float
        The channel, or any local epsilon > 0.
    n : int
        Number of reports of people who all follow the channel, at least 2. If some do not, count only the others.
    delta : float
        Probability with which the bound may fail, in (0, 1); far below 1 / n.
    method : str
        "clone": the stronger clone of Feldman, McMillan & Talwar (2023), computed exactly as a sum of binomial tails;
        for any table. "blanket": the privacy blanket of Balle et al. (2019) for k-ary response, computed exactly (to
        less than a tenth of a standard deviation of one count). "closed_form": the formula of theorem 3.2 of Feldman,
        McMillan & Talwar (2023). "best": the smaller of clone and, where it is valid, blanket.

    Returns
    -------
    ShuffleAmplification
        `epsilon` is never above the local one.

    Raises
    ------
    ValueError
        Where the bound is not valid: "blanket" for a table that is not k-ary response, "closed_form" where local
        epsilon > ln(n / (8 ln(2 / delta)) - 1); where local epsilon is 0 or infinite. Where n > 200,000 for "blanket",
        whose exact sum grows too large.

    Notes
    -----
    Wrong as soon as reports carry anything that links them (order of arrival, time, stratum of one), and for a set of
    reports by one person. The far tails of the binomials that are cut off are added to delta.

    References
    ----------
    Balle, B., Bell, J., Gascon, A. & Nissim, K. (2019). The privacy blanket of the shuffle model. CRYPTO. Lemma 5.3.
    Feldman, V., McMillan, A. & Talwar, K. (2023). Stronger privacy amplification by shuffling for Renyi and approximate
    differential privacy. SODA. Theorems 3.1 and 3.2.

    Examples
    --------
    >>> print(shuffle_amplification(Channel(((3, 1), (1, 3))), n=1000))
    epsilon 0.1683 at delta 1e-06, from local epsilon 1.099, 1000 reports, by clone
    """
    size = as_count(n, name="n", low=2)
    level = as_level(delta, name="delta")
    local = protection.epsilon if isinstance(protection, Channel) else float(protection)
    if not 0 < local < math.inf:
        raise ValueError(f"local epsilon must be positive and finite; got {local}")
    methods: dict[str, Callable[[], float]] = {
        "clone": lambda: _solve(_clone(local, size, level), local, level),
        "blanket": lambda: _solve(_blanket(protection, size, level), local, level),
        "closed_form": lambda: _closed_form(local, size, level),
    }
    if method not in ("best", *methods):
        raise ValueError(f"method must be one of best, {', '.join(methods)}; got {method!r}")
    tried = [method] if method != "best" else ["clone"] + ["blanket"] * _is_k_ary(protection, size)
    epsilon, used = min((methods[name](), name) for name in tried)
    return ShuffleAmplification(min(epsilon, local), level, local, size, used)


def _is_k_ary(protection: Channel | float, n: int) -> bool:
    """True if the blanket of `protection` is uniform, and n small enough to sum over it."""
    if not isinstance(protection, Channel) or protection.background is None or n > LARGEST_BLANKET:
        return False
    return protection.gain > 0 and len(set(protection.background.tolist())) == 1


def _solve(delta_of: Callable[[float], float], local: float, delta: float) -> float:
    """The smallest epsilon, to 1e-6 of the local one and rounded up, with delta_of(epsilon) <= delta."""
    low, high = 0.0, local
    if delta_of(low) <= delta:
        return low
    while high - low > 1e-6 * local:
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle) <= delta else (middle, high)
    return high


def _closed_form(local: float, n: int, delta: float) -> float:
    largest = n / (8 * math.log(2 / delta)) - 1
    if largest <= 0 or local > math.log(largest):
        bound = f"{math.log(largest):.4g}" if largest > 0 else "nothing"
        raise ValueError(f"local epsilon must be at most ln(n / (8 ln(2 / delta)) - 1) = {bound}; got {local:.4g}")
    spread = 4 * math.sqrt(2 * math.log(4 / delta) / ((math.exp(local) + 1) * n)) + 4 / n
    return math.log1p(math.expm1(local) * spread)


def _clone(local: float, n: int, delta: float) -> Callable[[float], float]:
    """delta(epsilon) of the dominating pair: C ~ Bin(n - 1, 2 p) clones, split evenly, p = 1 / (e^local + 1).

    With the own report the counts (a, s - a), s = C + 1, have likelihoods C(s, a) 2^-s times r a + s - a and
    a + r (s - a), r = e^local, so one is above e^epsilon times the other exactly where a exceeds a threshold, and the
    sum over a is two tails.
    """
    r, lost = math.exp(local), _TRUNCATED * delta
    p = 1 / (r + 1)
    clones = scipy.stats.binom(n - 1, 2 * p)
    total = _window(clones, lost / 4) + 1
    own = clones.pmf(total - 1) * p

    def delta_of(epsilon: float) -> float:
        e = math.exp(epsilon)
        slope, level = own * (r - 1) * (1 + e), 2 * own * (e * r - 1)
        above = np.floor((e * r - 1) / ((r - 1) * (1 + e)) * total) + 1
        return float((slope * _tail(above - 1, total - 1) - level * _tail(above, total)).clip(0).sum()) + lost

    return delta_of


def _tail(least: Vector, trials: Vector) -> Vector:
    """P(Bin(trials, 1/2) >= least)."""
    inside = (least > 0) & (least <= trials)
    tails = scipy.special.betainc(np.where(inside, least, 1), np.where(inside, trials - least + 1, 1), 0.5)
    return np.where(least <= 0, 1.0, np.where(inside, tails, 0.0))


def _blanket(channel: Channel | float, n: int, delta: float) -> Callable[[float], float]:
    """delta(epsilon) <= E[(sum of the amplification variables of the blanket's reports)_+] / (gamma n).

    Of the blanket's reports s fall on the two answers in question, evenly split, and c elsewhere; given both, the sum
    is linear in the split. It falls with c, so for large n neighbouring c are taken together at the lowest of them.
    """
    if not isinstance(channel, Channel) or not _is_k_ary(channel, 0):
        raise ValueError(f"method 'blanket' is exact for k-ary response only; got {channel!r}")
    k, background = channel.answers, channel.weights[0][1] / channel.denominator
    gamma, truth = k * background, 1 - k * background
    if n > LARGEST_BLANKET:
        raise ValueError(f"n must be at most {LARGEST_BLANKET} for method 'blanket'; got {n}")
    lost = _TRUNCATED * delta * math.exp(-channel.epsilon)
    on_pair = _window(scipy.stats.binom(n, 2 * background), lost)
    off_pair, mass = _elsewhere(on_pair, n, background, gamma, lost)
    splits = _Splits(on_pair, lost)

    def delta_of(epsilon: float) -> float:
        e = math.exp(epsilon)
        slope = k * truth * (1 + e)
        level = k * truth * e * on_pair[:, None] + gamma * (e - 1) * (on_pair[:, None] + off_pair)
        at_least, one_less = splits.tails(np.floor(level / slope) + 1)
        expected = slope * on_pair[:, None] / 2 * one_less - level * at_least
        return float((mass * expected.clip(0)).sum()) / (gamma * n) + 3 * _TRUNCATED * delta

    return delta_of


def _elsewhere(on_pair: Vector, n: int, background: float, gamma: float, lost: float) -> tuple[Vector, Vector]:
    """Numbers of the blanket's reports outside the pair, in blocks, and the probability of each with `on_pair`."""
    pair = scipy.stats.binom.pmf(on_pair, n, 2 * background)[:, None]
    share = gamma - 2 * background
    if share < 1e-12:
        return np.zeros(1), pair
    width = max(1, int(math.sqrt(n * share * (1 - share)) / 10))
    starts = _window(scipy.stats.binom(n, share), lost)[::width]
    edges = np.append(starts, starts[-1] + width) - 1
    below = scipy.stats.binom.cdf(edges, (n - on_pair)[:, None], share / (1 - 2 * background))
    return starts, pair * np.diff(below, axis=1)


class _Splits:
    """P(Bin(s, 1/2) >= t) and P(Bin(s - 1, 1/2) >= t - 1) for every s of a window, computed once, looked up often."""

    def __init__(self, totals: Vector, lost: float) -> None:
        reach = math.sqrt(float(totals.max()) * math.log(1 / lost) / 2) + 2
        self.start = np.floor(totals / 2)[:, None]
        offsets = np.arange(int(reach) + 3, dtype=np.float64)
        least, trials = self.start + offsets, np.broadcast_to(totals[:, None], (len(totals), len(offsets)))
        self.same, self.less = _tail(least, trials), _tail(least - 1, trials - 1)

    def tails(self, least: Vector) -> tuple[Vector, Vector]:
        """Look up tails for thresholds of at least half of s; beyond the table they are below the truncated part."""
        column = np.clip(least - self.start, 0, self.same.shape[1] - 1).astype(np.int64)
        row = np.arange(len(column))[:, None]
        beyond = least - self.start >= self.same.shape[1]
        return np.where(beyond, 0, self.same[row, column]), np.where(beyond, 0, self.less[row, column])


def _window(counts: "scipy.stats.rv_discrete", lost: float) -> Vector:
    return np.arange(int(counts.ppf(lost)), int(counts.isf(lost)) + 1, dtype=np.float64)
