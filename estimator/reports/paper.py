"""The PDF of a report: the texts, numbers and charts of its page, as the data of a typst template."""

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from estimator.base.charts import Axis, ChartRow
from estimator.base.languages import direction
from estimator.base.typesetting import letters
from estimator.reports.facts import Fact
from estimator.reports.privacy import QuestionPrivacy
from estimator.reports.protection_check import ProtectionCheck
from estimator.reports.published_analyses import AnalysisFigure, PublishedAnalysis
from estimator.reports.question_blocks import EstimatePart, Figure, Headline, QuestionBlock
from estimator.reports.report import EstimateReport, ReportSection
from estimator.reports.tables import Cell, ReportTable, TableColumn, TableRow
from estimator.reports.trends import EstimateChange

TEMPLATE = Path(__file__).parent / "report.typ"

OF_REPORT = (
    "language", "words", "introduction", "coverage", "simulated", "every_look", "warning", "in_short", "how_to_read",
    "sections", "changes", "analyses", "protection", "nonresponse", "references", "label_facts", "left_empty",
    "disclosed", "limits", "verifying", "code", "origin",
)  # fmt: skip
"""What the template prints of a report."""

PRINTED: dict[type, tuple[str, ...]] = {
    ReportSection: ("title", "introduction", "blocks"),
    QuestionBlock: ("number", "wording", "offered", "choices", "notes", "flag_words", "parts", "bounds"),
    EstimatePart: ("title", "lines", "overall", "main", "by_group", "groups"),
    ProtectionCheck: ("sentences", "figure", "table", "following", "limits"),
    PublishedAnalysis: ("title", "about", "sentences", "cautions", "figures", "methods"),
    AnalysisFigure: ("title", "figure", "table"),
    EstimateChange: ("wording", "sentences", "figure", "table"),
    ReportTable: ("caption", "columns", "rows"),
    TableColumn: ("text", "number"),
    TableRow: ("quote",),
    Cell: ("text", "kind", "span", "quoted", "note", "stands_out", "verdict"),
    Fact: ("title", "text", "written", "language", "missing", "code"),
}
"""What it prints of each part."""

PLACED = ("estimate", "low", "high", "noise_low", "noise_high", "truth")
"""The numbers of a chart's row."""

LACKING = "[?]"
"""Substitute for letters that the fonts lack, such as an emoji."""

JOINERS = "\u200c\u200d\ufe0e\ufe0f"
"""Characters that only style those beside them; omitted if the fonts lack them."""

MOST_LACKING = 0.25
"""Largest fraction of a question's letters that may be lacking; with more it would be unreadable."""


def data(report: EstimateReport) -> dict[str, object] | None:
    """All texts of the PDF, with substitutes for letters that the fonts lack; None if they lack too many.

    The report's language must be spoken.
    """
    texts = _texts(report)
    quoted = [report.results.title, *(block.wording for block in report.blocks)]
    if any(sum(map(text.count, _lacking(text))) > MOST_LACKING * len(text) for text in quoted):
        return None
    printed: dict[str, object] = _printable(texts)
    remark = _("[?] stands for characters that the fonts of this PDF lack; the web page of the report shows them.")
    return printed | {"lacking": remark if LACKING in str(printed) else ""}


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        if not (lacking := _lacking(value)):
            return value
        unprinted = re.compile(f"[{re.escape(lacking)}{JOINERS}]+")
        return unprinted.sub(lambda found: LACKING if found[0].strip(JOINERS) else "", value)
    if isinstance(value, dict):
        return {name: _printable(one) for name, one in value.items()}
    return [_printable(one) for one in value] if isinstance(value, list | tuple) else value


def _lacking(text: str) -> str:
    return "".join({letter for letter in text if ord(letter) not in letters() and not letter.isspace()})


def _texts(report: EstimateReport) -> dict[str, object]:
    language = report.results.language.partition("-")[0]
    return {name: _plain(getattr(report, name)) for name in OF_REPORT} | {
        "survey_language": language,
        "rtl": language in settings.LANGUAGES_BIDI,
        "mirrored": direction() == "rtl",
        "title": report.results.title,
        "facts": _key_facts(report),
        "summary": [_summary_row(block.wording, block.headline) for block in report.blocks],
        "legend": [[name.removeprefix("mark_"), words] for name, words in report.legend.items()],
        "assumption": report.assumption if report.changes else "",
        "methods": report.methods.paragraphs,
        "groups_asked": report.words["groups_asked"] if report.strata_wording else "",
        "channels": [_channel(item) for item in report.label.items],
    }


def _plain(value: Any) -> Any:
    """A part of a report as plain data: a picture by its places, other parts by their PRINTED fields."""
    if isinstance(value, Figure):
        return _figure(value)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    names = PRINTED.get(type(value))
    return value if names is None else {name: _plain(getattr(value, name)) for name in names}


def _key_facts(report: EstimateReport) -> list[list[str]]:
    words = report.words
    reports = report.reports + (f" ({words['with_coin']})" if report.coin_reports else "")
    return [
        [words["reports"], reports],
        [words["counted"], report.counted_on],
        [words["intervals"], report.confidence],
        [words["epsilon"], report.label.epsilon_text + (f" ({waves})" if (waves := report.in_all_waves) else "")],
    ]


def _summary_row(question: str, head: Headline) -> dict[str, object]:
    """The row of a question in the summary, with the positions of its marks as fractions of the axis."""
    return {
        "question": question,
        "about": head.about,
        "quoted": head.quoted,
        "missing": head.line.missing,
        "estimate": head.line.estimate,
        "interval": head.line.noise,
        "verdict": _plain(head.verdict),
        "marks": _places(head.row, head.axis),
    }


def _places(row: ChartRow, axis: Axis) -> dict[str, float | None]:
    found = {name: getattr(row, name) for name in PLACED}
    return {name: None if number is None else axis.part_of_width(number) for name, number in found.items()}


def _figure(figure: Figure) -> dict[str, object]:
    """The positions of a chart's parts, as fractions of the axis; the template draws it."""
    axis = figure.axis
    return {
        "alt": figure.words,
        "ticks": [[axis.part_of_width(tick), axis.tick(tick)] for tick in axis.ticks],
        "rows": [
            {name: getattr(row, name) for name in ("heading", "label", "text")} | _places(row, axis)
            for row in figure.rows
        ],
    }


def _channel(item: QuestionPrivacy) -> dict[str, object]:
    text = f"{item.sentence} {item.named} {item.how}".strip()
    return {"wording": item.wording, "text": text, **asdict(item.tickets)}
