"""An installation in a folder of its own, run by the launcher as `make run` runs it."""

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from config.processes import free_port

ROOT = Path(__file__).resolve().parents[2]
STORED = """(
SELECT design_id AS number, stratum, report FROM collector_report
UNION ALL SELECT design_id, stratum, report FROM collector_waitingreport
) JOIN collector_frozendesign USING (number)"""
COUNTED = "SELECT digest, stratum, report FROM collector_report JOIN collector_frozendesign ON number = design_id"
OPEN = """
from django.contrib.auth.models import User
from django.core.management import call_command
User(is_staff=True).save()
for slug in {slugs}:
    call_command("import_survey", f"{folder}/{{slug}}.yaml")
    call_command("open_survey", slug)
"""
"""For `manage.py shell`, so that only one process starts: surveys from files of a folder, imported and opened."""

LINK = re.compile(r"http://\S+")


class Installation:
    """A data folder, a port, and the launcher's process while it runs."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.log = folder / "launcher.log"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.launcher: subprocess.Popen[bytes] | None = None
        self.more: dict[str, str] = {}
        """Further variables of its environment."""

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in {"DJANGO_SETTINGS_MODULE"}}
        own = {"CANDOR_DATA": str(self.data), "TMPDIR": str(self.temporary), "CANDOR_URL": self.url}
        # All respondents of a test have one address.
        return kept | own | {"CANDOR_REPORTS_BY_ADDRESS": "off"} | self.more

    @property
    def output(self) -> str:
        return self.log.read_text()

    @property
    def links(self) -> list[str]:
        return [
            link for link in LINK.findall(self.output) if "/sign-in/#" in link or "/s/" in link or "/reports/" in link
        ]

    def start(self, *options: str, by_make: bool = True, seconds: float = 180) -> None:
        """Run the launcher until it has said that Candor is running: by `make run`, or directly, as with options.

        Whoever starts it lets everybody read and write what it makes.
        """
        launcher = [sys.executable, "-m", "config.serve", "--port", str(self.port), *options]
        command = (
            launcher if options or not by_make else ["make", "run", f"PORT={self.port}", f"PYTHON={sys.executable}"]
        )
        with self.log.open("wb") as log:
            self.launcher = subprocess.Popen(
                command,
                cwd=ROOT, env=self.environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, umask=0,
            )  # fmt: skip
        wait_until(lambda: "Ctrl-C ends everything" in self.output or self.launcher.poll() is not None, seconds)
        assert self.launcher.poll() is None, self.output

    def interrupt(self, number: signal.Signals = signal.SIGINT) -> int:
        """Press Ctrl-C, which reaches make and the launcher alike; the exit code."""
        assert self.launcher is not None
        os.killpg(self.launcher.pid, number)
        return self.launcher.wait(timeout=60)

    def kill(self) -> None:
        """End everything at once, where nobody looks how it ends."""
        assert self.launcher is not None
        os.killpg(self.launcher.pid, signal.SIGKILL)  # first: it would start the others again
        self.launcher.wait()
        while left := self.processes():
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)

    def manage(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *words], cwd=ROOT, env=self.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def processes(self, word: str = "") -> list[int]:
        """Processes of this installation whose command line holds the word."""
        return [pid for pid in _pids() if self._is_ours(pid) and word in _read(pid, "cmdline").replace("\0", " ")]

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(f"file:{self.data / 'candor.sqlite3'}?mode=ro", uri=True) as connection:
            return connection.execute(sql).fetchall()

    def tallies(self) -> Counter[tuple[object, ...]]:
        """Totals as they are stored: (design, stratum, position, symbol) -> count."""
        rows = self.rows(
            "SELECT digest, stratum, position, symbol, sum(count) FROM collector_tally "
            "JOIN collector_frozendesign ON number = design_id GROUP BY digest, stratum, position, symbol"
        )
        return Counter({row[:4]: row[4] for row in rows})

    def recount(self) -> Counter[tuple[object, ...]]:
        """Totals counted here, from the counted reports alone, by code that shares nothing with the collector."""
        counts: Counter[tuple[object, ...]] = Counter()
        for design, stratum, report in self.rows(COUNTED):
            counts.update((design, stratum, position, symbol) for position, symbol in enumerate(report))
        return counts

    def stored(self) -> int:
        """How many reports are there, waiting or folded."""
        ((count,),) = self.rows(f"SELECT count(*) FROM {STORED}")
        assert isinstance(count, int)
        return count

    def _is_ours(self, pid: int) -> bool:
        return f"CANDOR_DATA={self.data}\0" in _read(pid, "environ") + "\0"


def wait_until(condition: Callable[[], object], seconds: float) -> None:
    """Poll a condition; an AssertionError where it does not become true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:g} seconds"
        time.sleep(0.1)


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except OSError:
        return ""
