"""Waiting for a process: as long as it moves, and no longer than it lives."""

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config import readiness
from config.readiness import processor_time, wait_until_ready


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    running = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    yield running
    running.kill()
    running.wait()


def after(seconds: float) -> float:
    return time.monotonic() + seconds


def test_wait_lasts_while_process_makes_progress(
    process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readiness, "SILENCE", 0.2)
    moves, end = itertools.count(), after(1.5)
    wait_until_ready(lambda: time.monotonic() > end, process, "web server", progress=lambda _: next(moves), quiet=0.5)
    assert "Waiting for the web server, 0 seconds so far ..." in capsys.readouterr().out


def test_wait_without_progress_raises(process: subprocess.Popen[bytes]) -> None:
    with pytest.raises(RuntimeError, match=r"The broker has done nothing for 0\.3 seconds"):
        wait_until_ready(lambda: False, process, "broker", progress=lambda _: 1, quiet=0.3)


def test_wait_process_ended_raises() -> None:
    ended = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(RuntimeError, match="The database ended with 3 before it was ready"):
        wait_until_ready(lambda: False, ended, "database")


def test_wait_unknown_progress_continues(process: subprocess.Popen[bytes]) -> None:
    end = after(0.6)
    wait_until_ready(lambda: time.monotonic() > end, process, "broker", progress=lambda _: None, quiet=0.2)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell")
def test_processor_time_counts_the_whole_group() -> None:
    burn = "while time.process_time() < end: pass"
    busy = f"import os, time; os.fork(); end = time.process_time() + 0.2\n{burn}\ntime.sleep(60)"
    running = subprocess.Popen([sys.executable, "-c", busy], start_new_session=True)
    try:
        end = after(60)
        while (processor_time(running.pid) or 0) < 30 and time.monotonic() < end:
            time.sleep(0.1)
        assert (processor_time(running.pid) or 0) >= 30, "two processes of 20 ticks each"
    finally:
        os.killpg(running.pid, 9)
        running.wait()
