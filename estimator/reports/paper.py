"""The PDF of a report: the texts, numbers and charts of its page, as the data of a typst template."""

import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from estimator.base.charts import Axis
from estimator.base.typesetting import letters
from estimator.reports.facts import Fact
from estimator.reports.privacy import QuestionPrivacy
from estimator.reports.question_blocks import EstimatePart, Figure, QuestionBlock
from estimator.reports.report import EstimateReport
from estimator.reports.tables import ReportTable

TEMPLATE = Path(__file__).parent / "report.typ"

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
    asked = [report.results.title, *(block.wording for block in report.blocks)]
    if any(sum(map(text.count, _lacking(text))) > MOST_LACKING * len(text) for text in asked):
        return None
    printed: dict[str, object] = _printable(texts)
    said = _("[?] stands for letters that the fonts of this PDF lack; the report as a page has them.")
    return printed | {"lacking": said if LACKING in str(printed) else ""}


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        lacking = _lacking(value)
        return re.sub(f"[{re.escape(lacking)}{JOINERS}]+", _instead, value) if lacking else value
    if isinstance(value, dict):
        return {name: _printable(one) for name, one in value.items()}
    return [_printable(one) for one in value] if isinstance(value, list | tuple) else value


def _instead(found: re.Match[str]) -> str:
    return LACKING if found.group().strip(JOINERS) else ""


def _lacking(text: str) -> str:
    return "".join({letter for letter in text if ord(letter) not in letters() and not letter.isspace()})


def _texts(report: EstimateReport) -> dict[str, object]:
    said = report.results.language
    return {
        "language": report.language,
        "said": said.partition("-")[0],
        "rtl": said.partition("-")[0] in settings.LANGUAGES_BIDI,
        "words": report.words,
        "title": report.results.title,
        "introduction": report.introduction,
        "facts": _key_facts(report),
        "coverage": report.coverage,
        "simulated": report.simulated,
        "every_look": report.every_look,
        "in_short": report.in_short,
        "how": report.how_to_read,
        "legend": [[name.removeprefix("mark_"), words] for name, words in report.legend.items()],
        "sections": _sections(report),
        "changes": _changes(report),
        "assumption": report.assumption if report.changes else "",
        "methods": list(report.methods.paragraphs),
        "groups_asked": report.words["groups_asked"] if report.strata_wording else "",
        "references": report.references,
        "label": [_fact(fact) for fact in report.label_facts],
        "channels": [_channel(item) for item in report.label.items],
        "left_empty": report.left_empty,
        "disclosed": [_fact(fact) for fact in report.disclosed],
        "limits": [_fact(fact) for fact in report.limits],
        "verifying": report.verifying,
        "code": report.code,
        "origin": [_fact(fact) for fact in report.origin],
    }


def _sections(report: EstimateReport) -> list[dict[str, object]]:
    return [
        {
            "title": section.title,
            "introduction": section.introduction,
            "blocks": [_block(block) for block in section.blocks],
        }
        for section in report.sections
    ]


def _changes(report: EstimateReport) -> list[dict[str, object]]:
    return [
        {
            "wording": change.wording,
            "sentences": list(change.sentences),
            "figure": _figure(change.figure),
            "table": _table(change.table),
        }
        for change in report.changes
    ]


def _key_facts(report: EstimateReport) -> list[list[str]]:
    words = report.words
    reports = report.reports + (f" ({words['with_coin']})" if report.coin_reports else "")
    return [
        [words["reports"], reports],
        [words["counted"], report.counted_on],
        [words["intervals"], report.confidence],
        [words["epsilon"], report.label.epsilon_text + (f" ({waves})" if (waves := report.in_all_waves) else "")],
    ]


def _block(block: QuestionBlock) -> dict[str, object]:
    return {
        "number": str(block.number),
        "wording": block.wording,
        "offered": block.offered,
        "choices": list(block.choices),
        "notes": list(block.notes),
        "flags": block.flag_words,
        "parts": [_part(part) for part in block.parts],
        "bounds": list(block.bounds),
    }


def _part(part: EstimatePart) -> dict[str, object]:
    return {
        "title": part.title,
        "quotes": [line.quote for line in part.lines],
        "overall": _figure(part.overall),
        "by_group": _figure(part.by_group) if part.by_group else None,
        "table": _table(part.main),
        "groups": _table(part.groups) if part.groups else None,
    }


def _figure(figure: Figure) -> dict[str, object]:
    """The positions of a chart's parts, as fractions of the axis; the template draws it."""
    axis = figure.axis
    return {
        "alt": figure.words,
        "ticks": [[axis.part_of_width(tick), axis.tick(tick)] for tick in axis.ticks],
        "rows": [
            {"heading": row.heading, "label": row.label, "text": row.text}
            | {name: _place(axis, getattr(row, name)) for name in PLACED}
            for row in figure.rows
        ],
    }


def _place(axis: Axis, number: float | None) -> float | None:
    return None if number is None else axis.part_of_width(number)


def _table(table: ReportTable) -> dict[str, object]:
    return {
        "caption": table.caption,
        "columns": [[column.text, column.number] for column in table.columns],
        "rows": [[vars(cell) for cell in row] for row in table.rows],
    }


def _channel(item: QuestionPrivacy) -> dict[str, object]:
    tickets = item.tickets
    return {
        "wording": item.wording,
        "text": f"{item.sentence} {item.named} {item.how}".strip(),
        "caption": tickets.caption,
        "corner": tickets.corner,
        "columns": list(tickets.columns),
        "rows": [[name, [[text, own] for text, own in cells]] for name, cells in tickets.rows],
        "remark": tickets.remark,
    }


def _fact(fact: Fact) -> dict[str, object]:
    return vars(fact)
