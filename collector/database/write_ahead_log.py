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
from collections.abc import Callable
from pathlib import Path

from django.db import ProgrammingError, connection

LOOKS = 0.5
"""Seconds between checks of the log's size; without new writes, a check does nothing else."""

PATIENCE = 0.05
"""Seconds that an attempt waits for current readers of the log; reports wait as long."""

MORE_PATIENCE, MISSED = 1.0, 4
"""Seconds to wait after 4, 8, 16 ... failed attempts in a row. Overlapping readers keep the log as long as
they like; who begins to read while a try waits reads nothing of it."""

AGAIN = 0.005
"""Seconds until the next attempt while another process truncates the log: SQLite does not wait for that."""

MOST_FILES = 512
"""Most PostgreSQL log files to fill with zeros: those of 1 MB that a check at start accepts, twice over."""

BEFORE = ("SELECT pg_switch_wal()", "CHECKPOINT")
"""Start a new log file; the files before are deleted or, on most servers, recycled under later names."""

TO_COME = (
    "SELECT count(*) + 1 FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' "
    "AND name > pg_walfile_name(pg_current_wal_insert_lsn())"
)
KEPT = """
SELECT ceil(sum(setting::numeric) FILTER (WHERE name = 'wal_keep_size') * 1048576
            / sum(setting::numeric) FILTER (WHERE name = 'wal_segment_size'))
FROM pg_settings
"""
"""How many files the server keeps for standbys: as many must come after those that are to go."""

FILL = ("SELECT pg_logical_emit_message(false, 'candor', '')", "SELECT pg_switch_wal()")
"""Write a record, so that the log file can be ended after it: the rest is filled with zeros."""

logger = logging.getLogger(__name__)


def truncate(*, patience: float = PATIENCE) -> bool:
    """Truncate the log. Return False if a reader blocks it for longer than `patience`, in seconds.

    Through a connection of its own: no other has its own patience changed, and none is in a transaction.
    """
    if connection.vendor != "sqlite" or not _has_bytes(Path(f"{connection.settings_dict['NAME']}-wal")):
        return True
    deadline = time.monotonic() + patience
    with contextlib.closing(sqlite3.connect(connection.settings_dict["NAME"], timeout=patience)) as own:
        while own.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:  # busy
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(AGAIN, left))
            own.execute(f"PRAGMA busy_timeout = {max(int(left * 1000), 1)}")
    return True


def limit_size() -> threading.Event:
    """Start a thread that truncates the log repeatedly, whichever process wrote it, until the event is set."""
    ended = threading.Event()
    if connection.vendor == "sqlite":
        threading.Thread(target=_keep_short, args=[ended], name="write-ahead log", daemon=True).start()
    return ended


def _keep_short(ended: threading.Event) -> None:
    failed, missed = False, 0
    while not ended.wait(LOOKS):
        try:
            long = missed >= MISSED and missed & (missed - 1) == 0
            missed = 0 if truncate(patience=MORE_PATIENCE if long else PATIENCE) else missed + 1
            failed = False
        except Exception as error:
            # As where the disk is full: it is tried again and again, and said once.
            if not failed:
                logger.warning("the database's log could not be cut: %s", type(error).__name__)
            failed = True


def ask(statement: str) -> str:
    """Execute a statement; return the first value that it gives, as text."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return str(cursor.fetchone()[0]) if cursor.description else ""


def overwrite(ask: Callable[[str], str] = ask) -> bool:
    """Overwrite earlier content of PostgreSQL's log; return False if the database user lacks the rights.

    A standby deletes the same files with its next restartpoint, within `checkpoint_timeout`. What an archive or a slot
    has of the log is out of reach. `ask` executes a statement, on one server or many.
    """
    try:
        for statement in BEFORE:
            ask(statement)
        to_come, kept = int(ask(TO_COME)), int(ask(KEPT))
        for _file in range(min(max(to_come, kept and kept + 1), MOST_FILES)):
            for statement in FILL:
                ask(statement)
        if kept:
            ask("CHECKPOINT")
    except ProgrammingError:
        return False
    return True


def _has_bytes(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except FileNotFoundError:
        return False
