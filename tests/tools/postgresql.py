"""A real PostgreSQL for as long as a test needs it."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config import postgresql
from config.postgresql import PostgreSQL
from tests.tools.prepared import once


@contextmanager
def running_postgresql() -> Iterator[PostgreSQL]:
    """Its files are a copy of those that the first server of the run with segments of that size began with."""
    with _server() as server:
        copy_cluster(server.folder)
        server.start()
        yield server
        server.stop()


def copy_cluster(folder: Path) -> None:
    """Make `folder` that of a server that has never run."""
    copy(once(f"cluster-{postgresql.SEGMENT}", _make), folder)


def copy(there: Path, folder: Path) -> None:
    """With the owner of each file, who may be nobody."""
    subprocess.run(["cp", "-a", there, folder], check=True)


def _make(cluster: Path) -> None:
    with _server() as server:
        server.start()
        server.stop()
        server.log.unlink()
        copy(server.folder, cluster)


@contextmanager
def _server() -> Iterator[PostgreSQL]:
    """In a folder of its own, not in pytest's: a socket's path must be short, and root's server runs as nobody."""
    folder = Path(tempfile.mkdtemp(prefix="candor-pg-"))
    folder.chmod(0o755)
    yield PostgreSQL(folder / "server")
    shutil.rmtree(folder)
