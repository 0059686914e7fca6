"""Questions in a report: sentences, charts and tables, and the possible effect of false reports on them."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from estimator.base import charts, wording
from estimator.base.charts import ChartRow
from estimator.base.measures import CLIPPED, CLIPPED_MEAN, IMPOSSIBLE, MEAN, TOO_FEW_VALUES
from estimator.models import Estimate
from estimator.reports import poisoning, privacy
from estimator.reports.tables import Cell, ReportTable, TableRow, all_respondents, table, verdict_cell
from estimator.runs import estimation, targets
from estimator.runs.results import EstimateCell, QuestionResults


@dataclass(frozen=True)
class NumberFormat:
    """Settings for the numbers of a report.

    `sampling`: whether the author declares a simple random sample, so that there is an interval for its population.
    `truth`: whether the true answers are known. `simulated`: whether the respondents are. `anytime`: whether intervals
    hold at every look.
    """

    confidence: str
    sampling: bool = False
    truth: bool = False
    simulated: bool = False
    anytime: bool = False


@dataclass(frozen=True)
class Figure:
    """A chart of estimates: drawn for a page, or as a text alternative; `paper` draws it for PDFs."""

    rows: tuple[ChartRow, ...]
    key: str
    title: str
    axis: charts.Axis

    @cached_property
    def html(self) -> SafeString:
        return charts.pictures(self.rows, key=self.key, title=self.title, axis=self.axis)

    @property
    def words(self) -> str:
        return f"{self.title} – {charts.as_text(self.rows, self.axis)}"


MOST_ROWS_OPEN = 80


@dataclass(frozen=True)
class EstimatePart:
    """The shares of a question, or its mean: sentences, charts and tables.

    `overall` and `by_group` are pictures. `about` is what every line speaks of where they all speak of one thing: the
    mean, or the share of Yes; then one picture and one table show all groups.
    """

    title: str
    caption: str
    about: str
    overall: Figure
    by_group: Figure | None
    lines: tuple[TableRow, ...]
    group_lines: tuple[TableRow, ...]
    main: ReportTable
    groups: ReportTable | None

    @property
    def folds_groups(self) -> bool:
        """Whether the chart by group is opened by the reader: of a long scale and many groups it fills pages."""
        return self.by_group is not None and len(self.by_group.rows) > MOST_ROWS_OPEN


@dataclass(frozen=True)
class Headline:
    """The number of a question that a summary quotes: its line, its marks, and the range on which they are drawn.

    `about` says what it is of; `quoted` whether that is in the words of the survey.
    """

    line: TableRow
    row: ChartRow
    axis: charts.Axis
    about: str
    quoted: bool

    @cached_property
    def html(self) -> SafeString:
        return charts.strip(self.row, self.axis)

    @property
    def sentence(self) -> str:
        return self.line.sentence or f"{self.line.missing}."

    @property
    def verdict(self) -> Cell:
        return verdict_cell(self.line.verdict)


@dataclass(frozen=True)
class QuestionBlock:
    """The results of one question in a report. `section` is the key of its section, or empty.

    `headline` is what a summary quotes: the mean, the share of Yes, or the largest share.
    """

    key: str
    number: int
    wording: str
    section: str
    offered: str
    choices: tuple[str, ...]
    notes: tuple[str, ...]
    parts: tuple[EstimatePart, ...]
    headline: Headline
    flags: tuple[str, ...]
    bounds: tuple[str, ...]

    @property
    def anchor(self) -> str:
        """The id of its heading."""
        return f"{self.key}-{self.number}"

    @property
    def flag_words(self) -> list[str]:
        """The texts of the flags; chance is no explanation if it explains too little."""
        excused = {CLIPPED, CLIPPED_MEAN} if IMPOSSIBLE in self.flags else set()
        return [str(wording.FLAGS[flag]) for flag in self.flags if flag not in excused]


def block(item: QuestionResults, number: int, manner: NumberFormat) -> QuestionBlock:
    """Build the block of a question; `number` counts from 0."""
    shares = [_part(item, item.shares, f"item-{number}", manner)] if item.shares else []
    means = [_part(item, item.means, f"item-{number}-mean", manner)] if item.means else []
    flags = (flag for cell in item.shown for flag in cell.estimate.flags if flag in wording.FLAGS)
    return QuestionBlock(
        key=re.sub(r"[^a-z0-9-]", "-", item.key),
        number=number + 1,
        wording=item.wording,
        section=item.frozen.section or "",
        offered=_offered(item),
        choices=item.choices,
        notes=tuple(_notes(item)),
        parts=tuple(means + shares),
        headline=_headline(item, (means + shares)[0], manner),
        flags=tuple(dict.fromkeys(flags)),
        bounds=(*privacy.bounds_in_words(item), *poisoning.in_words(item)),
    )


def _headline(item: QuestionResults, part: EstimatePart, manner: NumberFormat) -> Headline:
    """What to quote: of several shares the largest, with a simultaneous interval, as the data select it."""
    place = max(range(len(part.lines)), key=lambda place: part.overall.rows[place].estimate or 0.0)
    line, row = part.lines[place], part.overall.rows[place]
    axis = _axis_of_mean(item) if item.means else charts.Axis(0.0, 1.0, 0.5)
    if item.means or len(part.lines) == 1 or line.missing:
        return Headline(line, row, axis, part.about or line.choice, quoted=not item.means)
    cell = next(cell for cell in item.shares if not cell.group_key and cell.estimate.choice == place)
    shares = estimation.together(item.partition, item.position, item.totals, item.confidence, anytime=manner.anytime)
    assert shares is not None
    places = wording.decimals(cell.estimate.standard_error)
    low, high = (float(shares.noise_low[place]), float(shares.noise_high[place]))
    distinct = bool(low > np.delete(shares.noise_high, place).max())
    sentence = wording.of_largest(_sentence(item, cell, places, manner, (low, high)), distinct=distinct)
    line = replace(line, sentence=sentence, noise=wording.span(low, high, places))
    return Headline(line, replace(row, noise_low=low, noise_high=high), axis, line.choice, quoted=True)


def _offered(item: QuestionResults) -> str:
    """The introduction to the possible answers; the choices follow it."""
    if item.frozen.grid:
        grid = {name: wording.point(float(value)) for name, value in asdict(item.frozen.grid).items()}
        return _("A number from %(minimum)s to %(maximum)s in steps of %(step)s") % grid
    return _("Any number of:") if item.kind == "several_choices" else _("Response options:")


def _notes(item: QuestionResults) -> Iterator[str]:
    if item.version_names:
        yield wording.versions_sentence(item.version_names, later=len(item.partition.members) == 1)
    if item.condition:
        yield wording.condition_sentence(item.condition.wording, item.condition.answers, item.condition.unasked)
    if item.kind == "several_choices":
        yield _("Several options could be ticked, so the shares need not add up to 100 %.")
    if item.kind == "scale":
        facts = {"points": sum(value is not None for value in item.question.values), "choice": item.choices[-1]}
        if None in item.question.values:
            yield (
                _(
                    "For the mean, the choices count as 1 to %(points)s; respondents who chose “%(choice)s” are left "
                    "out."
                )
                % facts
            )
        else:
            yield _("For the mean, the choices count as 1 to %(points)s.") % facts
    if item.kind == "scale" and not item.question.reports_shares:
        yield str(wording.MEAN_ALONE)


def _part(item: QuestionResults, cells: tuple[EstimateCell, ...], key: str, manner: NumberFormat) -> EstimatePart:
    mean = cells[0].estimate.measure == MEAN
    overall = [cell for cell in cells if not cell.group_key]
    by_group = [cell for cell in cells if cell.group_key and (cell.estimate.n or not cell.withheld)]
    single = mean or bool(item.of_one)  # one row per group: a single picture shows all of them
    rows = _in_blocks(item, overall + by_group * single, manner, by_group=single and bool(by_group))
    group_rows = [] if single else _grouped(item, by_group, manner)
    axis = _axis_of_mean(item) if mean else charts.axis_for(rows + group_rows)
    caption = _("Estimated mean") if mean else _("Estimated shares")
    if item.of_one:
        caption = _("Estimated share who would truthfully answer “%(answer)s”") % {"answer": item.of_one}
    about = _("Mean") if mean else item.of_one
    lines, group_lines = (tuple(_line(item, cell, manner) for cell in some) for some in (overall, by_group))
    error = _error_name(mean=mean, sampling=manner.sampling)
    made = partial(
        table, about=about, error=error, confidence=manner.confidence, sampling=manner.sampling, truth=manner.truth
    )
    joined, by_groups = single and bool(by_group), _("%(caption)s, by group") % {"caption": caption}
    apart = made(group_lines, caption=by_groups, grouped=True) if group_lines and not single else None
    return EstimatePart(
        title=(_("Mean") if mean else _("Shares")) if item.means and item.shares else "",
        caption=caption,
        about=about,
        overall=Figure(tuple(rows), key, f"{caption}: {item.wording}", axis),
        by_group=Figure(tuple(group_rows), f"{key}-groups", f"{by_groups}: {item.wording}", axis)
        if group_rows
        else None,
        lines=lines,
        group_lines=group_lines,
        main=made(lines + group_lines * single, caption=caption, grouped=joined),
        groups=apart,
    )


def _error_name(*, mean: bool, sampling: bool) -> str:
    if sampling:
        return _("Standard error") if mean else _("Standard error (percentage points)")
    return (
        _("Standard error, randomisation alone")
        if mean
        else _("Standard error, randomisation alone (percentage points)")
    )


def _axis_of_mean(item: QuestionResults) -> charts.Axis:
    points = [value for value in item.question.values if value is not None]
    return charts.axis_of_range(points[0], points[-1], points[1] - points[0] if len(points) > 1 else 1.0)


def _grouped(item: QuestionResults, cells: list[EstimateCell], manner: NumberFormat) -> list[ChartRow]:
    """The rows of a chart by group: a block for each choice."""
    rows = []
    for choice in range(len(item.choices)):
        mine = [cell for cell in cells if cell.estimate.choice == choice]
        rows += _in_blocks(item, mine, manner, by_group=True, choice=item.choices[choice])
    return rows


def _in_blocks(
    item: QuestionResults, cells: list[EstimateCell], manner: NumberFormat, *, by_group: bool, choice: str = ""
) -> list[ChartRow]:
    """The rows of a chart, with a heading above the first of a choice, and of those by one background question."""
    headings = [" – ".join(part for part in (choice, cell.question * by_group) if part) for cell in cells]
    return [
        _drawn(item, cell, manner, by_group=by_group, heading=heading if heading != before else "")
        for cell, heading, before in zip(cells, headings, ["", *headings], strict=False)
    ]


def _missing(item: QuestionResults, cell: EstimateCell) -> str:
    """Why there is no estimate. While nothing is told by version of the page, that is so of what some do not ask."""
    if item.version_names and not item.partition.parts:
        return _("Estimated once the survey is closed: only some versions of the page ask it")
    return wording.not_enough(cell.estimate.n, values=TOO_FEW_VALUES in cell.estimate.flags)


def _drawn(
    item: QuestionResults, cell: EstimateCell, manner: NumberFormat, *, by_group: bool, heading: str = ""
) -> ChartRow:
    estimate, unit = cell.estimate, wording.unit_of(mean=cell.estimate.measure == MEAN)
    places = wording.decimals(estimate.standard_error, unit)
    means = targets.estimate_meta(item, estimate)
    group = cell.answer or cell.group or all_respondents(means, mixed=True)
    label = group if by_group else (cell.choice or _("Mean"))
    if not cell.known:
        return ChartRow(label, _missing(item, cell), heading=heading)
    interval = wording.span(estimate.noise_low, estimate.noise_high, places, unit)
    return ChartRow(
        label=label,
        text=f"{wording.value(estimate.constrained, places, unit)} ({interval})",
        estimate=estimate.constrained,
        low=estimate.low if manner.sampling else None,
        high=estimate.high if manner.sampling else None,
        noise_low=estimate.noise_low,
        noise_high=estimate.noise_high,
        truth=cell.truth,
        heading=heading,
        marks=_("true value"),
    )


def _line(item: QuestionResults, cell: EstimateCell, manner: NumberFormat) -> TableRow:
    estimate, n, unit = (
        cell.estimate,
        wording.count(cell.estimate.n),
        wording.unit_of(mean=cell.estimate.measure == MEAN),
    )
    means = targets.estimate_meta(item, estimate)
    if not cell.known:
        return TableRow(cell.choice, cell.group, n, means, cell.question, cell.answer, missing=_missing(item, cell))
    places = wording.decimals(estimate.standard_error, unit)
    error = estimate.standard_error if manner.sampling else estimate.noise_standard_error
    return TableRow(
        choice=cell.choice,
        group=cell.group,
        n=n,
        means=means,
        question=cell.question,
        answer=cell.answer,
        estimate=wording.value(estimate.constrained, places, unit),
        noise=wording.span(estimate.noise_low, estimate.noise_high, places, unit),
        sampled=wording.span(estimate.low, estimate.high, places, unit) if manner.sampling else "",
        error=wording.error(error, places + 1, unit),
        direct=wording.count(_direct(estimate)),
        verdict=item.verdict(estimate),
        truth=wording.value(cell.truth, max(places, 1), unit) if cell.truth is not None else "",
        holds=None if cell.truth is None else reports_with_answer(cell, sampling=manner.sampling),
        sentence=_sentence(item, cell, places, manner, (estimate.noise_low, estimate.noise_high)),
    )


def _direct(estimate: Estimate) -> float | None:
    """The equivalent direct answers; None for fewer than two, which have no standard error."""
    needed = estimate.direct_question_n
    return needed if needed is not None and needed >= 2 else None


def _sentence(
    item: QuestionResults,
    cell: EstimateCell,
    places: int,
    manner: NumberFormat,
    ends: tuple[float | None, float | None],
) -> str:
    """The estimate with the interval between these ends; only the interval if it is too imprecise to report."""
    estimate, unit = cell.estimate, wording.unit_of(mean=cell.estimate.measure == MEAN)
    of = "one_of_several" if item.kind == "several_choices" else "share"
    if estimate.measure == MEAN:
        of = "mean_of_some" if None in item.question.values else "mean"
    label = wording.interval_label(manner.confidence, both=manner.sampling)
    return wording.sentence(
        wording.Quote(
            of,
            n=estimate.n,
            estimate=wording.value(estimate.constrained, places, unit),
            interval=f"{label} {wording.span(*ends, places, unit)}",
            verdict=item.verdict(estimate),
            choice=cell.choice,
            group=cell.group,
            weighted=targets.is_weighted(targets.estimate_meta(item, estimate).noise_target),
            simulated=manner.simulated,
        )
    )


def reports_with_answer(cell: EstimateCell, *, sampling: bool) -> bool:
    """Return True if the interval contains the known truth: that for a population, or that for respondents."""
    estimate, truth = cell.estimate, cell.truth
    low, high = (estimate.low, estimate.high) if sampling else (estimate.noise_low, estimate.noise_high)
    return truth is not None and low is not None and high is not None and low <= truth <= high
