"""Reports are moved into an archive and back by processes that are killed: none is lost, doubled or left over."""

import random
import signal
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from collector.models import Report, ReportArchive
from collector.reports import archiving, selectors
from surveys.models import Version
from tests.storage import killing
from tests.storage.killing import make_ready, require_whole
from tests.storage.reading import told

pytestmark = pytest.mark.django_db(transaction=True)

Ended = Callable[..., int]


@pytest.fixture(scope="module")
def forking(django_db_setup: None) -> Iterator[killing.Ended]:
    with killing.forking() as ended:
        yield ended


@pytest.fixture
def ended(forking: killing.Ended, closed: Version, folder: Path) -> Ended:
    """Have a process do something to the closed survey and die of it; how it ended: 0 where it was done before."""
    return partial(forking, digest=closed.design_id, folder=folder)


@pytest.mark.long
@pytest.mark.parametrize("direction", ["there", "back"])
def test_move_killed_at_acts_loses_nothing(closed: Version, folder: Path, ended: Ended, direction: str) -> None:
    digest = closed.design_id
    before = told(digest)
    for act in count():
        make_ready(digest, direction)
        code = ended(direction, act=act)
        require_whole(digest, folder, before)
        if not code:
            break
        assert code == -signal.SIGKILL
    assert act > 15, "there are as many to die at"


@pytest.mark.long
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
