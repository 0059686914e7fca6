"""Dots with their intervals, in rows over one axis or in columns over time.

Horizontal places are per cents of the picture's width and text keeps its size, so one picture is as legible on a phone
as on a desktop, at any width.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from textwrap import wrap

from django.utils.safestring import SafeString

from estimator.base.charts.scales import Axis
from estimator.base.charts.svg import XMLNS, at, chart, element, line, stroke, text

LINE = 19
"""Height of a line of text."""
STRIP = 24
"""Height of the strip that holds a dot and its intervals."""
GAP = 12
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
MOST_TICKS = 6
ONE_LINE = 36
"""Characters of a label and its numbers above which they stand below each other on a narrow page."""
MOST_LABELS = 5
TREND_LEFT, TREND_RIGHT = 12, 100
"""Start and end of the points over time, in per cent of the width."""
TREND_TOP, TREND_HEIGHT = 10, 190

LEVEL, ORIGIN = stroke(1, ' stroke-opacity="0.15"'), stroke(1, ' stroke-opacity="0.6"')
NOISE, WHOLE = stroke(7, ' stroke-opacity="0.4"'), stroke(1.5)
DOT = element("circle", class_="dot", r=5, fill="currentColor")
DIAMOND = element("path", class_="truth", d="M0-7 7 0 0 7-7 0Z", fill="none", stroke="currentColor", stroke_width=2)


@dataclass(frozen=True)
class ChartRow:
    """One estimate of a chart, all numbers in the unit of its axis. If `estimate` is None, `text` is shown."""

    label: str
    text: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    noise_low: float | None = None
    noise_high: float | None = None
    truth: float | None = None
    heading: str = ""
    marks: str = "known truth"
    """What the diamond stands for, in words."""


@dataclass(frozen=True)
class Layout:
    """Positions in a chart: the axis from `left` to `right` in per cent of the width; characters per line of labels.

    Headings have the whole width. Labels are `beside` their marks or, on a narrow page, above them.
    """

    name: str
    left: float
    right: float
    characters: int
    beside: bool
    heading: int = 34


NARROW = Layout("narrow", left=4.5, right=95.5, characters=28, beside=False)
STRIP_LAYOUT = Layout("strip", left=3, right=97, characters=0, beside=True)
WIDE = Layout("wide", left=30, right=77, characters=26, beside=True, heading=72)


def axis_for(rows: Iterable[ChartRow]) -> Axis:
    """An axis that includes every interval and truth: from 0, or from 0.5 if all lie in the upper half."""
    drawn = ((row.estimate, row.low, row.high, row.noise_low, row.noise_high, row.truth) for row in rows)
    shares = [share for row in drawn for share in row if share is not None]
    low, high = (min(shares), max(shares)) if shares else (0.0, 1.0)
    start, end = (0.5, 1.0) if low >= 0.5 else (0.0, max(high, 0.1))
    step = next((step for step in STEPS if (end - start) / step < MOST_TICKS), STEPS[-1])
    return Axis(start, min(1.0, math.ceil(end / step - 1e-9) * step), step)


def pictures(rows: Sequence[ChartRow], *, key: str, title: str, axis: Axis) -> SafeString:
    """The chart in both layouts; the style sheet shows the one that fits the page."""
    drawn = (picture(rows, key=f"{key}-{x.name}", title=title, axis=axis, layout=x) for x in (NARROW, WIDE))
    return SafeString("".join(drawn))


def picture(rows: Sequence[ChartRow], *, key: str, title: str, axis: Axis, layout: Layout = NARROW) -> SafeString:
    """The rows below each other over one axis, as an SVG element; a row with a `heading` begins a new block under it.

    `key` and `title` are as for `svg.chart`; pictures that are to be compared share their `axis`.
    """
    canvas = _Canvas(axis, layout)
    for row in rows:
        canvas.draw(row)
    content = "".join((*canvas.grid, *canvas.parts, *canvas.ticks()))
    kind, height = f"picture {layout.name}", canvas.y + LINE
    return chart(kind, key, title, as_text(rows, axis), content, width="100%", height=height)


def strip(row: ChartRow, axis: Axis) -> SafeString:
    """The marks of one row over its axis, without words: for a table that says the numbers beside it."""
    canvas = _Canvas(axis, STRIP_LAYOUT)
    middle = STRIP // 2
    ends = (canvas.place(axis.start), canvas.place(axis.end))
    frame = [line("grid", (end, end), (2, STRIP - 2), LEVEL) for end in ends]
    frame.append(line("grid", ends, (middle, middle), LEVEL))
    marks = canvas.marks(row, middle) if row.estimate is not None else ()
    size = {"width": "100%", "height": f"{STRIP}", "aria_hidden": "true"}
    return SafeString(element("svg", "".join((*frame, *marks)), xmlns=XMLNS, class_="strip", **size))


def trend(points: Sequence[ChartRow], *, key: str, title: str, axis: Axis) -> SafeString:
    """Draw the points over time, earliest first, with vertical intervals, connected: an SVG element.

    `points`, `key`, `title` and `axis` are as for `picture`; the axis stands on the left. Of many points
    some have labels.
    """
    places = [TREND_LEFT + (TREND_RIGHT - TREND_LEFT) * (place + 0.5) / len(points) for place in range(len(points))]
    dots = [(x, row) for x, row in zip(places, points, strict=True) if row.estimate is not None]
    named = list(zip(places, points, strict=True))[:: math.ceil(len(points) / MOST_LABELS)]
    parts = (
        *_levels(axis),
        *(_joined(one, other, axis) for one, other in pairwise(dots)),
        *(_upright(x, row, axis) for x, row in dots),
        *(part for x, row in named for part in _under(x, row)),
    )
    height = TREND_TOP + TREND_HEIGHT + 2 * LINE + 4
    return chart("picture trend", key, title, as_text(points, axis), "".join(parts), width="100%", height=height)


def legends() -> dict[str, SafeString]:
    """The symbols of a legend by name. They are decorative beside their labels."""
    marks = {
        "estimate": element("g", DOT, transform="translate(14 8)"),
        "noise": _across("noise", 3, 25, 8),
        "whole": _across("whole", 2, 26, 8) + _across("cap", 2, 2, 8) + _across("cap", 26, 26, 8),
        "truth": element("g", DIAMOND, transform="translate(14 8)"),
    }
    frame = {"xmlns": XMLNS, "class_": "mark", "width": "28", "height": "16", "aria_hidden": "true"}
    return {name: SafeString(element("svg", mark, **frame)) for name, mark in marks.items()}


def as_text(rows: Sequence[ChartRow], axis: Axis) -> str:
    """A text alternative to a chart of these rows."""
    parts, heading = [], ""
    for row in rows:
        heading = row.heading or heading
        name = ", ".join(part for part in (heading, row.label) if part)
        known = "" if row.truth is None else f", {row.marks} {axis.say(row.truth, 1 if axis.shares else 2)}"
        parts.append(f"{name}: {row.text}{known}")
    return "; ".join(parts)


def _height(axis: Axis, number: float) -> float:
    return round(TREND_TOP + TREND_HEIGHT * (1 - axis.part_of_width(number)), 2)


def _levels(axis: Axis) -> Iterator[str]:
    """A grid line for each tick of the axis, with its number on the left."""
    for tick in axis.ticks:
        y = _height(axis, tick)
        yield line("grid", (f"{TREND_LEFT}%", "100%"), (y, y), LEVEL)
        yield text("tick", 0, int(y) + 4, axis.tick(tick))


def _joined(one: tuple[float, ChartRow], other: tuple[float, ChartRow], axis: Axis) -> str:
    (x1, first), (x2, second) = one, other
    y1, y2 = (_height(axis, row.estimate or 0.0) for row in (first, second))
    return line("joined", (f"{x1:.3f}%", f"{x2:.3f}%"), (y1, y2), stroke(1.5, ' stroke-dasharray="4 3"'))


def _upright(x: float, row: ChartRow, axis: Axis) -> str:
    """The marks of one point, in an inner frame: horizontal positions are per cents, but caps have a width."""
    parts = []
    if row.noise_low is not None and row.noise_high is not None:
        ends = _height(axis, row.noise_high), _height(axis, row.noise_low)
        parts.append(line("noise", (0, 0), ends, NOISE))
    if row.low is not None and row.high is not None:
        ends = _height(axis, row.high), _height(axis, row.low)
        parts.append(line("whole", (0, 0), ends, WHOLE))
        parts += (line("cap", (-5, 5), (y, y), WHOLE) for y in ends)
    parts.append(element("g", DOT, transform=f"translate(0 {_height(axis, row.estimate or 0.0):g})"))
    return element("svg", "".join(parts), x=f"{x:.3f}%", overflow="visible")


def _under(x: float, row: ChartRow) -> Iterator[str]:
    y = TREND_TOP + TREND_HEIGHT + LINE
    yield text("label", f"{x:.3f}%", y, row.label, "middle")
    if row.estimate is not None:
        yield text("value figures", f"{x:.3f}%", y + LINE, row.text.partition(" (")[0], "middle")


class _Canvas:
    """Canvas for drawing rows downwards; `y` is the top of the next one."""

    def __init__(self, axis: Axis, layout: Layout) -> None:
        self.axis, self.layout = axis, layout
        self.at = [(tick, self.place(tick)) for tick in axis.ticks]
        self.grid: list[str] = []
        self.parts: list[str] = []
        self.y = 0

    def place(self, share: float) -> str:
        """The horizontal position of a number, in per cent of the width."""
        left, right = self.layout.left, self.layout.right
        return f"{left + (right - left) * self.axis.part_of_width(share):.3f}%"

    def draw(self, row: ChartRow) -> None:
        if row.heading:
            self.y += GAP if self.y else 0
            self._lines("heading", row.heading, self.layout.heading)
            self.y += 4
        top = self.y
        self._lines("label", row.label, self.layout.characters)
        beside, known = self.layout.beside, row.estimate is not None
        if not beside and len(_wrapped(row.label, self.layout.characters)[-1]) + len(row.text) > ONE_LINE:
            self.y += LINE
        kind = "value figures" if known else "value"
        self.parts.append(text(kind, "100%", (top + LINE if beside else self.y) - 5, row.text, "end"))
        if beside:
            self.y = max(self.y, top + STRIP)
        strip = top if beside else self.y
        if known or beside:
            self._grid(strip, self.y + GAP / 2 if beside else strip + STRIP)
        if known:
            self.parts += self.marks(row, strip + (10 if beside else STRIP // 2))
        self.y = max(self.y, strip + STRIP if known else 0) + (GAP // 2 if beside else GAP)

    def ticks(self) -> Iterator[str]:
        for tick, x in self.at:
            yield text("tick", x, self.y + 12, self.axis.tick(tick), "middle")

    def _lines(self, kind: str, words: str, characters: int) -> None:
        for part in _wrapped(words, characters):
            self.y += LINE
            self.parts.append(text(kind, 0, self.y - 5, part))

    def _grid(self, top: float, bottom: float) -> None:
        for tick, x in self.at:
            firm = self.axis.origin is not None and math.isclose(tick, self.axis.origin, abs_tol=1e-9)
            kind, drawn = ("origin", ORIGIN) if firm else ("grid", LEVEL)
            self.grid.append(line(kind, (x, x), (top, bottom), drawn))

    def marks(self, row: ChartRow, y: int) -> Iterator[str]:
        if row.low is not None and row.high is not None:
            left, right = self.place(row.low), self.place(row.high)
            yield _across("whole", left, right, y) + _across("cap", left, left, y) + _across("cap", right, right, y)
        if row.noise_low is not None and row.noise_high is not None:
            yield _across("noise", self.place(row.noise_low), self.place(row.noise_high), y)
        assert row.estimate is not None
        yield at(self.place(row.estimate), y, DOT)
        if row.truth is not None:
            yield at(self.place(row.truth), y, DIAMOND)


@lru_cache(maxsize=256)
def _wrapped(words: str, characters: int) -> tuple[str, ...]:
    """Wrap a label into lines; cached, since group labels repeat in a report."""
    return tuple(wrap(words, characters)) or ("",)


def _across(kind: str, left: str | float, right: str | float, y: int) -> str:
    """An interval at the height `y`: `noise` is broad and faint, `whole` thin; a `cap` is a vertical end mark."""
    if kind == "noise":
        return line(kind, (left, right), (y, y), NOISE)
    tall = 5 if kind == "cap" else 0
    return line(kind, (left, right), (y - tall, y + tall), WHOLE)
