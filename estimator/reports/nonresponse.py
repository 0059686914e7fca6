"""What a share could be among all who were asked, if nothing is known of those who did not answer (Manski 1989).

With a response rate r, a share p of those who answered is between r p and r p + 1 - r among all: none of the others
holds the answer, or all do. Whoever chose not to say counts with the others. The outer limits are those of the share's
own interval, which is wider than needed (Imbens & Manski 2004).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from estimator.base import charts, wording
from estimator.models import Estimate
from estimator.reports.protection_check import ProtectionCheck
from estimator.reports.question_blocks import Figure
from estimator.reports.tables import Cell, ReportTable, TableColumn
from estimator.runs.estimation import known_shares
from estimator.runs.results import EstimateCell, QuestionResults, Results


@dataclass(frozen=True)
class _Bounds:
    """Of one answer: its share of those who answered, its bounds among all who were asked, and their interval."""

    item: QuestionResults
    choice: str
    share: float
    lowest: float
    highest: float
    low: float
    high: float


def check_of_nonresponse(results: Results, asked: int | None) -> ProtectionCheck | None:
    """The bounds of every share; None where it is not said how many people were asked, or fewer than answered.

    None too with known group sizes: their shares are no longer those of the people who answered.
    """
    answered = results.run.reports
    if asked is None or answered is None or asked < answered or known_shares(results.partition):
        return None
    bounds = [found for item in results.items for found in _of_item(item, answered / asked)]
    if not bounds:
        return None
    rows = tuple(_rows(bounds))
    counted = {"n": wording.count(answered), "asked": wording.count(asked), "rate": wording.percent(answered / asked)}
    text = _(
        "%(n)s of %(asked)s people who were asked took part, %(rate)s. Nothing is known of the others. If none of them "
        "held an answer, its share of all is the lower bound; if all of them did, the upper one."
    )
    marks = _(
        "In the chart the dot is the share of those who took part, the bar is between the bounds, and the line adds "
        "the interval."
    )
    title = _("Shares of all who were asked")
    limits = _(
        "The bounds assume nothing but that each response is of one of the people who were asked (Manski, 1989). "
        "Whoever names a smaller range assumes something of people who said nothing."
    )
    return ProtectionCheck(
        (text % counted, marks),
        Figure(rows, "nonresponse", title, charts.axis_for(rows)),
        _table(bounds, title),
        None,
        limits,
    )


def _of_item(item: QuestionResults, rate: float) -> Iterator[_Bounds]:
    """Of each answer but that of not saying, which counts with those who are not known."""
    cells = [cell for cell in item.cells if not cell.group_key and cell.estimate.measure == "share"]
    unsaid = len(item.choices) - 1 if item.frozen.prefer_not else None
    silent = next((cell.estimate for cell in cells if cell.estimate.choice == unsaid), None)
    shown = {cell.estimate.choice for cell in item.shares} - {unsaid}
    for cell in cells:
        if cell.estimate.choice in shown and (ends := _ends(cell.estimate)) is not None:
            yield _of_cell(item, cell, rate, ends, (0.0, 0.0, 0.0) if silent is None else _ends(silent) or (0, 0, 1))


def _of_cell(
    item: QuestionResults,
    cell: EstimateCell,
    rate: float,
    ends: tuple[float, float, float],
    silent: tuple[float, float, float],
) -> _Bounds:
    low, share, high = ends
    others = 1 - rate
    return _Bounds(
        item,
        cell.choice,
        share,
        rate * share,
        rate * min(share + silent[1], 1.0) + others,
        rate * low,
        rate * min(high + silent[2], 1.0) + others,
    )


def _ends(estimate: Estimate) -> tuple[float, float, float] | None:
    low, share, high = estimate.noise_low, estimate.constrained, estimate.noise_high
    return None if low is None or share is None or high is None else (low, share, high)


def _rows(bounds: Sequence[_Bounds]) -> Iterator[charts.ChartRow]:
    headed = None
    for one in bounds:
        heading = "" if one.item is headed else one.item.wording
        headed = one.item
        text = _spanned(one.lowest, one.highest)
        yield charts.ChartRow(one.choice, text, one.share, one.low, one.high, one.lowest, one.highest, heading=heading)


def _table(bounds: Sequence[_Bounds], title: str) -> ReportTable:
    columns = (
        TableColumn(_("Question"), number=False), TableColumn(_("Answer"), number=False),
        TableColumn(_("Of those who took part")), TableColumn(_("Of all who were asked")),
        TableColumn(_("With the interval")),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(one.item.wording, kind="head", quoted=True),
            Cell(one.choice, kind="words", quoted=True),
            Cell(wording.percent(one.share)),
            Cell(_spanned(one.lowest, one.highest)),
            Cell(_spanned(one.low, one.high)),
        )
        for one in bounds
    )
    return ReportTable(title, columns, rows)


def _spanned(low: float, high: float) -> str:
    return _("%(low)s to %(high)s") % {"low": wording.percent(low), "high": wording.percent(high)}
