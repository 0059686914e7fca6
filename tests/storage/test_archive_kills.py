"""Reports are moved into an archive and back by processes that are killed: none is lost, doubled or left over."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from collector.models import FrozenDesign, Report, ReportArchive
from collector.reports import archiving, selectors
from surveys.maintenance import archives as archived
from surveys.models import Version
from tests.storage.reading import told

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[2]
Ended = Callable[..., int]


@pytest.fixture(scope="module")
def forking(django_db_setup: None) -> Iterator["subprocess.Popen[str]"]:
    """A process of one thread on the tests' database, which forks: this one has threads that hold locks."""
    command = [sys.executable, "-m", "tests.storage.moving", str(connection.settings_dict["NAME"])]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        yield running


@pytest.fixture
def ended(forking: "subprocess.Popen[str]", closed: Version, folder: Path) -> Ended:
    """Have a process do something to the closed survey and die of it; how it ended: 0 where it was done before."""

    def ended(work: str, *, act: int | None = None, seconds: float | None = None) -> int:
        asked = {"work": work, "digest": closed.design_id, "folder": str(folder), "act": act, "seconds": seconds}
        assert forking.stdin
        assert forking.stdout
        forking.stdin.write(json.dumps(asked) + "\n")
        forking.stdin.flush()
        return int(forking.stdout.readline())

    return ended


def finish() -> None:
    """What a worker does every five minutes; PostgreSQL takes a moment to see that a process is gone."""
    for _ in range(100):
        archived.run_due()
        if not archiving.unfinished():
            return
        time.sleep(0.05)
    raise AssertionError("the move does not come to its end")


def make_ready(digest: str, direction: str) -> None:
    """Have rows before they are archived, and a file before they are put back; as if rewritten meanwhile."""
    if direction == "there" and ReportArchive.objects.exists():
        archiving.put_back(digest)
    FrozenDesign.objects.update(rewritten_on=timezone.now().date())
    if direction == "back" and not ReportArchive.objects.exists():
        archiving.archive(digest)


def require_whole(digest: str, folder: Path, before: list[Any]) -> None:
    """Nothing is lost now; and after the next look there are rows or a file, and nothing else."""
    assert told(digest) == before
    finish()
    assert told(digest) == before
    left = Report.objects.count(), ReportArchive.objects.count(), len(list(folder.iterdir()) if folder.exists() else [])
    assert left in ((91, 0, 0), (0, 1, 1))


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("direction", ["there", "back"])
def test_move_killed_at_acts_loses_nothing(
    closed: Version, folder: Path, ended: Ended, direction: str, step: int
) -> None:
    """Of four acts one in the gate, of all of them in `make test-long`."""
    digest = closed.design_id
    before = told(digest)
    for act in count(step // 2, step):
        make_ready(digest, direction)
        code = ended(direction, act=act)
        require_whole(digest, folder, before)
        if not code:
            break
        assert code == -signal.SIGKILL
    assert act > 15, "there are as many to die at"


def test_purge_of_an_archive_killed_at_acts_goes_on(closed: Version, folder: Path, ended: Ended) -> None:
    digest = closed.design_id
    archiving.archive(digest)
    for act in count():
        if not ended("purge", act=act):
            break
    assert act > 5, "this many died"
    assert (list(folder.iterdir()), ReportArchive.objects.count(), Report.objects.count()) == ([], 0, 0)
    assert (selectors.report_count(digest), selectors.coin_report_count(digest)) == (91, 1)


@pytest.mark.long
def test_moves_killed_at_any_time_lose_nothing(closed: Version, folder: Path, ended: Ended) -> None:
    chance, digest, deaths = random.Random(11), closed.design_id, 0
    before = told(digest)
    for strike in range(400):
        direction = "back" if strike % 2 else "there"
        make_ready(digest, direction)
        deaths += ended(direction, seconds=chance.uniform(0.0, 0.06)) == -signal.SIGKILL
        require_whole(digest, folder, before)
    assert deaths > 100
