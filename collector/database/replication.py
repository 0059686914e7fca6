"""Synchronous standbys of PostgreSQL: what is acknowledged is on all of them, or it is not acknowledged.

A commit waits until it is on the standbys that `synchronous_standby_names` asks for. Two things end the wait early, and
both leave a row that others see and a standby may not have:

- Somebody cancels the statement. It then succeeds, with nothing but a warning.
- The connection or the server ends. The statement fails; sent again, the report is found to be stored already, by a
  statement that writes nothing and so waits for nothing.

In both cases one more record is written and waited for: once it is on the standbys, so is what was committed before it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection

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
    if warnings:
        raise OperationalError("The wait for the standbys was cancelled.")
