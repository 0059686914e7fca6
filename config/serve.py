"""`make run`: brings the installation up to date, starts web server, worker and beat, and ends them together.

    python -m config.serve --port 8000

Each is a process of its own, in a session of its own: Ctrl-C reaches this launcher alone, which then asks them to end
and, after a grace period, makes them. One that dies is started again.
"""

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
GRACE = 6.0
"""Seconds between asking a process to end and killing it; a worker on the folder broker can sleep through a request."""

START = 60.0
"""Seconds that the web server may take until it answers."""

RESTART = 1.0
"""Seconds before a process that died is started again."""


def main() -> None:
    options = _options()
    os.chdir(ROOT)
    os.environ.setdefault("CANDOR_URL", f"http://{HOST}:{options.port}")
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    _require_port(options.port)
    _require_writable(Path(os.environ.get("CANDOR_DATA", ROOT / "var")))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    household = Household(_commands(options.port))
    try:
        _prepare(demo=not options.no_demo)
        household.start()
        _wait_for(f"http://{HOST}:{options.port}/healthz", household)
        _announce(demo=not options.no_demo)
        household.keep()
    except KeyboardInterrupt:
        print("\nEnding ...", flush=True)
    finally:
        household.end()
    print("Candor has ended; its data stays in place.", flush=True)


class Household:
    """The processes of an installation: started together, restarted one by one, ended together."""

    def __init__(self, commands: dict[str, Sequence[str]]) -> None:
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


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make run", description="Run the whole platform on this machine.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--no-demo", action="store_true", help="do not build the demo's surveys")
    options = parser.parse_args()
    if not 1 <= options.port <= 65535:
        parser.error(f"PORT must be from 1 to 65535; got {options.port}.")
    return options


def _commands(port: int) -> dict[str, Sequence[str]]:
    python = [sys.executable, "-m"]
    celery = ["celery", "-q", "-A", "config"]
    # One process that writes keeps SQLite quick; its threads share the work of reading.
    web = ["granian", "--interface", "wsgi", "config.wsgi:application", "--host", HOST, "--port", str(port)]
    return {
        "web server": [*python, *web, "--workers", "1", "--blocking-threads", "4", "--no-ws", "--log-level", "warning"],
        "worker": [*python, *celery, "worker", "--concurrency", "1", "--loglevel", "warning"],
        "beat": [*python, *celery, "beat", "--loglevel", "warning"],
    }


def _prepare(*, demo: bool) -> None:
    """Bring database, static files and demo up to date. Each step is harmless when it was done before."""
    _manage("migrate", "--verbosity", "0")
    _manage("collectstatic", "--noinput", "--verbosity", "0")
    if demo:
        print("Building the demo from the answers of 6,366 women ...", flush=True)
        _manage("demo", "--json", stdout=subprocess.DEVNULL)


def _announce(*, demo: bool) -> None:
    print(f"\nCandor is running at {os.environ['CANDOR_URL']}\n", flush=True)
    if demo:
        _manage("demo")
    print("\nThe panel's link signs in once and for a day. Ctrl-C ends everything; the data stays.", flush=True)


def _manage(*words: str, stdout: int | None = None) -> None:
    done = subprocess.run([sys.executable, "manage.py", *words], stdout=stdout)
    if done.returncode:
        sys.exit(f"'manage.py {words[0]}' ended with {done.returncode}; nothing was started.")


def _wait_for(address: str, household: Household) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline:
        if household.dead():
            sys.exit(f"The {household.dead()[0]} did not start; its own words are above.")
        try:
            with urllib.request.urlopen(address, timeout=2):  # noqa: S310 - our own address
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    sys.exit(f"The web server did not answer within {START:g} seconds.")


def _require_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            sys.exit(f"Port {port} needs a privileged user. Choose another: make run PORT={port % 1000 + 8000}")
        except OSError:
            sys.exit(f"Port {port} is in use. Choose another: make run PORT={min(port + 1, 65535)}")


def _require_writable(data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = data / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        sys.exit(f"Candor cannot write to {data} ({error.strerror}). Name another folder: CANDOR_DATA=/folder make run")


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
