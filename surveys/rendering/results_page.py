"""The page at a closed survey's link with the final estimates, if its owner shows them to respondents.

Rendered from the run that closing asked for, in one of the survey's languages, the same bytes for everybody: nothing of
a request is in it, no cookie, no script. Only what needs no assumption about who took part is shown: the interval for
the chance of the tickets alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.utils import formats, translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from estimator.base import charts, wording
from estimator.base.charts import Axis, ChartRow
from estimator.base.measures import IMPOSSIBLE, MEAN
from estimator.base.verdict import Verdict
from estimator.models import Run
from estimator.runs import results, targets
from estimator.runs.groups import OTHER, label_in
from estimator.runs.results import EstimateCell, QuestionResults
from surveys.definition.languages import language_links
from surveys.rendering import pages
from surveys.rendering.beside import logo_in


@dataclass(frozen=True)
class ResultRow:
    """One estimate; `missing` is the reason if there are no numbers."""

    group: str
    answer: str
    estimate: str = ""
    interval: str = ""
    missing: str = ""


@dataclass(frozen=True)
class ResultBlock:
    """A question with its charts and tables, the mean and the shares separately."""

    number: int
    wording: str
    notes: tuple[str, ...]
    parts: tuple[tuple[SafeString, tuple[ResultRow, ...]], ...]


@lru_cache(maxsize=64)
def rendered(key: str, language: str) -> bytes:
    """The page of a finished run in one of its survey's languages, cached because a run never changes."""
    run = Run.objects.get(key=key)
    read = results.read(run)
    design = read.design
    with translation.override(language):
        context = {
            **pages.texts_in(design, language),
            **logo_in(design, language),
            "doors": language_links("respond", design),
            "counted": _number(run.reports or 0),
            "certain": f"{100 * run.confidence:g}",
            "grouped": bool(read.partition.parts),
            "weighted": targets.is_weighted(targets.target(read.partition, sampled=False)),
            "blocks": [_block(item, number, language) for number, item in enumerate(read.items, start=1)],
        }
    return pages.render("surveys/results.html", context, language)


def _block(item: QuestionResults, number: int, language: str) -> ResultBlock:
    question = item.frozen.wording[language]
    parts = [cells for cells in (item.means, item.shares) if cells]
    return ResultBlock(
        number=number,
        wording=question,
        notes=tuple(_notes(item, language)),
        parts=tuple(
            _part(item, cells, f"result-{number}-{place}", question, language) for place, cells in enumerate(parts)
        ),
    )


def _notes(item: QuestionResults, language: str) -> Iterator[str]:
    frozen, flags = item.frozen, {flag for cell in item.shown for flag in cell.estimate.flags}
    if item.version_names:
        yield _("Not everyone got this question: chance decided who did.")
    if frozen.asked_if is not None:
        yield _unasked(item, language)
    if item.kind == "several_choices":
        yield _("People could tick more than one answer, so the shares need not add up to 100.")
    if any(
        targets.is_weighted(targets.estimate_meta(item, cell.estimate).noise_target)
        for cell in item.shown
        if cell.known
    ):
        yield _("Everyone who took part: weighted by the known group sizes.")
    if any(item.verdict(cell.estimate) is Verdict.TOO_IMPRECISE for cell in item.shown):
        yield _("Where a range is very wide, there are too few responses to tell.")
    if IMPOSSIBLE in flags:
        yield _("More people sent one answer than chance explains. Someone may have sent false responses.")


def _unasked(item: QuestionResults, language: str) -> str:
    frozen, unasked = item.frozen, item.frozen.unasked
    if unasked is None or item.kind == "several_choices":
        return _("Not everyone got this question. Those who did not count as having ticked nothing.")
    if item.kind == "number":
        answer = _plain(float(item.question.values[unasked] or 0))
    else:
        answer = frozen.choices[unasked][language]
    return _("Not everyone got this question. Those who did not count as “%(answer)s”.") % {"answer": answer}


def _part(
    item: QuestionResults, cells: tuple[EstimateCell, ...], key: str, question: str, language: str
) -> tuple[SafeString, tuple[ResultRow, ...]]:
    lines = [_line(item, cell, language) for cell in cells]
    rows = []
    for place, (cell, line) in enumerate(zip(cells, lines, strict=True)):
        begins = bool(item.partition.parts) and (place == 0 or lines[place - 1].group != line.group)
        rows.append(_row(cell, line, line.group if begins else ""))
    axis = _axis(item, rows, mean=cells[0].estimate.measure == MEAN)
    return charts.pictures(rows, key=key, title=question, axis=axis), tuple(lines)


def _line(item: QuestionResults, cell: EstimateCell, language: str) -> ResultRow:
    estimate, unit = cell.estimate, _unit(cell)
    group, answer = _("Everyone who took part"), _("Average")
    if cell.group_key == OTHER:
        group = _("Other groups")
    elif estimate.stratum is not None:
        group = label_in(item.design, estimate.stratum, language)
    if estimate.measure != MEAN:
        answer = item.frozen.choices[estimate.choice][language]
    if not cell.known or estimate.noise_low is None or estimate.noise_high is None:
        return ResultRow(group, answer, missing=_("Too few responses for an estimate"))
    places = wording.decimals(estimate.standard_error, unit)
    low, high = wording.outwards(estimate.noise_low, estimate.noise_high, places, unit)
    return ResultRow(
        group,
        answer,
        estimate=_number(unit.factor * (estimate.constrained or 0.0), places) + unit.sign,
        interval=f"{_number(low, places)} – {_number(high, places)}{unit.sign}",
    )


def _row(cell: EstimateCell, line: ResultRow, heading: str) -> ChartRow:
    if line.missing:
        return ChartRow(line.answer, line.missing, heading=heading)
    estimate = cell.estimate
    return ChartRow(
        label=line.answer,
        text=f"{line.estimate} ({line.interval})",
        estimate=estimate.constrained,
        noise_low=estimate.noise_low,
        noise_high=estimate.noise_high,
        heading=heading,
    )


class _LocalAxis(Axis):
    """An axis with ticks in the number format of the page's language."""

    def tick(self, number: float) -> str:
        return super().tick(number) if self.shares else _plain(number)


def _axis(item: QuestionResults, rows: list[ChartRow], *, mean: bool) -> Axis:
    if not mean:
        return charts.axis_for(rows)
    points = [float(value) for value in item.question.values if value is not None]
    grain = points[1] - points[0] if len(points) > 1 else 1.0
    return _LocalAxis(**vars(charts.axis_of_range(points[0], points[-1], grain)))


def _unit(cell: EstimateCell) -> wording.Unit:
    return wording.PLAIN if cell.estimate.measure == MEAN else wording.PERCENT


def _plain(number: float) -> str:
    """A number that was offered as an answer, with its original decimals."""
    return _number(number, len(f"{number:.10g}".partition(".")[2]))


def _number(number: float, places: int = 0) -> str:
    """A number in the format of the page's language, never a negative zero."""
    return formats.number_format(round(number, places) + 0.0, decimal_pos=places, force_grouping=True)
