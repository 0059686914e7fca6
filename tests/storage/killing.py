"""A process that moves or deletes a closed design's reports and dies on the way, and what is to be true then."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection
from django.utils import timezone

from collector.models import FrozenDesign, Report, ReportArchive
from collector.reports import archiving
from surveys.maintenance import archives as archived
from tests.storage.reading import told

ROOT = Path(__file__).parents[2]
Ended = Callable[..., int]


@contextmanager
def forking() -> Iterator[Ended]:
    """A process of one thread on the tests' database, which forks: this one has threads that hold locks.

    What is called has one that it forks do something to a design, and die of it at an act or after some seconds; how
    that ended: 0 where it was done before.
    """
    command = [sys.executable, "-m", "tests.storage.moving", str(connection.settings_dict["NAME"])]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:

        def ended(work: str, digest: str, folder: Path, *, act: int | None = None, seconds: float | None = None) -> int:
            asked = {"work": work, "digest": digest, "folder": str(folder), "act": act, "seconds": seconds}
            assert running.stdin
            assert running.stdout
            running.stdin.write(json.dumps(asked) + "\n")
            running.stdin.flush()
            return int(running.stdout.readline())

        yield ended


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
    files = list(folder.iterdir()) if folder.exists() else []
    left = Report.objects.count(), ReportArchive.objects.count(), len(files)
    *_, reports, _ = before
    assert left in ((reports, 0, 0), (0, 1, 1))
