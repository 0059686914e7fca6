"""How precise an estimate is: one rule for plans, simulations, pages, reports, files and the API.

Two distances are measured, both on the range of the question mapped to 0 to 1:

- half-width h: half of the main interval (randomisation alone), brought to 95 % by its normal quantile;
- relative half-width h / m: m is the distance of the estimate from the nearer end of its range, but at least the floor:
  4 points for a share, one step of the question's values for a mean.

With the equivalent direct answers d (honest answers to a direct question with the same standard error; the responses,
where d is not known because an interval touches an end of the range) the imprecision is

    q = max( h / 0.15,  (h / m) / 0.65,  sqrt(30 / d) )

    usable: q <= 1/2      rough: 1/2 < q <= 1      too imprecise to report: q > 1

The limits at q = 1 are those below which the National Center for Health Statistics suppresses a proportion: an interval
30 points wide, a relative width of 130 %, an effective sample of 30 (Parker et al., 2017, Vital and Health Statistics
2(175)); its width of 5 points that is always presented is the floor, since 65 % of 4 points are 2.6. Half of each limit
is the step between the two limits of Statistics Canada, coefficients of variation of 16.6 % and 33.3 %, which are
relative half-widths of 33 % and 65 %. docs/adr/0047-verdict.md says why these, and what else was weighed.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import inf, isclose, sqrt
from statistics import NormalDist

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

WIDEST = 0.15
"""Largest half-width of an estimate to report, as part of its range."""
MOST_RELATIVE = 0.65
"""Largest half-width of an estimate to report, as part of its distance from the nearer end of its range."""
FEWEST_DIRECT = 30
"""Fewest equivalent direct answers of an estimate to report."""
USABLE = 0.5
"""Largest imprecision of a usable estimate: half of each limit, so four times as many answers."""
FLOOR = 0.04
"""Distance from an end below which a share is judged as if it stood there."""
LEVEL = 0.95
"""The confidence level of which the limits speak."""


class Verdict(StrEnum):
    """Whether an estimate is of use, as files and the API name it."""

    USABLE = "usable"
    ROUGH = "rough"
    TOO_IMPRECISE = "too_imprecise"


LABELS: dict[Verdict, Promise] = {
    Verdict.USABLE: gettext_lazy("usable"),
    Verdict.ROUGH: gettext_lazy("rough"),
    Verdict.TOO_IMPRECISE: gettext_lazy("too imprecise to report"),
}


@dataclass(frozen=True)
class Range:
    """The possible values of an estimate, and the distance from its ends below which it is judged as at that one."""

    low: float = 0.0
    high: float = 1.0
    floor: float = FLOOR

    @property
    def length(self) -> float:
        return self.high - self.low


SHARE = Range()


def of_values(values: tuple[float, ...]) -> Range:
    """The range of a mean of these values, in their order; its floor is one step of them."""
    return Range(values[0], values[-1], values[1] - values[0]) if len(values) > 1 else Range(values[0], values[0], 0.0)


@dataclass(frozen=True)
class Precision:
    """An estimate with the half-width of its interval, in its own unit.

    `n` are its responses; `direct` the equivalent direct answers, None where they are not known.
    """

    estimate: float
    half_width: float
    n: int
    direct: float | None = None
    confidence: float = LEVEL
    range: Range = SHARE

    @property
    def distance(self) -> float:
        """From the nearer end of the range, at least the floor."""
        return max(min(self.estimate - self.range.low, self.range.high - self.estimate), self.range.floor)

    @property
    def half_width_at_level(self) -> float:
        """The half-width that the limits are compared with: at 95 %, whatever the level of the interval."""
        return self.half_width * quantile(LEVEL) / quantile(self.confidence)

    @property
    def imprecision(self) -> float:
        """The largest of the three parts of the rule; at most 1 for an estimate to report."""
        half = self.half_width_at_level
        answers = self.n if self.direct is None else self.direct
        too_few = sqrt(FEWEST_DIRECT / answers) if answers > 0 else inf
        return max(_part(half, WIDEST * self.range.length), _part(half, MOST_RELATIVE * self.distance), too_few)

    @property
    def verdict(self) -> Verdict:
        if _at_most(self.imprecision, USABLE):
            return Verdict.USABLE
        return Verdict.ROUGH if _at_most(self.imprecision, 1) else Verdict.TOO_IMPRECISE


def of_interval(
    estimate: float, low: float, high: float, *, n: int, direct: float | None, confidence: float, range_: Range = SHARE
) -> Precision:
    """The precision of an estimate with this interval.

    Examples
    --------
    >>> of_interval(0.25, 0.19, 0.31, n=1000, direct=200, confidence=0.95).verdict
    <Verdict.USABLE: 'usable'>
    >>> of_interval(0.25, 0.14, 0.35, n=301, direct=60, confidence=0.95).verdict
    <Verdict.ROUGH: 'rough'>
    >>> of_interval(0.05, 0.0, 0.12, n=301, direct=None, confidence=0.95).verdict
    <Verdict.TOO_IMPRECISE: 'too_imprecise'>
    """
    return Precision(estimate, (high - low) / 2, n, direct, confidence, range_)


def of_forecast(
    expected: float, half_width: float, *, n: int, direct: float, confidence: float, range_: Range = SHARE
) -> Precision:
    """The precision to expect; as of an estimate, nothing is made of `direct` where the interval touches an end."""
    inside = range_.low < expected - half_width and expected + half_width < range_.high
    return Precision(expected, half_width, n, direct if inside else None, confidence, range_)


def quantile(confidence: float) -> float:
    """The half-width of a normal interval in standard errors."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _part(half: float, limit: float) -> float:
    if limit > 0:
        return half / limit
    return inf if half > 0 else 0.0


def _at_most(number: float, limit: float) -> bool:
    """Whether a number is at most this limit, where rounding alone does not lead beyond."""
    return number <= limit or isclose(number, limit, rel_tol=1e-9)
