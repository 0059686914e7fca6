"""The export formats of a finished run: one registry for pages, jobs, programs and commands."""

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import BinaryIO

from django.utils.module_loading import import_string

from estimator.base.cells import ExportError as ExportError
from estimator.base.cells import Watch as Watch
from estimator.base.cells import no_progress
from estimator.base.extras import lacking_package
from estimator.base.languages import DEFAULT, activated
from estimator.exports import bundle
from estimator.exports.codebook import codebook_file
from estimator.exports.ddi import ddi_file
from estimator.exports.estimates import csv_file
from estimator.exports.json_document import json_file
from estimator.exports.microdata import check as check_reports
from estimator.exports.microdata import check_in_memory
from estimator.models import Run
from estimator.reports.files import write_html, write_pdf
from estimator.runs.results import NOTHING_KNOWN, ReportContext

Write = Callable[[Run, ReportContext, BinaryIO, Watch], None]
STATISTICS = ("pandas", "pyreadstat")
"""The packages that write files of SPSS and Stata."""


@dataclass(frozen=True)
class Format:
    """An export format.

    - `name`: its word in addresses, on the command line and in the API.
    - `suffix`: of its files, with the dot.
    - `label`: what it is, in words for the panel.
    - `write`: writes the whole file of a finished run. The same state gives the same bytes. Raises ExportError.
    - `microdata`: whether it holds a row for each report; such a file asks for an explicit choice.
    - `translated`: whether it is written in a language that is chosen: `write` is called with that one active.
    - `about`: what it is for, in a sentence for the panel.
    - `check`: raises ExportError where the file cannot be made, as far as can be said without making it: for whoever
      wants to know before a job is begun.
    - `packages`: of requirements-formats.txt, that it is written with.
    """

    name: str
    suffix: str
    content_type: str
    label: str
    write: Write
    microdata: bool = False
    translated: bool = False
    about: str = ""
    check: Callable[[Run], None] = lambda run: None
    packages: tuple[str, ...] = ()

    def whole(self, run: Run, context: ReportContext = NOTHING_KNOWN) -> bytes:
        """The complete file as bytes, for one that fits into memory."""
        out = io.BytesIO()
        self.write(run, context, out, no_progress)
        return out.getvalue()


def _made(make: Callable[[Run, ReportContext], bytes]) -> Write:
    """A writer for a file that is small enough to be made in memory."""

    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        out.write(make(run, context))
        watch(1.0)

    return write


def _loaded(function: str, *given: str) -> Write:
    """A writer that imports its module when called, as that loads pandas, pyarrow or XlsxWriter."""

    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        import_string(f"estimator.exports.{function}")(*given, run, context, out, watch)

    return write


def _bundled(*, microdata: bool) -> Write:
    """A writer of a bundle: of all formats without single reports, or with those that take so many."""

    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        if microdata:
            check_reports(run)
        single = [one for one in FORMATS.values() if one.suffix != ".zip"]
        chosen = [one for one in single if not one.microdata or (microdata and _can_be_made(one, run))]
        bundle.write(run, context, out, watch, chosen)

    return write


def _can_be_made(one: Format, run: Run) -> bool:
    """Return True if a format takes this many reports, as in a bundle."""
    try:
        one.check(run)
    except ExportError:
        return False
    return True


def _with_packages(form: Format) -> Format:
    """The format with a check for its packages: ExportError if one is missing, when requested or written."""

    def require() -> None:
        for package in form.packages:
            if missing := lacking_package(package, "formats"):
                raise ExportError(missing)

    def check(run: Run) -> None:
        require()
        form.check(run)

    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        require()
        form.write(run, context, out, watch)

    return replace(form, check=check, write=write) if form.packages else form


def _in_one_language(form: Format) -> Format:
    """Write an untranslated format in the first language, whichever is active."""
    if form.translated:
        return form

    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        with activated(DEFAULT):
            form.write(run, context, out, watch)

    return replace(form, write=write)


FORMATS: dict[str, Format] = {
    one.name: _in_one_language(_with_packages(one))
    for one in (
        Format(
            "html", ".html", "text/html; charset=utf-8", "Estimate report as a page", write_html, translated=True,
            about="The whole report in one self-contained file: to read, archive or send.",
        ),
        Format(
            "pdf", ".pdf", "application/pdf", "Estimate report as PDF", write_pdf, translated=True,
            about="The printable report (A4, tagged), for example as a supplement to a publication.",
        ),
        Format(
            "csv", ".csv", "text/csv; charset=utf-8", "Estimates as CSV", _made(csv_file),
            about="One row per estimate, for any spreadsheet or program.",
        ),
        Format(
            "json", ".json", "application/json", "The whole report as JSON", _made(json_file),
            about="Design, totals, estimates and privacy label in one document.",
        ),
        Format(
            "xlsx", ".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "Workbook for Excel and LibreOffice", _loaded("workbook.xlsx_file"), packages=("xlsxwriter",),
            about="One sheet per table: estimates, questions, tallies, privacy, randomisation, false responses.",
        ),
        Format(
            "parquet", ".parquet", "application/vnd.apache.parquet", "Estimates as Parquet",
            _loaded("parquet.parquet_file"), packages=("pyarrow",),
            about="The CSV table with data types, for pandas, polars, R and databases.",
        ),
        Format(
            "sav", ".sav", "application/x-spss-sav", "Estimates for SPSS",
            _loaded("spss_stata.estimates_file", ".sav"), packages=STATISTICS,
            about="The CSV table with variable labels.",
        ),
        Format(
            "dta", ".dta", "application/x-stata-dta", "Estimates for Stata",
            _loaded("spss_stata.estimates_file", ".dta"), packages=STATISTICS,
            about="The CSV table with variable labels, for Stata 14 and newer.",
        ),
        Format(
            "codebook", ".html", "text/html; charset=utf-8", "Codebook", _made(codebook_file),
            about="Questions, randomisation schemes, variables with their codes, and columns, as one page.",
        ),
        Format(
            "ddi", ".xml", "application/xml", "Codebook for archives (DDI)", _made(ddi_file),
            about="The same as XML (DDI Codebook 2.5) for data archives.",
        ),
        Format(
            "reports-csv", ".csv", "text/csv; charset=utf-8", "Randomised responses as CSV",
            _loaded("report_rows.csv_reports"), microdata=True, check=check_reports, packages=("pyarrow",),
            about="One row per response, in codes: randomised, not true answers. The order of rows says nothing.",
        ),
        Format(
            "reports-parquet", ".parquet", "application/vnd.apache.parquet", "Randomised responses as Parquet",
            _loaded("report_rows.parquet_reports"), microdata=True, check=check_reports, packages=("pyarrow",),
            about="The same rows, small and typed, with labels, for millions of responses.",
        ),
        Format(
            "reports-sav", ".sav", "application/x-spss-sav", "Randomised responses for SPSS",
            _loaded("spss_stata.reports_file", ".sav"), microdata=True, check=check_in_memory, packages=STATISTICS,
            about="The same table with variable and value labels.",
        ),
        Format(
            "reports-dta", ".dta", "application/x-stata-dta", "Randomised responses for Stata",
            _loaded("spss_stata.reports_file", ".dta"), microdata=True, check=check_in_memory, packages=STATISTICS,
            about="The same table with variable and value labels, for Stata 14 and newer.",
        ),
        Format(
            "bundle", ".zip", "application/zip", "Everything in one zip", _bundled(microdata=False),
            about="All files of the report, with Python and R scripts that reproduce its numbers without Candor.",
        ),
        Format(
            "bundle-with-reports", ".zip", "application/zip", "Everything in one zip, with the randomised responses",
            _bundled(microdata=True), microdata=True, check=check_reports,
            about="The same, with one row per response: randomised, not true answers.",
        ),
    )
}  # fmt: skip
