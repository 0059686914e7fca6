"""What a report takes and costs as the store grows: a table into docs/evidence/storage.md, and a picture.

    python -m benchmarks.storage [--most 10000000]

At each size reports of 20 items are stored and folded by the thousand, as a worker does every two seconds at 500 a
second. Cost is what one turn of a thousand takes, by processor and by the clock; the median of the turns.
"""

import argparse
import json
import math
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks import _filled
from benchmarks._pages import DOCS, MEASURED, put
from benchmarks._svg import COLOURS, Panel, picture

TURNS = 20
BATCH = 250
"""Reports stored in one transaction."""

BATCHES = 4
"""Of them in a turn, which ends with a fold."""

SIZES = [10_000, 100_000, 1_000_000, 10_000_000]
MOST = {"sqlite": 90, "postgresql": 140}
"""Bytes that a report of 20 items may take."""

NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
HEADS = [
    *("database", "reports", "storing one, µs", "by the clock", "folding one, µs", "by the clock", "written, kB"),
    *("bytes a report", "at most", "what waits, kB"),
]


@dataclass(frozen=True)
class Measured:
    """How many reports there were before and after, the bytes of the two tables, and what each turn cost a report.

    Costs are in seconds, as (processor, clock) for each turn; `written` is bytes a report handed to the disk.
    """

    reports: int
    kept: int
    bytes: int
    waiting: int
    written: float
    store: list[tuple[float, float]]
    fold: list[tuple[float, float]]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--most", type=int, default=SIZES[-1])
    options.add_argument("--here", action="store_true", help="measure the database that the environment names")
    chosen = options.parse_args()
    if chosen.here:
        for one in measure(chosen.most):
            print(json.dumps(asdict(one)), flush=True)
        return
    found = {
        kind: [Measured(**one) for one in _filled.lines("benchmarks.storage", kind, "--most", str(chosen.most))]
        for kind in MOST
    }
    write(found)


def measure(most: int) -> Iterator[Measured]:
    digest = _filled.prepare()
    from collector.reports import folding, storing

    for reports in SIZES:
        if reports > most:
            return
        _filled.fill(digest, reports)
        store, fold = [], []
        begun = _filled.spent()
        for _ in range(TURNS):
            batches = [_filled.new(digest, BATCH) for _ in range(BATCHES)]
            start = _filled.spent()
            for batch in batches:
                storing.store(batch)
            stored = _filled.spent()
            folding.fold(digest, wait=False)
            store.append(_each(stored - start))
            fold.append(_each(_filled.spent() - stored))
        more = TURNS * BATCHES * BATCH
        yield Measured(
            reports,
            reports + more,
            _filled.size("collector_report"),
            _filled.size("collector_waitingreport"),
            (_filled.spent() - begun).written / more,
            store,
            fold,
        )


def _each(spent: _filled.Spent) -> tuple[float, float]:
    return spent.processor / (BATCH * BATCHES), spent.wall / (BATCH * BATCHES)


def write(found: dict[str, list[Measured]]) -> None:
    put("evidence/storage.md", "storage.py", "\n".join(lines(found)))
    (DOCS / "images" / "storage.svg").write_text(drawn(found))
    kept = {vendor: [asdict(one) for one in rows] for vendor, rows in found.items()}
    (MEASURED / "storage.json").write_text(json.dumps(kept, indent=1) + "\n")


def lines(found: dict[str, list[Measured]]) -> Iterator[str]:
    yield f"| {' | '.join(HEADS)} |"
    yield "|---" * len(HEADS) + "|"
    for vendor, rows in found.items():
        for row in rows:
            costs = [1e6 * cost for turns in (row.store, row.fold) for cost in middle(turns)]
            cells: list[Any] = [NAMES[vendor], f"{row.reports:,}", *(f"{cost:.0f}" for cost in costs)]
            cells += [
                f"{row.written / 1000:.1f}",
                f"{row.bytes / row.kept:.1f}",
                MOST[vendor],
                f"{row.waiting / 1000:,.0f}",
            ]
            yield f"| {' | '.join(map(str, cells))} |"


def middle(turns: list[tuple[float, float]]) -> list[float]:
    """Medians of the turns: by processor and by the clock."""
    return [statistics.median(each) for each in zip(*turns, strict=True)]


def drawn(found: dict[str, list[Measured]]) -> str:
    """By processor: a dot for each turn, a line through the medians."""
    legend = dict(zip(("storing", "folding"), COLOURS, strict=False))
    ticks = {math.log10(size): f"10^{math.log10(size):.0f}" for size in SIZES}
    every = [1e6 * cost for rows in found.values() for row in rows for cost, _ in (*row.store, *row.fold)]
    top = 20 * math.ceil(1.1 * statistics.quantiles(every, n=50)[-1] / 20)
    panels = []
    for vendor, rows in found.items():
        heights = {float(height): str(height) for height in range(0, top + 1, max(top // 100 * 20, 20))}
        panel = Panel(f"{NAMES[vendor]}: µs a report", (3.8, 7.2), (0, top), ticks, heights)
        for colour, name in zip(legend.values(), ("store", "fold"), strict=True):
            for row in rows:
                for cost, _ in getattr(row, name):
                    panel.dot(math.log10(row.reports), 1e6 * cost, colour, 1.6)
            panel.curve([(math.log10(row.reports), 1e6 * middle(getattr(row, name))[0]) for row in rows], colour)
        panels.append(panel)
    return picture(panels, 2, legend, "Processor time of a report as the store grows from ten thousand to ten million")


if __name__ == "__main__":
    main()
