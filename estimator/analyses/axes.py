"""Chart axes: of differences, which include 0, and of ratios, on a logarithmic scale."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from estimator.analyses.rows import AnalysisRow
from estimator.analyses.sentences import MINUS
from estimator.base.charts import Axis, round_step
from estimator.base.languages import figures

MOST_TICKS = 6
LEAST_STEP = 1e-9
WIDEST = 5
"""Ratios are drawn from 1/32 to 32; lines are cut off at the axis's end."""


@dataclass(frozen=True)
class DifferenceAxis(Axis):
    """An axis of differences of shares, in percentage points, or of means."""

    def tick(self, number: float) -> str:
        text = f"{100 * number:.0f}" if self.shares else f"{number:,.10g}"
        return "0" if not text.strip("-0") else figures(text.replace("-", MINUS))

    def say(self, number: float, places: int) -> str:
        return figures(f"{100 * number if self.shares else number:,.{places}f}".replace("-", MINUS))


@dataclass(frozen=True)
class RatioAxis(Axis):
    """An axis of ratios from 2^start to 2^end."""

    @property
    def ticks(self) -> list[float]:
        return [2.0**power for power in range(round(self.start), round(self.end) + 1, round(self.step))]

    def tick(self, number: float) -> str:
        return f"{number:g}" if number >= 1 else f"1/{1 / number:g}"

    def say(self, number: float, places: int) -> str:
        return figures(f"{number:,.{max(places, 2)}f}")

    def part_of_width(self, number: float) -> float:
        power = math.log2(number) if number > 0 else self.start
        return super().part_of_width(power)


def of_differences(rows: Iterable[AnalysisRow], *, shares: bool) -> DifferenceAxis:
    """An axis that includes 0 and every interval, with ticks at round numbers."""
    ends = [end for row in rows for end in (row.low, row.high) if end is not None] or [-0.1, 0.1]
    low, high = min(0.0, *ends), max(0.0, *ends)
    # Of shares at least one point.
    step = round_step(max((high - low) / (MOST_TICKS - 1), 0.01 if shares else LEAST_STEP))
    return DifferenceAxis(*_around(low, high, step), step, shares, 0.0)


def of_ratios(rows: Iterable[AnalysisRow]) -> RatioAxis:
    """An axis that includes 1, with ticks at powers of two."""
    ends = [math.log2(end) for row in rows for end in (row.low, row.high) if end]
    low, high = max(-WIDEST, math.floor(min([-1.0, *ends]))), min(WIDEST, math.ceil(max([1.0, *ends])))
    step = 1 if high - low <= MOST_TICKS else 2
    # One has to be a tick.
    return RatioAxis(low - low % step, high + high % step, step, False, 1.0)


def of_values(rows: Iterable[AnalysisRow]) -> DifferenceAxis:
    """An axis of means that includes every interval, with ticks at round numbers and no bold origin."""
    return of_range([end for row in rows for end in (row.low, row.high) if end is not None])


def of_range(ends: Sequence[float]) -> DifferenceAxis:
    """An axis that includes these numbers, with ticks at round ones."""
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    step = round_step(max((high - low or 1.0) / (MOST_TICKS - 1), LEAST_STEP))
    return DifferenceAxis(*_around(low, high, step), step, False)


def _around(low: float, high: float, step: float) -> tuple[float, float]:
    """The outermost ticks around a range, at least one step apart."""
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return first * step, max(last, first + 1) * step
