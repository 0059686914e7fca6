"""Archived reports on a Citus cluster: of one node and of all, the same to every reader, and back on their nodes."""

from pathlib import Path
from typing import Any

import pytest

from collector.designs import Design, parts
from collector.designs.services import close_design, freeze_design
from collector.models import Report
from collector.reports import archiving, folding, purging, rewriting, storing
from collector.reports.storing import NewReport
from tests.factories import payloads
from tests.factories.reports import sent
from tests.storage.reading import rows, told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=[1, 4])
def closed(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> Design:
    """A closed design, in one piece or in parts, whose reports are in the order of the nonces."""
    settings.CANDOR_ARCHIVES = tmp_path / "archives"
    design = freeze_design(payloads.document(slug="large"))
    if request.param > 1:
        parts.split_design(design.digest, request.param)
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


def test_purge_of_an_archive_from_nodes(closed: Design, settings: Any) -> None:
    archiving.archive(closed.digest)
    assert purging.purge(closed.digest) == 300
    assert (list(settings.CANDOR_ARCHIVES.iterdir()), Report.objects.count()) == ([], 0)
