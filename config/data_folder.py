"""Checks of the data folder at start: private to its user, not in use, its database readable."""

import contextlib
import fcntl
import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

LOCK = "launcher.lock"
WAL_MAGIC = {0x377F0682, 0x377F0683}
"""First bytes of SQLite's write-ahead log ("Database File Format", 4.1); any other file is skipped unread."""

CHECKED = 2**30
"""Largest size in bytes of a database with every page checked: 76 MB take a third of a second."""

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private(folder: Path) -> None:
    """Remove the permissions of everybody but the owner on the folder and its content.

    Exits with a sentence where something in it is a link or belongs to somebody else, who could read or replace it.
    """
    for path in _within(folder):
        with contextlib.suppress(FileNotFoundError):  # a message that was just taken
            found = path.lstat()
            if fault := _not_ours(path, found):
                sys.exit(fault)
            if found.st_mode & OTHERS:
                _close(path, found)


def open_to_others(folder: Path) -> list[Path]:
    """Paths in the folder that other users may read, write or replace; nothing is changed."""
    found = []
    for path in _within(folder):
        with contextlib.suppress(FileNotFoundError):
            seen = path.lstat()
            if _not_ours(path, seen) or seen.st_mode & OTHERS:
                found.append(path)
    return found


def _within(folder: Path) -> Iterator[Path]:
    """Yield the folder, unless it is missing, and its content; no link is followed."""
    if not folder.is_symlink() and not folder.exists():
        return
    yield folder
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent, name) for name in (*folders, *files))


def _not_ours(path: Path, found: os.stat_result) -> str:
    if stat.S_ISLNK(found.st_mode):
        return f"{path} is a link, so others may choose what is behind it. Put the file or folder itself in its place."
    if found.st_uid != os.geteuid():
        return (
            f"{path} belongs to user {found.st_uid}, who could read or replace what Candor keeps there; it runs as "
            f"user {os.geteuid()}. Run it as that user, or make the folder its own: chown -R {os.geteuid()} {path}"
        )
    return ""


def _close(path: Path, found: os.stat_result) -> None:
    try:
        path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)
    except OSError as error:
        sys.exit(f"Others may read {path}, and that cannot be changed ({error.strerror}): chmod -R go= {path}")


@contextlib.contextmanager
def locked(data: Path) -> Iterator[None]:
    """Lock the folder against other launchers within the context; exit with a message if one has it."""
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
    """Exit with a message if the database file or its log is damaged. Nothing is written, so no further harm."""
    fault = fault_of(database)
    if fault:
        sys.exit(
            f"The database {database} is damaged: {fault}. Nothing was started and nothing was changed. Keep a copy of "
            "the folder and restore the last backup into an empty one: make restore FILE=candor.zip CANDOR_DATA=/folder"
        )


def fault_of(database: Path) -> str:
    """The fault of an SQLite file or its log; empty if there is none, or no file yet."""
    log = database.with_name(f"{database.name}-wal")
    written = log.stat().st_size if log.exists() else 0
    if not database.exists() or not database.stat().st_size:
        return "it is empty, and its log is not" if written else ""
    if written:
        with log.open("rb") as file:
            if int.from_bytes(file.read(4)) not in WAL_MAGIC:
                return f"its log {log.name} is not one of SQLite, and the last responses are in it"
    try:
        with contextlib.closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            check = "quick_check(1)" if database.stat().st_size <= CHECKED else "schema_version"
            (found,) = connection.execute(f"PRAGMA {check}").fetchone()
            connection.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" or isinstance(found, int) else str(found).splitlines()[-1]
