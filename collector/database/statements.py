"""Statements: the files of `sql/`, and those about many rows at once, in pieces that SQLite takes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from django.db.backends.utils import CursorWrapper

T = TypeVar("T")

SQL = Path(__file__).parent / "sql"
"""Each file is named after what it does and the database that it is for. What a migration has loaded never changes."""

Row = tuple[int, bytes]
"""A key: the number of a design, and a nonce or a hash."""

AT_ONCE = 500
"""Rows in a statement of SQLite: five values each, of which it takes 32,766."""


def read_sql(name: str) -> str:
    """The text of a file of `sql/`, such as `store_v2.postgresql`."""
    return (SQL / f"{name}.sql").read_text(encoding="utf-8").strip()


def read_statements(name: str) -> dict[str, str]:
    """The statements of a file of `sql/` by the names that stand above them, as `-- name: write`."""
    parts = re.split(r"^-- name: (\w+)\n", read_sql(name), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


def pieces(rows: Iterable[T]) -> Iterator[list[T]]:
    """The rows in lists, each for one statement."""
    rest = iter(rows)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def execute_rows(cursor: CursorWrapper, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Execute a statement that has a table of these rows at {rows}."""
    places = ", ".join([f"({', '.join(['%s'] * len(rows[0]))})"] * len(rows))
    cursor.execute(sql.format(rows=places), [value for row in rows for value in row])


def key(row: Sequence[Any]) -> Row:
    """The key at the beginning of a row that the database gave."""
    return int(row[0]), bytes(row[1])
