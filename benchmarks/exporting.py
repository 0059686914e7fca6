"""What it takes to write the reports of a big survey one by one: seconds, bytes, and the most memory that it ever had.

python -m benchmarks.exporting            a million reports of 20 items, SQLite, into docs/evidence/exported-files.md
python -m benchmarks.exporting 10000000   as many as are asked for
"""

import argparse
import json
import os
import re
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import _filled

PAGE = Path(__file__).parents[1] / "docs/evidence/exported-files.md"
SECTION = re.compile(r"(<!-- written by benchmarks/exporting.py -->\n).*?(<!-- until here -->)", re.S)
FORMATS = ("reports-csv", "reports-parquet", "reports-sav", "reports-dta", "csv", "json", "xlsx")
HEAD = (
    "| reports | format | seconds | reports a second | file, MB | memory before, MB | at most, MB |\n"
    "|---|---|---|---|---|---|---|\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--here", action="store_true", help="measure the database that the environment names")
    options = parser.parse_args()
    size = options.reports
    if options.here:
        measure(size)
        return
    rows = []
    for found in _filled.lines("benchmarks.exporting", "sqlite", str(size)):
        per_second = f"{size / found['seconds']:,.0f}" if found["format"].startswith("reports") else ""
        rows.append(
            f"| {size:,} | `{found['format']}` | {found['seconds']:.1f} | {per_second} | {found['bytes'] / 1e6:.1f} "
            f"| {found['before']:.0f} | {found['most']:.0f} |\n"
        )
        print(rows[-1], end="", flush=True)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(SECTION.sub(lambda page: page[1] + HEAD + "".join(rows) + page[2], text), encoding="utf-8")


def measure(size: int) -> None:
    digest = _filled.prepare()
    _filled.fill(digest, size)
    run = _counted(digest)
    from django.db import connections

    for name in FORMATS:
        connections.close_all()
        read, write = os.pipe()
        child = os.fork()  # each has a memory of its own, whose peak is its own
        if child == 0:
            try:
                os.write(write, json.dumps(_written(run, name)).encode())
            finally:
                os._exit(0)
        os.close(write)
        os.waitpid(child, 0)
        found = os.read(read, 65_536).decode()
        if found:  # a format that refuses so many reports has nothing to tell
            print(found, flush=True)


def _counted(digest: str) -> Any:
    """A finished run of a closed design whose reports are in its totals."""
    from datetime import date

    import numpy as np

    from collector.designs.services import close_design
    from collector.models import DailyCount, FrozenDesign, Report, Tally
    from collector.reports import selectors
    from estimator.runs import services as estimator

    frozen = FrozenDesign.objects.get(digest=digest)
    Tally.objects.bulk_create(
        Tally(design=frozen, stratum=stratum, position=position, symbol=symbol, count=int(count))
        for position, table in enumerate(selectors.recount(digest))
        for (stratum, symbol), count in np.ndenumerate(table)
    )
    today = date.today()
    DailyCount.objects.create(design=frozen, first_day=today, last_day=today, count=Report.objects.count())
    close_design(digest)
    return estimator.execute(estimator.request_run(digest).pk)


def _written(run: Any, name: str) -> dict[str, Any]:
    from estimator.base.cells import no_progress
    from estimator.exports.formats import FORMATS as REGISTRY
    from estimator.runs.results import NOTHING_KNOWN

    before = _memory()
    with tempfile.TemporaryFile() as file:
        start = time.perf_counter()
        REGISTRY[name].write(run, NOTHING_KNOWN, file, no_progress)
        seconds = time.perf_counter() - start
        written = file.tell()
    return {"format": name, "seconds": seconds, "bytes": written, "before": before, "most": _peak()}


def _memory() -> float:
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
