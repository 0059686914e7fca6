"""How far a survey's totals are behind the reports that were answered with 201: a table and a picture into docs.

    python -m benchmarks.lag

A whole installation, as `make run` and as `make stack` make it, is sent reports of 20 items at a steady rate. When a
report came is stored nowhere, so the distance is taken from outside: at each look, how long ago the report was answered
that is next to be in the totals. Client and installation share the machine.
"""

import argparse
import bisect
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import django

from benchmarks import _filled
from benchmarks._pages import DOCS, MEASURED, put
from benchmarks._svg import COLOURS, Panel, picture
from tests.factories import payloads
from tests.system.installation import ROOT, Installation, wait_until
from tests.system.stack import Stack

RATES = [200, 500]
SECONDS = 60
KEPT_BACK = 19
"""Reports at most that stay out of an open survey's totals until more come: no group of fewer than ten is counted."""

LOOKS = 0.2
"""Seconds between two looks at the totals."""

WINDOW = 10.0
"""Seconds over which processor time is taken together."""

STILL, TRIES = 3.0, 4
"""Seconds between two looks after which the machine must have stood still; how often it may have."""

CONNECTIONS = 16
MOST = 5.0
"""Seconds that the totals may be behind."""

SETTLED = 60
"""Seconds after the last report within which all must be in the totals."""

KINDS = ["make run", "make stack"]
FOLDED = "SELECT coalesce(sum(count), 0) FROM collector_dailycount"
SENT_TO = "/s/campus/reports"
STORED = "SELECT (SELECT count(*) FROM collector_report) + (SELECT count(*) FROM collector_waitingreport)"
WORDS = {"web": "granian", "beat": " beat ", "workers": " worker ", "database": "postgres", "broker": "redis"}
"""By kind of process, what its command line says and that of those before does not."""


Ask = Callable[[str], list[tuple[Any, ...]]]


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory(prefix="candor-lag-") as folder:
        os.environ |= {"CANDOR_DATA": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        django.setup()
        measure_all()


def measure_all() -> None:
    found = []
    for kind in KINDS:
        with running(kind) as (installation, ask):
            digest = open_survey(installation)
            found += [undisturbed(kind, installation, ask, digest, rate) for rate in RATES]
        print(json.dumps([{**one, "behind": []} for one in found if one["kind"] == kind]), flush=True)
    (MEASURED / "lag.json").write_text(json.dumps(found) + "\n")
    write(found)


@contextlib.contextmanager
def running(kind: str) -> Iterator[tuple[Installation, Ask]]:
    with tempfile.TemporaryDirectory(prefix="candor-lag-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        stack = Stack(folder, folder / "s") if kind == "make stack" else None
        made = stack or Installation(folder)
        made.start("--no-demo", *(["--stack"] if stack else []))
        try:
            yield made, stack.ask if stack else made.rows
        finally:
            made.interrupt()


def open_survey(installation: Installation) -> str:
    from surveys.definition import definitions

    item = payloads.definition()["items"][0]
    item["channel"]["truth"] = "1/6"  # so many questions together may tell no more than a few that tell much
    items = [item | {"key": f"q{number}"} for number in range(_filled.ITEMS)]
    file = installation.temporary / "survey.yaml"
    file.write_text(definitions.dump(payloads.definition(items=items)))
    installation.manage("shell", "-c", "from django.contrib.auth.models import User; User(is_staff=True).save()")
    installation.manage("import_survey", str(file))
    return str(
        json.loads(installation.manage("open_survey", "campus", "--reason", "It is measured.", "--json"))["digest"]
    )


def undisturbed(kind: str, *where: Any) -> dict[str, Any]:
    """Measured again where the machine stood still meanwhile, as a virtual one does now and then."""
    for _ in range(TRIES):
        found = measure(kind, *where)
        if max(later - before for (before, _), (later, _) in pairwise(found["behind"])) < STILL:
            return found
    raise SystemExit(f"The machine stood still {TRIES} times.")


def measure(kind: str, installation: Installation, ask: Ask, digest: str, rate: int) -> dict[str, Any]:
    """Send at this rate, look at the totals meanwhile, and wait until all is in them."""
    before, stored = int(ask(FOLDED)[0][0]), int(ask(STORED)[0][0])
    looks, used = [], [(time.perf_counter(), processors(installation))]
    time.sleep(WINDOW)  # what it does while nobody sends anything
    used.append((time.perf_counter(), processors(installation)))
    with tempfile.TemporaryFile("w+") as words:
        client = sending(installation.port, digest, rate, words)
        while client.poll() is None:
            time.sleep(LOOKS)
            looks.append((time.perf_counter(), int(ask(FOLDED)[0][0]) - before))
            if looks[-1][0] - used[-1][0] >= WINDOW:
                used.append((time.perf_counter(), processors(installation)))
        words.seek(0)
        said = json.load(words)
    answered = sorted(said["answered"])
    wait_until(lambda: int(ask(FOLDED)[0][0]) - before >= len(answered) - KEPT_BACK, SETTLED)
    used.append((time.perf_counter(), processors(installation)))
    return {
        "kind": kind,
        "rate": rate,
        "answered": len(answered),
        "lost": len(answered) - (int(ask(STORED)[0][0]) - stored),
        "seconds": round(answered[-1] - answered[0], 1),
        "median": said["median"],
        "p99": said["p99"],
        "processor": {name: (used[-1][1][name] - used[1][1][name]) / len(answered) for name in used[0][1]},
        "windows": list(windows(answered, used)),
        "behind": [(round(at - answered[0], 1), round(distance(answered, at, count), 2)) for at, count in looks],
    }


def windows(answered: list[float], used: list[tuple[float, dict[str, float]]]) -> Iterator[dict[str, Any]]:
    """For each stretch between two readings: its seconds, the reports in it, the processor seconds of each kind."""
    for (since, before), (until, after) in pairwise(used):
        count = bisect.bisect(answered, until) - bisect.bisect(answered, since)
        spent = {name: round(after[name] - before[name], 4) for name in before}
        yield {"seconds": round(until - since, 2), "reports": count, "processor": spent}


def distance(answered: list[float], now: float, folded: int) -> float:
    """Seconds since the report was answered that is next to be in the totals; 0 where there is none."""
    if bisect.bisect_right(answered, now) <= folded:
        return 0.0
    return now - answered[folded]


def sending(port: int, digest: str, rate: int, words: IO[str]) -> "subprocess.Popen[str]":
    body = {"design": digest, "nonce": "NONCE", "stratum": "y1", "report": "00" * _filled.ITEMS}
    asked = {
        "port": port, "path": SENT_TO, "seconds": SECONDS, "connections": CONNECTIONS, "rate": rate, "status": 201,
        "body": json.dumps(body, separators=(",", ":")), "moments": True,
        "headers": {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{port}"},
    }  # fmt: skip
    command = [sys.executable, "-m", "benchmarks.load", json.dumps(asked)]
    return subprocess.Popen(command, cwd=ROOT, stdout=words, text=True)


def processors(installation: Installation) -> dict[str, float]:
    """Seconds of processors that each kind of process has used since it began, with what it started."""
    assert installation.launcher is not None
    found: dict[str, float] = {}
    for pid in _filled.children(installation.launcher.pid):
        command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        name = next(name for name, word in WORDS.items() if word in command)
        found[name] = found.get(name, 0.0) + sum(map(used_by, [pid, *family(pid)]))
    return found


def used_by(pid: int) -> float:
    """Seconds of processors, those of threads that have ended included."""
    try:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:  # it has ended meanwhile: one that answered a single question
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """What a process has started, and what that has started."""
    return [one for child in _filled.children(pid) for one in (child, *family(child))]


def write(found: list[dict[str, Any]]) -> None:
    put("evidence/storage.md", "lag.py", "\n".join(lines(found)))
    (DOCS / "images" / "lag.svg").write_text(drawn(found))


def lines(found: list[dict[str, Any]]) -> Iterator[str]:
    heads = ["started by", "reports a second", "answered with 201", "lost", "wait, median", "wait, 99 %"]
    heads += ["behind, median", "behind, most", *(f"{name}, µs" for name in WORDS)]
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for one in found:
        late = [distance for _, distance in one["behind"]]
        waits = [f"{1000 * one[name]:.1f} ms" for name in ("median", "p99")]
        behind = [f"{one:.1f} s" for one in (statistics.median(late), max(late))]
        used = [f"{1e6 * one['processor'][name]:.0f}" if name in one["processor"] else "" for name in WORDS]
        rate = f"{one['answered'] / one['seconds']:.0f}"
        cells = [f"`{one['kind']}`", rate, f"{one['answered']:,}", one["lost"], *waits, *behind, *used]
        yield f"| {' | '.join(map(str, cells))} |"


def drawn(found: list[dict[str, Any]]) -> str:
    """For each kind of installation how far it was behind at each look."""
    legend = {f"{rate} a second": colour for rate, colour in zip(RATES, COLOURS, strict=False)}
    legend["at most"] = "#999999"
    top = math.ceil(max([MOST + 1, *(late for one in found for _, late in one["behind"])]))
    heights = {float(height): str(height) for height in range(0, top + 1, max(1, top // 6))}
    panels = []
    for kind in KINDS:
        panel = Panel(f"{kind}: seconds behind", (0, SECONDS), (0, top), {0: "0", 30: "30 s", 60: "60 s"}, heights)
        panel.curve([(0, MOST), (SECONDS, MOST)], "#999999", "4 3")
        for one in found:
            if one["kind"] == kind:
                inside = [(at, late) for at, late in one["behind"] if 0 <= at <= SECONDS]
                panel.curve(inside, legend[f"{one['rate']} a second"])
        panels.append(panel)
    return picture(panels, 2, legend, "How far the totals are behind the reports that were answered")


if __name__ == "__main__":
    main()
