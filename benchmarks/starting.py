"""What the processes of `make run` hold in memory, and what their start costs against bare imports: a table into docs.

    python -m benchmarks.starting

Memory is read of the real processes, after a respondent's page, the panel's first page and a fold. Processor time is
that of programs that do the same up to their first work (tests/tools/starting.py); each runs several times,
in turns with the bare imports, and the least counts, since other work on the machine only adds.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from benchmarks._filled import children
from benchmarks._pages import put
from tests.system.installation import ROOT, Installation
from tests.tools import starting

BARE = """
from celery import Celery
from django.conf import settings
settings.configure(INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "rest_framework"])
import django; django.setup()
import django.core.handlers.wsgi, numpy, redis, rest_framework.views
"""
"""Django with its users and REST framework, Celery, a client of Redis and numpy: what none of them starts without."""

PROGRAMS = {
    "bare imports": BARE,
    "launcher": starting.LAUNCHER,
    "web process": starting.WEB,
    "folding worker": starting.FOLDING,
    "beat": starting.BEAT,
    "a command": starting.COMMAND,
}
PROCESSES = {"granian": ("web server", "web process"), "--pool solo": ("folding worker",), " beat ": ("beat",),
             " worker ": ("worker", "worker's child")}  # fmt: skip
"""By what the command line says: the names of the process and of what it starts."""

TURNS = 5
SETTLED = 10
"""Seconds after which each process has done its first work."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=TURNS)
    turns = parser.parse_args().turns
    with tempfile.TemporaryDirectory(prefix="candor-bench-", ignore_cleanup_errors=True) as folder:
        site = Installation(Path(folder))
        site.more = {"PYTHONDONTWRITEBYTECODE": ""}  # an installation keeps compiled modules
        site.start("--no-demo")
        try:
            run(starting.PREPARE, site.environment)
            for path in ("/s/campus/", "/panel/login/"):
                urllib.request.urlopen(site.url + path).close()
            time.sleep(SETTLED)
            held = memory(site)
        finally:
            site.interrupt()
        taken = starts(site.environment, turns)
    put("evidence/memory.md", "starting.py", "\n".join(table(held, taken)))


def memory(site: Installation) -> dict[str, tuple[float, float]]:
    """Megabytes of each process: its part of all that is held (PSS), and with the whole of what it shares (RSS)."""
    assert site.launcher is not None
    found = {"launcher": site.launcher.pid}
    for pid in children(site.launcher.pid):
        command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        names = next(names for word, names in PROCESSES.items() if word in command)
        found |= zip(names, [pid, *children(pid)], strict=True)
    return {name: (megabytes(pid, "Pss"), megabytes(pid, "Rss")) for name, pid in found.items()}


def megabytes(pid: int, what: str) -> float:
    found = re.search(rf"^{what}:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024


def starts(environment: Mapping[str, str], turns: int) -> dict[str, float]:
    """Seconds of processor that each program takes, the least of several turns."""
    taken = [{name: run(program, environment) for name, program in PROGRAMS.items()} for _ in range(turns)]
    return {name: min(turn[name] for turn in taken) for name in PROGRAMS}


def run(program: str, environment: Mapping[str, str]) -> float:
    """Run a program in a process of its own; the seconds of processor that it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    variables = {**environment, "DJANGO_SETTINGS_MODULE": "config.settings"}
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=variables, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table(held: Mapping[str, tuple[float, float]], taken: Mapping[str, float]) -> list[str]:
    heads = ["process", "memory (PSS)", "with all it shares (RSS)", "start, processor", "times bare imports"]
    rows = [heads, ["---"] * len(heads)]
    for name in dict.fromkeys([*held, *taken]):
        sizes = [f"{size:.0f} MB" for size in held.get(name, ())] or ["", ""]
        cost = [f"{taken[name]:.2f} s", f"{taken[name] / taken['bare imports']:.1f}"] if name in taken else ["", ""]
        rows.append([name, *sizes, *cost])
    rows.append(["all together", f"{sum(own for own, _ in held.values()):.0f} MB", "", "", ""])
    return [f"| {' | '.join(row)} |" for row in rows]


if __name__ == "__main__":
    main()
