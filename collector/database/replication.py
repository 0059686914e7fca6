"""Synchronous standbys of PostgreSQL: what is acknowledged is on all of them, or it is not acknowledged.

A commit waits until it is on the standbys that `synchronous_standby_names` asks for. Two things end the wait early, and
both leave a row that others see and a standby may not have:

- Somebody cancels the statement. It then succeeds, with nothing but a warning.
- The connection or the server ends. The statement fails; sent again, the report is found to be stored already, by a
  statement that writes nothing and so waits for nothing.

In both cases one more record is written and waited for: once it is on the standbys, so is what was committed before it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import InterfaceError, InternalError, OperationalError, connection

READ_ONLY = "25006"
"""PostgreSQL's code for a write on a server that was the primary until a moment ago."""

WAIT = "SELECT pg_logical_emit_message(true, 'candor', '')"
"""An empty record with a commit of its own, which waits for the standbys as every commit does."""


@contextmanager
def warnings_collected() -> Iterator[list[str]]:
    """Collect the codes of PostgreSQL's warnings on this connection; costs no statement. Always empty on SQLite."""
    found: list[str] = []
    if connection.vendor != "postgresql":
        yield found
        return

    def collect(diagnostic: Any) -> None:
        if diagnostic.severity_nonlocalized == "WARNING":
            found.append(str(diagnostic.sqlstate))

    connection.ensure_connection()
    raw: Any = connection.connection
    raw.add_notice_handler(collect)
    try:
        yield found
    finally:
        raw.remove_notice_handler(collect)


def wait_for_standbys() -> None:
    """Return when everything that is committed is on the synchronous standbys; at once where there are none.

    Raises OperationalError where the wait is cancelled.
    """
    if connection.vendor != "postgresql":
        return
    with warnings_collected() as warnings, connection.cursor() as cursor:
        cursor.execute(WAIT)
    require_waited(warnings)


def require_waited(warnings: Sequence[str]) -> None:
    """Raise OperationalError where a statement has warned that the standbys may not have what it wrote."""
    if warnings:
        raise OperationalError("The wait for the standbys was cancelled.")


def is_read_only(error: Exception) -> bool:
    """Return True if the server took no write because it has become a standby: another one is the primary."""
    return isinstance(error, InternalError) and getattr(error.__cause__, "sqlstate", "") == READ_ONLY


def may_pass(error: Exception) -> bool:
    """Return True if the database may take the same later: it is away, full or stuck, or no longer the primary."""
    return isinstance(error, OperationalError | InterfaceError) or is_read_only(error)
