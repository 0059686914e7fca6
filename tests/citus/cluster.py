"""A Citus cluster in a folder: a coordinator and workers, each a PostgreSQL 15 of Debian's on a port of its own."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from config.postgresql import FORGETTING, UNPRIVILEGED, USER
from config.processes import free_port

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
EXTENSION = Path("/usr/share/postgresql/15/extension/citus.control")
PACKAGE = "CITUS_PACKAGE"
SETTINGS = FORGETTING | {
    "wal_level": "logical",
    "max_wal_senders": "10",
    "max_replication_slots": "10",
    "max_prepared_transactions": "200",
    "max_connections": "200",
    "shared_preload_libraries": "citus",
    "citus.node_conninfo": "sslmode=prefer keepalives_idle=10 keepalives_interval=3 keepalives_count=3 "
    "tcp_user_timeout=10000",
    "citus.shard_count": "4",
    "listen_addresses": "127.0.0.1",
}
"""A shard is moved to another node by logical replication; transactions over several nodes are prepared on each. A
machine that is cut off is given up after ten seconds: docs/how-to/citus.md."""

PATIENCE = 180.0
ROOT = Path(__file__).parents[2]


def install() -> None:
    """Install Citus from the Debian package that CITUS_PACKAGE names, unless it is there. Raises RuntimeError."""
    if EXTENSION.exists() and (PROGRAMS / "postgres").exists():
        return
    package = os.environ.get(PACKAGE, "")
    if not package:
        raise RuntimeError(f"Citus for PostgreSQL 15 is not installed: install it, or name its .deb in {PACKAGE}.")
    subprocess.run(["apt-get", "install", "-y", "postgresql-15", str(Path(package).resolve())], check=True)


class Node:
    """One server of the cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server, in a new folder the first time, and wait until it answers."""
        user = UNPRIVILEGED if os.geteuid() == 0 else None
        if not self.folder.exists():
            self.folder.mkdir(parents=True)
            if user:
                shutil.chown(self.folder, user)
            made = [PROGRAMS / "initdb", "-D", self.folder / "data", "-U", USER, "-A", "trust", "-E", "UTF8",
                    "--locale=C.UTF-8", "--wal-segsize=1"]  # fmt: skip
            subprocess.run(made, cwd=self.folder, user=user, check=True, stdout=subprocess.DEVNULL)
        settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self.server = subprocess.Popen(
                [PROGRAMS / "postgres", "-D", self.folder / "data", "-p", str(self.port), "-k", self.folder, *settings],
                cwd=self.folder, user=user, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if time.monotonic() > deadline or self.server.poll() is not None:
                raise RuntimeError(f"PostgreSQL does not start; see {self.folder.name}.log")
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server, by default in order; SIGQUIT is as if its machine had gone."""
        if self.server is not None and self.server.poll() is None:
            self.server.send_signal(how)
            self.server.wait(timeout=PATIENCE)

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        with psycopg.connect(self.url(database), autocommit=True) as there:
            done = there.execute(statement.encode())
            return done.fetchall() if done.description else []

    def url(self, database: str) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def _answers(self) -> bool:
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True


class Cluster:
    """A coordinator and workers; databases on all of them."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder
        self.coordinator = Node(folder / "coordinator")
        self.workers = [Node(folder / f"worker{number}") for number in range(1, workers + 1)]

    @property
    def nodes(self) -> list[Node]:
        return [self.coordinator, *self.workers]

    def create_database(self, name: str) -> None:
        create_database(name, [one.port for one in self.nodes])


def create_database(name: str, ports: list[int]) -> None:
    """Create a database with Citus on every node, of which the first is the coordinator, replacing any of that name."""
    drop_database(name, ports)
    coordinator, *workers = ports
    _create(coordinator, name)
    _execute(coordinator, name, f"SELECT citus_set_coordinator_host('127.0.0.1', {coordinator})")
    for port in workers:
        add_node(name, coordinator, port)


def add_node(name: str, coordinator: int, port: int, *, reached_by: int | None = None) -> None:
    """Create the database on one more node, and say so to the coordinator, which may reach it by another port.

    No shard moves there by this.
    """
    _create(port, name)
    _execute(coordinator, name, f"SELECT citus_add_node('127.0.0.1', {reached_by or port})")


def _create(port: int, name: str) -> None:
    _execute(port, "postgres", f"SET citus.enable_create_database_propagation = off; CREATE DATABASE {name}")
    _execute(port, name, "CREATE EXTENSION citus")


def drop_database(name: str, ports: list[int]) -> None:
    for port in ports:
        _execute(port, "postgres", f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@contextmanager
def other_database(port: int, name: str) -> Iterator[str]:
    """The address of a new database of one of the servers, which is not distributed: as one PostgreSQL. Gone after."""
    drop_database(name, [port])
    _execute(port, "postgres", f"SET citus.enable_create_database_propagation = off; CREATE DATABASE {name}")
    try:
        yield f"postgresql://{USER}@127.0.0.1:{port}/{name}"
    finally:
        drop_database(name, [port])


def _execute(port: int, database: str, statements: str) -> None:
    with psycopg.connect(f"postgresql://{USER}@127.0.0.1:{port}/{database}", autocommit=True) as there:
        for statement in statements.split("; "):
            there.execute(statement.encode())


def environment(url: str, data: Path) -> dict[str, str]:
    """That of an installation's processes with this database; in its folder of data where the address is empty."""
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    return kept | {"DATABASE_URL": url, "CANDOR_DATA": str(data)}


def manage(variables: dict[str, str], *words: str) -> None:
    """Execute a command of that installation. AssertionError where it fails, with its words."""
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def make_tables(variables: dict[str, str], *, shards: int) -> None:
    """Make its tables and distribute them."""
    manage(variables, "migrate", "--verbosity", "0")
    manage(variables, "distribute", "--shards", str(shards))


@contextmanager
def running(workers: int = 2) -> Iterator[Cluster]:
    """A new cluster in a temporary folder, gone afterwards."""
    install()
    folder = Path(tempfile.mkdtemp(prefix="candor-citus-"))
    folder.chmod(0o755)
    cluster = Cluster(folder, workers)
    if os.geteuid() == 0:
        shutil.chown(folder, UNPRIVILEGED)
    try:
        for node in cluster.nodes:
            node.start()
        yield cluster
    finally:
        for node in cluster.nodes:
            node.stop()
        shutil.rmtree(folder, ignore_errors=True)
