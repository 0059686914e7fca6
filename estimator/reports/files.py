"""Standalone files of a report: one HTML document with everything embedded, or a PDF."""

import base64
from functools import cache
from pathlib import Path
from typing import BinaryIO

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from estimator.base.cells import ExportError, Watch
from estimator.base.languages import activated, active
from estimator.base.typesetting import FONTS, typeset
from estimator.models import Run
from estimator.reports import paper, report
from estimator.runs.results import NOTHING_KNOWN, ReportContext

STYLES = tuple(f"estimator/{name}.css" for name in ("tokens", "page", "report", "results", "summary", "pictures"))
FACES = (("NotoSans-Regular.ttf", 400), ("NotoSans-Bold.ttf", 700))
ARABIC = (("NotoSansArabic-Regular.ttf", 400), ("NotoSansArabic-Bold.ttf", 700))
"""Embedded fonts with their weights; the Arabic ones only if the report or the survey has such letters."""

OWN = 'html{font-family:"Noto Sans","Noto Sans Arabic",sans-serif}'


def html_file(run: Run, language: str, context: ReportContext = NOTHING_KNOWN) -> bytes:
    """The report as one HTML document: styles, charts and fonts embedded, no script, no outside address."""
    with activated(language):
        shown = report.context(run, context)
        return render_to_string("estimator/alone.html", {**shown, "styles": _styles(_arabic(shown["report"]))}).encode()


def pdf_file(run: Run, language: str, context: ReportContext = NOTHING_KNOWN) -> bytes:
    """The report as a tagged PDF (PDF/UA-1). Raises ExportError where the fonts lack a letter."""
    with activated(language):
        data = paper.data(report.build(run, context))
    made = typeset(paper.TEMPLATE, data) if data else b""
    if not made:
        raise ExportError(
            "The fonts that come with the platform lack the letters of this survey, so there is no PDF of its report. "
            "The HTML file has every letter."
        )
    return made


def write_html(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
    """Write the file of `html_file` in the active language."""
    out.write(html_file(run, active(), context))
    watch(1.0)


def write_pdf(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
    """Write the file of `pdf_file` in the active language."""
    out.write(pdf_file(run, active(), context))
    watch(1.0)


def _arabic(shown: report.EstimateReport) -> bool:
    words = f"{shown.words} {shown.results.design.document} {shown.disclosure.texts}"
    return any("\u0600" <= letter <= "\u06ff" for letter in words)


@cache
def _styles(arabic: bool) -> SafeString:
    """The report's style sheets and fonts."""
    sheets = [Path(str(finders.find(name))).read_text(encoding="utf-8") for name in STYLES]
    fonts = [_face(name, weight) for name, weight in FACES + ARABIC * arabic]
    return mark_safe("\n".join([*fonts, *sheets, OWN]))  # noqa: S308 - our own files


def _face(name: str, weight: int) -> str:
    font = base64.b64encode((FONTS / name).read_bytes()).decode()
    family = "Noto Sans Arabic" if "Arabic" in name else "Noto Sans"
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};'
        f'src:url("data:font/ttf;base64,{font}") format("truetype")}}'
    )
