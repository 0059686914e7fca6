"""SQL statements: the files of `sql/`, and statements on many rows in batches that SQLite accepts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from django.db import connection
from django.db.backends.utils import CursorWrapper

T = TypeVar("T")

SQL = Path(__file__).parent / "sql"
"""Files are named by action and database; one that a migration has loaded never changes."""

Row = tuple[int, bytes]
"""A key: the number of a design, and a nonce or a hash."""

AT_ONCE = 500
"""Rows per statement on SQLite: five values each, of at most 32,766 values."""


def read_sql(name: str) -> str:
    """The text of a file of `sql/`, such as `store_v2.postgresql`."""
    return (SQL / f"{name}.sql").read_text(encoding="utf-8").strip()


def read_statements(name: str) -> dict[str, str]:
    """The statements of a file of `sql/` by name; a comment above each names it, as `-- name: write`."""
    parts = re.split(r"^-- name: (\w+)\n", read_sql(name), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


def pieces(rows: Iterable[T]) -> Iterator[list[T]]:
    """Yield the rows in lists, each small enough for one statement."""
    rest = iter(rows)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def execute(statement: str, *values: Any) -> None:
    """Execute one statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)


def fetch_rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Return the rows that a statement gives."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return list(cursor.fetchall())


def execute_rows(cursor: CursorWrapper, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Execute a statement with a table of these rows inserted at {rows}."""
    places = ", ".join([f"({', '.join(['%s'] * len(rows[0]))})"] * len(rows))
    cursor.execute(sql.format(rows=places), [value for row in rows for value in row])


def key(row: Sequence[Any]) -> Row:
    """Return the key in the first two columns of a database row."""
    return int(row[0]), bytes(row[1])
