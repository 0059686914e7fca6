"""Beyond one machine: a model of a report's cost, fitted to measurements, and the fold simulated at 100,000 a second.

    python -m benchmarks.scale [--measure]

With `--measure` what a fold's transaction costs by the number of reports in it is measured anew, on both databases. The
rest is what benchmarks/storage.py, lag.py and reports.py measured last. Writes tables and a picture into docs.
"""

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchmarks import _filled
from benchmarks._folding import Deaths, Run, Setting, simulate
from benchmarks._pages import DOCS, MEASURED, put
from benchmarks._svg import COLOURS, Panel, picture

KINDS = {"sqlite": "make run", "postgresql": "make stack"}
LOADED = {"sqlite": "SQLite", "postgresql": "PostgreSQL, two"}
"""The columns of benchmarks/reports.py that say what a report takes at the highest rate."""

FILLED = 1_000_000
TURNS = 10
FOLDED = {"sqlite": (20, 100, 499), "postgresql": (50, 500, 4_999)}
"""Reports in a transaction."""

RATE = 100_000
RATES = [500, 5_000, 20_000, RATE]
CORES, DISK, FULL = 8, 5e8, 0.7
"""Of a node: processors, bytes a second that its disk takes, and how far either may be used."""

SEED = 20_261_121
LATE = 5.0
DEARER = 10
CHUNK, EVERY = 5_000, 2.0
"""Reports that a fold's transaction takes at most, and seconds between two wake-ups."""

WARM = 60.0
"""Seconds at the beginning that are not looked at."""


@dataclass(frozen=True)
class Line:
    """A cost of `fixed + each * n`, in seconds, with standard errors."""

    fixed: float
    each: float
    fixed_error: float
    each_error: float

    def of(self, count: float) -> float:
        return self.fixed + self.each * count


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--measure", action="store_true", help="measure the cost of transactions anew")
    options.add_argument("--here", action="store_true", help="measure the database that the environment names")
    chosen = options.parse_args()
    if chosen.here:
        for one in measure():
            print(json.dumps(one), flush=True)
        return
    kept = MEASURED / "transactions.json"
    if chosen.measure:
        kept.write_text(json.dumps({kind: list(_filled.lines("benchmarks.scale", kind)) for kind in KINDS}) + "\n")
    write(json.loads(kept.read_text()), json.loads((MEASURED / "lag.json").read_text()))


def measure() -> Iterator[dict[str, Any]]:
    """Transactions of some sizes in turns: what was done, how many reports, seconds by processor and by the clock."""
    digest = _filled.prepare()
    from django.db import connection

    from collector.reports import folding, storing

    _filled.fill(digest, FILLED)
    for _ in range(TURNS):
        for count in FOLDED[connection.vendor]:
            storing.store(_filled.new(digest, count))
            start = _filled.spent()
            folding.fold(digest, wait=False)
            yield _said("fold", count, _filled.spent() - start)


def _said(what: str, count: int, spent: _filled.Spent) -> dict[str, Any]:
    return {"what": what, "reports": count, "processor": spent.processor, "clock": spent.wall}


def fitted(counts: ArrayLike, seconds: ArrayLike) -> Line:
    """The line that is least off in squares of what it is off by in proportion: large costs vary as much as small."""
    count, cost = np.asarray(counts, float), np.asarray(seconds, float)
    rows = np.column_stack([1 / cost, count / cost])
    found, *_ = np.linalg.lstsq(rows, np.ones_like(cost), rcond=None)
    left = np.ones_like(cost) - rows @ found
    spread = left @ left / (len(cost) - 2) * np.linalg.inv(rows.T @ rows)
    return Line(*map(float, found), *map(float, np.sqrt(np.diag(spread))))


def steady(windows: list[dict[str, Any]], name: str) -> Line:
    """Processors that a kind of process keeps busy at a rate: `fixed` at none, `each` more for a report a second."""
    rates = np.array([one["reports"] / one["seconds"] for one in windows])
    busy = np.array([one["processor"][name] / one["seconds"] for one in windows])
    rows = np.column_stack([np.ones_like(rates), rates])
    found, *_ = np.linalg.lstsq(rows, busy, rcond=None)
    left = busy - rows @ found
    spread = left @ left / (len(busy) - 2) * np.linalg.inv(rows.T @ rows)
    return Line(*map(float, found), *map(float, np.sqrt(np.diag(spread))))


@dataclass(frozen=True)
class Costs:
    """The model of one kind of installation: seconds of processors, in `clock` those that pass.

    `web` and `database` are what a report takes of them at the highest rate; `written` and `kept` bytes of a report.
    """

    fold: Line
    clock: Line
    busy: dict[str, Line]
    web: float
    database: float
    written: float
    kept: float


def costs(kind: str, transactions: dict[str, Any], lag: list[dict[str, Any]]) -> Costs:
    storage, loaded = (json.loads((MEASURED / f"{name}.json").read_text()) for name in ("storage", "reports"))
    _client, web, *database = loaded[LOADED[kind]]

    def line(what: str, how: str) -> Line:
        done = [one for one in transactions[kind] if one["what"] == what]
        return fitted([one["reports"] for one in done], [one[how] for one in done])

    windows = [window for one in lag if one["kind"] == KINDS[kind] for window in one["windows"]]
    busy = {name: steady(windows, name) for name in windows[0]["processor"]}
    largest = storage[kind][-1]
    each = largest["bytes"] / largest["kept"]
    lines = [line("fold", how) for how in ("processor", "clock")]
    return Costs(*lines, busy, web, sum(database), largest["written"], each)


def write(transactions: dict[str, Any], lag: list[dict[str, Any]]) -> None:
    model = {kind: costs(kind, transactions, lag) for kind in KINDS}
    put("evidence/scale.md", "scale.py, costs", "\n".join(cost_lines(model)))
    put("evidence/scale.md", "scale.py, measured", "\n".join(compared(model, lag)))
    put("evidence/scale.md", "scale.py, sizes", "\n".join(sizes(model["postgresql"])))
    large, half = at(model["postgresql"], RATE), Deaths(600, 1_200, 0.5)
    dear = replace(large, each=DEARER * large.each)
    dear = replace(dear, workers=fewest(dear)[0])
    settings = {
        "1 worker a node": replace(large, workers=1),
        "2 workers a node": replace(large, workers=2),
        f"{dear.workers} workers, {DEARER} times as dear": dear,
    }
    runs = {name: simulate(one, seconds=2_400, seed=SEED, deaths=half) for name, one in settings.items()}
    put("evidence/scale.md", "scale.py, deaths", "\n".join(death_lines(runs, half)))
    (DOCS / "images" / "scale.svg").write_text(drawn(runs, half, large.nodes))


def cost_lines(model: dict[str, Costs]) -> Iterator[str]:
    yield "| cost, by processor | `make run`, SQLite | `make stack`, PostgreSQL | known by |"
    yield "|---|---|---|---|"
    rows = {
        "a transaction that folds, whatever is in it, ms": lambda one: _spoken(
            one.fold.fixed, one.fold.fixed_error, 1e3
        ),
        "each report in it, µs": lambda one: _spoken(one.fold.each, one.fold.each_error, 1e6),
        "web processes, each report, while few come, µs": lambda one: _spoken(
            one.busy["web"].each, one.busy["web"].each_error, 1e6
        ),
        "the same at the highest rate, µs": lambda one: f"{1e6 * one.web:.0f}",
        "database at the highest rate, each report, µs": lambda one: (
            f"{1e6 * one.database:.0f}" if one.database else ""
        ),
        "everything while nobody sends, of a processor": lambda one: (
            f"{sum(line.fixed for line in one.busy.values()):.2f}"
        ),
        "bytes kept of each report": lambda one: f"{one.kept:.0f}",
        "bytes handed to the disk for each report": lambda one: f"{one.written:,.0f}",
    }
    for words, cell in rows.items():
        yield f"| {words.rstrip()} | {' | '.join(cell(one) for one in model.values())} | run |"


def _blank_zero(value: float) -> str:
    return f"{value:.0f}" if value else ""


def _spoken(value: float, error: float, unit: float) -> str:
    return f"{unit * value:.{1 if unit * value < 10 else 0}f} ± {unit * error:.{1 if unit * error < 10 else 0}f}"


def compared(model: dict[str, Costs], lag: list[dict[str, Any]]) -> Iterator[str]:
    yield "| | reports a second | behind, run: median, most | simulated: median, most | larger by |"
    yield "|---|---|---|---|---|"
    for one in lag:
        kind = next(kind for kind, words in KINDS.items() if words == one["kind"])
        found = simulate(alone(kind, model[kind], one["rate"]), seconds=WARM + 600, seed=SEED)
        pairs = list(zip(_late([late for at, late in one["behind"] if at > 0]), _late(settled(found)), strict=True))
        apart = max(max(pair) / min(pair) for pair in pairs)
        cells = [" s, ".join(f"{pair[place]:.1f}" for pair in pairs) + " s" for place in (0, 1)]
        yield f"| `{one['kind']}` | {one['rate']} | {' | '.join(cells)} | {apart:.1f} times at most |"


def alone(kind: str, cost: Costs, rate: float) -> Setting:
    """One machine as it was measured, which other work shared: by the clock."""
    embedded = kind == "sqlite"
    chunk, pause = (500, 0.01) if embedded else (CHUNK, 0.0)
    workers = 2 if embedded else 3  # one of them only folds
    return Setting(
        rate, workers=workers, fixed=max(cost.clock.fixed, 0.0), each=cost.clock.each, chunk=chunk, pause=pause
    )


def web_processes(cost: Costs, rate: float) -> int:
    return math.ceil(rate * cost.web / FULL)


def used(cost: Costs, rate: float) -> float:
    """Processors that storing and folding keep busy on all nodes together."""
    at_once = min(CHUNK, rate * EVERY)
    return rate * (cost.database + cost.fold.of(at_once) / at_once)


def at(cost: Costs, rate: float) -> Setting:
    """Machines of our own, as many as it takes: by processor, and what each transaction takes besides by the clock."""
    nodes = math.ceil(max(used(cost, rate) / (CORES * FULL), rate * cost.written / (DISK * FULL)))
    fixed = max(cost.clock.fixed, cost.fold.fixed)
    return Setting(rate, nodes, fixed=fixed, each=cost.fold.each, cores=CORES, busy=used(cost, rate) / nodes)


def settled(found: Run) -> np.ndarray:
    return found.behind[found.times > WARM]


def _late(behind: ArrayLike) -> tuple[float, float]:
    return float(np.median(behind)), float(np.max(behind))


def sizes(cost: Costs) -> Iterator[str]:
    heads = ["reports a second", "web processes", "nodes", "processors of each", "to each disk, MB/s", "workers"]
    yield f"| {' | '.join([*heads, 'behind, 99 %', 'known by'])} |"
    yield "|---" * (len(heads) + 2) + "|"
    for rate in RATES:
        setting = at(cost, rate)
        workers, late = fewest(setting)
        cells = [f"{rate:,}", web_processes(cost, rate), setting.nodes, f"{setting.busy:.1f}"]
        cells += [
            f"{rate / setting.nodes * cost.written / 1e6:,.0f}",
            setting.nodes * workers,
            f"{late:.1f} s",
            "simulated",
        ]
        yield f"| {' | '.join(map(str, cells))} |"


def fewest(setting: Setting) -> tuple[int, float]:
    """The fewest workers of a node with which the totals are in time in 99 of 100 looks, and how late they are then."""
    for workers in range(1, 65):
        late = float(np.quantile(settled(simulate(replace(setting, workers=workers), seconds=360, seed=SEED)), 0.99))
        if late <= LATE:
            return workers, late
    raise SystemExit("64 workers of a node do not suffice.")


def death_lines(runs: dict[str, Run], deaths: Deaths) -> Iterator[str]:
    yield "| | behind before, 99 % | furthest behind | in time again after | lost | known by |"
    yield "|---|---|---|---|---|---|"
    for name, found in runs.items():
        before = found.behind[(found.times > WARM) & (found.times < deaths.since)]
        late = found.times[(found.times > deaths.until) & (found.behind > LATE)]
        again = f"{late.max() - deaths.until:.0f} s" if len(late) else "at once"
        if len(late) and late.max() > found.times.max() - 1:
            again = "not within 20 minutes"
        lost = found.come - found.folded - found.waits
        cells = [name, f"{np.quantile(before, 0.99):.1f} s", f"{found.behind.max():,.1f} s", again, lost, "simulated"]
        yield f"| {' | '.join(map(str, cells))} |"


def drawn(runs: dict[str, Run], deaths: Deaths, nodes: int) -> str:
    legend = dict(zip(runs, COLOURS, strict=False)) | {"5 seconds": "#999999"}
    ticks = {0: "0", deaths.since: "die", deaths.until: "come back", 2_400: "end"}
    heights = {float(power): f"{10**power:,} s" for power in range(-1, 4)}
    heights[-1.0] = "0.1 s"
    panel = Panel(
        f"{RATE:,} reports a second, {nodes} nodes: seconds behind", (0, 2_400), (-1, 3.2), ticks, heights, 520, 240
    )
    panel.curve([(0, math.log10(LATE)), (2_400, math.log10(LATE))], "#999999", "4 3")
    for name, found in runs.items():
        # The worst of each five seconds: the distance itself goes up and down every two.
        worst = found.behind[: len(found.behind) // 25 * 25].reshape(-1, 25).max(axis=1)
        points = [(5.0 * place + 5, math.log10(max(late, 0.1))) for place, late in enumerate(worst)]
        panel.curve(points, legend[name])
    return picture([panel], 1, legend, "Half of the workers die for ten minutes at 100,000 reports a second")


if __name__ == "__main__":
    main()
