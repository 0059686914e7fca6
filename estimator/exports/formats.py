"""The export formats of a finished run: one registry for pages, jobs, programs and commands."""

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy

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

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


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
    label: "StrOrPromise"
    write: Write
    microdata: bool = False
    translated: bool = False
    about: "StrOrPromise" = ""
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
            "html",
            ".html",
            "text/html; charset=utf-8",
            gettext_lazy("Estimate report as a web page"),
            write_html,
            translated=True,
            about=gettext_lazy("The whole report in one file that needs no other: to read, archive or send."),
        ),
        Format(
            "pdf",
            ".pdf",
            "application/pdf",
            gettext_lazy("Estimate report as PDF"),
            write_pdf,
            translated=True,
            about=gettext_lazy("The same for paper: tagged, A4, to attach to a publication."),
        ),
        Format(
            "csv",
            ".csv",
            "text/csv; charset=utf-8",
            gettext_lazy("Estimates as CSV"),
            _made(csv_file),
            about=gettext_lazy("One row for each estimate, for any spreadsheet or program."),
        ),
        Format(
            "json",
            ".json",
            "application/json",
            gettext_lazy("The whole report as JSON"),
            _made(json_file),
            about=gettext_lazy(
                "Design, totals, estimates and privacy label in one document, from which every number can be computed."
            ),
        ),
        Format(
            "xlsx",
            ".xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            gettext_lazy("Workbook for Excel and LibreOffice"),
            _loaded("workbook.xlsx_file"),
            packages=("xlsxwriter",),
            about=gettext_lazy(
                "One sheet per table: estimates, questions, tallies, privacy, randomisation, false responses."
            ),
        ),
        Format(
            "parquet",
            ".parquet",
            "application/vnd.apache.parquet",
            gettext_lazy("Estimates as Parquet"),
            _loaded("parquet.parquet_file"),
            packages=("pyarrow",),
            about=gettext_lazy("The rows of the CSV file, with types, for pandas, polars, R and databases."),
        ),
        Format(
            "sav",
            ".sav",
            "application/x-spss-sav",
            gettext_lazy("Estimates for SPSS"),
            _loaded("spss_stata.estimates_file", ".sav"),
            packages=STATISTICS,
            about=gettext_lazy("The rows of the CSV file, with labels of variables."),
        ),
        Format(
            "dta",
            ".dta",
            "application/x-stata-dta",
            gettext_lazy("Estimates for Stata"),
            _loaded("spss_stata.estimates_file", ".dta"),
            packages=STATISTICS,
            about=gettext_lazy("The rows of the CSV file, with labels of variables; Stata 14 and newer."),
        ),
        Format(
            "codebook",
            ".html",
            "text/html; charset=utf-8",
            "Codebook",
            _made(codebook_file),
            about=gettext_lazy(
                "Questions, randomisation schemes, variables with their codes, and columns, on one page."
            ),
        ),
        Format(
            "ddi",
            ".xml",
            "application/xml",
            gettext_lazy("Codebook for archives (DDI)"),
            _made(ddi_file),
            about=gettext_lazy("The same as XML: DDI Codebook 2.5, which data archives accept."),
        ),
        Format(
            "reports-csv",
            ".csv",
            "text/csv; charset=utf-8",
            gettext_lazy("Randomised responses as CSV"),
            _loaded("report_rows.csv_reports"),
            microdata=True,
            check=check_reports,
            packages=("pyarrow",),
            about=gettext_lazy(
                "One row for each response, as codes: randomised, not true answers. The order of rows has no meaning."
            ),
        ),
        Format(
            "reports-parquet",
            ".parquet",
            "application/vnd.apache.parquet",
            gettext_lazy("Randomised responses as Parquet"),
            _loaded("report_rows.parquet_reports"),
            microdata=True,
            check=check_reports,
            packages=("pyarrow",),
            about=gettext_lazy("The same rows, small and with types and labels, for millions of responses."),
        ),
        Format(
            "reports-sav",
            ".sav",
            "application/x-spss-sav",
            gettext_lazy("Randomised responses for SPSS"),
            _loaded("spss_stata.reports_file", ".sav"),
            microdata=True,
            check=check_in_memory,
            packages=STATISTICS,
            about=gettext_lazy("The same rows with labels of variables and of values."),
        ),
        Format(
            "reports-dta",
            ".dta",
            "application/x-stata-dta",
            gettext_lazy("Randomised responses for Stata"),
            _loaded("spss_stata.reports_file", ".dta"),
            microdata=True,
            check=check_in_memory,
            packages=STATISTICS,
            about=gettext_lazy("The same rows with labels of variables and of values; Stata 14 and newer."),
        ),
        Format(
            "bundle",
            ".zip",
            "application/zip",
            gettext_lazy("Everything in one ZIP file"),
            _bundled(microdata=False),
            about=gettext_lazy(
                "Every file of the report, and scripts in Python and R that compute its numbers without Candor."
            ),
        ),
        Format(
            "bundle-with-reports",
            ".zip",
            "application/zip",
            gettext_lazy("Everything in one ZIP file, with the randomised responses"),
            _bundled(microdata=True),
            microdata=True,
            check=check_reports,
            about=gettext_lazy("The same, with one row for each response: randomised, not true answers."),
        ),
    )
}
