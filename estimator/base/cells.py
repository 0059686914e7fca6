"""Shared parts of all exported files: formats of values, and progress callbacks."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

Watch = Callable[[float], None]
"""Progress callback, called at times with the fraction written, in [0, 1]; raises to stop."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Prefixes of text cells that a spreadsheet would compute."""


class ExportError(Exception):
    """This run cannot be written in this format; the message is for whoever asked, and trying again does not help."""


def no_progress(done: float) -> None:
    """A `Watch` for a file that nobody waits for."""


def cell(value: Any) -> Any:
    """Format a value for spreadsheets: floats with full precision, no text as a formula."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return repr(value) if isinstance(value, float) else value


def sheet(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as CSV with a header; UTF-8 with the byte order mark that spreadsheets expect."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(columns), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode("utf-8-sig")


def instant(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
