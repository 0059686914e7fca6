"""Charts of a rehearsal: every repetition's interval against the truth, and observed and planned half-widths."""

from collections.abc import Iterator

import numpy as np
from django.utils.translation import gettext

from estimator.base import charts
from estimator.base.charts import Axis, ChartRow, Curve, Scale, linear
from estimator.base.wording import PERCENT
from surveys.planning.rehearsals.findings import Block, Finding

MOST_DRAWN = 12
"""Maximum estimates of a question that have a chart."""


def intervals_of(block: Block, number: int) -> list[Curve]:
    """For each overall estimate the intervals of all repetitions, those that missed in another colour."""
    return [_intervals(finding, f"held-{number}-{n}") for n, finding in enumerate(block.overall[:MOST_DRAWN])]


def widths_of(block: Block, number: int) -> str:
    """Mean half-width of each overall estimate: a dot with the range of the middle nine of ten, and the plan's."""
    planned = [finding for finding in block.overall if not np.isnan(finding.planned)]
    return "".join(_widths(list(part), f"widths-{number}-{n}") for n, part in enumerate(_by_unit(planned)))


def _intervals(finding: Finding, key: str) -> Curve:
    factor = finding.unit.factor
    low, high = (factor * end for end in finding.ends)
    across, up = _numbers(finding.times), _values(float(low.min()), float(high.max()), finding)
    places = list(zip(range(1, finding.times + 1), low.tolist(), high.tolist(), strict=True))
    intervals = {
        "interval-held": [one for one, held in zip(places, finding.held, strict=True) if held],
        "interval-missed": [one for one, held in zip(places, finding.held, strict=True) if not held],
    }
    unit = ", %" if finding.unit is PERCENT else ""
    words = gettext("{coverage} intervals contain the true value {truth}.").format(
        coverage=finding.coverage, truth=finding.truth_text
    )
    truth = factor * finding.truth
    return charts.repetitions(key, f"{finding.label}{unit}", intervals, truth, (across, up), words)


def _numbers(times: int) -> Scale:
    shown = sorted({1, times}) if times < 4 else [1, round(times / 2), times]
    return Scale(0.5, times + 0.5, tuple((float(one), str(one)) for one in shown))


def _values(low: float, high: float, finding: Finding) -> Scale:
    truth = finding.unit.factor * finding.truth
    low, high = min(low, truth), max(high, truth)
    room = max(high - low, 1e-9)
    start = 0.0 if finding.unit is PERCENT and low < room else low
    if start == 0:
        return linear(max(high, 1e-6))
    power = 10.0 ** np.floor(np.log10(room))
    return linear(high, low=float(np.floor(low / power) * power))


def _by_unit(found: list[Finding]) -> Iterator[list[Finding]]:
    """The findings by unit: means and shares have separate axes."""
    for shares in (False, True):
        if part := [one for one in found if (one.unit is PERCENT) is shares]:
            yield part


def _widths(found: list[Finding], key: str) -> str:
    drawn = [_row(finding) for finding in found]
    shares = found[0].unit is PERCENT
    widest = max(max(row.high or 0, row.truth or 0) for row in drawn)
    axis = charts.axis_for(drawn) if shares else Axis(0, *_round_steps(widest), shares=False)
    title = gettext("Mean half-width of the intervals") + (gettext(", in points") if shares else "")
    return charts.pictures(drawn, key=key, title=title, axis=axis)


def _row(finding: Finding) -> ChartRow:
    ends = finding.ends
    low, high = np.quantile((ends[1] - ends[0]) / 2, [0.05, 0.95])
    text = gettext("{width}, planned {planned}").format(width=finding.width_text, planned=finding.planned_text)
    one = finding.times == 1
    return ChartRow(
        label=finding.label,
        text=text,
        estimate=finding.width / 2,
        low=None if one else float(low),
        high=None if one else float(high),
        truth=finding.planned / 2,
        marks="planned",
    )


def _round_steps(widest: float) -> tuple[float, float]:
    """The end and the step of an axis from 0."""
    scale = linear(max(widest, 1e-9))
    return scale.high, scale.ticks[1][0]
