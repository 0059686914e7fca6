"""Charts of the rows of an analysis, each with a table of the same numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from estimator.analyses import axes, sentences
from estimator.analyses.rows import AnalysisRow
from estimator.analyses.sentences import RowDescriber
from estimator.base import charts, wording
from estimator.base.languages import figures, filled


@dataclass(frozen=True)
class FigureTable:
    """Text cells under headings; the first `names` cells of a row are its labels.

    The last cell of a row that is too short reaches to the end; one alone is a heading of the rows below it.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1

    @property
    def spanned(self) -> Iterator[tuple[tuple[str, int], ...]]:
        """The rows with the number of columns of each cell."""
        for row in self.rows:
            yield (*((text, 1) for text in row[:-1]), (row[-1], len(self.head) - len(row) + 1))


@dataclass(frozen=True)
class FigureWithTable:
    """A chart with the table of the same numbers; either may be missing.

    `drawn` are the rows of the chart over its `axis`, for what draws it in its own way, such as a PDF.
    """

    title: str
    picture: SafeString
    table: FigureTable
    drawn: tuple[charts.ChartRow, ...] = ()
    axis: charts.Axis | None = None


def over_time(rows: list[AnalysisRow], labels: list[str], key: str, title: str, head: str) -> FigureWithTable:
    """Chart estimates over time, the earliest first, with their table."""
    drawn = _points(rows, labels)
    known = any(row.known for row in rows)
    picture = charts.trend(drawn, key=key, title=title, axis=_axis(rows, drawn)[1]) if known else SafeString("")
    return replace(estimates(rows, labels, key, title, head), picture=picture)


def estimates(
    rows: list[AnalysisRow],
    labels: list[str],
    key: str,
    title: str,
    head: str,
    headed: Sequence[tuple[str, str]] = (),
) -> FigureWithTable:
    """Chart estimates over one axis, with their table; `headed` are headings and labels in place of the labels."""
    drawn = _under_headings(_points(rows, labels), headed)
    mean, axis = _axis(rows, drawn)
    cells = _with_headings([(label, *_cells(row)) for label, row in zip(labels, rows, strict=True)], headed)
    error = gettext("Standard error") if mean else gettext("Standard error (percentage points)")
    table = FigureTable(title, (head, gettext("Responses"), gettext("Estimate"), _interval(rows), error), cells)
    return drawn_over(drawn, key, title, axis, table)


def _points(rows: list[AnalysisRow], labels: list[str]) -> list[charts.ChartRow]:
    return [_point(row, label) for label, row in zip(labels, rows, strict=True)]


def _under_headings(drawn: list[charts.ChartRow], headed: Sequence[tuple[str, str]]) -> list[charts.ChartRow]:
    """Rows with these labels, and each heading above the first of those that share it."""
    before = ["", *(heading for heading, _ in headed)]
    return [
        replace(row, label=label, heading=heading if heading != last else "")
        for row, (heading, label), last in zip(drawn, headed, before, strict=False)
    ] or drawn


def _with_headings(rows: Sequence[tuple[str, ...]], headed: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Rows of a table with these labels, and each heading in a row of its own above the first that has it."""
    found: list[tuple[str, ...]] = []
    for row, (heading, label), (before, _) in zip(rows, headed, [("", ""), *headed], strict=False):
        if heading and heading != before:
            found.append((heading,))
        found.append((label, *row[1:]))
    return tuple(found or rows)


def _point(row: AnalysisRow, label: str, heading: str = "") -> charts.ChartRow:
    text = quoted(row) if row.known else sentences.capital(sentences.missing(row))
    return charts.ChartRow(label, text, row.estimate, row.low, row.high, heading=heading)


def _axis(rows: list[AnalysisRow], drawn: list[charts.ChartRow]) -> tuple[bool, charts.Axis]:
    """Return True if the rows are means, and the axis that includes them."""
    mean = any(row.quantity == "mean" for row in rows)
    return mean, axes.of_values(rows) if mean else charts.axis_for(drawn)


def differences(
    rows: list[AnalysisRow],
    labels: list[str],
    unit: wording.Unit,
    title: str,
    together: float | None = None,
    *,
    key: str = "differences",
    headed: Sequence[tuple[str, str]] = (),
) -> FigureWithTable:
    """Chart differences from 0, with their table; `headed` are headings and labels in place of the labels."""
    drawn, cells, plain = [], [], replace(unit, sign="")
    for label, row in zip(labels, rows, strict=True):
        places = sentences.places_of(row, unit)
        span = sentences.signed(wording.span(row.low, row.high, places, plain))
        value = sentences.signed(wording.value(row.estimate, places, plain))
        drawn.append(charts.ChartRow(label, f"{value} ({span})", row.estimate, row.low, row.high))
        verdict = gettext("differ") if row.differs else gettext("not distinguishable")
        cells.append((label, wording.count(row.n), value, span, verdict))
    drawn = _under_headings(drawn, headed)
    axis = axes.of_differences(rows, shares=unit is sentences.POINTS)
    points = gettext(", percentage points") if unit is sentences.POINTS else ""
    estimate = gettext("Estimate") + points
    head = (gettext("Difference"), gettext("Responses"), estimate, _interval(rows, together), gettext("Verdict"))
    table = FigureTable(f"{title}{points}", head, _with_headings(cells, headed))
    return drawn_over(drawn, key, f"{title}{points}", axis, table)


def crossed(rows: list[AnalysisRow], answers: list[str], others: list[str], key: str, title: str) -> FigureWithTable:
    """Chart a block for each answer to the first question, with a line for each answer to the second."""
    drawn = [
        _point(row, others[row.other_choice or 0], heading="" if row.other_choice else answers[row.choice or 0])
        for row in rows
    ]
    cells = tuple((answers[row.choice or 0], others[row.other_choice or 0], *_cells(row)[1:]) for row in rows)
    head = (
        gettext("First question"),
        gettext("Second question"),
        gettext("Estimate"),
        _interval(rows),
        gettext("Standard error (percentage points)"),
    )
    table = FigureTable(title, head, cells, names=2)
    return drawn_over(drawn, key, title, charts.axis_for(drawn), table)


def ratios(rows: list[AnalysisRow], speaker: RowDescriber, answer: str, key: str) -> FigureWithTable:
    sides = [speaker.sides(row) for row in rows]
    text = gettext("{group} compared with {other}")
    labels = [
        one if not (row.against or row.other_item) else text.format(group=one, other=other)
        for row, (one, other) in zip(rows, sides, strict=True)
    ]
    drawn = [
        charts.ChartRow(label, _ratio_text(row), row.estimate, row.low, row.high)
        for label, row in zip(labels, rows, strict=True)
    ]
    headed = compared(rows, speaker) if speaker.design.background else []
    drawn = _under_headings(drawn, headed)
    title = gettext("Odds ratios of {answer}").format(answer=answer)
    numbers = [
        (label, wording.count(row.n), *_ratio_cells(row)[: 1 if row.low is None else None])
        for label, row in zip(labels, rows, strict=True)
    ]
    cells = _with_headings(numbers, headed)
    head = (
        gettext("Groups"),
        gettext("Responses"),
        gettext("Odds ratio"),
        _interval(rows),
        gettext("Standard error of the logarithm"),
    )
    return drawn_over(drawn, key, title, axes.of_ratios(rows), FigureTable(title, head, cells))


def compared(rows: Sequence[AnalysisRow], speaker: RowDescriber) -> list[tuple[str, str]]:
    """The background question of each row, and its two answers that the row compares."""
    found = []
    for row in rows:
        if row.other_item:
            _, one, first = speaker.answers_compared(row)
            text = gettext("{group} compared with {other}").format(group=one, other=first)
            found.append((speaker.placed(row)[0], text))
            continue
        question, answer = speaker.headed(row.group)
        if row.against:
            text = gettext("{group} compared with {other}")
            answer = text.format(group=answer, other=speaker.headed(row.against)[1])
        found.append((question, answer))
    return found


def associations(rows: list[AnalysisRow]) -> FigureTable:
    names = {
        "phi": gettext("Phi, from −1 to 1"),
        "odds_ratio": gettext("Odds ratio"),
        "correlation": gettext("Correlation, from −1 to 1"),
    }
    cells = []
    for row in rows:
        if row.quantity == "odds_ratio":
            cells.append((names[row.quantity], *_ratio_cells(row)[:2]))
            continue
        estimate = sentences.missing(row) if row.estimate is None else sentences.signed(figures(f"{row.estimate:.2f}"))
        low, high = sentences.outwards(row)
        ends = filled(gettext("{low:.2f} to {high:.2f}"), low=low, high=high)
        cells.append((names[row.quantity], estimate, sentences.signed(ends)))
    return FigureTable(
        gettext("How strongly the two answers are associated"),
        (gettext("Measure"), gettext("Estimate"), _interval(rows)),
        tuple(cells),
    )


def quoted(row: AnalysisRow) -> str:
    return f"{_value(row)} ({spanned(row)})" if row.known else sentences.missing(row)


def spanned(row: AnalysisRow) -> str:
    """The interval of a row as text."""
    places = wording.decimals(row.standard_error, wording.unit_of(mean=row.quantity == "mean"))
    return sentences.signed(wording.span(row.low, row.high, places, wording.unit_of(mean=row.quantity == "mean")))


def _cells(row: AnalysisRow) -> tuple[str, ...]:
    """The responses and the estimate; of a row without numbers, why it has none."""
    n = wording.count(row.n)
    if not row.known:
        return n, sentences.capital(sentences.missing(row))
    unit, places = (
        wording.unit_of(mean=row.quantity == "mean"),
        wording.decimals(row.standard_error, wording.unit_of(mean=row.quantity == "mean")),
    )
    return n, _value(row), spanned(row), wording.error(row.standard_error, places + 1, unit)


def _ratio_cells(row: AnalysisRow) -> tuple[str, str, str]:
    if row.low is None:
        return sentences.missing(row), "–", "–"
    low = sentences.ratio(row.low, up=False)
    ends = (
        gettext("{low} or more").format(low=low)
        if row.high is None
        else gettext("{low} to {high}").format(low=low, high=sentences.ratio(row.high, up=True))
    )
    estimate = sentences.missing(row) if row.estimate is None else sentences.ratio(row.estimate)
    return estimate, ends, sentences.ratio(row.standard_error or 0.0)


def _ratio_text(row: AnalysisRow) -> str:
    estimate, ends, _ = _ratio_cells(row)
    return f"{estimate} ({ends})" if row.known else estimate


def drawn_over(
    rows: Sequence[charts.ChartRow], key: str, title: str, axis: charts.Axis, table: FigureTable
) -> FigureWithTable:
    """The chart in both layouts, none if no row has an estimate, with its table."""
    if not any(row.estimate is not None for row in rows):
        return FigureWithTable(title, SafeString(""), table)
    return FigureWithTable(title, charts.pictures(rows, key=key, title=title, axis=axis), table, tuple(rows), axis)


def _value(row: AnalysisRow) -> str:
    return sentences.signed(
        wording.value(
            row.estimate,
            wording.decimals(row.standard_error, wording.unit_of(mean=row.quantity == "mean")),
            wording.unit_of(mean=row.quantity == "mean"),
        )
    )


def _interval(rows: list[AnalysisRow], together: float | None = None) -> str:
    """The heading of a column of intervals: the confidence level of each, or of all together."""
    level = next((row.level for row in rows if row.level is not None), None) if together is None else together
    interval = (
        gettext("Interval") if level is None else gettext("{level} interval").format(level=sentences.confidence(level))
    )
    return (
        interval if together is None or len(rows) < 2 else gettext("{interval}, simultaneous").format(interval=interval)
    )
