"""What every file has in common: how a value is written, and how the writing is watched."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

Watch = Callable[[float], None]
"""Is told how much is written, in [0, 1], now and then; raises to stop the writing."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A text cell that begins so would be computed by a spreadsheet."""


class ExportError(Exception):
    """This run cannot be written in this format; the message is for whoever asked, and trying again does not help."""


def no_progress(done: float) -> None:
    """A `Watch` for a file that nobody waits for."""


def cell(value: Any) -> Any:
    """A value as a spreadsheet should take it: floats to their last digit, no text as a formula."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return repr(value) if isinstance(value, float) else value


def sheet(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as CSV under the names of their columns; UTF-8 with the mark that spreadsheets look for."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(columns), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode("utf-8-sig")


def instant(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
