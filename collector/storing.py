"""Storing reports: a batch in one transaction, each report once, none of a closed design."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from collector import locks


class NewReport(NamedTuple):
    """A report that fits its design: a nonce of 16 bytes, the index of its stratum, a byte for each symbol."""

    nonce: bytes
    digest: str
    stratum: int
    report: bytes
    mode: int


class Outcome(Enum):
    """What became of a report."""

    STORED = "on disk, by this call"
    KNOWN = "on disk already, the same report"
    TAKEN = "the nonce belongs to another report of the design, which stays"
    CLOSED = "the design takes no reports any more, or is gone; not stored"


T = TypeVar("T")

Key = tuple[int, bytes]
"""The number of a design, and a nonce."""

Content = tuple[int, bytes]
"""What has to be the same where a report is sent again: the stratum and the symbols."""

AT_ONCE = 500
"""Rows in a statement: five values each, of which SQLite takes 32,766."""

DESIGNS = "SELECT digest, number, closed_on IS NULL FROM collector_frozendesign WHERE digest IN {digests}"
WRITE = """
INSERT INTO collector_waitingreport (design_id, stratum, mode, nonce, report) {rows}
ON CONFLICT DO NOTHING RETURNING design_id, nonce
"""
FIND = """
WITH asked (design_id, nonce, waits) AS ({rows})
SELECT design_id, nonce, stratum, report FROM asked JOIN collector_report USING (design_id, nonce)
UNION ALL
SELECT design_id, nonce, stratum, report FROM asked JOIN collector_waitingreport USING (design_id, nonce)
WHERE waits = 1
"""
TAKE_BACK = "DELETE FROM collector_waitingreport WHERE (design_id, nonce) IN ({rows})"

WRITTEN = ("int", "smallint", "smallint", "bytea", "bytea")
ASKED = ("int", "bytea", "int")
KEYS = ("int", "bytea")
"""The columns of the rows of these three statements, as PostgreSQL calls them."""

ARRAYS = "SELECT * FROM unnest({columns})"


@transaction.atomic(durable=True)
def store(reports: Sequence[NewReport]) -> list[Outcome]:
    """Store a batch of reports, in one transaction that is on disk when this returns; an outcome for each, in order.

    What stands in a batch twice is stored once, as if it had come one after the other.
    """
    return insert(reports)


def insert(reports: Sequence[NewReport]) -> list[Outcome]:
    """As `store`, but within a transaction of the caller's, which is on disk when the caller has committed it."""
    with connection.cursor() as cursor:
        designs = _lock(cursor, {one.digest for one in reports})
        keys = [(designs[one.digest][0], one.nonce) if one.digest in designs else None for one in reports]
        first: dict[Key, int] = {}
        for place, key in enumerate(keys):
            if key is not None:
                first.setdefault(key, place)
        new = {key: reports[place] for key, place in first.items() if designs[reports[place].digest][1]}
        written = _write(cursor, new)
        # After the insert, which waits for a worker that is moving a report of the same key: it is seen here then.
        before = _find(cursor, first, written)
        _take_back(cursor, written & before.keys())

    def outcome(place: int, key: Key | None) -> Outcome:
        if key not in before and key not in written:
            return Outcome.CLOSED
        if key not in before and first[key] == place:
            return Outcome.STORED
        stands = before.get(key) or _content(new[key])
        return Outcome.KNOWN if stands == _content(reports[place]) else Outcome.TAKEN

    return [outcome(place, key) for place, key in enumerate(keys)]


def _lock(cursor: CursorWrapper, digests: Collection[str]) -> dict[str, tuple[int, bool]]:
    """The number of each design, and whether it is open; until the transaction ends nobody can close it."""
    if not digests:
        return {}
    locks.share(digests, locks.TAKING)
    cursor.execute(DESIGNS.format(digests=_places(1, len(digests))), list(digests))
    return {digest: (number, bool(is_open)) for digest, number, is_open in cursor.fetchall()}


def _write(cursor: CursorWrapper, rows: Mapping[Key, NewReport]) -> set[Key]:
    """Write the reports whose key does not wait yet; the keys of those that were written."""
    written: set[Key] = set()
    # By the nonces: two batches with the same ones do not wait for each other in a circle, and no row tells which of a
    # batch came first.
    for some in _batches(sorted(rows.items(), key=lambda row: row[0])):
        _execute(cursor, WRITE, WRITTEN, [(key[0], one.stratum, one.mode, one.nonce, one.report) for key, one in some])
        written.update(_key(row) for row in cursor.fetchall())
    return written


def _find(cursor: CursorWrapper, keys: Collection[Key], written: Collection[Key]) -> dict[Key, Content]:
    """What was stored under these keys before: waiting or folded, from one state of the store."""
    found: dict[Key, Content] = {}
    for some in _batches(keys):
        _execute(cursor, FIND, ASKED, [(*key, int(key not in written)) for key in some])
        found |= {_key(row): (row[2], bytes(row[3])) for row in cursor.fetchall()}
    return found


def _take_back(cursor: CursorWrapper, keys: Collection[Key]) -> None:
    """Delete rows of this transaction's own, under whose keys a report was in the totals already."""
    for some in _batches(keys):
        _execute(cursor, TAKE_BACK, KEYS, some)


def _content(report: NewReport) -> Content:
    return report.stratum, report.report


def _key(row: Sequence[Any]) -> Key:
    return int(row[0]), bytes(row[1])


def _batches(rows: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(rows)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def _execute(cursor: CursorWrapper, sql: str, types: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Execute a statement that has a table of these rows at {rows}."""
    if connection.vendor == "postgresql":
        # An array for each column: the text is the same for any number of rows, so the server plans it once.
        table = ARRAYS.format(columns=", ".join(f"%s::{one}[]" for one in types))
        values = [list(column) for column in zip(*rows, strict=True)]
    else:
        table = f"VALUES {_places(len(rows), len(types))}"
        values = [value for row in rows for value in row]
    cursor.execute(sql.format(rows=table), values)


def _places(count: int, width: int) -> str:
    """Places for so many rows of so many values."""
    row = f"({', '.join(['%s'] * width)})"
    return ", ".join([row] * count)
