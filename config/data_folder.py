"""The data folder as the launcher finds it: nobody else's at the moment, and with a database that can be read."""

import contextlib
import fcntl
import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

LOCK = "launcher.lock"
WAL_MAGIC = {0x377F0682, 0x377F0683}
"""What the write-ahead log of SQLite begins with ("Database File Format", 4.1); any other is passed over unread."""

CHECKED = 2**30
"""Bytes up to which every page of a database is checked: 76 MB take a third of a second."""


@contextlib.contextmanager
def locked(data: Path) -> Iterator[None]:
    """Hold the folder against other launchers while this lasts; exits with a sentence where one has it."""
    with (data / LOCK).open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            sys.exit(
                f"Candor runs in {data} already (process {file.read().strip() or 'unknown'}). End that one first, or "
                "give this one a folder of its own: CANDOR_DATA=/folder make run"
            )
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def require_readable(database: Path) -> None:
    """Exit with a sentence where the database file or its log is damaged. Nothing is written, so nothing gets worse."""
    fault = fault_of(database)
    if fault:
        sys.exit(
            f"The database {database} is damaged: {fault}. Nothing was started and nothing was changed. Keep a copy of "
            "the folder and restore the last backup into an empty one: make restore FILE=candor.zip CANDOR_DATA=/folder"
        )


def fault_of(database: Path) -> str:
    """What is wrong with a file of SQLite and its log; empty where nothing is, or there is none yet."""
    log = database.with_name(f"{database.name}-wal")
    written = log.stat().st_size if log.exists() else 0
    if not database.exists() or not database.stat().st_size:
        return "it is empty, and its log is not" if written else ""
    if written:
        with log.open("rb") as file:
            if int.from_bytes(file.read(4)) not in WAL_MAGIC:
                return f"its log {log.name} is not one of SQLite, and the last reports are in it"
    try:
        with contextlib.closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            check = "quick_check(1)" if database.stat().st_size <= CHECKED else "schema_version"
            (found,) = connection.execute(f"PRAGMA {check}").fetchone()
            connection.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" or isinstance(found, int) else str(found).splitlines()[-1]
