"""The full stack: a real PostgreSQL and Redis, two web processes, two workers, one beat; started and ended cleanly."""

import http.client
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from collector.designs import Design, check
from surveys.definition import definitions
from tests.factories import payloads
from tests.system.installation import OPEN, wait_until
from tests.system.stack import Stack
from tests.tools.postgresql import copy_cluster
from tests.tools.prepared import copy_static_files


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    folder = Path(tempfile.mkdtemp(prefix="candor-stack-"))
    folder.chmod(0o755)
    running = Stack(tmp_path, folder / "s")
    running.data.mkdir(parents=True, mode=0o700)
    copy_static_files(running.data / "static")
    copy_cluster(running.servers / "postgresql")
    running.start("--stack", "--no-demo")
    yield running
    if running.launcher and running.launcher.poll() is None:
        running.interrupt()
    shutil.rmtree(folder)


@pytest.fixture
def design(stack: Stack, tmp_path: Path) -> Design:
    """An open survey of that installation."""
    (tmp_path / "campus.yaml").write_text(definitions.dump(payloads.definition()))
    stack.manage("shell", "-c", OPEN.format(slugs=("campus",), folder=tmp_path))
    return check(payloads.opened())


def send(stack: Stack, design: Design, numbers: range) -> None:
    for number in numbers:
        connection = http.client.HTTPConnection("127.0.0.1", stack.port, timeout=30)
        body = payloads.body(design, nonce=f"{number:032x}")
        headers = {"Content-Type": "application/json", "Origin": stack.url}
        connection.request("POST", "/s/campus/reports", body, headers)
        assert connection.getresponse().status == 201
        connection.close()


@pytest.mark.long
def test_stack_killed_processes_count_each_report_once(stack: Stack, design: Design) -> None:
    assert all(stack.processes(word) for word in ("granian", "worker-1@", "worker-2@", "celery -q -A config beat"))
    open_to_others = [path for path in stack.servers.rglob("*") if path.lstat().st_mode & 0o077]
    assert open_to_others == []
    counted = "SELECT coalesce(sum(count), 0) FROM collector_tally WHERE position = 0"
    send(stack, design, range(30))
    wait_until(lambda: stack.ask(counted) == [(20,)], 60)  # the last step waits
    killed = stack.processes("worker-1@")
    for process in killed:
        os.kill(process, signal.SIGKILL)
    send(stack, design, range(30, 50))
    wait_until(lambda: stack.ask(counted) == [(40,)], 60)
    wait_until(lambda: set(stack.processes("worker-1@")) - set(killed), 30)
    assert json.loads(stack.manage("estimate", "campus", "--json"))["state"] == "done"
    stack.manage("close_survey", "campus", "--now")
    wait_until(lambda: stack.ask(counted) == [(50,)], 60)
    assert stack.interrupt() == 0
    assert stack.processes() == []
    assert not (stack.servers / "environment").exists()
    assert not list((stack.servers / "postgresql").glob(".s.PGSQL.*"))
