"""Predicted properties of an estimate before data: its variance and, where exact, its distribution.

Every estimate of the library is linear in the counts of the reports. Where it depends on one of them alone (a yes/no
table, k-ary response, a bit of an encoding, `one_bit`) that count is binomial and everything is exact; else normal.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import as_count
from randomized_response.channel import Channel
from randomized_response.encodings import EachOption, SubsetSelection, UnaryEncoding
from randomized_response.errors import ParameterError
from randomized_response.intervals import DEFAULT_INTERVAL, binomial_limits, normal_quantile
from randomized_response.means import scores_of, values_of
from randomized_response.results import Vector

Mechanism = Channel | UnaryEncoding | SubsetSelection
Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")

REACH = 4
"""Standard deviations considered on either side: the probability beyond is 6 in 100,000."""
KNOTS = 17
"""Counts for which an interval is computed; between them its limits are interpolated linearly."""


@dataclass(frozen=True)
class Target:
    """A planned estimate from n reports, of the share of one answer or a mean, for expected shares.

    `variance` and `direct_variance` are n times those of the unbiased estimate and of n honest direct answers; `low`
    and `high` the ends of its range. Where one report's count decides alone, it is binomial with `rate`, the estimate
    is offset + slope count / n, and `ends` are the exact rates, as fractions, at which it is `low` and `high`.
    """

    expected: float
    variance: float
    direct_variance: float
    low: float
    high: float
    rate: float | None = None
    offset: float = 0.0
    slope: float = 0.0
    ends: tuple[tuple[int, int], tuple[int, int]] | None = None

    def outside(self, n: int) -> tuple[float, float]:
        """Probabilities that the unbiased estimate from n reports is below `low` and above `high`."""
        if self.rate is None or self.ends is None:
            error = math.sqrt(self.variance / n)
            if error == 0:
                return 0.0, 0.0
            below, above = (
                float(scipy.special.ndtr(-abs(self.expected - end) / error)) for end in (self.low, self.high)
            )
            return below, above
        (low, low_of), (high, high_of) = self.ends
        least, most = ((low, low_of), (high, high_of)) if self.slope > 0 else ((high, high_of), (low, low_of))
        fewer = _at_most(-(-least[0] * n // least[1]) - 1, n, self.rate)
        more = _more_than(most[0] * n // most[1], n, self.rate)
        return (fewer, more) if self.slope > 0 else (more, fewer)

    def width(self, n: int, level: float) -> float:
        """Mean width of the default interval, clipped to the range."""
        if self.rate is None or self.ends is None:
            return self._normal_width(math.sqrt(self.variance / n), level)
        spread = math.sqrt(n * self.rate * (1 - self.rate))
        first = max(0, math.floor(n * self.rate - REACH * spread))
        last = min(n, math.ceil(n * self.rate + REACH * spread))
        knots = np.unique(np.linspace(first, last, KNOTS).round().astype(np.int64))
        lowest, highest = sorted(part / whole for part, whole in self.ends)
        some = (binomial_limits(DEFAULT_INTERVAL, count, n, level, (lowest, highest)) for count in knots.tolist())
        counts = np.arange(first, last + 1, dtype=np.int64)
        rates = np.array([np.interp(counts, knots, limits) for limits in zip(*some, strict=True)])
        ends = np.clip(self.offset + self.slope * rates, self.low, self.high)
        chances = _chances(counts, n, self.rate)
        return float(chances @ np.abs(ends[1] - ends[0]) / chances.sum())

    def _normal_width(self, error: float, level: float) -> float:
        places = np.linspace(-REACH, REACH, 91)
        weights = np.exp(-(places**2) / 2)
        estimates, half = self.expected + error * places, normal_quantile(level) * error
        ends = np.clip([estimates - half, estimates + half], self.low, self.high)
        return float(weights @ (ends[1] - ends[0]) / weights.sum())


def share_target(mechanism: Mechanism, shares: Vector, answer: int) -> Target:
    """The target for the share of one answer."""
    share = float(shares[answer])
    variance = float(unit_variance(mechanism, shares)[answer])
    common = (share, variance, share * (1 - share), 0.0, 1.0)
    if isinstance(mechanism, Channel) and mechanism.background is None:
        return Target(*common)
    if isinstance(mechanism, Channel):
        assert mechanism.background is not None
        of = mechanism.denominator
        miss, hit = int(mechanism.background[answer]), int(mechanism.background[answer]) + mechanism.gain
    else:
        of = mechanism.bit.denominator
        miss, hit = (row[1] for row in mechanism.bit.weights)
    rate = (miss + (hit - miss) * share) / of
    slope = of / (hit - miss)
    return Target(*common, rate, -miss / (hit - miss), slope, ((miss, of), (hit, of)))


def mean_target(channel: Channel, shares: Vector, values: Vector) -> Target:
    """The target for the mean of the values of the answers."""
    scores, rates = scores_of(channel, values), channel.matrix.T @ shares
    mean = float(values @ shares)
    variance = max(float(rates @ scores**2) - mean**2, 0.0)
    common = (mean, variance, float(shares @ (values - mean) ** 2), float(values.min()), float(values.max()))
    if channel.reports != 2:
        return Target(*common)
    lowest, highest = (int(np.argmin(values)), int(np.argmax(values)))
    ends = tuple((channel.weights[x][1], channel.denominator) for x in (lowest, highest))
    slope = float(scores[1] - scores[0])
    return Target(*common, float(rates[1]), float(scores[0]), slope, ends)  # type: ignore[arg-type]


def target(mechanism: Mechanism, shares: Vector, answer: int, values: ArrayLike | None) -> Target:
    """The target for the share of `answer`, or for the mean if `values` are given."""
    answers = len(shares)
    if values is None:
        return share_target(mechanism, shares, as_count(answer, name="answer", high=answers - 1))
    if not isinstance(mechanism, Channel):
        raise ValueError(f"mechanism must be a table where values are given; got {type(mechanism).__name__}")
    return mean_target(mechanism, shares, values_of(values, answers))


def unit_variance(mechanism: Mechanism, shares: Vector) -> Vector:
    """n times the variance of each unbiased share."""
    if not isinstance(mechanism, Channel):
        hit, miss = float(mechanism.hit), float(mechanism.miss)
        rates = miss + (hit - miss) * shares
        return np.asarray(rates * (1 - rates) / (hit - miss) ** 2)
    rates, inverse = mechanism.matrix.T @ shares, mechanism.left_inverse
    return np.asarray((inverse**2) @ rates - (inverse @ rates) ** 2)


def answers_of(mechanism: Mechanism) -> int:
    if isinstance(mechanism, EachOption):
        raise ValueError("mechanism must be the table of one option, with two shares; got EachOption: take its `bit`")
    if not isinstance(mechanism, Mechanism):
        need = "mechanism must be a Channel, a UnaryEncoding or a SubsetSelection"
        raise ValueError(f"{need}; got {type(mechanism).__name__}")
    return mechanism.answers if isinstance(mechanism, Channel) else mechanism.k


def as_share(value: float, name: str) -> float:
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError(f"{name} must be in [0, 1]; got {value!r}")
    return share


def _at_most(count: int, n: int, rate: float) -> float:
    """P(Y <= count) of a binomial Y."""
    if count < 0:
        return 0.0
    return 1.0 if count >= n else float(scipy.special.bdtr(count, n, rate))


def _more_than(count: int, n: int, rate: float) -> float:
    """P(Y > count) of a binomial Y."""
    return 0.0 if count >= n else float(scipy.special.bdtrc(count, n, rate))


def _chances(counts: NDArray[np.int64], n: int, rate: float) -> Vector:
    """The binomial's probabilities of `counts`."""
    if rate in (0.0, 1.0):
        return np.asarray(counts == n * rate, dtype=np.float64)
    ways = scipy.special.gammaln(n + 1) - scipy.special.gammaln(counts + 1) - scipy.special.gammaln(n - counts + 1)
    return np.asarray(np.exp(ways + counts * math.log(rate) + (n - counts) * math.log1p(-rate)))


def as_alternative(alternative: str) -> str:
    """What a test is to show. Raises ParameterError where it is none of these."""
    if alternative not in ALTERNATIVES:
        raise ParameterError("alternative", f"must be one of {', '.join(ALTERNATIVES)}; got {alternative!r}")
    return alternative


def require_difference(share: float, against: float, alternative: str) -> None:
    """Raise ValueError where two groups are alike, or differ the other way than a test is to show."""
    if share == against:
        both = f"{share:g} for both"
        raise ValueError(f"against must differ from share: nobody can tell alike groups apart; got {both}")
    if alternative != "two-sided" and (share > against) != (alternative == "greater"):
        word = "less" if alternative == "greater" else "greater"
        raise ValueError(f'against must be {word} than share with "{alternative}"; got {share:g} against {against:g}')


def chance_to_tell(aims: list[Target], n: int, other: int | None, level: float, alternative: str) -> float:
    """The power of a test between the first two of `aims`; the third is both of them under the null."""
    one, two, null = aims
    quantile = normal_quantile(level) if alternative == "two-sided" else float(scipy.special.ndtri(level))
    limit = quantile * _error_of_difference(null, null, n, other)
    spread, difference = _error_of_difference(one, two, n, other), one.expected - two.expected
    signs = {"two-sided": (1, -1), "greater": (1,), "less": (-1,)}[alternative]
    if spread == 0:
        return float(any(sign * difference > limit for sign in signs))
    return float(sum(scipy.special.ndtr((sign * difference - limit) / spread) for sign in signs))


def _error_of_difference(one: Target, two: Target, n: int, other: int | None) -> float:
    return math.sqrt(one.variance / n + (0.0 if other is None else two.variance / other))
