"""How many reports came on which days, as bars and as rows of the table beneath them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape

from django.utils.safestring import SafeString, mark_safe

from collector.models import DailyCount
from collector.reports.folding import FEWEST
from estimator.base import wording

LEFT, RIGHT = 1.0, 99.0
"""Where the days begin and end, in per cent of the width."""
TOP, FOOT, HEIGHT = 24, 124, 146
SHORTEST = 7
"""Days that are drawn at least, so that the first day is no bar across the page."""


@dataclass(frozen=True)
class Line:
    """A row of the table: a day, or days that are kept together, with their reports in all and a day."""

    days: str
    reports: str
    a_day: str


@dataclass(frozen=True)
class Days:
    """The picture, its table, and the sentence that says why days stand together; empty where none do."""

    picture: SafeString
    lines: tuple[Line, ...]
    remark: str


def days_of(counts: Sequence[DailyCount]) -> Days | None:
    """The picture of a design's counts, the first days first; None where nothing is counted yet."""
    if not counts:
        return None
    together = any(one.first_day < one.last_day for one in counts)
    remark = f"Days with fewer than {FEWEST} reports are kept together with others: alone they would tell when a "
    remark += "person took part. Their bar is as high as their reports a day."
    return Days(_drawn(counts), tuple(map(_line, counts)), remark if together else "")


def _line(one: DailyCount) -> Line:
    return Line(_named(one.first_day, one.last_day), wording.count(one.count), _rate(_a_day(one)))


def _named(first: date, last: date) -> str:
    if first == last:
        return _said(first)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {_said(last)}"
    return f"{_said(first)} to {_said(last)}"


def _said(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def _length(one: DailyCount) -> int:
    return (one.last_day - one.first_day).days + 1


def _a_day(one: DailyCount) -> float:
    return one.count / _length(one)


def _rate(number: float) -> str:
    return wording.count(number) if number == round(number) or number >= 100 else f"{number:.1f}"


def _drawn(counts: Sequence[DailyCount]) -> SafeString:
    first, last = counts[0].first_day, counts[-1].last_day
    shown = max((last - first).days + 1, SHORTEST)
    most = max(map(_a_day, counts))

    def across(day: date) -> float:
        return LEFT + (RIGHT - LEFT) * (day - first).days / shown

    def bar(one: DailyCount) -> str:
        left, right = across(one.first_day), across(one.last_day + timedelta(days=1))
        high = max((FOOT - TOP) * _a_day(one) / most, 1.0)
        width = right - left - min(0.4, (right - left) / 5)
        return f'<rect class="bar" x="{left:.3f}%" y="{FOOT - high:.1f}" width="{width:.3f}%" height="{high:.1f}"/>'

    total, highest = sum(one.count for one in counts), max(counts, key=_a_day)
    told = f"{wording.count(total)} reports from {_named(first, last)}; most a day: {_rate(most)}, "
    told += _named(highest.first_day, highest.last_day)
    return mark_safe(  # noqa: S308 - numbers and dates alone
        '<svg xmlns="http://www.w3.org/2000/svg" class="days" role="img" aria-labelledby="days-title days-desc" '
        f'width="100%" height="{HEIGHT}"><title id="days-title">Reports by day</title>'
        f'<desc id="days-desc">{escape(told)}</desc>'
        + _level(TOP, f"{_rate(most)} a day")
        + _level(FOOT)
        + "".join(map(bar, counts))
        + _text(LEFT, "start", _said(first))
        + _text(RIGHT, "end", _said(first + timedelta(days=shown - 1)))
        + "</svg>"
    )


def _level(y: int, name: str = "") -> str:
    line = f'<line class="grid" x1="{LEFT}%" x2="{RIGHT}%" y1="{y}" y2="{y}" stroke="currentColor"/>'
    return line + (f'<text class="tick" x="{LEFT}%" y="{y - 6}" fill="currentColor">{name}</text>' if name else "")


def _text(x: float, anchor: str, name: str) -> str:
    return f'<text class="tick" x="{x}%" y="{HEIGHT - 4}" text-anchor="{anchor}" fill="currentColor">{name}</text>'
