"""What a report takes on disk, indexes included, as the store grows: a table into docs/storage.md.

    python -m benchmarks.storage [--most 1000000]

Reports of 20 items are stored and folded by the thousand, as a worker does every two seconds at 500 a second, so that
the key's tree is as full as growing at random leaves it. Sizes are those after the last fold: of the table of folded
reports with its indexes, and of the other one, which is empty then.
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from config.postgresql import PostgreSQL

if TYPE_CHECKING:
    from collector.storing import NewReport

ITEMS = 20
BATCH = 1_000
SIZES = [10_000, 100_000, 1_000_000, 10_000_000]
MOST = {"sqlite": 90, "postgresql": 140}
"""Bytes that a report of 20 items may take."""

PAGE = Path(__file__).parents[1] / "docs" / "storage.md"
START, END = "<!-- written by benchmarks/storage.py -->\n", "<!-- until here -->"

BYTES = {
    "sqlite": "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name IN "
    "(SELECT name FROM sqlite_master WHERE tbl_name = '{}')",
    "postgresql": "SELECT pg_total_relation_size('{}')",
}


@dataclass(frozen=True)
class Measured:
    """How many reports there are, and the bytes of the two tables."""

    reports: int
    bytes: int
    waiting: int


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--most", type=int, default=1_000_000)
    options.add_argument("--here", action="store_true", help="measure the database that the environment names")
    chosen = options.parse_args()
    if chosen.here:
        for one in measure(chosen.most):
            print(json.dumps(asdict(one)), flush=True)
        return
    found = {"sqlite": elsewhere(chosen.most, url="")}
    with tempfile.TemporaryDirectory(prefix="candor-pg-") as folder:
        Path(folder).chmod(0o755)
        server = PostgreSQL(Path(folder) / "server")
        server.start()
        try:
            found["postgresql"] = elsewhere(chosen.most, url=server.url)
        finally:
            server.stop()
    write(found)


def elsewhere(most: int, *, url: str) -> list[Measured]:
    """Measured by a process of its own, whose settings name the database."""
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as data:
        environment = os.environ | {
            "CANDOR_DATA": data,
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        command = [sys.executable, "-m", "benchmarks.storage", "--here", "--most", str(most)]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [Measured(**json.loads(line)) for line in done.stdout.splitlines()]


def measure(most: int) -> Iterator[Measured]:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from collector import folding, storing
    from collector.services import freeze
    from tests import payloads

    call_command("migrate", verbosity=0)
    item = payloads.document()["items"][0]
    digest = freeze(payloads.document(items=[item | {"key": f"q{number}"} for number in range(ITEMS)])).digest

    def size(table: str) -> int:
        with connection.cursor() as cursor:
            cursor.execute(BYTES[connection.vendor].format(table))
            return int(cursor.fetchone()[0])

    for before, reports in pairwise([0, *(size for size in SIZES if size <= most)]):
        for _ in range(before, reports, BATCH):
            storing.store(new(digest))
            folding.fold(digest, wait=False)
        yield Measured(reports, size("collector_report"), size("collector_waitingreport"))


def new(digest: str) -> "list[NewReport]":
    """A batch of reports, drawn at random."""
    from collector.storing import NewReport

    symbols = secrets.token_bytes(BATCH * ITEMS).translate(bytes(code % 2 for code in range(256)))
    return [
        NewReport(secrets.token_bytes(16), digest, number % 2, symbols[number * ITEMS : (number + 1) * ITEMS], 0)
        for number in range(BATCH)
    ]


def write(found: dict[str, list[Measured]]) -> None:
    names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
    lines = ["| database | reports | bytes a report | at most | the table of what waits, kB |", "|---|---|---|---|---|"]
    for vendor, rows in found.items():
        for row in rows:
            each, waiting = f"{row.bytes / row.reports:.1f}", f"{row.waiting / 1000:,.0f}"
            cells = [names[vendor], f"{row.reports:,}", each, str(MOST[vendor]), waiting]
            lines.append(f"| {' | '.join(cells)} |")
    page = PAGE.read_text()
    head, rest = page.split(START)
    PAGE.write_text(head + START + "\n".join(lines) + "\n" + END + rest.split(END)[1])
    print("\n".join(lines))


if __name__ == "__main__":
    main()
