"""Reports are moved into an archive and back by processes that are killed: none is lost, doubled or left over."""

import os
import random
import signal
import time
import traceback
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.db import connection, connections
from django.utils import timezone

from collector.models import FrozenDesign, Report, ReportArchive
from collector.reports import archiving, purging, selectors
from surveys.maintenance import archives as archived
from surveys.models import Version
from tests.storage.reading import told

pytestmark = pytest.mark.django_db(transaction=True)

WRITES = ("INSERT", "UPDATE", "DELETE")
MOVES = {"there": archiving.archive, "back": archiving.put_back}


@pytest.fixture(autouse=True)
def _in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ninety reports take three transactions."""
    monkeypatch.setattr(archiving, "ROWS", 40)


def begin(work: Callable[[], object]) -> int:
    """Begin the work in a process of its own, which has a connection of its own; its number."""
    connections.close_all()
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return pid


def ended(pid: int) -> int:
    """The signal that ended a process, as a negative number; 0 where its work was done."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def deadly(act: int, work: Callable[[], object]) -> None:
    """Do the work until the act of this number, and die there.

    Acts are: before rows are written or deleted, before and after each commit, before and after a file is on disk, and
    before and after it is deleted.
    """
    past = count()

    def come_by() -> None:
        if next(past) == act:
            os.kill(os.getpid(), signal.SIGKILL)

    def executed(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        if sql.lstrip().startswith(WRITES):
            come_by()
        return execute(sql, *given)

    def stop_about(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def done(*given: Any) -> Any:
            come_by()
            found = real(*given)
            come_by()
            return found

        setattr(owner, name, done)

    stop_about(os, "fsync")
    stop_about(storages["archives"], "delete")
    stop_about(connections["default"], "_commit")
    with connection.execute_wrapper(executed):
        work()


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
    if ReportArchive.objects.exists() != (direction == "back"):
        FrozenDesign.objects.update(rewritten_on=timezone.now().date())
        MOVES["there" if direction == "back" else "back"](digest)
    FrozenDesign.objects.update(rewritten_on=timezone.now().date())


def require_whole(digest: str, folder: Path, before: list[Any]) -> None:
    """Nothing is lost now; and after the next look there are rows or a file, and nothing else."""
    assert told(digest) == before
    finish()
    assert told(digest) == before
    left = Report.objects.count(), ReportArchive.objects.count(), len(list(folder.iterdir()) if folder.exists() else [])
    assert left in ((91, 0, 0), (0, 1, 1))


@pytest.mark.parametrize("direction", MOVES)
def test_move_killed_at_every_act_loses_nothing(closed: Version, folder: Path, direction: str) -> None:
    digest = closed.design_id
    before, move = told(digest), partial(MOVES[direction], digest)
    for act in count():
        make_ready(digest, direction)
        code = ended(begin(partial(deadly, act, move)))
        require_whole(digest, folder, before)
        if not code:
            break
        assert code == -signal.SIGKILL
    assert act > 15, "this many died"


def test_purge_of_an_archive_killed_at_every_act_goes_on(closed: Version, folder: Path) -> None:
    digest = closed.design_id
    archiving.archive(digest)
    for act in count():
        if not ended(begin(partial(deadly, act, partial(purging.purge, digest)))):
            break
    assert act > 5, "this many died"
    assert (list(folder.iterdir()), ReportArchive.objects.count(), Report.objects.count()) == ([], 0, 0)
    assert (selectors.report_count(digest), selectors.coin_report_count(digest)) == (91, 1)


@pytest.mark.long
def test_moves_killed_at_any_time_lose_nothing(closed: Version, folder: Path) -> None:
    chance, digest, deaths = random.Random(11), closed.design_id, 0
    before = told(digest)
    for strike in range(400):
        direction = "back" if strike % 2 else "there"
        make_ready(digest, direction)
        pid = begin(partial(MOVES[direction], digest))
        time.sleep(chance.uniform(0.0, 0.06))
        os.kill(pid, signal.SIGKILL)
        deaths += ended(pid) == -signal.SIGKILL
        require_whole(digest, folder, before)
    assert deaths > 100
