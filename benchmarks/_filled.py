"""A store of any size at once, on either kind of database, and what work on it costs.

Reports are put into the table of kept ones by passes in the order of their nonces, each a quarter of what is there
already: the key's tree ends as full as growing at random leaves it, which one pass over all of them would not.
"""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from config.postgresql import PostgreSQL

if TYPE_CHECKING:
    from collector.reports.storing import NewReport

ITEMS = 20
Made = TypeVar("Made")
FIRST = 10_000
"""Reports of the first pass."""

PIECE = 1_000_000
"""Rows handed to COPY at a time."""

INSERT = "INSERT INTO collector_report (design_id, stratum, mode, nonce, report) VALUES (%s, %s, 0, %s, %s)"
COPY = "COPY collector_report (design_id, stratum, mode, nonce, report) FROM STDIN (FORMAT BINARY)"
ROW = np.dtype(
    [("columns", ">i2")]
    + [
        (name, kind)
        for column, kind in (
            ("design", ">i4"),
            ("stratum", ">i2"),
            ("mode", ">i2"),
            ("nonce", "V16"),
            ("report", "V20"),
        )
        for name, kind in ((f"{column}_size", ">i4"), (column, kind))
    ]
)
"""A row as COPY takes it: how many columns, and each with its length before it."""

BYTES = {
    "sqlite": "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name IN "
    "(SELECT name FROM sqlite_master WHERE tbl_name = '{}')",
    "postgresql": "SELECT pg_total_relation_size('{}')",
}


@contextmanager
def database(kind: str) -> Iterator[dict[str, str]]:
    """An empty database, sqlite or postgresql; the variables of a process that is to use it."""
    with tempfile.TemporaryDirectory(prefix="candor-bench-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        named = {
            "CANDOR_DATA": str(Path(folder) / "data"),
            "DATABASE_URL": "",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        if kind == "sqlite":
            yield named
            return
        server = PostgreSQL(Path(folder) / "server")
        server.start()
        try:
            yield named | {"DATABASE_URL": server.url}
        finally:
            server.stop()


def lines(module: str, kind: str, *words: str) -> Iterator[Any]:
    """What a process of its own, whose settings name a new database, prints: a line of JSON each."""
    with database(kind) as variables:
        command = [sys.executable, "-m", module, "--here", *words]
        with subprocess.Popen(command, env=os.environ | variables, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            for line in running.stdout:
                yield json.loads(line)
        if running.returncode:
            raise SystemExit(f"{module} ended with {running.returncode} on {kind}.")


def prepare() -> str:
    """Django, the tables and a design of so many items; its digest."""
    import django

    django.setup()
    from django.core.management import call_command

    from collector.designs.services import freeze_design
    from tests.factories import payloads

    call_command("migrate", verbosity=0)
    item = payloads.document()["items"][0]
    return freeze_design(payloads.document(items=[item | {"key": f"q{number}"} for number in range(ITEMS)])).digest


def fill(digest: str, size: int) -> None:
    """Put reports into the table of kept ones until there are so many. They are in no total."""
    from collector.models import FrozenDesign, Report

    number = FrozenDesign.objects.values_list("number", flat=True).get(digest=digest)
    with tqdm(total=size, desc="filling", unit=" reports", initial=Report.objects.count(), disable=None) as progress:
        for nonces in _ahead(_sorted_nonces, _passes(progress.n, size)):
            _insert(number, nonces)
            progress.update(len(nonces))
    _settle()


def _passes(there: int, size: int) -> Iterator[int]:
    """How many reports each pass puts in."""
    while there < size:
        more = min(max(there // 4, FIRST), size - there)
        yield more
        there += more


def _ahead(make: Callable[[int], Made], values: Iterable[int]) -> Iterator[Made]:
    """What is made of each value, of which the next is made meanwhile by another thread."""
    with ThreadPoolExecutor(1) as pool:
        last: Future[Made] | None = None
        for value in values:
            coming = pool.submit(make, value)
            if last is not None:
                yield last.result()
            last = coming
        if last is not None:
            yield last.result()


def _insert(number: int, nonces: NDArray[np.uint8]) -> None:
    from django.db import connection, transaction

    count = len(nonces)
    if connection.vendor == "sqlite":
        symbols = _symbols(count)
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous = OFF")
        keys, answers = nonces.tobytes(), symbols.tobytes()
        rows = (
            (number, place % 2, keys[16 * place : 16 * place + 16], answers[ITEMS * place : ITEMS * (place + 1)])
            for place in range(count)
        )
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(INSERT, rows)
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous = FULL")
        return
    with transaction.atomic(), connection.cursor() as cursor:
        # A row that is copied in one by one asks for its design each time.
        cursor.execute("SET LOCAL session_replication_role = replica")
        with cursor.copy(COPY) as copying:
            copying.write(b"PGCOPY\n\xff\r\n\x00" + bytes(8))
            for rows in _ahead(lambda first: _rows(number, nonces[first : first + PIECE]), range(0, count, PIECE)):
                copying.write(rows)
            copying.write(b"\xff\xff")


def _rows(number: int, nonces: NDArray[np.uint8]) -> bytes:
    """Rows of these nonces with random symbols, as COPY takes them."""
    rows = np.zeros(len(nonces), dtype=ROW)
    rows["columns"] = 5
    for name in ("design", "stratum", "mode", "nonce", "report"):
        rows[f"{name}_size"] = ROW[name].itemsize
    rows["design"], rows["stratum"] = number, np.arange(len(rows)) % 2
    rows["nonce"], rows["report"] = nonces.view("V16").ravel(), _symbols(len(rows)).view(f"V{ITEMS}").ravel()
    return rows.tobytes()


def _sorted_nonces(count: int) -> NDArray[np.uint8]:
    drawn = np.frombuffer(secrets.token_bytes(16 * count), dtype=">u8").reshape(count, 2)
    order = np.lexsort((drawn[:, 1], drawn[:, 0]))
    return np.ascontiguousarray(drawn[order]).view(np.uint8).reshape(count, 16)


def _symbols(count: int) -> NDArray[np.uint8]:
    return np.frombuffer(secrets.token_bytes(count * ITEMS), dtype=np.uint8).reshape(count, ITEMS) % 2


def _settle() -> None:
    """Write out what filling has left behind, so that it is not counted as anybody else's."""
    from django.db import connection

    words = {"sqlite": ["PRAGMA wal_checkpoint(TRUNCATE)"], "postgresql": ["VACUUM ANALYZE", "CHECKPOINT"]}
    with connection.cursor() as cursor:
        for statement in words[connection.vendor]:
            cursor.execute(statement)


def new(digest: str, count: int) -> "list[NewReport]":
    """Reports that come in, drawn at random."""
    from collector.reports.storing import NewReport

    symbols = _symbols(count)
    return [
        NewReport(secrets.token_bytes(16), digest, place % 2, symbols[place].tobytes(), 0) for place in range(count)
    ]


def size(table: str) -> int:
    """Bytes of a table with everything that belongs to it."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(BYTES[connection.vendor].format(table))
        return int(cursor.fetchone()[0])


@dataclass(frozen=True)
class Spent:
    """Seconds on the clock, seconds of processors, and bytes handed to the disk."""

    wall: float
    processor: float
    written: int

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(self.wall - other.wall, self.processor - other.processor, self.written - other.written)


def spent() -> Spent:
    """What this process and, on PostgreSQL, all processes of its server have used since they began."""
    ours = [os.getpid(), *_server()]
    return Spent(time.perf_counter(), sum(map(_processor, ours)), sum(map(_written, ours)))


def _server() -> list[int]:
    from django.db import connection

    if connection.vendor == "sqlite":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = int(cursor.fetchone()[0])
    parent = int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
    return children(parent)


def children(pid: int) -> list[int]:
    """The processes that one has started, from any of its threads."""
    try:
        found = [tasks.read_text().split() for tasks in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:  # it has ended meanwhile
        return []
    return [int(child) for some in found for child in some]


def _processor(pid: int) -> float:
    try:
        return sum(int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9
    except OSError:  # a process that has ended meanwhile
        return 0.0


def _written(pid: int) -> int:
    try:
        said = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    except OSError:
        return 0
    return int(said["write_bytes"])
