"""Dot-and-interval pictures as SVG text.

Horizontal places are per cents of the picture's width and text keeps its size, so one picture is as legible on a phone
as on a desktop, at any width. Colours are `currentColor` with classes to style; there is no inline style, no script.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from xml.sax.saxutils import escape, quoteattr

LINE = 19
"""Height of a line of text."""
BAR = 26
"""Height of the strip that holds a dot and its intervals."""
GAP = 12
EDGE = 2.5
"""Per cent of the width left free at either side of the axis, so that marks at its ends are whole."""
LABEL_WIDTH = 30
"""Characters to a line of a label: beside it, the numbers fit on a narrow phone."""
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
MOST_TICKS = 6

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

DOT = '<circle class="dot" r="5" fill="currentColor"/>'
DIAMOND = '<path class="truth" d="M0-7 7 0 0 7-7 0Z" fill="none" stroke="currentColor" stroke-width="2"/>'


@dataclass(frozen=True)
class Row:
    """One estimate of a picture, all shares in [0, 1]. Where `estimate` is None, `text` stands in its place."""

    label: str
    text: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    noise_low: float | None = None
    noise_high: float | None = None
    truth: float | None = None
    heading: str = ""


@dataclass(frozen=True)
class Axis:
    """The stretch of shares that is drawn, and where its ticks are."""

    start: float
    end: float
    step: float

    @property
    def ticks(self) -> list[float]:
        return [self.start + number * self.step for number in range(round((self.end - self.start) / self.step) + 1)]

    def place(self, share: float) -> float:
        """Where a share is drawn, in per cent of the width."""
        kept = min(max((share - self.start) / (self.end - self.start), 0.0), 1.0)
        return EDGE + kept * (100 - 2 * EDGE)


def axis_for(rows: Iterable[Row]) -> Axis:
    """An axis that holds every interval and truth: from 0, unless all of it lies in the upper half."""
    shares = [share for row in rows for share in _extent(row)]
    low, high = (min(shares), max(shares)) if shares else (0.0, 1.0)
    start, end = (0.5, 1.0) if low >= 0.5 else (0.0, max(high, 0.1))
    step = next((step for step in STEPS if (end - start) / step < MOST_TICKS), STEPS[-1])
    return Axis(start, min(1.0, math.ceil(end / step - 1e-9) * step), step)


def picture(rows: Sequence[Row], *, key: str, title: str, axis: Axis | None = None, width: str = "100%") -> str:
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
    width : str
        "100%" in a page; a number of pixels where the picture stands alone.
    """
    axis = axis or axis_for(rows)
    parts: list[str] = []
    y = 0
    for row in rows:
        drawn, height = _row(row, axis, y)
        parts += drawn
        y += height
    height = y + LINE
    names = quoteattr(f"{key}-title {key}-desc")
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" role="img" aria-labelledby={names}',
            f' width={quoteattr(width)} height="{height}">',
            f"<title id={quoteattr(f'{key}-title')}>{_escaped(title)}</title>",
            f"<desc id={quoteattr(f'{key}-desc')}>{_escaped('; '.join(_words(rows)))}</desc>",
            *_grid(axis, y),
            *parts,
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


def _row(row: Row, axis: Axis, y: int) -> tuple[list[str], int]:
    """A row drawn from `y` downwards, and its height."""
    parts, top = [], y
    if row.heading:
        y += GAP if y else 0
        for line in wrap(row.heading, LABEL_WIDTH + 10):
            y += LINE
            parts.append(_text("heading", "0", y - 5, line))
        y += 2
    lines = wrap(row.label, LABEL_WIDTH) or [""]
    for line in lines:
        y += LINE
        parts.append(_text("label", "0", y - 5, line))
    anchor = "" if row.estimate is None else " figures"
    parts.append(_text(f"value{anchor}", "100%", y - 5, row.text, ' text-anchor="end"'))
    if row.estimate is not None:
        parts += _marks(row, axis, y + BAR // 2)
    y += BAR if row.estimate is not None else 0
    return parts, y + GAP - top


def _marks(row: Row, axis: Axis, y: int) -> Iterator[str]:
    if row.low is not None and row.high is not None:
        left, right = _per_cent(axis.place(row.low)), _per_cent(axis.place(row.high))
        yield _line("whole", left, right, y, 1.5)
        yield from (f'<line class="cap" x1="{x}" x2="{x}" y1="{y - 5}" y2="{y + 5}" {_stroke(1.5)}/>' for x in (left, right))
    if row.noise_low is not None and row.noise_high is not None:
        yield _line("noise", _per_cent(axis.place(row.noise_low)), _per_cent(axis.place(row.noise_high)), y, 7)
    assert row.estimate is not None
    yield _at(axis.place(row.estimate), y, DOT)
    if row.truth is not None:
        yield _at(axis.place(row.truth), y, DIAMOND)


def _grid(axis: Axis, bottom: int) -> Iterator[str]:
    for tick in axis.ticks:
        x = _per_cent(axis.place(tick))
        anchor = "start" if tick == axis.start else "end" if tick == axis.ticks[-1] else "middle"
        edge = {"start": "0", "end": "100%", "middle": x}[anchor]
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{bottom}" {_stroke(1)} stroke-opacity="0.15"/>'
        yield _text("tick", edge, bottom + 14, f"{100 * tick:.0f} %", f' text-anchor="{anchor}"')


def _line(kind: str, left: str, right: str, y: int, thickness: float) -> str:
    faint = ' stroke-opacity="0.4"' if kind == "noise" else ""
    tall = 5 if kind == "cap" else 0
    ends = f'x1="{left}" x2="{right}" y1="{y - tall}" y2="{y + tall}"'
    return f'<line class="{kind}" {ends} {_stroke(thickness)}{faint}/>'


def _stroke(thickness: float) -> str:
    return f'stroke="currentColor" stroke-width="{thickness:g}"'


def _at(place: float, y: int, mark: str) -> str:
    """A mark moved to a place in per cent, which no `transform` can do."""
    return f'<svg x="{_per_cent(place)}" y="{y}" overflow="visible">{mark}</svg>'


def _text(kind: str, x: str, y: int, text: str, more: str = "") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}" fill="currentColor"{more}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return escape(NOT_XML.sub("\ufffd", text))


def _per_cent(place: float) -> str:
    return f"{place:.3f}%"


def _words(rows: Sequence[Row]) -> Iterator[str]:
    heading = ""
    for row in rows:
        heading = row.heading or heading
        name = ", ".join(part for part in (heading, row.label) if part)
        known = "" if row.truth is None else f", known truth {100 * row.truth:.1f} %"
        yield f"{name}: {row.text}{known}"


def _extent(row: Row) -> Iterator[float]:
    shares = (row.estimate, row.low, row.high, row.noise_low, row.noise_high, row.truth)
    return (share for share in shares if share is not None)
