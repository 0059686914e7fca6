"""The number of responses by day, as bars and as rows of the table beneath them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from collector.models import DailyCount
from collector.reports.folding import FEWEST
from estimator.base import charts, wording
from estimator.base.languages import figures

SHORTEST = 7
"""Minimum number of days drawn, so that the first day is no bar across the page."""


@dataclass(frozen=True)
class DayRow:
    """A row of the table: a day, or several merged days, with their responses in total and per day."""

    days: str
    reports: str
    a_day: str


@dataclass(frozen=True)
class FieldDays:
    """The chart, its table, and the reason for merging days; empty if none are merged."""

    picture: SafeString
    lines: tuple[DayRow, ...]
    remark: str


def days_of(counts: Sequence[DailyCount]) -> FieldDays | None:
    """The chart of a design's counts, the first days first; None if nothing is counted yet."""
    if not counts:
        return None
    together = any(one.first_day < one.last_day for one in counts)
    remark = gettext(
        "Days with fewer than {fewest} responses are combined, to protect individual respondents; the bar shows "
        "their average per day."
    ).format(fewest=FEWEST)
    rows = (DayRow(_named(one.first_day, one.last_day), wording.count(one.count), _rate(_a_day(one))) for one in counts)
    return FieldDays(_drawn(counts), tuple(rows), remark if together else "")


def spark_of(counts: Sequence[DailyCount]) -> SafeString:
    """The same as small bars for a list; nothing if nothing is counted yet."""
    if not counts:
        return SafeString("")
    made, words = _columns(counts)
    return charts.spark(made, words=words)


def _named(first: date, last: date) -> str:
    if first == last:
        return _date_text(first)
    if (first.year, first.month) == (last.year, last.month):
        return gettext("{first} to {last}").format(first=first.day, last=_date_text(last))
    return gettext("{first} to {last}").format(first=_date_text(first), last=_date_text(last))


def _date_text(day: date) -> str:
    return date_format(day, gettext("j M Y"))


def _length(one: DailyCount) -> int:
    return (one.last_day - one.first_day).days + 1


def _a_day(one: DailyCount) -> float:
    return one.count / _length(one)


def _rate(number: float) -> str:
    return wording.count(number) if number == round(number) or number >= 100 else figures(f"{number:.1f}")


def _columns(counts: Sequence[DailyCount]) -> tuple[list[charts.ChartColumn], str]:
    """The bars, and what they show in words."""
    first, last = counts[0].first_day, counts[-1].last_day
    shown = max((last - first).days + 1, SHORTEST)
    total, highest = sum(one.count for one in counts), max(counts, key=_a_day)
    most = _a_day(highest)
    words = gettext("{total} responses, {days}; most per day: {most}, {when}").format(
        total=wording.count(total),
        days=_named(first, last),
        most=_rate(most),
        when=_named(highest.first_day, highest.last_day),
    )

    def column(one: DailyCount) -> charts.ChartColumn:
        start = (one.first_day - first).days
        return start / shown, (start + _length(one)) / shown, _a_day(one) / most

    return [column(one) for one in counts], words


def _drawn(counts: Sequence[DailyCount]) -> SafeString:
    first, last = counts[0].first_day, counts[-1].last_day
    shown = max((last - first).days + 1, SHORTEST)
    made, words = _columns(counts)
    return charts.columns(
        made,
        key="days",
        title=gettext("Responses by day"),
        words=words,
        most=gettext("{most} per day").format(most=_rate(max(map(_a_day, counts)))),
        ends=(_date_text(first), _date_text(first + timedelta(days=shown - 1))),
    )
