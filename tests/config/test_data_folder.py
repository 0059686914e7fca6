"""What the launcher says of a data folder that somebody else uses, or whose database is damaged."""

import hashlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config import data_folder

ROOT = Path(__file__).parents[2]
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


def test_launcher_second_in_folder_is_rejected(tmp_path: Path) -> None:
    with data_folder.locked(tmp_path), pytest.raises(SystemExit, match=rf"already \(process {os.getpid()}\)"):
        enter(tmp_path)
    enter(tmp_path)


def modes(folder: Path) -> set[int]:
    return {path.lstat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}


@pytest.fixture
def left_open(tmp_path: Path) -> Path:
    """A data folder as an earlier version left it under an umask of 000."""
    folder = tmp_path / "var"
    (folder / "broker" / "control").mkdir(parents=True)
    for name in ("candor.sqlite3", "candor.sqlite3-wal", "secret_key", "broker/1.msg", "broker/control/table"):
        (folder / name).touch()
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    return folder


def test_data_folder_open_to_others_is_made_private(left_open: Path) -> None:
    assert len(data_folder.open_to_others(left_open)) == 8
    data_folder.make_private(left_open)
    assert modes(left_open) == {0o700, 0o600}
    assert data_folder.open_to_others(left_open) == []


def test_data_folder_missing_is_ignored(tmp_path: Path) -> None:
    data_folder.make_private(tmp_path / "none")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["candor.sqlite3", "broker", "var"])
def test_data_folder_link_is_rejected(left_open: Path, tmp_path: Path, name: str) -> None:
    path = left_open if name == "var" else left_open / name
    elsewhere = path.rename(tmp_path / "elsewhere")
    path.symlink_to(elsewhere)
    with pytest.raises(SystemExit, match=f"{path} is a link, so others may choose what is behind it"):
        data_folder.make_private(left_open)
    assert elsewhere.stat().st_mode & 0o066, "what is behind it is left alone"


def test_data_folder_of_another_user_is_rejected(left_open: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: left_open.stat().st_uid + 1)
    with pytest.raises(SystemExit, match=r"belongs to user \d+, who could read or replace .* chown -R"):
        data_folder.make_private(left_open)
    assert modes(left_open) == {0o777, 0o666}


def test_data_folder_read_only_names_command(left_open: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, mode: int) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.raises(SystemExit, match=r"Others may read .*Read-only file system.*: chmod -R go= "):
        data_folder.make_private(left_open)


ENTRIES = {
    "manage.py": ["manage.py", "migrate", "--verbosity", "0"],
    "backup": ["manage.py", "backup", "{data}/candor.zip"],
    "wsgi": ["-c", "import config.wsgi; open('{data}/made', 'w')"],
    "celery": ["-m", "celery", "-q", "-A", "config", "report"],
}


@pytest.mark.long
def test_entry_points_create_private_files(tmp_path: Path) -> None:
    """One after the other in one folder, begun under an umask that lets everybody read and write. The launcher and what
    it starts: tests/system/test_serve.py."""
    data = tmp_path / "data"
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment = kept | {"CANDOR_DATA": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}
    for name, words in ENTRIES.items():
        command = [sys.executable, *(word.format(data=data) for word in words)]
        done = subprocess.run(command, cwd=ROOT, env=environment, umask=0, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        assert data_folder.open_to_others(data) == [], name
        (data / "made").unlink(missing_ok=True)
    made = {path.name for path in data.iterdir()}
    assert made >= {"candor.sqlite3", "secret_key", "backup_key", "broker", "candor.zip"}
