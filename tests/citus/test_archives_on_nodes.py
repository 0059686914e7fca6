"""Archived reports on a Citus cluster: of one node and of all, the same to every reader, and back on their nodes.

Also where processes that move them are killed; tests/storage/test_archive_kills.py does it to a survey in one piece.
"""

import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from collector.designs import Design, parts
from collector.designs.services import close_design, freeze_design
from collector.models import Report, ReportArchive
from collector.reports import archiving, folding, purging, rewriting, selectors, storing
from collector.reports.storing import NewReport
from tests.factories import payloads
from tests.factories.reports import sent
from tests.storage import killing
from tests.storage.reading import rows, told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=[1, 4])
def closed(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> Design:
    """A closed design, in one piece or in parts, whose reports are in the order of the nonces."""
    return make_closed(request.param, settings, tmp_path)


@pytest.fixture
def split(settings: Any, tmp_path: Path) -> Design:
    """One in parts, which are on all nodes."""
    return make_closed(4, settings, tmp_path)


@pytest.fixture(scope="module")
def ended(django_db_setup: None) -> Iterator[killing.Ended]:
    with killing.forking() as made:
        yield made


def make_closed(count: int, settings: Any, folder: Path) -> Design:
    settings.CANDOR_ARCHIVES = folder / "archives"
    design = freeze_design(payloads.document(slug="large"))
    if count > 1:
        parts.split_design(design.digest, count)
    storing.store([NewReport(nonce, design.digest, group, report, mode) for nonce, group, report, mode in sent(300)])
    close_design(design.digest)
    folding.fold(design.digest)
    assert rewriting.rewrite_closed()
    return design


def test_archive_from_nodes_and_back(closed: Design) -> None:
    before, stored = told(closed.digest), rows()
    made = archiving.archive(closed.digest)
    assert (made.state, made.reports, Report.objects.count()) == ("archived", 300, 0)
    assert told(closed.digest) == before
    archiving.check(made)
    assert archiving.put_back(closed.digest) == 300
    assert (told(closed.digest), rows()) == (before, stored)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("direction", ["there", "back"])
def test_move_from_nodes_killed_at_acts_loses_nothing(
    split: Design, settings: Any, ended: killing.Ended, direction: str, step: int
) -> None:
    """Each part's rows are deleted, and written, in transactions of their own, after any of which it may be over."""
    before, stored = told(split.digest), rows()
    for act in count(step // 2, step):
        killing.make_ready(split.digest, direction)
        code = ended(direction, split.digest, settings.CANDOR_ARCHIVES, act=act)
        killing.require_whole(split.digest, settings.CANDOR_ARCHIVES, before)
        if not code:
            break
        assert code == -signal.SIGKILL
    assert act > 30, "there are as many to die at"
    killing.make_ready(split.digest, "there")
    assert rows() == stored, "each is on the node that it was on"


@pytest.mark.parametrize("archived", [False, True], ids=["rows", "file"])
def test_purge_on_nodes_killed_at_acts_goes_on(
    split: Design, settings: Any, ended: killing.Ended, *, archived: bool
) -> None:
    total = told(split.digest)[0]
    if archived:
        archiving.archive(split.digest)
    for act in count():
        if not ended("purge", split.digest, settings.CANDOR_ARCHIVES, act=act):
            break
    assert act > 5, "this many died"
    assert (Report.objects.count(), ReportArchive.objects.count()) == (0, 0)
    assert not archived or list(settings.CANDOR_ARCHIVES.iterdir()) == []
    assert [one.tolist() for one in selectors.totals(split.digest)] == total
    assert selectors.report_count(split.digest) == 300


def test_purge_of_an_archive_from_nodes(closed: Design, settings: Any) -> None:
    archiving.archive(closed.digest)
    assert purging.purge(closed.digest) == 300
    assert (list(settings.CANDOR_ARCHIVES.iterdir()), Report.objects.count()) == ([], 0)
