"""How many reports a second are taken, each on disk before it is answered, on SQLite and on PostgreSQL.

    make bench

Beside the door stand (a) an empty Django view on the same server, (b) the commits of one row each that the database
does without any web server, and (c) a plain view of Django REST framework with serializer and ORM. They take turns;
what is written into docs are medians. Client, server and database share the machine. Nothing is folded meanwhile.
"""

import argparse
import contextlib
import json
import os
import secrets
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks._svg import COLOURS, Panel, picture
from config.postgresql import PostgreSQL, _user, binary
from config.processes import commands
from config.redis_server import RedisServer
from tests.system.installation import ROOT, free_port, wait_until

TURNS = 5
SECONDS = 4.0
CONNECTIONS = 16
FEW = 0.8
"""Of the rate that is reached: at this part of it the wait is measured."""

ITEMS = 20
PAGE = ROOT / "docs" / "reports.md"
PICTURE = ROOT / "docs" / "images" / "reports.svg"
NAMES = {
    "door": "reports taken",
    "empty": "(a) empty Django view",
    "commits": "(b) commits of one row",
    "plain": "(c) plain DRF view",
}
NO_LIMIT = "100000000/hour"
"""High, not off: the counting belongs to what is measured."""

PLAIN = {"rsgi": "wsgi", "config.rsgi:application": "benchmarks.plain.wsgi:application"}
"""Words of the web server's command, and what stands for them where the views that ours is compared with run: the
server's own threads, as it runs any Django."""

Rates = dict[str, list[float]]
Databases = Callable[[Path], contextlib.AbstractContextManager[tuple[dict[str, str], Callable[[], float]]]]


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    measured: dict[str, Any] = {}
    for name, (databases, processes) in SERVERS.items():
        with tempfile.TemporaryDirectory(prefix="candor-bench-", ignore_cleanup_errors=True) as folder:
            Path(folder).chmod(0o755)
            with databases(Path(folder)) as (environment, commits):
                measured[name] = measure(Path(folder), environment, commits, processes)
        print(json.dumps({name: measured[name]}), flush=True)
    write(measured)


@contextlib.contextmanager
def _sqlite(folder: Path) -> Iterator[tuple[dict[str, str], Callable[[], float]]]:
    yield {}, lambda: commits_of_sqlite(folder)


@contextlib.contextmanager
def _postgresql(folder: Path) -> Iterator[tuple[dict[str, str], Callable[[], float]]]:
    database, broker = PostgreSQL(folder / "pg"), RedisServer(folder / "redis")
    database.start()
    broker.start()
    try:
        yield {"DATABASE_URL": database.url, "REDIS_URL": broker.url}, lambda: commits_of_postgresql(database, folder)
    finally:
        broker.stop()
        database.stop()


def measure(folder: Path, environment: dict[str, str], commits: Callable[[], float], processes: int) -> dict[str, Any]:
    """The rates of all turns, and the wait at a part of the door's rate."""
    own = {
        "CANDOR_DATA": str(folder / "data"),
        "CANDOR_REPORTS_BY_ADDRESS": NO_LIMIT,
        "CANDOR_REPORTS_BY_SURVEY": NO_LIMIT,
    }
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    environment = kept | own | environment
    digest = prepare(environment)
    with (
        serving(environment, processes) as door,
        serving(environment, processes, PLAIN) as plain,
    ):
        symbols = "00" * ITEMS
        body = json.dumps(
            {"design": digest, "nonce": "NONCE", "stratum": "y1", "report": symbols}, separators=(",", ":")
        )
        headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{door}"}
        report = {"port": door, "path": "/s/campus/reports", "body": body, "headers": headers, "status": 201}
        loads: dict[str, Callable[[], float]] = {
            "door": lambda: load(**report)["rate"],
            "empty": lambda: load(port=plain, path="/empty")["rate"],
            "commits": commits,
            "plain": lambda: load(**report | {"port": plain, "path": "/reports"})["rate"],
        }
        for one in loads.values():
            one()  # warm
        rates: Rates = {name: [] for name in loads}
        for _ in range(TURNS):
            for name, one in loads.items():
                rates[name].append(one())
        pace = FEW * statistics.median(rates["door"])
        waits = [load(**report, rate=pace) for _ in range(TURNS)]
    paced = {name: statistics.median(wait[name] for wait in waits) for name in ("median", "p99")}
    return {"rates": rates, "pace": pace, "waits": paced}


SERVERS: dict[str, tuple[Databases, int]] = {
    "SQLite": (_sqlite, 1),
    "PostgreSQL, one web process": (_postgresql, 1),
    "PostgreSQL, two": (_postgresql, 2),
}
"""By the words of the table: the database and the number of web processes. SQLite lets one process write at a time."""


def load(**asked: Any) -> dict[str, float]:
    words = json.dumps({"seconds": SECONDS, "connections": CONNECTIONS} | asked)
    done = subprocess.run([sys.executable, "-m", "benchmarks.load", words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return dict(json.loads(done.stdout))


PREPARE = f"""
from django.db import connection
from benchmarks.plain.models import PlainReport
from collector.designs.services import freeze_design
from tests.factories import payloads
item = payloads.document()["items"][0]
with connection.schema_editor() as editor:
    editor.create_model(PlainReport)
print(freeze_design(payloads.document(items=[item | {{"key": f"q{{n}}"}} for n in range({ITEMS})])).digest)
"""


def prepare(environment: dict[str, str]) -> str:
    """The tables, and a design of so many items; its digest."""
    environment = environment | {"DJANGO_SETTINGS_MODULE": "benchmarks.plain.settings"}
    # Without the checks: the admin asks for the middleware that the plain views go without.
    for words in (["migrate", "--skip-checks", "--verbosity", "0"], ["shell", "--verbosity", "0", "-c", PREPARE]):
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
    return done.stdout.split()[-1]


@contextlib.contextmanager
def serving(environment: dict[str, str], processes: int, other: Mapping[str, str] = {}) -> Iterator[int]:
    """The server with the options of an installation, some of whose words may be others; its port."""
    port = free_port()
    words = commands("127.0.0.1", port, web_processes=processes)["web server"]
    command = [other.get(word, word) for word in words] + (["--blocking-threads", "128"] if other else [])
    running = subprocess.Popen(
        command, cwd=ROOT, env=environment | {"CANDOR_URL": f"http://127.0.0.1:{port}"}, start_new_session=True
    )
    try:
        wait_until(lambda: _answers(port), 60)
        yield port
    finally:
        os.killpg(running.pid, signal.SIGTERM)
        running.wait(timeout=30)


def _answers(port: int) -> bool:
    import socket

    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as there:
        there.sendall(b"GET /empty HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        return bool(there.recv(1))
    return False


def commits_of_sqlite(folder: Path) -> float:
    """One connection, as the database lets one write at a time; on disk at each commit."""
    with contextlib.closing(sqlite3.connect(folder / "bare.sqlite3", isolation_level=None)) as bare:
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute("CREATE TABLE IF NOT EXISTS bare (nonce BLOB PRIMARY KEY, report BLOB) WITHOUT ROWID")
        start, done = time.perf_counter(), 0
        while time.perf_counter() - start < SECONDS:
            bare.execute("INSERT INTO bare VALUES (?, ?)", (secrets.token_bytes(16), bytes(ITEMS)))
            done += 1
        return done / (time.perf_counter() - start)


def commits_of_postgresql(database: PostgreSQL, folder: Path) -> float:
    """As many connections as the client has, each with one row at a time (pgbench)."""
    script = folder / "bare.sql"
    script.write_text("INSERT INTO bare VALUES (uuid_send(gen_random_uuid()), decode(repeat('00', 20), 'hex'));\n")
    script.chmod(0o644)
    where = ["-h", str(database.folder), "-U", "candor", "candor"]
    make = "CREATE TABLE IF NOT EXISTS bare (nonce bytea PRIMARY KEY, report bytea)"
    run = {"user": _user(), "cwd": database.folder, "capture_output": True, "text": True, "check": True}
    subprocess.run([binary("psql"), "-c", make, *where], **run)
    threads = ["-c", str(CONNECTIONS), "-j", "2", "-T", str(int(SECONDS)), "-n", "-M", "prepared", "-f", str(script)]
    said = subprocess.run([binary("pgbench"), *threads, *where], **run).stdout
    return float(said.rpartition("tps = ")[2].split()[0])


def write(measured: dict[str, dict[str, Any]]) -> None:
    """The table and the picture in docs."""
    lines = [f"| a second | {' | '.join(measured)} |", f"|---|{'---|' * len(measured)}"]
    middle = {
        kind: {name: statistics.median(rates) for name, rates in one["rates"].items()} for kind, one in measured.items()
    }
    for name, words in NAMES.items():
        lines.append(f"| {words} | {' | '.join(f'{middle[kind][name]:,.0f}' for kind in measured)} |")
    ratios = {
        "of the smaller of (a) and (b)": lambda one: one["door"] / min(one["empty"], one["commits"]),
        "times (c)": lambda one: one["door"] / one["plain"],
    }
    for words, ratio in ratios.items():
        lines.append(f"| **{words}** | {' | '.join(f'**{ratio(middle[kind]):.2f}**' for kind in measured)} |")
    for words, name in (("wait at 80 % of it, median", "median"), ("the same, 99 %", "p99")):
        waits = [f"{1000 * one['waits'][name]:.1f} ms" for one in measured.values()]
        lines.append(f"| {words} | {' | '.join(waits)} |")
    head, _, rest = PAGE.read_text().partition("<!-- measured -->\n")
    _, _, tail = rest.partition("<!-- end -->")
    PAGE.write_text(f"{head}<!-- measured -->\n" + "\n".join(lines) + f"\n<!-- end -->{tail}")
    PICTURE.write_text(drawn(measured))
    print("\n".join(lines))


def drawn(measured: dict[str, dict[str, Any]]) -> str:
    """A dot for each turn."""
    highest = max(rate for one in measured.values() for rates in one["rates"].values() for rate in rates)
    step = 5_000 if highest > 10_000 else 2_000
    ticks = {float(value): f"{value // 1000},000" if value else "0" for value in range(0, int(highest * 1.1), step)}
    panels = []
    for kind, one in measured.items():
        letters = {0.0: "door", 1.0: "(a)", 2.0: "(b)", 3.0: "(c)"}
        panel = Panel(f"{kind}, a second", (-0.5, 3.5), (0, highest * 1.1), letters, ticks)
        for place, rates in enumerate(one["rates"].values()):
            for rate in rates:
                panel.dot(place, rate, COLOURS[place], 3)
        panels.append(panel)
    legend = dict(zip(NAMES.values(), COLOURS, strict=False))
    return picture(panels, len(panels), legend, "Reports a second beside an empty view, bare commits and a plain view")


if __name__ == "__main__":
    main()
