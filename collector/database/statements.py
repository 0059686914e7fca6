"""Statements about many rows at once, in pieces that SQLite takes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from django.db.backends.utils import CursorWrapper

T = TypeVar("T")

Row = tuple[int, bytes]
"""A key: the number of a design, and a nonce or a hash."""

AT_ONCE = 500
"""Rows in a statement of SQLite: five values each, of which it takes 32,766."""


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
