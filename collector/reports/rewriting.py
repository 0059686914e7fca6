"""Erasing the order of arrival: tables are rewritten all at once, in the order of the random nonces.

PostgreSQL appends rows as they come and stamps each with its transaction's number, which VACUUM FULL and CLUSTER keep.
So the reports are inserted into a new table by one transaction, which takes the old one's place in its last moment.
SQLite keeps rows by their keys, but within a page of the file where there was room when they came: VACUUM packs them.

Invitations were written in the order of their hashes, so that only what was used of them has to go; a used token is
written in its report's transaction, and is written anew as the reports are.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from collector.database import distribution, locks, write_ahead_log
from collector.errors import Conflict
from collector.invitations import batches
from collector.models import FrozenDesign, Invitation, Report, SetAsideReport, Tally, UsedToken, WaitingReport
from collector.reports import folding, shards
from collector.reports.shards import CELL, ROW

PATIENCE = "100ms"
"""Longest time that the exchange of tables may delay incoming reports."""

MOST_TRIES = 50

READERS = 5.0
"""Seconds that truncating SQLite's log waits for readers; reports wait as long."""

REFILLED = {
    Tally._meta.db_table: (
        CELL,
        "SELECT design_id, 0 AS part, stratum, position, symbol, SUM(count) AS count FROM collector_tally "
        "GROUP BY design_id, stratum, position, symbol",
    ),
    SetAsideReport._meta.db_table: (ROW, f"SELECT {ROW} FROM collector_setasidereport"),  # noqa: S608 - names of ours
}
"""Small tables, with columns and the query for their rows: cells of totals lie as the first reports came,
and their parts say who folded; what is set aside was so when somebody met it."""

EMPTIED = {WaitingReport._meta.db_table: ROW, UsedToken._meta.db_table: "design_id, hash"}
"""Tables that each report writes to, with their columns: reports may wait for long, a used token was
written with its report. On PostgreSQL alone; SQLite has them by their keys."""

LACKS_A_RIGHT = "PostgreSQL's user lacks a right: its write-ahead log still contains the order of arrival of responses"

_mixed: list[object] = []
"""Keys of the waiting reports at this process's last rewrite."""

logger = logging.getLogger(__name__)


def rewrite_closed(*, compacted: Sequence[str] = ()) -> bool:
    """Call `rewrite` if a survey was closed for good or purged since the last time; return True if one was."""
    closed = FrozenDesign.objects.filter(final_on__isnull=False, rewritten_on=None, rehearsal=False)
    digests = list(closed.values_list("digest", flat=True))
    if not digests:
        return False
    for digest in digests:
        folding.fold(digest)
        batches.delete(digest)
    rewrite(compacted=compacted)
    closed.filter(digest__in=digests).update(rewritten_on=timezone.now().date())
    return True


def rewrite(*, compacted: Sequence[str] = ()) -> None:
    """Erase the order of arrival of reports from the database's files; not within a transaction.

    On PostgreSQL reports are taken meanwhile and only folding waits; on SQLite they wait too. A crash leaves the old
    table or the new one.

    Parameters
    ----------
    compacted
        Further tables of which no deleted row is to stay in PostgreSQL's files.

    Raises
    ------
    Conflict
        Where somebody reads or writes for too long to wait for; the next call may succeed.
    """
    try:
        if connection.vendor == "sqlite":
            _rewrite_sqlite()
        else:
            _rewrite_postgresql(compacted)
    except OperationalError as error:
        raise Conflict("The response tables are in use for too long; they could not be rewritten.") from error


def shuffle_waiting() -> bool:
    """Rewrite the waiting reports on SQLite if they changed since this process last did; return True if so.

    The last reports of an open design wait for weeks, and within a page of the file the lowest is the one that came
    last. On PostgreSQL their order stands in the log too, so that it would be of no use there.
    """
    if connection.vendor != "sqlite":
        return False
    keys = list(WaitingReport.objects.order_by("design_id", "nonce").values_list("design_id", "nonce"))
    if keys == _mixed:
        return False
    _refill({WaitingReport._meta.db_table: (ROW, f"SELECT {ROW} FROM collector_waitingreport")})  # noqa: S608
    _mixed[:] = keys
    return True


@contextmanager
def in_exclusive_window() -> Iterator[None]:
    """Prevent the exchange of tables: to a transaction that began before, the new one would look empty."""
    if connection.vendor == "sqlite":
        yield
        return
    _execute("SELECT pg_advisory_lock_shared(%s, %s)", 0, locks.REWRITING)
    try:
        yield
    finally:
        _execute("SELECT pg_advisory_unlock_shared(%s, %s)", 0, locks.REWRITING)


def _rewrite_sqlite() -> None:
    _refill()
    _execute("PRAGMA temp_store = FILE")  # VACUUM makes a copy of everything there, which may not fit into memory
    try:
        _execute("VACUUM")
    finally:
        _execute("PRAGMA temp_store = MEMORY")
    if not write_ahead_log.truncate(patience=READERS):
        raise OperationalError("The log is being read.")


def _rewrite_postgresql(compacted: Sequence[str]) -> None:
    if distribution.is_distributed():
        _rewrite_nodes(compacted)
        return
    with transaction.atomic(), connection.cursor() as cursor:
        locks.exclusive_lock(locks.EVERY, locks.REWRITING)
        _replace(cursor, Report._meta.db_table, order="design_id, nonce")
    _execute(f"ANALYZE {Report._meta.db_table}")
    _refill()
    for table, columns in EMPTIED.items():
        _refill_locked(table, columns)
    for table in (WaitingReport._meta.db_table, Invitation._meta.db_table, *REFILLED, *compacted):
        _execute(f"VACUUM (FULL, ANALYZE) {table}")
    if not write_ahead_log.overwrite():
        logger.warning(LACKS_A_RIGHT)


def _rewrite_nodes(compacted: Sequence[str]) -> None:
    shards.rewrite()
    distribution.drop_moved()
    for table in (Report._meta.db_table, WaitingReport._meta.db_table, UsedToken._meta.db_table):
        _execute(f"ANALYZE {table}")
    for table in (Invitation._meta.db_table, *REFILLED, *compacted):
        _execute(f"VACUUM (FULL, ANALYZE) {table}")
    if not shards.overwrite_logs():
        logger.warning(LACKS_A_RIGHT)


@transaction.atomic
def _refill(tables: Mapping[str, tuple[str, str]] = REFILLED) -> None:
    """Rewrite small tables in the order of their columns."""
    locks.exclusive_lock(locks.EVERY, locks.REWRITING)
    for table, (columns, query) in tables.items():
        _execute(f"CREATE TEMPORARY TABLE kept AS {query}")
        _execute(f"DELETE FROM {table}")  # noqa: S608
        _execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM kept ORDER BY {columns}")  # noqa: S608
        _execute("DROP TABLE kept")


@transaction.atomic
def _refill_locked(table: str, columns: str) -> None:
    """Rewrite a table in one transaction, in the order of its columns. Incoming reports wait meanwhile.

    Emptied and not deleted: that leaves no rows behind that a vacuum would have to remove.
    """
    with connection.cursor() as cursor:
        locks.exclusive_lock(locks.EVERY, locks.REWRITING)
        _lock_for_exchange(cursor, table)
        cursor.execute(f"CREATE TEMPORARY TABLE kept AS SELECT {columns} FROM {table}")  # noqa: S608
        cursor.execute(f"TRUNCATE {table}")
        cursor.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM kept ORDER BY {columns}")  # noqa: S608
        cursor.execute("DROP TABLE kept")


def _replace(cursor: CursorWrapper, table: str, *, order: str) -> None:
    """Replace a table with a copy that has the constraints, indexes and triggers PostgreSQL lists for it."""
    new = f"{table}_anew"
    cursor.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")
    cursor.execute(f"CREATE TABLE {new} (LIKE {table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)")
    for column in ("nonce", "report"):  # as the migration that says why
        cursor.execute(f"ALTER TABLE {new} ALTER COLUMN {column} SET STATISTICS 0")
    cursor.execute(f"INSERT INTO {new} SELECT * FROM {table} ORDER BY {order}")  # noqa: S608 - names of ours
    indexes = _build_indexes(cursor, table, new)
    _copy_triggers(cursor, table, new)
    _copy_foreign_keys(cursor, table, new)
    _lock_for_exchange(cursor, FrozenDesign._meta.db_table, WaitingReport._meta.db_table, table)
    cursor.execute(f"DROP TABLE {table}")
    cursor.execute(f"ALTER TABLE {new} RENAME TO {table}")
    for index in indexes:
        cursor.execute(f"ALTER INDEX {index}_anew RENAME TO {index}")


def _build_indexes(cursor: CursorWrapper, table: str, new: str) -> list[str]:
    """Build the old table's indexes and constraints on the new one, renamed; return the old names."""
    cursor.execute(
        "SELECT c.relname, pg_get_indexdef(c.oid), pg_get_constraintdef(k.oid) FROM pg_index i "
        "JOIN pg_class c ON c.oid = i.indexrelid "
        "LEFT JOIN pg_constraint k ON k.conindid = c.oid AND k.conrelid = i.indrelid WHERE i.indrelid = %s::regclass",
        [table],
    )
    found = cursor.fetchall()
    for name, definition, constraint in found:
        if constraint:
            cursor.execute(f"ALTER TABLE {new} ADD CONSTRAINT {name}_anew {constraint}")
        else:
            kind, how = definition.split(f" INDEX {name} ON ")
            cursor.execute(f"{kind} INDEX {name}_anew ON {new} {how.partition(' ')[2]}")
    return [name for name, _, _ in found]


def _copy_triggers(cursor: CursorWrapper, table: str, new: str) -> None:
    cursor.execute(
        "SELECT pg_get_triggerdef(t.oid), n.nspname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
        "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE t.tgrelid = %s::regclass AND NOT t.tgisinternal",
        [table],
    )
    for definition, schema in cursor.fetchall():
        cursor.execute(definition.replace(f" ON {schema}.{table} ", f" ON {new} ", 1))


def _copy_foreign_keys(cursor: CursorWrapper, table: str, new: str) -> None:
    cursor.execute(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'f'",
        [table],
    )
    for name, definition in cursor.fetchall():
        cursor.execute(f"ALTER TABLE {new} ADD CONSTRAINT {name} {definition}")


def _lock_for_exchange(cursor: CursorWrapper, *tables: str) -> None:
    """Lock the tables in the order that incoming reports use them, yielding to reports between attempts."""
    cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE}'")
    for left in reversed(range(MOST_TRIES)):
        try:
            with transaction.atomic():
                cursor.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
                return
        except OperationalError:
            if not left:
                raise


def _execute(statement: str, *values: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
