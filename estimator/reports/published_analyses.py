"""The analyses that a team shows in the reports of a version: what they found, their charts, tables and methods."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils import translation
from django.utils.safestring import SafeString

from estimator.analyses import presentation, selectors
from estimator.analyses.figures import FigureTable, FigureWithTable
from estimator.models import Analysis, Run
from estimator.reports.question_blocks import Figure
from estimator.reports.tables import Cell, ReportTable, TableColumn


@dataclass(frozen=True)
class AnalysisFigure:
    """A chart, as the page draws it and as paper does, and the table of the same numbers."""

    title: str
    picture: SafeString
    figure: Figure | None
    table: ReportTable

    @property
    def wording(self) -> str:
        return self.title


@dataclass(frozen=True)
class PublishedAnalysis:
    """An analysis as a report shows it; `about` quotes the survey's words."""

    key: str
    title: str
    about: tuple[str, ...]
    sentences: tuple[str, ...]
    cautions: tuple[str, ...]
    figures: tuple[AnalysisFigure, ...]
    methods: tuple[str, ...]


def published(run: Run) -> tuple[PublishedAnalysis, ...]:
    """The analyses of a run's version that are published, the first requested first, in the report's language."""
    return tuple(map(_published, selectors.published_of(run.design_id)))


def _published(analysis: Analysis) -> PublishedAnalysis:
    page = presentation.present(analysis)
    return PublishedAnalysis(
        analysis.key,
        analysis.name or translation.gettext(analysis.get_kind_display()),
        page.about,
        tuple(page.sentences),
        tuple(page.cautions),
        tuple(_figures(page.parts, analysis.key[:8])),
        tuple(map(str, page.methods)),
    )


def _figures(parts: Sequence[FigureWithTable], key: str) -> Iterator[AnalysisFigure]:
    for number, part in enumerate(parts):
        figure = Figure(part.drawn, f"{key}-{number}", part.title, part.axis) if part.axis else None
        yield AnalysisFigure(part.title, figure.html if figure else part.picture, figure, _table(part.table))


def _table(table: FigureTable) -> ReportTable:
    columns = tuple(TableColumn(text, number=place >= table.names) for place, text in enumerate(table.head))
    rows = (
        tuple(Cell(text, _kind(place, span, table), span) for place, (text, span) in enumerate(row))
        for row in table.spanned
    )
    return ReportTable(table.caption, columns, tuple(rows))


def _kind(place: int, span: int, table: FigureTable) -> str:
    if span > 1:
        return "missing" if place else "heading"
    return "head" if place == 0 else "words" if place < table.names else "number"
