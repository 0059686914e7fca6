"""The database's write-ahead log: every write in the order in which it came, on PostgreSQL with its time.

A checkpoint alone leaves its bytes in place until later ones come over them. So SQLite's is cut to nothing twice a
second. Of PostgreSQL's the settings say how much there is while a survey is open (collector/database/settings.py);
after each rewriting nothing of what was written before stays in its files.
"""

import contextlib
import logging
import sqlite3
import threading
import time
from pathlib import Path

from django.db import ProgrammingError, connection

LOOKS = 0.5
"""Seconds between two looks at the log's size; where nothing was written, a look is all that is done."""

PATIENCE = 0.05
"""Seconds that a try waits for whoever reads from the log just now: for so long, reports wait too."""

MORE_PATIENCE, MISSED = 1.0, 4
"""Seconds that a try waits after 4, 8, 16 ... in a row that failed. Readers who overlap would keep the log as long as
they like; who begins to read while a try waits reads nothing of it."""

AGAIN = 0.005
"""Seconds until the next try where somebody else is just cutting the log: for that SQLite does not wait."""

MOST_FILES = 256
"""Of PostgreSQL's log that are filled with zeros, at most: of 16 MB each, four times what it keeps by default."""

BEFORE = ("SELECT pg_switch_wal()", "CHECKPOINT")
"""Begin a new file, and have those before it deleted; or, as most servers are set, kept under names of later ones."""

TO_COME = "SELECT count(*) + 1 FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(%s)"
FILL = ("SELECT pg_logical_emit_message(false, 'candor', '')", "SELECT pg_switch_wal()")
"""Write something, so that there is something to end the file after: the rest of it is filled with zeros."""

logger = logging.getLogger(__name__)


def truncate(*, patience: float = PATIENCE) -> bool:
    """Cut the log to nothing; whether it is. It is not while somebody reads from it for longer than the patience.

    Through a connection of its own: no other has its own patience changed, and none is in a transaction.
    """
    if connection.vendor != "sqlite" or not _has_bytes(Path(f"{connection.settings_dict['NAME']}-wal")):
        return True
    deadline = time.monotonic() + patience
    with contextlib.closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=patience)) as own:
        while not _cut(own):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(AGAIN, left))
            own.execute(f"PRAGMA busy_timeout = {max(int(left * 1000), 1)}")
    return True


def _cut(own: sqlite3.Connection) -> bool:
    busy, _pages, _moved = own.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def limit_size() -> threading.Event:
    """Have a thread of this process cut the log again and again, whoever has written to it, until the event is set."""
    ended = threading.Event()
    if connection.vendor == "sqlite":
        threading.Thread(target=_keep_short, args=[ended], name="write-ahead log", daemon=True).start()
    return ended


def _keep_short(ended: threading.Event) -> None:
    failed, missed = False, 0
    while not ended.wait(LOOKS):
        try:
            missed = 0 if truncate(patience=_patience(missed)) else missed + 1
            failed = False
        except Exception as error:
            # As where the disk is full: it is tried again and again, and said once.
            if not failed:
                logger.warning("the database's log could not be cut: %s", type(error).__name__)
            failed = True


def _patience(missed: int) -> float:
    """How long the next try waits after so many in a row that failed."""
    return MORE_PATIENCE if missed >= MISSED and missed & (missed - 1) == 0 else PATIENCE


def overwrite() -> bool:
    """Leave nothing in PostgreSQL's log of what was written before; whether the database's user may do that.

    What an archive, a replica or its slot has of it is out of reach.
    """
    try:
        for statement in BEFORE:
            _ask(statement)
        here = _ask("SELECT pg_current_wal_insert_lsn()")
        for _file in range(min(int(_ask(TO_COME, here)), MOST_FILES)):
            for statement in FILL:
                _ask(statement)
    except ProgrammingError:
        return False
    return True


def _ask(statement: str, *values: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return str(cursor.fetchone()[0]) if cursor.description else ""


def _has_bytes(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except FileNotFoundError:
        return False
