"""A real PostgreSQL with a replica, for as long as a test needs them."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from config.postgresql import DATABASE, USER, _user, binary

NAME = "second"
DATA = "data"
SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
wal_level = replica
fsync = on
shared_buffers = 16MB
max_connections = 20
"""


@dataclass(frozen=True)
class Pair:
    """Two servers, each named by the folder of its socket."""

    primary: Path
    replica: Path

    def execute(self, statement: str, *, on: Path | None = None) -> list[tuple[object, ...]]:
        with psycopg.connect(host=str(on or self.primary), user=USER, dbname=DATABASE, autocommit=True) as there:
            cursor = there.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def settings(self, folder: Path) -> dict[str, object]:
        """Django's settings of one of them."""
        return {"ENGINE": "django.db.backends.postgresql", "HOST": str(folder), "NAME": DATABASE, "USER": USER}


@contextmanager
def running_pair() -> Iterator[Pair]:
    """In a folder of its own, not in pytest's: a socket's path must be short, and root's server runs as nobody."""
    folder = Path(tempfile.mkdtemp(prefix="candor-pair-"))
    if user := _user():
        shutil.chown(folder, user)
    pair = Pair(folder / "first", folder / NAME)
    for one in (pair.primary, pair.replica):
        one.mkdir()
        if user:
            shutil.chown(one, user)
    try:
        _run("initdb", "-D", pair.primary / DATA, "-U", USER, "-A", "trust", "--locale=C.UTF-8", "--no-sync")
        _start(pair.primary)
        _run("createdb", "-h", pair.primary, "-U", USER, DATABASE)
        _run("pg_basebackup", "-h", pair.primary, "-U", USER, "-D", pair.replica / DATA, "-c", "fast", "--no-sync",
             "-R", "-d", f"application_name={NAME}")  # fmt: skip
        _start(pair.replica)
        yield pair
    finally:
        for one in (pair.replica, pair.primary):
            if (one / DATA / "postmaster.pid").exists():
                _run("pg_ctl", "-D", one / DATA, "-m", "immediate", "-s", "stop")
        shutil.rmtree(folder)


def _start(folder: Path) -> None:
    with (folder / DATA / "postgresql.conf").open("a") as file:
        file.write(SETTINGS.format(folder=folder))
    try:
        _run("pg_ctl", "-D", folder / DATA, "-l", folder / "log", "-w", "-s", "start")
    except AssertionError as error:
        raise AssertionError(f"{error} {(folder / 'log').read_text()}") from None


def _run(name: str, *words: str | Path) -> None:
    done = subprocess.run(
        [binary(name), *words], cwd="/", user=_user(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"{name}: {done.stderr}"
