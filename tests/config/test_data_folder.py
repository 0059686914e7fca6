"""What the launcher says of a data folder that somebody else uses, or whose database is damaged."""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config import data_folder

PAGE = 4096


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Path]:
    """A database of about 60 pages whose last rows are in its log alone."""
    file = tmp_path / "candor.sqlite3"
    connection = sqlite3.connect(file)
    connection.executescript("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t (k PRIMARY KEY, v)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(str(n), "x" * 100) for n in range(1000)])
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO t VALUES ('last', 'row')")
    connection.commit()
    yield file
    connection.close()


def damage(file: Path, first: int, last: int) -> None:
    content = bytearray(file.read_bytes())
    content[first:last] = os.urandom(last - first)
    file.write_bytes(content)


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut": (lambda file: os.truncate(file, file.stat().st_size // 2), "Page "),
    "pages": (lambda file: damage(file, 8 * PAGE, 12 * PAGE), "Page "),
    "header": (lambda file: (wal(file).unlink(), damage(file, 0, 100)), "not a database"),
    "log": (lambda file: damage(wal(file), 0, 32), "is not one of SQLite"),
    "empty": (lambda file: os.truncate(file, 0), "it is empty, and its log is not"),
}


def enter(folder: Path) -> None:
    with data_folder.locked(folder):
        pass


def wal(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


@pytest.mark.parametrize("kind", DAMAGES)
def test_launcher_damaged_database_refuses(tmp_path: Path, database: Path, kind: str) -> None:
    harm, words = DAMAGES[kind]
    copy = tmp_path / "copy" / database.name
    copy.parent.mkdir()
    copy.write_bytes(database.read_bytes())
    wal(copy).write_bytes(wal(database).read_bytes())
    assert data_folder.fault_of(copy) == ""
    harm(copy)
    before = hashlib.sha256(copy.read_bytes()).digest()
    with pytest.raises(SystemExit, match="is damaged: ") as refused:
        data_folder.require_readable(copy)
    assert words in str(refused.value)
    assert "Nothing was started" in str(refused.value)
    assert hashlib.sha256(copy.read_bytes()).digest() == before


def test_launcher_new_folder_has_no_fault(tmp_path: Path) -> None:
    assert data_folder.fault_of(tmp_path / "candor.sqlite3") == ""


def test_launcher_second_in_folder_is_refused(tmp_path: Path) -> None:
    with data_folder.locked(tmp_path), pytest.raises(SystemExit, match=rf"already \(process {os.getpid()}\)"):
        enter(tmp_path)
    enter(tmp_path)
