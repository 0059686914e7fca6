"""A real PostgreSQL for as long as a test needs it."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.postgresql import PostgreSQL


@contextmanager
def running_postgresql() -> Iterator[PostgreSQL]:
    """In a folder of its own, not in pytest's: a socket's path must be short, and root's server runs as nobody."""
    folder = Path(tempfile.mkdtemp(prefix="candor-pg-"))
    folder.chmod(0o755)
    server = PostgreSQL(folder / "server")
    server.start()
    yield server
    server.stop()
    shutil.rmtree(folder)
