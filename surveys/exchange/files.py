"""Files of other tools, read within bounds: text, CSV, JSON, XML without entities, workbooks that stay small unpacked.

Every reader raises ValidationError, which names the place, the bound and what was found, and nothing else.
"""

import csv
import io
import json
import zipfile
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from django.utils.translation import gettext, gettext_lazy

from collector.errors import ValidationError
from estimator.base.extras import lacking_package
from estimator.base.languages import filled

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


LARGEST_FILE = 1_000_000
"""Maximum bytes of a file."""

MOST_ROWS = 5_000
MOST_COLUMNS = 200
LONGEST_CELL = 32_767
"""Maximum rows and columns of a table, and characters of a cell."""

DEEPEST = 50
MOST_ELEMENTS = 100_000
"""Maximum nesting and number of elements of a JSON or XML document."""

LARGEST_UNPACKED = 20_000_000
LARGEST_RATIO = 200
MOST_FILES = 500
MOST_SHEETS = 20
"""Maximum bytes of a workbook when it is unpacked, in all; how often its packed size; files and sheets in it."""

DAMAGED = gettext_lazy(
    "cannot be read as a workbook: it is damaged or of another kind. Open it in a "
    "spreadsheet program and save it as .xlsx"
)


def fault(message: "StrOrPromise") -> ValidationError:
    return ValidationError(("file",), str(message))


def require_size(content: bytes) -> None:
    if len(content) > LARGEST_FILE:
        raise fault(
            filled(
                gettext("must have at most {largest_file:,} bytes; it has {count:,}"),
                largest_file=LARGEST_FILE,
                count=len(content),
            )
        )
    if not content.strip(b"\x00 \t\r\n\xef\xbb\xbf\xff\xfe"):
        raise fault(gettext("is empty: it must contain a questionnaire"))


def decoded(content: bytes) -> str:
    """The text of a file in UTF-8, or in UTF-16 with its mark."""
    utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    name, codec = ("UTF-16", "utf-16") if utf16 else ("UTF-8", "utf-8-sig")
    try:
        return content.decode(codec)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        words = filled(
            gettext("must be text in UTF-8; byte {byte:,} (line {line:,}) cannot be read as {name}"),
            byte=error.start + 1,
            line=line,
            name=name,
        )
        raise fault(gettext("{words}. Save it as UTF-8").format(words=words)) from None


def table_rows(text: str, delimiter: str = "") -> list[list[str]]:
    """The rows of a CSV or TSV file; the delimiter is found in the first line where it is not given."""
    first = text.lstrip().split("\n", 1)[0]
    delimiter = delimiter or max(",;\t", key=first.count)
    rows: list[list[str]] = []
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), start=1):
            if number > MOST_ROWS:
                raise fault(
                    filled(gettext("must have at most {most_rows:,} rows; this one has more"), most_rows=MOST_ROWS)
                )
            if len(row) > MOST_COLUMNS:
                raise fault(
                    filled(
                        gettext("row {number:,} must have at most {most_columns} columns; it has {count:,}"),
                        number=number,
                        most_columns=MOST_COLUMNS,
                        count=len(row),
                    )
                )
            rows.append([cell.strip() for cell in row])
    except csv.Error as error:
        raise fault(
            filled(gettext("row {row:,} cannot be read as CSV: {error}"), row=len(rows) + 1, error=error)
        ) from None
    finally:
        csv.field_size_limit(before)
    return rows


def json_document(text: str) -> Any:
    """The value of a JSON document, nested no deeper and no larger than the bounds."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        raise fault(gettext("is not JSON: {problem}").format(problem=str(error)[:200])) from None
    except RecursionError:
        raise fault(
            gettext("is nested too deeply: at most {deepest} levels are allowed").format(deepest=DEEPEST)
        ) from None
    waiting, parts = [(value, 1)], 0
    while waiting:
        part, depth = waiting.pop()
        parts += 1
        if depth > DEEPEST:
            raise fault(gettext("is nested too deeply: at most {deepest} levels are allowed").format(deepest=DEEPEST))
        if parts > MOST_ELEMENTS:
            raise fault(
                filled(gettext("must have at most {most_elements:,} parts; it has more"), most_elements=MOST_ELEMENTS)
            )
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        waiting.extend((one, depth + 1) for one in inner)
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(gettext("{name} is not a number").format(name=name))


@dataclass
class Element:
    """An XML element: its name, its text, its child elements."""

    name: str
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def find(self, *names: str) -> "Element":
        """The descendant along these names; an empty element if there is none."""
        found = self
        for name in names:
            found = next((one for one in found.children if one.name == name), Element(name))
        return found


class _Tree:
    """Builds the elements of an XML document within the bounds; a document type, so every entity, is refused."""

    def __init__(self, most: int, *, keep: bool) -> None:
        self.root = Element("")
        self.most, self.keep, self.count = most, keep, 0
        self.depth, self.open = 0, [self.root]
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        if keep:
            self.parser.CharacterDataHandler = self._characters

    def read(self, content: bytes) -> Element:
        try:
            self.parser.Parse(content, True)
        except expat.ExpatError as error:
            words = filled(
                gettext("line {line:,}, column {column:,}: {problem}"),
                line=error.lineno,
                column=error.offset + 1,
                problem=expat.ErrorString(error.code),
            )
            raise fault(gettext("is not XML: {words}").format(words=words)) from None
        except (ValueError, LookupError) as error:  # an encoding that Python does not know
            raise fault(gettext("is not XML: {problem}").format(problem=str(error)[:200])) from None
        return self.root

    def _doctype(self, *_: object) -> None:
        line = self.parser.CurrentLineNumber
        raise fault(
            filled(
                gettext("line {line:,} declares a document type or an entity; such files are not accepted"), line=line
            )
        )

    def _start(self, name: str, _attributes: object) -> None:
        self.count, self.depth = self.count + 1, self.depth + 1
        if self.count > self.most:
            raise fault(filled(gettext("must have at most {most:,} elements; it has more"), most=self.most))
        if self.depth > DEEPEST:
            raise fault(gettext("is nested too deeply: at most {deepest} levels are allowed").format(deepest=DEEPEST))
        if self.keep:
            element = Element(name)
            self.open[-1].children.append(element)
            self.open.append(element)

    def _end(self, _name: str) -> None:
        self.depth -= 1
        if self.keep:
            last = self.open.pop()
            last.text = last.text.strip()

    def _characters(self, data: str) -> None:
        self.open[-1].text += data


def xml_document(content: bytes) -> Element:
    """The root element of an XML document."""
    return _Tree(MOST_ELEMENTS, keep=True).read(content).children[0]


def workbook_sheets(content: bytes) -> dict[str, list[list[str]]]:
    """The rows of each sheet of an XLSX workbook, as texts; its size unpacked is checked before it is read."""
    if missing := lacking_package("openpyxl", "formats"):
        raise fault(gettext("is a workbook, and {missing}").format(missing=missing))
    _require_small_workbook(content)
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        if len(book.sheetnames) > MOST_SHEETS:
            raise fault(
                gettext("must have at most {most_sheets} sheets; it has {count}").format(
                    most_sheets=MOST_SHEETS, count=len(book.sheetnames)
                )
            )
        return {sheet.title: _sheet_rows(sheet) for sheet in book.worksheets}
    except ValidationError:
        raise
    except Exception:  # openpyxl lets whatever its parts raise through: a damaged file is refused, not a crash
        raise fault(DAMAGED) from None


def _require_small_workbook(content: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            parts = packed.infolist()
            unpacked = sum(part.file_size for part in parts)
            if len(parts) > MOST_FILES:
                raise fault(
                    filled(
                        gettext("must contain at most {most_files} files; it has {count:,}"),
                        most_files=MOST_FILES,
                        count=len(parts),
                    )
                )
            if unpacked > min(LARGEST_UNPACKED, LARGEST_RATIO * len(content) + 1_000_000):
                bound = filled(
                    gettext("{largest_unpacked:,} bytes unpacked, {largest_ratio} times its packed size"),
                    largest_unpacked=LARGEST_UNPACKED,
                    largest_ratio=LARGEST_RATIO,
                )
                raise fault(
                    filled(
                        gettext("must have at most {bound}; it has {unpacked:,} of {count:,}"),
                        bound=bound,
                        unpacked=unpacked,
                        count=len(content),
                    )
                )
            for part in parts:
                if part.filename.lower().endswith((".xml", ".rels", ".vml")):
                    _Tree(5 * MOST_ELEMENTS, keep=False).read(packed.read(part))
    except ValidationError:
        raise
    except Exception:  # zipfile raises a dozen kinds on damaged archives
        raise fault(DAMAGED) from None


def _sheet_rows(sheet: Any) -> list[list[str]]:
    # Without this a sheet could claim a million empty columns.
    sheet.reset_dimensions()
    rows: list[list[str]] = []
    for number, row in enumerate(sheet.iter_rows(max_row=MOST_ROWS + 1, values_only=True), start=1):
        cells = [_cell(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if number > MOST_ROWS and cells:
            raise fault(
                filled(
                    gettext("sheet {title} must have at most {most_rows:,} rows; it has more"),
                    title=sheet.title,
                    most_rows=MOST_ROWS,
                )
            )
        if len(cells) > MOST_COLUMNS:
            raise fault(
                filled(
                    gettext("sheet {title} must have at most {most_columns} columns; row {number:,} has {count:,}"),
                    title=sheet.title,
                    most_columns=MOST_COLUMNS,
                    number=number,
                    count=len(cells),
                )
            )
        rows.append(cells)
    return rows


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return "" if value is None else str(value).strip()
