"""Dot-and-interval pictures as SVG text.

Horizontal places are per cents of the picture's width and text keeps its size, so one picture is as legible on a phone
as on a desktop, at any width. Colours are `currentColor` with classes to style; there is no inline style, no script.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from textwrap import wrap
from xml.sax.saxutils import escape, quoteattr

from estimator.base.languages import figures

LINE = 19
"""Height of a line of text."""
STRIP = 24
"""Height of the strip that holds a dot and its intervals."""
GAP = 12
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
MOST_TICKS = 6
MOST_LABELS = 5
TREND_LEFT, TREND_RIGHT = 12, 100
"""Of a picture of points over time: where it begins and ends, in per cent of the width."""
TREND_TOP, TREND_HEIGHT = 10, 190
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

DOT = '<circle class="dot" r="5" fill="currentColor"/>'
DIAMOND = '<path class="truth" d="M0-7 7 0 0 7-7 0Z" fill="none" stroke="currentColor" stroke-width="2"/>'


@dataclass(frozen=True)
class Row:
    """One estimate of a picture, all numbers in the unit of its axis. Where `estimate` is None, `text` stands there."""

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
class Axis:
    """The stretch of shares, or of other numbers, that is drawn, and where its ticks are; `origin` has a firm line."""

    start: float
    end: float
    step: float
    shares: bool = True
    origin: float | None = None

    def say(self, number: float, places: int) -> str:
        """A number of this axis in words."""
        return figures(f"{100 * number:.{places}f} %" if self.shares else f"{number:,.{places}f}")

    def tick(self, number: float) -> str:
        return self.say(number, 0) if self.shares else figures(f"{number:,.10g}")

    @property
    def ticks(self) -> list[float]:
        return [self.start + number * self.step for number in range(round((self.end - self.start) / self.step) + 1)]

    def part_of_width(self, number: float) -> float:
        return min(max((number - self.start) / (self.end - self.start), 0.0), 1.0)


@dataclass(frozen=True)
class Layout:
    """Where things stand: the axis from `left` to `right`, in per cent of the width, and characters to a label's line.

    Labels are `beside` their marks or, on a narrow page, above them.
    """

    name: str
    left: float
    right: float
    characters: int
    beside: bool


NARROW = Layout("narrow", left=4.5, right=95.5, characters=28, beside=False)
WIDE = Layout("wide", left=30, right=77, characters=26, beside=True)


def axis_for(rows: Iterable[Row]) -> Axis:
    """An axis that holds every interval and truth: from 0, unless all of it lies in the upper half."""
    shares = [share for row in rows for share in _extent(row)]
    low, high = (min(shares), max(shares)) if shares else (0.0, 1.0)
    start, end = (0.5, 1.0) if low >= 0.5 else (0.0, max(high, 0.1))
    step = next((step for step in STEPS if (end - start) / step < MOST_TICKS), STEPS[-1])
    return Axis(start, min(1.0, math.ceil(end / step - 1e-9) * step), step)


def axis_of_range(start: float, end: float, grain: float) -> Axis:
    """An axis of numbers from the least to the largest that may be answered, in steps that are whole numbers of grains.

    Of the ways to divide it the one with the roundest steps is taken; the two ends always have a tick.
    """
    grains = round((end - start) / grain)
    divisions = [parts for parts in (5, 4, 3, 2, 6, 1) if grains % parts == 0]
    parts = min(divisions, key=lambda parts: _digits((end - start) / parts))
    return Axis(start, end, (end - start) / parts, shares=False)


def _digits(step: float) -> int:
    """How unround a step is: its significant digits, and one more where a single digit is not 1, 2 or 5."""
    mantissa = f"{step:.6e}".split("e")[0].replace(".", "").rstrip("0")
    return 2 * len(mantissa) - (mantissa in ("1", "2", "5", "25"))


def picture(
    rows: Sequence[Row],
    *,
    key: str,
    title: str,
    axis: Axis | None = None,
    layout: Layout = NARROW,
    width: str = "100%",
) -> str:
    """The rows below each other over one axis, as an SVG element.

    Parameters
    ----------
    rows : sequence of Row
        A row with a `heading` begins a new block under it.
    key : str
        Letters, digits, - and _; tells the picture from the others of the page.
    title : str
        What the picture shows; screen readers read it, then every row in words.
    axis : Axis or None
        Where several pictures are to be compared, the one they share; None makes one that fits.
    layout : Layout
        NARROW or WIDE.
    width : str
        "100%" in a page; a number of pixels where the picture stands alone.
    """
    axis = axis or axis_for(rows)
    canvas = _Canvas(axis, layout)
    for row in rows:
        canvas.draw(row)
    names = quoteattr(f"{key}-title {key}-desc")
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="picture {layout.name}" role="img"',
            f' aria-labelledby={names} width={quoteattr(width)} height="{canvas.y + LINE}">',
            f"<title id={quoteattr(f'{key}-title')}>{_escaped(title)}</title>",
            f"<desc id={quoteattr(f'{key}-desc')}>{_escaped(in_words(rows, axis))}</desc>",
            *canvas.grid,
            *canvas.parts,
            *canvas.ticks(),
            "</svg>",
        )
    )


def trend(points: Sequence[Row], *, key: str, title: str, axis: Axis | None = None) -> str:
    """The points beside each other, the earliest first, each with its intervals upright, and joined: an SVG element.

    `points`, `key`, `title` and `axis` are as for `picture`; the axis stands on the left. Of many points
    some have labels.
    """
    axis = axis or axis_for(points)
    names = quoteattr(f"{key}-title {key}-desc")
    places = [TREND_LEFT + (TREND_RIGHT - TREND_LEFT) * (place + 0.5) / len(points) for place in range(len(points))]
    dots = [(x, row) for x, row in zip(places, points, strict=True) if row.estimate is not None]
    every = math.ceil(len(points) / MOST_LABELS)
    named = [(x, row) for place, (x, row) in enumerate(zip(places, points, strict=True)) if place % every == 0]
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="picture trend" role="img" aria-labelledby={names}',
            f' width="100%" height="{TREND_TOP + TREND_HEIGHT + 2 * LINE + 4}">',
            f"<title id={quoteattr(f'{key}-title')}>{_escaped(title)}</title>",
            f"<desc id={quoteattr(f'{key}-desc')}>{_escaped(in_words(points, axis))}</desc>",
            *_levels(axis),
            *(_joined(one, other, axis) for one, other in pairwise(dots)),
            *(part for x, row in dots for part in _upright(x, row, axis)),
            *(part for x, row in named for part in _under(x, row)),
            "</svg>",
        )
    )


def legend(name: str) -> str:
    """The mark of a legend: `estimate`, `noise`, `whole` or `truth`. It is decoration beside its own words."""
    marks = {
        "estimate": f'<g transform="translate(14 8)">{DOT}</g>',
        "noise": _line("noise", "3", "25", 8, 7),
        "whole": _line("whole", "2", "26", 8, 1.5) + _line("cap", "2", "2", 8, 1.5) + _line("cap", "26", "26", 8, 1.5),
        "truth": f'<g transform="translate(14 8)">{DIAMOND}</g>',
    }
    frame = '<svg xmlns="http://www.w3.org/2000/svg" class="mark" width="28" height="16" aria-hidden="true">'
    return f"{frame}{marks[name]}</svg>"


def _height(axis: Axis, number: float) -> float:
    return round(TREND_TOP + TREND_HEIGHT * (1 - axis.part_of_width(number)), 2)


def _levels(axis: Axis) -> Iterator[str]:
    """A line across for each tick of the axis, with its number on the left."""
    for tick in axis.ticks:
        y = _height(axis, tick)
        ends = f'x1="{TREND_LEFT}%" x2="100%" y1="{y:g}" y2="{y:g}"'
        yield f'<line class="grid" {ends} {_stroke(1)} stroke-opacity="0.15"/>'
        yield _text("tick", "0", int(y) + 4, axis.tick(tick))


def _joined(one: tuple[float, Row], other: tuple[float, Row], axis: Axis) -> str:
    (x1, first), (x2, second) = one, other
    y1, y2 = (_height(axis, row.estimate or 0.0) for row in (first, second))
    ends = f'x1="{x1:.3f}%" x2="{x2:.3f}%" y1="{y1:g}" y2="{y2:g}"'
    return f'<line class="joined" {ends} {_stroke(1.5)} stroke-dasharray="4 3"/>'


def _upright(x: float, row: Row, axis: Axis) -> Iterator[str]:
    """The marks of one point, in a frame of their own: places across are per cents, and caps have a width."""
    yield f'<svg x="{x:.3f}%" overflow="visible">'
    if row.noise_low is not None and row.noise_high is not None:
        top, bottom = _height(axis, row.noise_high), _height(axis, row.noise_low)
        yield f'<line class="noise" y1="{top:g}" y2="{bottom:g}" {_stroke(7)} stroke-opacity="0.4"/>'
    if row.low is not None and row.high is not None:
        top, bottom = _height(axis, row.high), _height(axis, row.low)
        yield f'<line class="whole" y1="{top:g}" y2="{bottom:g}" {_stroke(1.5)}/>'
        yield from (f'<line class="cap" x1="-5" x2="5" y1="{y:g}" y2="{y:g}" {_stroke(1.5)}/>' for y in (top, bottom))
    yield f'<g transform="translate(0 {_height(axis, row.estimate or 0.0):g})">{DOT}</g></svg>'


def _under(x: float, row: Row) -> Iterator[str]:
    y = TREND_TOP + TREND_HEIGHT + LINE
    yield _text("label", f"{x:.3f}%", y, row.label, "middle")
    if row.estimate is not None:
        yield _text("value figures", f"{x:.3f}%", y + LINE, row.text.partition(" (")[0], "middle")


class _Canvas:
    """Draws row after row downwards; `y` is where the next one begins."""

    def __init__(self, axis: Axis, layout: Layout) -> None:
        self.axis, self.layout = axis, layout
        self.at = [(tick, self.place(tick)) for tick in axis.ticks]
        self.grid: list[str] = []
        self.parts: list[str] = []
        self.y = 0

    def place(self, share: float) -> str:
        """Where a number is drawn, in per cent of the width."""
        left, right = self.layout.left, self.layout.right
        return f"{left + (right - left) * self.axis.part_of_width(share):.3f}%"

    def draw(self, row: Row) -> None:
        if row.heading:
            self.y += GAP if self.y else 0
            self._lines("heading", row.heading)
            self.y += 4
        top = self.y
        self._lines("label", row.label)
        beside, known = self.layout.beside, row.estimate is not None
        kind = "value figures" if known else "value"
        self.parts.append(_text(kind, "100%", (top + LINE if beside else self.y) - 5, row.text, "end"))
        if beside:
            self.y = max(self.y, top + STRIP)
        strip = top if beside else self.y
        if known or beside:
            self._grid(strip, self.y + GAP / 2 if beside else strip + STRIP)
        if known:
            self.parts += self._marks(row, strip + (10 if beside else STRIP // 2))
        self.y = max(self.y, strip + STRIP if known else 0) + (GAP // 2 if beside else GAP)

    def ticks(self) -> Iterator[str]:
        for tick, x in self.at:
            yield _text("tick", x, self.y + 12, self.axis.tick(tick), "middle")

    def _lines(self, kind: str, text: str) -> None:
        for line in _wrapped(text, self.layout.characters):
            self.y += LINE
            self.parts.append(_text(kind, "0", self.y - 5, line))

    def _grid(self, top: float, bottom: float) -> None:
        for tick, x in self.at:
            firm = self.axis.origin is not None and math.isclose(tick, self.axis.origin, abs_tol=1e-9)
            kind, opacity = ("origin", "0.6") if firm else ("grid", "0.15")
            ends = f'x1="{x}" x2="{x}" y1="{top:g}" y2="{bottom:g}"'
            self.grid.append(f'<line class="{kind}" {ends} {_stroke(1)} stroke-opacity="{opacity}"/>')

    def _marks(self, row: Row, y: int) -> Iterator[str]:
        if row.low is not None and row.high is not None:
            left, right = self.place(row.low), self.place(row.high)
            yield _line("whole", left, right, y, 1.5)
            yield _line("cap", left, left, y, 1.5)
            yield _line("cap", right, right, y, 1.5)
        if row.noise_low is not None and row.noise_high is not None:
            yield _line("noise", self.place(row.noise_low), self.place(row.noise_high), y, 7)
        assert row.estimate is not None
        yield _at(self.place(row.estimate), y, DOT)
        if row.truth is not None:
            yield _at(self.place(row.truth), y, DIAMOND)


@lru_cache(maxsize=256)
def _wrapped(text: str, characters: int) -> tuple[str, ...]:
    """The lines of a label; a report says those of its groups again and again."""
    return tuple(wrap(text, characters)) or ("",)


def _line(kind: str, left: str, right: str, y: int, thickness: float) -> str:
    faint = ' stroke-opacity="0.4"' if kind == "noise" else ""
    tall = 5 if kind == "cap" else 0
    ends = f'x1="{left}" x2="{right}" y1="{y - tall}" y2="{y + tall}"'
    return f'<line class="{kind}" {ends} {_stroke(thickness)}{faint}/>'


def _stroke(thickness: float) -> str:
    return f'stroke="currentColor" stroke-width="{thickness:g}"'


def _at(x: str, y: int, mark: str) -> str:
    """A mark moved to a place in per cent, which no `transform` can do."""
    return f'<svg x="{x}" y="{y}" overflow="visible">{mark}</svg>'


def _text(kind: str, x: str, y: int, text: str, anchor: str = "start") -> str:
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="{kind}" x="{x}" y="{y}" fill="currentColor"{at}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return escape(NOT_XML.sub("\ufffd", text))


def in_words(rows: Sequence[Row], axis: Axis) -> str:
    """What a picture of these rows shows, for whoever does not see it."""
    return "; ".join(_words(rows, axis))


def _words(rows: Sequence[Row], axis: Axis) -> Iterator[str]:
    heading = ""
    for row in rows:
        heading = row.heading or heading
        name = ", ".join(part for part in (heading, row.label) if part)
        known = "" if row.truth is None else f", {row.marks} {axis.say(row.truth, 1 if axis.shares else 2)}"
        yield f"{name}: {row.text}{known}"


def _extent(row: Row) -> Iterator[float]:
    shares = (row.estimate, row.low, row.high, row.noise_low, row.noise_high, row.truth)
    return (share for share in shares if share is not None)
