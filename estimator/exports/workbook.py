"""A finished run as a workbook (XLSX): a readme sheet, then one sheet for each table, with typed cells.

Text is written as text, whatever it begins with. Numbers have the 16 digits that XlsxWriter writes. Rows go through a
temporary file, so that a large workbook takes no more memory than a small one.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from django.utils.translation import gettext
from xlsxwriter import Workbook
from xlsxwriter.format import Format as Style
from xlsxwriter.worksheet import Worksheet

from estimator.base.cells import FORMULA, ExportError, Watch
from estimator.base.languages import filled
from estimator.exports.tables import ExportTable, tables
from estimator.exports.variables import WARNING
from estimator.models import Run
from estimator.reports import privacy
from estimator.runs import groups, results
from estimator.runs.results import ReportContext, Results

MOST_ROWS = 1_048_575
"""Maximum rows below the header; a sheet has no more."""

LONGEST = 32_767
"""Maximum characters in a cell, in the 16-bit units that spreadsheets count."""

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
"""Characters that XML does not allow, or that some readers show as an escape."""

WIDTHS = {"text": 24, "whole": 10, "number": 14, "moment": 20}
TELL = 2_000
"""Rows between two progress reports."""


def xlsx_file(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
    """Write the workbook. Raises ExportError where a table is longer than a sheet can be."""
    read = results.read(run, context)
    with TemporaryDirectory() as folder:
        book = Workbook(out, {"constant_memory": True, "tmpdir": folder, "remove_timezone": True})
        _write(book, read, watch)
        book.close()
    watch(1.0)


def _write(book: Workbook, read: Results, watch: Watch) -> None:
    assert read.run.snapshot_at is not None
    made = read.run.snapshot_at.astimezone(UTC).replace(tzinfo=None)
    book.set_properties({"title": read.title[:255], "comments": WARNING, "created": made})
    styles = _Styles(book)
    found = list(tables(read))
    _readme(book.add_worksheet("readme"), styles, read, found)
    for number, table in enumerate(found):
        _sheet(book.add_worksheet(table.name), styles, table, partial(watch, number / (len(found) + 1)))


class _Styles:
    def __init__(self, book: Workbook) -> None:
        self.head: Style = book.add_format({"bold": True, "bottom": 1})
        self.moment: Style = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self.quoted: Style = book.add_format({"quote_prefix": True})
        """A cell that stays text also where somebody edits it."""


def _readme(sheet: Worksheet, styles: _Styles, read: Results, found: Sequence[ExportTable]) -> None:
    run, label, of_groups = read.run, privacy.label(read), groups.epsilon_of(read.design)
    before = label.before
    lines: list[tuple[str, Any]] = [
        ("title", read.title),
        ("what", "Estimates from randomised responses, with their inputs."),
        ("sent, count", f"{WARNING}: columns of these names count randomised responses."),
        ("responses", run.reports),
        ("snapshot_at", run.snapshot_at.isoformat() if run.snapshot_at else None),
        *((("who could answer", str(label.way_in.protection)),) if not read.design.rehearsal else ()),
        ("epsilon of all answers", read.epsilon),
        *((("epsilon of the sizes of groups", float(of_groups)),) if of_groups is not None else ()),
        *((("epsilon of all waves so far, at most", before.epsilon_together),) if before else ()),
        *((("reason to open above a ceiling", label.reason),) if label.reason else ()),
        ("design", read.design.digest),
        ("run", run.key),
        ("estimator_version", run.version),
        ("", ""),
        *((table.name, table.about) for table in found),
        ("", ""),
        *((column.name, column.label) for column in found[0].columns),
    ]
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, 1, 90)
    for row, (name, value) in enumerate(lines):
        sheet.write_string(row, 0, name, styles.head)
        kind = "text" if value is None or isinstance(value, str) else "number"
        _cell(sheet, styles, row, 1, kind, value)


def _sheet(sheet: Worksheet, styles: _Styles, table: ExportTable, tell: Callable[[], None]) -> None:
    tell()
    sheet.freeze_panes(1, 0)
    for place, column in enumerate(table.columns):
        sheet.set_column(place, place, WIDTHS[column.kind])
        sheet.write_string(0, place, column.name, styles.head)
    for number, row in enumerate(table.rows, start=1):
        if number > MOST_ROWS:
            raise ExportError(
                filled(
                    gettext("A sheet has {most:,} rows at most, and {table} needs more; take the JSON file."),
                    most=MOST_ROWS,
                    table=table.name,
                )
            )
        for place, column in enumerate(table.columns):
            _cell(sheet, styles, number, place, column.kind, row.get(column.name))
        if number % TELL == 0:
            tell()


def _cell(sheet: Worksheet, styles: _Styles, row: int, place: int, kind: str, value: Any) -> None:
    if value is None or value == "":
        return
    if kind == "moment":
        sheet.write_datetime(row, place, datetime.fromisoformat(value), styles.moment)
    elif kind == "text":
        sheet.write_string(row, place, column_width(value), styles.quoted if value.startswith(FORMULA) else None)
    else:
        sheet.write_number(row, place, value)


def column_width(text: str) -> str:
    """Clean a text for a cell: no longer than LONGEST, and no characters that XML does not allow."""
    plain = UNSAFE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if plain.startswith("<r>") and plain.endswith("</r>"):
        plain += " "  # else XlsxWriter takes it for markup of its own
    units = plain.encode("utf-16-le")
    if len(units) <= 2 * LONGEST:
        return plain
    return units[: 2 * (LONGEST - 1)].decode("utf-16-le", "ignore") + "…"
