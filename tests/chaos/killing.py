"""Whom to kill: every kind of process of an installation, by what it is called and how it is found."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.system.installation import Installation, wait_until

EMBEDDED = {
    "web server": "granian",
    "worker": "celery -q -A config worker",
    "beat": "celery -q -A config beat",
}
STACK = EMBEDDED | {
    "Redis": "redis-server",
    "PostgreSQL": "bin/postgres -D",
    "a connection of PostgreSQL": "postgres: candor",
}
BACK = 90.0
"""Seconds within which everything must run again."""


class Killer:
    """Kills with -9, one at a time, at random moments, every kind as often."""

    def __init__(self, installation: Installation, victims: dict[str, str], seed: int) -> None:
        self.installation, self.victims = installation, victims
        self.random = random.Random(seed)
        self.kills: Counter[str] = Counter()
        self.moments: list[tuple[float, str]] = []

    def kill(self, *, apart: float, acknowledged: Callable[[], int]) -> None:
        """Wait a random time, `apart` seconds on average, then kill one of those that were killed least.

        Every other time only once reports are acknowledged again; else it may hit those that are just coming back.
        """
        before = acknowledged()
        time.sleep(self.random.expovariate(1 / apart))
        if self.random.random() < 0.5:
            wait_until(lambda: acknowledged() > before, BACK)
        name = min(self.victims, key=lambda one: (self.kills[one], self.random.random()))
        deadline = time.monotonic() + BACK
        while not (found := self.found(name)):
            said = self.installation.output[-3000:]
            assert time.monotonic() < deadline, f"no {name} within {BACK:g} seconds; the launcher said:\n{said}"
            time.sleep(0.1)
        os.kill(self.random.choice(found), signal.SIGKILL)
        self.kills[name] += 1
        self.moments.append((time.monotonic(), name))

    def found(self, name: str) -> list[int]:
        word = self.victims[name]
        # Redis, and PostgreSQL for its connections, write over their own environment: they are found by their parents.
        if name == "a connection of PostgreSQL":
            return [pid for parent in self.found("PostgreSQL") for pid in children(parent) if word in title(pid)]
        if name == "Redis":
            assert self.installation.launcher is not None
            return [pid for pid in children(self.installation.launcher.pid) if word in title(pid)]
        processes = self.installation.processes(word)
        if name == "web server":  # those that answer do not have its name in their command
            processes += [pid for parent in processes for pid in children(parent)]
        return processes


def children(parent: int) -> list[int]:
    try:
        return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    except OSError:
        return []


def title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""
