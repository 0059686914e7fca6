"""Storing reports: a batch in one transaction, each report once, none of a closed design."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from collector import locks


class NewReport(NamedTuple):
    """A report that fits its design: a nonce of 16 bytes, the index of its stratum, a byte for each symbol.

    `invitation` is the hash of 32 bytes that it uses up, where its design asks for invitations.
    """

    nonce: bytes
    digest: str
    stratum: int
    report: bytes
    mode: int
    invitation: bytes | None = None


class Outcome(Enum):
    """What became of a report."""

    STORED = "on disk, by this call"
    KNOWN = "on disk already, the same report"
    TAKEN = "the nonce belongs to another report of the design, which stays"
    CLOSED = "the design takes no reports any more, or is gone; not stored"


T = TypeVar("T")

Key = tuple[str, bytes]
"""The digest of a design, and a nonce."""

Row = tuple[int, bytes]
"""The same with the number of the design, as rows have it."""

Content = tuple[int, bytes]
"""What has to be the same where a report is sent again: the stratum and the symbols."""

Stored = tuple[Collection[Key], Mapping[Key, Content]]
"""The keys under which this transaction wrote a report, and what was stored before it."""

AT_ONCE = 500
"""Rows in a statement of SQLite: five values each, of which it takes 32,766."""

DESIGNS = "SELECT digest, number, closed_on IS NULL FROM collector_frozendesign WHERE digest IN ({places})"
WRITE = """
INSERT INTO collector_waitingreport (design_id, stratum, mode, nonce, report) VALUES {rows}
ON CONFLICT DO NOTHING RETURNING design_id, nonce
"""
FIND = """
WITH asked (design_id, nonce, waits) AS (VALUES {rows})
SELECT design_id, nonce, stratum, report FROM asked JOIN collector_report USING (design_id, nonce)
UNION ALL
SELECT design_id, nonce, stratum, report FROM asked JOIN collector_waitingreport USING (design_id, nonce)
WHERE waits = 1
"""
TAKE_BACK = "DELETE FROM collector_waitingreport WHERE (design_id, nonce) IN (VALUES {rows})"

STORE = """
SELECT * FROM collector_store(
    %s::text[], %s::int[], %s::int, %s::int[], %s::smallint[], %s::smallint[], %s::bytea[], %s::bytea[]
)
"""


def store(reports: Sequence[NewReport]) -> list[Outcome]:
    """Store a batch of reports, in one transaction that is on disk when this returns; an outcome for each, in order.

    What stands in a batch twice is stored once, as if it had come one after the other.
    """
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        return insert(reports)  # one statement is a transaction by itself
    with transaction.atomic(durable=True):
        return insert(reports)


def insert(reports: Sequence[NewReport]) -> list[Outcome]:
    """As `store`, but within a transaction of the caller's, which is on disk when the caller has committed it."""
    keys = [(one.digest, one.nonce) for one in reports]
    first: dict[Key, int] = {}
    for place, key in enumerate(keys):
        first.setdefault(key, place)
    put = _by_function if connection.vendor == "postgresql" else _by_statements
    written, before = put({key: reports[place] for key, place in first.items()})

    def outcome(place: int, key: Key) -> Outcome:
        if key not in before and key not in written:
            return Outcome.CLOSED
        if key not in before and first[key] == place:
            return Outcome.STORED
        stands = before.get(key) or _content(reports[first[key]])
        return Outcome.KNOWN if stands == _content(reports[place]) else Outcome.TAKEN

    return [outcome(place, key) for place, key in enumerate(keys)]


def _by_function(reports: Mapping[Key, NewReport]) -> Stored:
    """PostgreSQL does it all by one statement (migration 0013 says how): each way there and back costs more than it."""
    digests = sorted({digest for digest, _nonce in reports})
    places = {digest: place for place, digest in enumerate(digests, start=1)}
    rows = [(places[one.digest], one.stratum, one.mode, one.nonce, one.report) for one in reports.values()]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * 5
    with connection.cursor() as cursor:
        cursor.execute(STORE, [digests, locks.numbers(digests), locks.TAKING, *columns])
        found = [
            ((digests[place - 1], bytes(nonce)), stratum, kept) for place, nonce, stratum, kept in cursor.fetchall()
        ]
    written = {key for key, _stratum, kept in found if kept is None}
    return written, {key: (stratum, bytes(kept)) for key, stratum, kept in found if kept is not None}


def _by_statements(reports: Mapping[Key, NewReport]) -> Stored:
    """SQLite lets one transaction write at a time, so nothing is locked and nothing moves meanwhile."""
    with connection.cursor() as cursor:
        designs = _designs(cursor, {digest for digest, _nonce in reports})
        digests = {number: digest for digest, (number, _is_open) in designs.items()}
        rows = {(designs[key[0]][0], key[1]): one for key, one in reports.items() if key[0] in designs}
        written = _write(cursor, {key: one for key, one in rows.items() if designs[one.digest][1]})
        before = _find(cursor, rows, written)
        _take_back(cursor, written & before.keys())
    known = {(digests[number], nonce): content for (number, nonce), content in before.items()}
    return {(digests[number], nonce) for number, nonce in written}, known


def _designs(cursor: CursorWrapper, digests: Collection[str]) -> dict[str, tuple[int, bool]]:
    """The number of each design, and whether it is open."""
    if not digests:
        return {}
    cursor.execute(DESIGNS.format(places=", ".join(["%s"] * len(digests))), list(digests))
    return {digest: (number, bool(is_open)) for digest, number, is_open in cursor.fetchall()}


def _write(cursor: CursorWrapper, rows: Mapping[Row, NewReport]) -> set[Row]:
    """Write the reports whose key does not wait yet; the keys of those that were written."""
    written: set[Row] = set()
    # By the nonces: no row tells which of a batch came first.
    for some in pieces(sorted(rows.items(), key=lambda row: row[0])):
        _execute(cursor, WRITE, [(key[0], one.stratum, one.mode, one.nonce, one.report) for key, one in some])
        written.update(_row(row) for row in cursor.fetchall())
    return written


def _find(cursor: CursorWrapper, keys: Collection[Row], written: Collection[Row]) -> dict[Row, Content]:
    """What was stored under these keys before: waiting or folded."""
    found: dict[Row, Content] = {}
    for some in pieces(keys):
        _execute(cursor, FIND, [(*key, int(key not in written)) for key in some])
        found |= {_row(row): (row[2], bytes(row[3])) for row in cursor.fetchall()}
    return found


def _take_back(cursor: CursorWrapper, keys: Collection[Row]) -> None:
    """Delete rows of this transaction's own, under whose keys a report was in the totals already."""
    for some in pieces(keys):
        _execute(cursor, TAKE_BACK, some)


def _content(report: NewReport) -> Content:
    return report.stratum, report.report


def _row(row: Sequence[Any]) -> Row:
    return int(row[0]), bytes(row[1])


def pieces(rows: Iterable[T]) -> Iterator[list[T]]:
    """The rows in lists, each for one statement."""
    rest = iter(rows)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def _execute(cursor: CursorWrapper, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Execute a statement that has a table of these rows at {rows}."""
    places = ", ".join([f"({', '.join(['%s'] * len(rows[0]))})"] * len(rows))
    cursor.execute(sql.format(rows=places), [value for row in rows for value in row])
