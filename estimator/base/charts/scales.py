"""Scales: positions of numbers on an axis, and its labelled ticks."""

import math
from dataclasses import dataclass

from estimator.base.languages import figures

MOST_TICKS = 5
"""Maximum number of steps of a scale in a small picture."""


@dataclass(frozen=True)
class Axis:
    """The drawn range of shares, or of other numbers, and its ticks; `origin` has a bold line."""

    start: float
    end: float
    step: float
    shares: bool = True
    origin: float | None = None

    def say(self, number: float, places: int) -> str:
        """Format a number of this axis."""
        return figures(f"{100 * number:.{places}f} %" if self.shares else f"{number:,.{places}f}")

    def tick(self, number: float) -> str:
        return self.say(number, 0) if self.shares else figures(f"{number:,.10g}")

    @property
    def ticks(self) -> list[float]:
        return [self.start + number * self.step for number in range(round((self.end - self.start) / self.step) + 1)]

    def part_of_width(self, number: float) -> float:
        return min(max((number - self.start) / (self.end - self.start), 0.0), 1.0)


@dataclass(frozen=True)
class Scale:
    """A scale from `low` to `high`, linear or logarithmic, with labelled ticks."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    by_factors: bool = False

    def part(self, value: float) -> float:
        """The position of a value, from 0 to 1; values outside are clipped to the ends."""
        if self.by_factors:
            low, high, at = (math.log(max(one, self.low)) for one in (self.low, self.high, value))
        else:
            low, high, at = self.low, self.high, value
        return min(max((at - low) / (high - low), 0.0), 1.0)


def round_step(least: float) -> float:
    """The smallest round step not below `least`: 1, 2 or 5 of a power of ten."""
    power = 10.0 ** math.floor(math.log10(least) + 1e-9)
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least - 1e-12)


def axis_of_range(start: float, end: float, grain: float) -> Axis:
    """An axis from the smallest to the largest possible answer, in steps that are multiples of `grain`.

    Of the ways to divide it the one with the roundest steps is taken; the two ends always have a tick.
    """
    grains = round((end - start) / grain)
    divisions = [parts for parts in (5, 4, 3, 2, 6, 1) if grains % parts == 0]
    parts = min(divisions, key=lambda parts: _digits((end - start) / parts))
    return Axis(start, end, (end - start) / parts, shares=False)


def linear(high: float, low: float = 0.0) -> Scale:
    """A linear scale from `low` to `high` or a little above, with round ticks."""
    step = round_step((high - low) / MOST_TICKS)
    count = math.ceil((high - low) / step - 1e-9)
    ticks = tuple((low + step * place, figures(f"{round(low + step * place, 10):g}")) for place in range(count + 1))
    return Scale(low, low + step * count, ticks)


def by_factors(low: float, high: float) -> Scale:
    """A logarithmic scale between powers of ten."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    last = max(last, first + 1)
    ticks = tuple((10.0**place, figures(f"{10**place:,}")) for place in range(first, last + 1))
    return Scale(10.0**first, 10.0**last, ticks, by_factors=True)


def _digits(step: float) -> int:
    """Score how unround a step is: its significant digits, and one more for a single digit other than 1, 2, 5."""
    mantissa = f"{step:.6e}".split("e")[0].replace(".", "").rstrip("0")
    return 2 * len(mantissa) - (mantissa in ("1", "2", "5", "25"))
