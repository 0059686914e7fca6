"""The processes of an installation: what each is started with, and how they are kept and ended together."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

GRACE = 6.0
"""Seconds between asking a process to end and killing it; a worker on the folder broker can sleep through a request."""

RESTART = 1.0
"""Seconds before a process that died is started again."""

THREADS = 4
"""Of each web process."""


def commands(host: str, port: int, *, web_processes: int = 1, workers: int = 1) -> dict[str, Sequence[str]]:
    """What each process is started with. On SQLite one web process is quickest: its threads share the reading."""
    python, celery = [sys.executable, "-m"], ["celery", "-q", "-A", "config"]
    web = [
        *("granian", "--interface", "wsgi", "config.wsgi:application", "--host", host, "--port", str(port)),
        *("--workers", str(web_processes), "--blocking-threads", str(THREADS), "--no-ws", "--log-level", "warning"),
    ]
    worker = [*python, *celery, "worker", "--concurrency", "1", "--loglevel", "warning"]
    names = ["worker"] if workers == 1 else [f"worker {number}" for number in range(1, workers + 1)]
    return {
        "web server": [*python, *web],
        **{name: [*worker, "--hostname", f"{name.replace(' ', '-')}@%h"] for name in names},
        "beat": [*python, *celery, "beat", "--loglevel", "warning"],
    }


class Household:
    """The processes of an installation: started together, restarted one by one, ended together."""

    def __init__(self, commands: Mapping[str, Sequence[str]]) -> None:
        self.commands = commands
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        for name in self.commands:
            self._start(name)

    def keep(self) -> None:
        """Start again whatever dies, until somebody interrupts."""
        while True:
            for name in self.dead():
                print(f"The {name} ended with {self.processes[name].returncode}; starting it again.", flush=True)
                time.sleep(RESTART)
                self._start(name)
            time.sleep(0.2)

    def dead(self) -> list[str]:
        return [name for name, process in self.processes.items() if process.poll() is not None]

    def end(self) -> None:
        """Ask every process to end; make those that have not within the grace period."""
        for process in self.processes.values():
            process.terminate()
        deadline = time.monotonic() + GRACE
        for process in self.processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=max(deadline - time.monotonic(), 0.1))
            # The whole group: what a process started and left behind ends with it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, name: str) -> None:
        self.processes[name] = subprocess.Popen(self.commands[name], start_new_session=True, stdin=subprocess.DEVNULL)
