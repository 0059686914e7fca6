"""Earlier waves in a report: by question a sentence for each change, a chart over time, and a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from estimator.analyses import axes
from estimator.base import charts, wording
from estimator.reports.earlier_waves import Series, Wave, series
from estimator.reports.question_blocks import Figure, NumberFormat
from estimator.reports.tables import Cell, ReportTable, TableColumn
from estimator.runs import targets, waves
from estimator.runs.results import Results

POINTS = wording.Unit(100, 2, "")

SENTENCES = {
    ("mean", "rose"): gettext_lazy(
        "From %(before)s to %(after)s, the estimated mean rose by %(size)s (%(confidence)s CI %(low)s to %(high)s)."
    ),
    ("mean", "fell"): gettext_lazy(
        "From %(before)s to %(after)s, the estimated mean fell by %(size)s (%(confidence)s CI %(low)s to %(high)s)."
    ),
    ("mean", "unclear"): gettext_lazy(
        "From %(before)s to %(after)s, the data do not show whether the mean changed (%(confidence)s CI of the "
        "change: %(low)s to %(high)s)."
    ),
    ("share", "rose"): gettext_lazy(
        "From %(before)s to %(after)s, the estimated share of “%(choice)s” rose by %(size)s percentage points "
        "(%(confidence)s CI %(low)s to %(high)s)."
    ),
    ("share", "fell"): gettext_lazy(
        "From %(before)s to %(after)s, the estimated share of “%(choice)s” fell by %(size)s percentage points "
        "(%(confidence)s CI %(low)s to %(high)s)."
    ),
    ("share", "unclear"): gettext_lazy(
        "From %(before)s to %(after)s, the data do not show whether the share of “%(choice)s” changed "
        "(%(confidence)s CI of the change: %(low)s to %(high)s percentage points)."
    ),
}
"""The sentence on a change, by what changed and in which direction."""


@dataclass(frozen=True)
class Trend(Figure):
    """A chart of one number over time: waves side by side on a page, below each other on paper."""

    @cached_property
    def html(self) -> SafeString:
        return charts.trend(self.rows, key=self.key, title=self.title, axis=self.axis)


@dataclass(frozen=True)
class EstimateChange:
    """The changes in one number of a question; `wording` is empty after the question's first number."""

    series: Series
    wording: str
    sentences: tuple[str, ...]
    figure: Trend
    table: ReportTable


def changes(read: Results, manner: NumberFormat) -> tuple[EstimateChange, ...]:
    """All changes since earlier waves in the report; empty if there were none."""
    key, found = "", []
    for number, one in enumerate(series(read)):
        found.append(_change(one, number, manner, wording="" if one.item.key == key else one.item.wording))
        key = one.item.key
    return tuple(found)


def change_sentence(found: Sequence[EstimateChange], *, sampling: bool) -> str:
    """Sentences on the intervals of changes: their target, their methods and their assumptions."""
    series = [change.series for change in found]
    of = (wave.target(sampled=sampling) for one in series for wave in one.waves)
    methods = {targets.of_difference(mean=one.choice is None) for one in series}
    remembered = any(change.remembered for one in series for change in one.changes)
    target = _("The intervals of changes are for %(target)s at both times.")
    sentences = [target % {"target": targets.of_waves(of, sampled=sampling)}]
    sentences += [str(text) for name, text in targets.DIFFERENCES.items() if name in methods]
    return " ".join([*sentences, _who_came_again(remembered=remembered, sampling=sampling)])


def _who_came_again(*, remembered: bool, sampling: bool) -> str:
    """A sentence on the effect of unknown overlap between waves on the intervals."""
    if sampling:
        return _(
            "It is not known who took part more than once, so waves are treated as independent. If many "
            "respondents are the same, the intervals are too wide where answers mostly stayed, and too narrow "
            "where they changed. Each interval holds by itself, not all together."
        )
    if remembered:
        return _(
            "It is not known who took part more than once. Devices remembered their tickets, so an unchanged "
            "answer was sent as the same response again; if many did so, the intervals are too wide. Each "
            "interval holds by itself, not all together."
        )
    return _(
        "They cover randomisation alone, which was new in each wave, so repeated participation does not affect "
        "them. Each interval holds by itself, not all together."
    )


def _change(one: Series, number: int, manner: NumberFormat, *, wording: str) -> EstimateChange:
    of = _("Mean")
    if one.choice is not None:
        of = _("Share of “%(choice)s”") % {"choice": one.item.choices[one.choice]}
    found = [wave.target(sampled=manner.sampling) for wave in one.waves]
    mixed = targets.common(found) == targets.MIXED
    points = tuple(_point(wave, _label(wave, one.waves[-1], mixed=mixed), one.choice, manner) for wave in one.waves)
    values = [
        end for point in points for end in (point.low, point.high, point.noise_low, point.noise_high) if end is not None
    ]
    axis = axes.of_range(values) if one.choice is None else charts.axis_for(points)
    caption = _("%(what)s over time") % {"what": of}
    figure = Trend(points, f"change-{number}", f"{caption}: {one.item.wording}", axis)
    rows = tuple(_cells(point, wave) for point, wave in zip(points, one.waves, strict=True))
    interval = targets.heading(found, sampled=manner.sampling, confidence=manner.confidence)
    head = (TableColumn(_("Wave"), number=False), *map(TableColumn, (_("Responses"), _("Estimate"), interval)))
    return EstimateChange(one, wording, tuple(_sentences(one, manner)), figure, ReportTable(caption, head, rows))


def _named(wave: Wave, newest: Wave) -> str:
    text = _("wave %(number)s") if waves.are_waves(newest.design) else _("version %(number)s")
    return text % {"number": wave.number}


def _label(wave: Wave, newest: Wave, *, mixed: bool) -> str:
    """The label of a wave's row; `mixed` if only some of the waves are weighted."""
    name = _named(wave, newest)
    name = name[:1].upper() + name[1:]
    return _("%(wave)s, weighted") % {"wave": name} if mixed and wave.weighted else name


def _point(wave: Wave, label: str, choice: int | None, manner: NumberFormat) -> charts.ChartRow:
    if wave.fit is None or wave.fit.part(choice) is None:
        return charts.ChartRow(label, wording.not_enough(wave.n, values=wave.fit is not None))
    fit, unit = wave.fit, wording.unit_of(mean=choice is None)
    places = wording.decimals(fit.value(choice, "standard_error"), unit)
    ends = ("low", "high") if manner.sampling else ("noise_low", "noise_high")
    low, high = (fit.value(choice, end) for end in ends)
    span = wording.span(low, high, places, unit)
    text = f"{wording.value(fit.value(choice, 'constrained'), places, unit)} ({span})"
    return charts.ChartRow(
        label,
        text,
        fit.value(choice, "constrained"),
        low=low if manner.sampling else None,
        high=high if manner.sampling else None,
        noise_low=fit.value(choice, "noise_low"),
        noise_high=fit.value(choice, "noise_high"),
    )


def _cells(point: charts.ChartRow, wave: Wave) -> tuple[Cell, ...]:
    head = (Cell(point.label, "head"), Cell(wording.count(wave.n)))
    if point.estimate is None:
        return (*head, Cell(point.text, "missing", span=2))
    estimate, _space, span = point.text.partition(" (")
    return (*head, Cell(estimate, "strong"), Cell(span.removesuffix(")")))


def _sentences(one: Series, manner: NumberFormat) -> Iterator[str]:
    part = "" if manner.sampling else "noise_"
    of, unit = ("mean", wording.PLAIN) if one.choice is None else ("share", POINTS)
    for change in one.changes:
        low, high = change.number(f"{part}low"), change.number(f"{part}high")
        places = wording.decimals(change.number("standard_error"), unit)
        facts = {
            "before": _named(change.since, one.waves[-1]),
            "after": _named(one.waves[-1], one.waves[-1]),
            "confidence": manner.confidence,
            "choice": "" if one.choice is None else one.item.choices[one.choice],
        }
        if low <= 0 <= high:
            yield str(SENTENCES[of, "unclear"]) % (facts | _numbers(low, high, places, unit))
            continue
        near, far = (low, high) if low > 0 else (-high, -low)
        while places < unit.most and wording.outwards(near, far, places, unit)[0] <= 0:
            places += 1
        facts |= _numbers(near, far, places, unit) | {"size": wording.value(abs(change.estimate), places, unit)}
        yield str(SENTENCES[of, "rose" if low > 0 else "fell"]) % facts


def _numbers(low: float, high: float, places: int, unit: wording.Unit) -> dict[str, str]:
    least, most = wording.outwards(low, high, places, unit)
    plain = wording.Unit(1, unit.most, "")
    ends = {"low": wording.value(least, places, plain), "high": wording.value(most, places, plain)}
    return {name: text.replace("-", "\u2212") for name, text in ends.items()}
