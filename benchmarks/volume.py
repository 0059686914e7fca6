"""A hundred million reports in one PostgreSQL: size, and the time and memory of what reads them.

python -m benchmarks.volume              10^8 reports of 20 items (half an hour, 40 GB), into docs/evidence/scale.md
python -m benchmarks.volume 1000000      as many as are asked for

Everything is in a temporary folder (TMPDIR), which is deleted whatever happens.
"""

import argparse
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import _filled
from benchmarks.exporting import _counted, _memory, _peak

PAGE = Path(__file__).parents[1] / "docs/evidence/scale.md"
SECTION = re.compile(r"(<!-- written by benchmarks/volume.py -->\n).*?(<!-- until here -->)", re.S)
BILLION = 1_000_000_000
ROOM = 400
"""Bytes of disk for a report: the table, its key, the log, what an export sorts, and the largest file."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", type=int, nargs="?", default=100_000_000)
    parser.add_argument("--here", action="store_true", help="measure the database that the environment names")
    options = parser.parse_args()
    if options.here:
        measure(options.reports)
        return
    require_room(options.reports)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("It was asked to end."))  # and cleans up
    measured = []
    for found in _filled.lines("benchmarks.volume", "postgresql", str(options.reports)):
        measured.append(found)
        print(row(found), flush=True)
    text = PAGE.read_text(encoding="utf-8")
    table = "\n".join(lines(measured, options.reports)) + "\n"
    PAGE.write_text(SECTION.sub(lambda page: page[1] + table + page[2], text), encoding="utf-8")


def lines(measured: list[dict[str, Any]], size: int) -> Iterator[str]:
    """What was run, and what a billion reports would take if time and bytes grow as their number does."""
    heads = [f"of {size:,} reports", "seconds", "of them by the processor", "memory before, MB", "at most, MB", "bytes"]
    yield f"| {' | '.join([*heads, 'known by'])} |"
    yield "|---" * (len(heads) + 1) + "|"
    yield from map(row, measured)
    for found in measured:
        if found["seconds"] > 1:
            yield row(found | {"what": f"10⁹ reports: {found['what']}"}, times=BILLION / size)


def row(found: dict[str, Any], *, times: float = 1) -> str:
    seconds = [f"{times * found[name]:,.1f}" for name in ("seconds", "processor")]
    memory = [f"{found[name]:,.0f}" if name in found and times == 1 else "" for name in ("before", "most")]
    size = f"{times * found['bytes']:,.0f}" if "bytes" in found else ""
    return f"| {' | '.join([found['what'], *seconds, *memory, size, 'run' if times == 1 else 'on paper'])} |"


def require_room(reports: int) -> None:
    """SystemExit where the disk has not the room that so many reports take, before anything is begun."""
    folder = tempfile.gettempdir()
    free, needed = shutil.disk_usage(folder).free, ROOM * reports
    if free < needed:
        raise SystemExit(
            f"{reports:,} reports take up to {needed / 1e9:.0f} GB of disk; {folder} has {free / 1e9:.0f} GB. "
            "Ask for fewer, or name another folder in TMPDIR."
        )


def measure(size: int) -> None:
    """Fill the store, then print a line of JSON for each thing that is done with it."""
    digest = _filled.prepare()
    start = _filled.spent()
    _filled.fill(digest, size)
    filling = _filled.spent() - start
    bytes_kept = _filled.size("collector_report")
    _say("loading by COPY, in the database", filling.wall, filling.processor, bytes=bytes_kept)
    run = _counted(digest)
    from collector.reports import selectors

    _measured("totals, as folding has kept them", lambda: _ignored(selectors.totals(digest)))
    _measured("totals counted again from every report", lambda: _ignored(selectors.recount(digest)))
    _measured("cross table of two items", lambda: _cross_table(digest))
    for name in ("reports-parquet", "reports-csv"):
        _measured(f"microdata, `{name}`", lambda name=name: _exported(run, name))


def _measured(what: str, work: Callable[[], int]) -> None:
    """Do the work in a process of its own, whose peak of memory is its own."""
    from django.db import connections

    connections.close_all()
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            before, start = _memory(), time.perf_counter()
            written = work()
            used = resource.getrusage(resource.RUSAGE_SELF)
            found = {"seconds": time.perf_counter() - start, "processor": used.ru_utime + used.ru_stime}
            found |= {"before": before, "most": _peak()} | ({"bytes": written} if written else {})
            os.write(write, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    said = os.read(read, 65_536).decode()
    os.close(read)
    if not said:
        raise SystemExit(f"{what}: it failed.")
    found = json.loads(said)
    _say(what, found.pop("seconds"), found.pop("processor"), **found)


def _say(what: str, seconds: float, processor: float, **more: float) -> None:
    print(json.dumps({"what": what, "seconds": seconds, "processor": processor} | more), flush=True)


def _ignored(found: Any) -> int:
    assert found
    return 0


def _cross_table(digest: str) -> int:
    from collector.designs.selectors import get_design
    from estimator.analyses.quantities import variable_of
    from estimator.analyses.snapshots import count_together

    design = get_design(digest)
    first, second = (variable_of(design, item.key) for item in design.items[:2])
    assert count_together(design, [first, second]).sum()
    return 0


def _exported(run: Any, name: str) -> int:
    from django.conf import settings

    from estimator.base.cells import no_progress
    from estimator.exports.formats import FORMATS
    from estimator.runs.results import NOTHING_KNOWN

    with tempfile.TemporaryFile(dir=settings.DATA) as file:
        FORMATS[name].write(run, NOTHING_KNOWN, file, no_progress)
        return file.tell()


if __name__ == "__main__":
    main()
