"""The processes of an installation: their command lines, supervision and shutdown."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from config.connections import MOST, connection_limit
from config.readiness import wait_until_ready

GRACE = 6.0
"""Seconds between terminating a process and killing it; a worker on the folder broker may sleep meanwhile."""

RESTART = 1.0
"""Seconds before a dead process is restarted."""

PATIENCE = 10
"""Seconds that a connection may take to send the headers of its next request."""

IN_FLIGHT = 5
"""Seconds for requests in progress after a web process was terminated; less than GRACE."""

FREE_PORTS = range(10_000, 20_000)
"""Below the ports that a system gives to connections. Who tries one of those until a server listens there can be
connected with itself: then it reads its own request, and the server cannot have the port."""


def commands(host: str, port: int, *, web_processes: int = 1, workers: int = 1) -> dict[str, Sequence[str]]:
    """The command line of each process. On SQLite one web process is fastest: its threads share the reading."""
    python, celery = [sys.executable, "-m"], ["celery", "-q", "-A", "config"]
    web = [
        *("granian", "--interface", "rsgi", "config.rsgi:application", "--host", host, "--port", str(port)),
        *("--workers", str(web_processes), "--no-ws", "--http", "1"),
        *("--backlog", str(MOST), "--backpressure", str(connection_limit())),
        *("--http1-header-read-timeout", str(1000 * PATIENCE), "--http1-buffer-size", "65536"),
        *("--workers-kill-timeout", str(IN_FLIGHT), "--log-level", "error"),
    ]
    worker = [*python, *celery, "worker", "--loglevel", "warning"]
    every = [*worker, "--concurrency", "1", "--queues", "celery,folding"]
    names = ["worker"] if workers == 1 else [f"worker {number}" for number in range(1, workers + 1)]
    return {
        "web server": [*python, *web],
        **{name: [*every, "--hostname", f"{name.replace(' ', '-')}@%h"] for name in names},
        # An estimate or an analysis may take minutes; totals are not to wait for it.
        "folding worker": [*worker, "--pool", "solo", "--queues", "folding", "--hostname", "folding@%h"],
        "beat": [*python, *celery, "beat", "--loglevel", "warning"],
    }


def free_port() -> int:
    """A port of this machine at which nobody listens."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port := secrets.choice(FREE_PORTS)))
            return port


class LocalServer:
    """A database or broker of this machine, in a folder; `name` is what it is for, `program` what it is."""

    name = program = ""

    def __init__(self, folder: Path, log: Path) -> None:
        self.folder, self.log = folder, log
        self.server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it responds; RuntimeError where it does not, with its own words."""
        raise NotImplementedError

    def alive(self) -> bool:
        return self.server is not None and self.server.poll() is None

    def wait(self, answers: Callable[[], bool]) -> None:
        assert self.server is not None
        try:
            wait_until_ready(answers, self.server, self.name)
        except RuntimeError as error:
            words = self.log.read_text(errors="replace")[-2000:]
            raise RuntimeError(f"{self.program} did not start: {error} {words}") from None


class Supervisor:
    """Supervisor of an installation's processes: started together, restarted singly, stopped together.

    The servers that they need are started again too, before them.
    """

    def __init__(self, commands: Mapping[str, Sequence[str]], servers: Sequence[LocalServer] = ()) -> None:
        self.commands = commands
        self.servers = servers
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        for name in self.commands:
            self._start(name)

    def keep(self) -> None:
        """Restart every process that dies, until interrupted."""
        while True:
            for server in self.servers:
                if not server.alive():
                    self._revive(server)
            for name in self.dead():
                print(f"The {name} ended with {self.processes[name].returncode}; starting it again.", flush=True)
                self._sweep(name)
                time.sleep(RESTART)
                self._start(name)
            time.sleep(0.2)

    def dead(self) -> list[str]:
        return [name for name, process in self.processes.items() if process.poll() is not None]

    def end(self) -> None:
        """Terminate every process; kill those still running after the grace period."""
        for process in self.processes.values():
            process.terminate()
        deadline = time.monotonic() + GRACE
        for process in self.processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=max(deadline - time.monotonic(), 0.1))
        for name, process in self.processes.items():
            self._sweep(name)
            process.wait()

    def _sweep(self, name: str) -> None:
        """Kill the whole process group: leftover children could hold its port or its messages."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.processes[name].pid, signal.SIGKILL)

    def _revive(self, server: LocalServer) -> None:
        print(f"The {server.name} ended; starting it again.", flush=True)
        time.sleep(RESTART)
        try:
            server.start()
        except RuntimeError as error:
            print(f"The {server.name} did not start: {error}", flush=True)  # and is tried again

    def _start(self, name: str) -> None:
        self.processes[name] = subprocess.Popen(self.commands[name], start_new_session=True, stdin=subprocess.DEVNULL)
