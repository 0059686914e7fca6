"""Files of translations: CSV and XLSX with a column for each language, and PO, gettext's format, of one language."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from django.utils.translation import gettext

from collector.errors import ValidationError
from estimator.base.extras import lacking_package
from estimator.base.languages import filled
from surveys.definition.parts import Definition
from surveys.exchange.files import decoded, fault, require_size, table_rows, workbook_sheets
from surveys.exchange.translations import PLACE, TranslatedRow, Translations, compared, rows_of, table_of, texts_of

FORMATS: Final = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "po": "text/x-gettext-translation; charset=utf-8",
}
"""The content type of each format, by its suffix."""

BEGINS_PO = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:#|msg(?:id|ctxt)\b)")
"""How a PO file begins, which may come without its name."""
FORMULA = re.compile(r"[=+\-@\t\r]")
WIDTH = 50


def write(definition: Definition, form: str, language: str) -> bytes:
    """The texts of a survey for translators.

    Parameters
    ----------
    form
        One of FORMATS.
    language
        The one that is translated into; a table has all of them, a PO file this one. Where there is only one, it may
        be left empty.

    Raises
    ------
    ValidationError
        Where the survey has no such language to translate into, or a package for the format is not installed.
    """
    if form == "po":
        return _po(definition, language)
    return _workbook(table_of(definition)) if form == "xlsx" else _csv(table_of(definition))


def read(content: bytes, *, filename: str, definition: Definition) -> Translations:
    """What a file that came back changes in a draft. Raises ValidationError, which names row, column and value."""
    require_size(content)
    if content.startswith(b"PK\x03\x04"):
        table = next((rows for rows in workbook_sheets(content).values() if rows and rows[0][:1] == [PLACE]), None)
        if table is None:
            raise fault(gettext("must have a sheet whose first cell is {place}").format(place=PLACE))
        rows, columns = rows_of(table, definition["languages"])
    elif PurePath(filename).suffix.lower() in (".po", ".pot") or BEGINS_PO.match(content):
        rows, columns = _po_rows(decoded(content), definition["languages"]), []
    else:
        table = [[_unquoted(cell) for cell in row] for row in table_rows(decoded(content))]
        rows, columns = rows_of(table, definition["languages"])
    found = compared(rows, definition)
    found.columns = columns
    return found


def _csv(table: Sequence[Sequence[str]]) -> bytes:
    """UTF-8 with its mark, which spreadsheets need; no cell is taken for a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerows([f"'{cell}" if FORMULA.match(cell) else cell for cell in row] for row in table)
    return out.getvalue().encode("utf-8-sig")


def _unquoted(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell, 1) else cell


def _workbook(table: Sequence[Sequence[str]]) -> bytes:
    if missing := lacking_package("openpyxl", "formats"):
        raise ValidationError(
            (), gettext("a table of translations as XLSX is a workbook, and {missing}").format(missing=missing)
        )
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    sheet = book.create_sheet("texts")
    sheet.freeze_panes = "B2"
    for number in range(len(table[0])):
        sheet.column_dimensions[get_column_letter(number + 1)].width = WIDTH
    for row in table:
        cells = [WriteOnlyCell(sheet, value=words) for words in row]
        for cell in cells:
            cell.data_type = "s"  # also where it begins like a formula
            cell.alignment = Alignment(wrap_text=True, vertical="top")
        sheet.append(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _po(definition: Definition, language: str) -> bytes:
    own, *others = definition["languages"]
    if not others:
        raise ValidationError(
            ("languages",),
            gettext("must be at least two, so that one of them can be translated; got {own}").format(own=own),
        )
    if not language and len(others) == 1:
        language = others[0]
    if language not in others:
        raise ValidationError(
            ("language",),
            gettext("must be one of {others}; got {language!r}").format(others=", ".join(others), language=language),
        )
    if missing := lacking_package("polib", "formats"):
        raise ValidationError((), gettext("PO files are written by polib, and {missing}").format(missing=missing))
    import polib

    file = polib.POFile(wrapwidth=-1)
    file.metadata = {
        "Project-Id-Version": definition["slug"],
        "Language": language,
        "X-Source-Language": own,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
    }
    for place, one in texts_of(definition).items():
        words = one.text.get(language, "")
        file.append(polib.POEntry(msgctxt=place, msgid=one.text[own], msgstr=words, comment=one.label))
    return f"{file}\n".encode()


def _po_rows(text: str, languages: Sequence[str]) -> list[TranslatedRow]:
    if missing := lacking_package("polib", "formats"):
        raise fault(gettext("is a PO file, and {missing}").format(missing=missing))
    import polib

    try:
        # With a line end, because polib takes a text that is the name of a file for that file.
        file = polib.pofile(f"{text}\n", encoding="utf-8")
    except (OSError, ValueError, IndexError) as error:
        raise fault(gettext("cannot be read as a PO file: {problem}").format(problem=str(error)[:200])) from None
    code = _language_of(str(file.metadata.get("Language", "")), languages)
    rows = []
    for entry in file:
        where = filled(gettext("line {linenum:,}"), linenum=entry.linenum)
        if entry.msgid_plural:
            raise fault(
                gettext("{where} must have no plural: texts of a survey have none; got {msgid_plural!r}").format(
                    where=where, msgid_plural=entry.msgid_plural[:60]
                )
            )
        if not entry.obsolete:
            place = (entry.msgctxt or "").strip()
            words, fuzzy = entry.msgstr.strip(), "fuzzy" in entry.flags
            rows.append(TranslatedRow(where, place or entry.msgid[:60], entry.msgid, {code: words}, fuzzy))
    return rows


def _language_of(written: str, languages: Sequence[str]) -> str:
    """The survey's language that the header names, with its country or without."""
    others = languages[1:]
    for code in (written.strip(), re.split(r"[-_@]", written.strip())[0]):
        if code in others:
            return code
    raise fault(
        gettext("must name its language in the header, one of {others}; got Language: {written!r}").format(
            others=", ".join(others), written=written[:60]
        )
    )
