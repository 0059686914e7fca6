"""How many reports a second are taken, each on disk before it is answered, on SQLite and on PostgreSQL.

    make bench

Beside the door stand (a) an empty Django view on the same server, (b) the commits of one row each that the database
does without any web server, (c) a plain view of Django REST framework with serializer and ORM, (d) oTree, storing a
page of as many answers, and (e) the least that a web process in Python does, without Django or a check.
They take turns; what is written into docs are medians. Client, server and database share the machine. Nothing is folded
meanwhile.
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
from typing import Any, NamedTuple

from benchmarks import _otree
from benchmarks._pages import MEASURED
from benchmarks._processor import processor_time
from benchmarks._svg import COLOURS, Panel, picture
from config.postgresql import PostgreSQL, _user, binary
from config.processes import commands, free_port
from config.redis_server import RedisServer
from tests.system.installation import ROOT, wait_until

TURNS = 5
SECONDS = 3.0
PARTICIPANTS = 200
"""Of oTree, in each turn: each sends its page once."""

CONNECTIONS = 16
FEW = 0.8
"""Of the rate that is reached: at this part of it the wait is measured."""

ITEMS = 20
PAGE = ROOT / "docs" / "evidence" / "receiving-responses.md"
PICTURE = ROOT / "docs" / "images" / "reports.svg"
NAMES = {
    "door": "reports taken",
    "empty": "(a) empty Django view",
    "commits": "(b) commits of one row",
    "plain": "(c) plain DRF view",
    "otree": "(d) oTree, a page of 20 answers",
    "least": "(e) the least in Python",
}
TIMES = {
    "a report takes of a processor, µs": "door",
    "an empty view, µs": "empty",
    "a report at (e), µs": "least",
}
NO_LIMIT = "100000000/hour"
"""High, not off: the counting belongs to what is measured."""
OWN = {"CANDOR_REPORTS_BY_ADDRESS": NO_LIMIT, "CANDOR_REPORTS_BY_SURVEY": NO_LIMIT}

PLAIN = {"rsgi": "wsgi", "config.rsgi:application": "benchmarks.plain.wsgi:application"}
"""Words of the web server's command, and what stands for them where the views that ours is compared with run: the
server's own threads, as it runs any Django."""
LEAST = {"config.rsgi:application": "benchmarks.plain.least:application"}

Rates = dict[str, list[float]]
Took = dict[str, list[list[float]]]


class Database(NamedTuple):
    """Where reports are stored in a column of the table; `pid` of its server, if it has one."""

    environment: dict[str, str]
    commits: Callable[[], float]
    of_otree: str | None = None
    pid: int | None = None


Databases = Callable[[Path], contextlib.AbstractContextManager[Database]]


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    measured: dict[str, Any] = {}
    for name, (databases, processes) in SERVERS.items():
        with tempfile.TemporaryDirectory(prefix="candor-bench-", ignore_cleanup_errors=True) as folder:
            Path(folder).chmod(0o755)
            with databases(Path(folder)) as database:
                measured[name] = measure(Path(folder), database, processes)
        print(json.dumps({name: measured[name]}), flush=True)
    loaded = {name: one["processor"]["door"] for name, one in measured.items()}
    (MEASURED / "reports.json").write_text(json.dumps(loaded) + "\n")
    write(measured)


@contextlib.contextmanager
def _sqlite(folder: Path) -> Iterator[Database]:
    yield Database({}, lambda: commits_of_sqlite(folder))


@contextlib.contextmanager
def _postgresql(folder: Path) -> Iterator[Database]:
    database, broker = PostgreSQL(folder / "pg"), RedisServer(folder / "redis")
    database.start()
    broker.start()
    try:
        own = ["createdb", "-h", str(database.folder), "-U", "candor", "otree"]
        subprocess.run([binary(own[0]), *own[1:]], user=_user(), cwd=database.folder, check=True)
        environment = {"DATABASE_URL": database.url, "REDIS_URL": broker.url}
        of_otree = f"postgresql://candor@/otree?host={database.folder}"
        pid = database.server.pid if database.server else None
        yield Database(environment, lambda: commits_of_postgresql(database, folder), of_otree, pid)
    finally:
        broker.stop()
        database.stop()


def measure(folder: Path, database: Database, processes: int) -> dict[str, Any]:
    """The rates of all turns, the processor time of a report, and the wait at a part of the door's rate."""
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    environment = kept | OWN | {"CANDOR_DATA": str(folder / "data")} | database.environment
    digest = prepare(environment)
    with contextlib.ExitStack() as servers:
        door, door_pid = servers.enter_context(serving(environment, processes))
        plain, plain_pid = servers.enter_context(serving(environment, processes, PLAIN))
        lab = servers.enter_context(_otree.serving(folder, database.of_otree, ITEMS))
        least, least_pid = servers.enter_context(serving(environment, processes, LEAST))
        took: Took = {"door": [], "empty": [], "least": []}
        report = report_to(door, digest)
        loads: dict[str, Callable[[], float]] = {
            "door": lambda: load_and_count(took["door"], door_pid, database.pid, **report),
            "empty": lambda: load_and_count(took["empty"], plain_pid, None, port=plain, path="/empty"),
            "commits": database.commits,
            "plain": lambda: load(**report | {"port": plain, "path": "/reports"})["rate"],
            "otree": lambda: pages_of(lab, folder),
            "least": lambda: load_and_count(took["least"], least_pid, database.pid, **report | {"port": least}),
        }
        rates = in_turns(loads)
        pace = FEW * statistics.median(rates["door"])
        waits = [load(**report, rate=pace) for _ in range(TURNS)]
    paced = {name: statistics.median(wait[name] for wait in waits) for name in ("median", "p99")}
    parts = {kind: [statistics.median(part) for part in zip(*turns, strict=True)] for kind, turns in took.items()}
    return {"rates": rates, "pace": pace, "waits": paced, "processor": parts}


def in_turns(loads: Mapping[str, Callable[[], float]]) -> Rates:
    """The rates of each, after one that only warms up."""
    for one in loads.values():
        one()
    rates: Rates = {name: [] for name in loads}
    for _ in range(TURNS):
        for name, one in loads.items():
            rates[name].append(one())
    return rates


def report_to(port: int, digest: str) -> dict[str, Any]:
    """What the client is asked to send as reports."""
    sent = {"design": digest, "nonce": "NONCE", "stratum": "y1", "report": "00" * ITEMS}
    body = json.dumps(sent, separators=(",", ":"))
    headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{port}"}
    return {"port": port, "path": "/s/campus/reports", "body": body, "headers": headers, "status": 201}


def load_and_count(took: list[list[float]], web: int, database: int | None, **asked: Any) -> float:
    """The rate; what an answer took of a processor is added to `took`: client, web processes, database."""
    pids = [web] + ([database] if database else [])
    before = [processor_time(pid) for pid in pids]
    said = load(**asked)
    spent = [said["processor"], *(processor_time(pid) - then for pid, then in zip(pids, before, strict=True))]
    took.append([seconds / said["answers"] for seconds in spent])
    return said["rate"]


def pages_of(lab: _otree.Lab, folder: Path) -> float:
    """The rate at which it stores pages. SystemExit where it has not stored each that it answered."""
    before, asked = lab.stored(), lab.post(folder, PARTICIPANTS)
    load(**asked["open"], seconds=60)
    said = load(**asked["send"])
    if (stored := lab.stored() - before) != said["answers"]:
        raise SystemExit(f"oTree answered {said['answers']} pages and has stored {stored}.")
    return said["rate"]


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
def serving(environment: dict[str, str], processes: int, other: Mapping[str, str] = {}) -> Iterator[tuple[int, int]]:
    """The server with the options of an installation, some of whose words may be others; its port and process."""
    port = free_port()
    words = commands("127.0.0.1", port, web_processes=processes)["web server"]
    command = [other.get(word, word) for word in words] + (["--blocking-threads", "128"] if other == PLAIN else [])
    running = subprocess.Popen(
        command, cwd=ROOT, env=environment | {"CANDOR_URL": f"http://127.0.0.1:{port}"}, start_new_session=True
    )
    try:
        wait_until(lambda: _answers(port), 60)
        yield port, running.pid
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
        "(e) of it": lambda one: one["least"] / min(one["empty"], one["commits"]),
        "times (c)": lambda one: one["door"] / one["plain"],
        "times (d)": lambda one: one["door"] / one["otree"],
    }
    for words, ratio in ratios.items():
        lines.append(f"| **{words}** | {' | '.join(f'**{ratio(middle[kind]):.2f}**' for kind in measured)} |")
    for words, kind in TIMES.items():
        parts = [" + ".join(f"{1e6 * part:.0f}" for part in one["processor"][kind]) for one in measured.values()]
        lines.append(f"| {words} | {' | '.join(parts)} |")
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
        letters = {0.0: "door", 1.0: "(a)", 2.0: "(b)", 3.0: "(c)", 4.0: "(d)", 5.0: "(e)"}
        panel = Panel(f"{kind}, a second", (-0.5, 5.5), (0, highest * 1.1), letters, ticks)
        for place, rates in enumerate(one["rates"].values()):
            for rate in rates:
                panel.dot(place, rate, COLOURS[place], 3)
        panels.append(panel)
    legend = dict(zip(NAMES.values(), COLOURS, strict=False))
    return picture(
        panels,
        len(panels),
        legend,
        "Reports a second beside an empty view, bare commits, a plain view, oTree and the least",
    )


if __name__ == "__main__":
    main()
