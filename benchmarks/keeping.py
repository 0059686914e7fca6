"""Time of rewriting, backup and restore, and the wait of a report sent meanwhile: docs/evidence/backup-times.md.

python -m benchmarks.keeping [--reports 1000000]
"""

import argparse
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import _filled
from benchmarks._pages import put

NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
EVERY = 0.02
"""Seconds between two reports of the one who sends meanwhile."""

CALM = 5.0
"""Seconds that she sends before anything else happens."""


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--reports", type=int, default=1_000_000)
    options.add_argument("--here", action="store_true", help="measure the database that the environment names")
    options.add_argument("--file", type=Path, help="a backup: to be written, or restored where it is there")
    chosen = options.parse_args()
    if chosen.here:
        for one in restored(chosen.file) if chosen.file.exists() else kept(chosen.reports, chosen.file):
            print(json.dumps(one), flush=True)
        return
    found = {}
    for kind in NAMES:
        with tempfile.TemporaryDirectory(prefix="candor-keeping-") as folder:
            words = ["--reports", str(chosen.reports), "--file", str(Path(folder) / "backup.zip")]
            # The second process finds the backup and an empty database.
            found[kind] = [one for _ in range(2) for one in _filled.lines("benchmarks.keeping", kind, *words)]
        print(json.dumps(found[kind]), flush=True)
    put("evidence/backup-times.md", "keeping.py", "\n".join(lines(found)))


def kept(count: int, file: Path) -> Iterator[dict[str, Any]]:
    digest = _filled.prepare()
    from collector.reports import rewriting
    from surveys.maintenance import backup

    _filled.fill(digest, count)
    with Sender(digest) as sender:
        time.sleep(CALM)
        yield {"what": "nothing else", "wall": CALM, "processor": 0.0, "bytes": 0} | sender.said()
        yield timed("rewriting", rewriting.rewrite, sender)
        yield timed("backup, with a rewriting", lambda: backup.back_up(file), sender) | {"bytes": file.stat().st_size}


def restored(file: Path) -> Iterator[dict[str, Any]]:
    import django

    django.setup()
    from django.core.management import call_command

    from surveys.maintenance import backup
    from tests.tools.backups import signed_by

    call_command("migrate", verbosity=0)
    yield timed("restoring", lambda: backup.restore(file, signed_by=signed_by(file)), None)


class Sender(threading.Thread):
    """Sends one report after the other while something else goes on, and notes how long each took."""

    def __init__(self, digest: str) -> None:
        super().__init__(daemon=True)
        self.digest, self.leave = digest, threading.Event()
        self.waits: list[float] = []
        self.refused = 0

    def __enter__(self) -> "Sender":
        self.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.leave.set()
        self.join()

    def run(self) -> None:
        from django.db import OperationalError, connection

        from collector.reports import storing

        while not self.leave.wait(EVERY):
            start = time.perf_counter()
            try:
                storing.store(_filled.new(self.digest, 1))
            except OperationalError:
                self.refused += 1
            self.waits.append(time.perf_counter() - start)
        connection.close()

    def forget(self) -> None:
        self.waits, self.refused = [], 0

    def said(self) -> dict[str, Any]:
        """What it met since it was last forgotten."""
        waits, refused = self.waits, self.refused
        return {"sent": len(waits), "refused": refused, "median": statistics.median(waits), "longest": max(waits)}


def timed(what: str, work: Callable[[], object], sender: Sender | None) -> dict[str, Any]:
    if sender is not None:
        sender.forget()
    start = _filled.spent()
    work()
    spent = _filled.spent() - start
    time.sleep(5 * EVERY)  # what was held up comes to its end
    met = sender.said() if sender is not None else {}
    return {"what": what, "wall": spent.wall, "processor": spent.processor, "bytes": 0} | met


def lines(found: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    yield "| | by processor | by the clock | reports meanwhile | refused | a report's wait, median | longest |"
    yield "|---|---|---|---|---|---|---|"
    for kind, rows in found.items():
        for row in rows:
            used = [f"{row['processor']:.1f} s" if row["processor"] else "", f"{row['wall']:.1f} s"]
            met = ["", "", "", ""]
            if "sent" in row:
                waits = [f"{1000 * row[name]:,.0f} ms" for name in ("median", "longest")]
                met = [f"{row['sent']:,}", str(row["refused"]), *waits]
            size = f" ({row['bytes'] / 1e6:.0f} MB)" if row["bytes"] else ""
            yield f"| {NAMES[kind]}: {row['what']}{size} | {' | '.join([*used, *met])} |"


if __name__ == "__main__":
    main()
