"""Archived reports of a survey in parts: the same to every reader, and back in their parts."""

from pathlib import Path

import numpy as np
import pytest
from django.utils import timezone

from collector.designs import Design, parts
from collector.designs.services import close_design, freeze_design
from collector.errors import Conflict
from collector.models import FrozenDesign, Report, ReportArchive, WaitingReport
from collector.reports import archive_files, archiving, folding, purging, rewriting, storing
from collector.reports.archive_files import Chunk, Contents
from collector.reports.storing import NewReport
from tests.factories import payloads
from tests.factories.reports import sent
from tests.storage.reading import rows, told

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("folder")]

COUNT = 4


@pytest.fixture
def split(db: None) -> Design:
    """A closed design in parts with 200 reports, rewritten in the order of nonces."""
    design = freeze_design(payloads.document(slug="large"))
    parts.split_design(design.digest, COUNT)
    storing.store([NewReport(nonce, design.digest, group, report, mode) for nonce, group, report, mode in sent(200)])
    close_design(design.digest)
    folding.fold(design.digest)
    assert rewriting.rewrite_closed()
    return design


def test_archive_of_a_split_design_and_back(split: Design, folder: Path) -> None:
    before, stored = told(split.digest), rows()
    assert len({number for number, *_ in stored}) == COUNT
    made = archiving.archive(split.digest)
    assert (made.state, made.reports, made.coin_reports, made.sheets, Report.objects.count()) == (
        "archived", 200, 20, 10, 0,
    )  # fmt: skip
    assert len(list(folder.iterdir())) == 1
    assert told(split.digest) == before, "to a backup each part gives what it gave"
    archiving.check(made)
    assert archiving.put_back(split.digest) == 200
    assert (told(split.digest), rows()) == (before, stored)
    assert list(folder.iterdir()) == []


def test_archive_of_a_split_design_waits_for_every_part(split: Design) -> None:
    last = FrozenDesign.objects.filter(part_of=split.digest).order_by("number").last()
    assert last
    FrozenDesign.objects.filter(pk=last.pk).update(rewritten_on=None)
    with pytest.raises(Conflict, match="order of arrival is not erased yet"):
        archiving.archive(split.digest)
    FrozenDesign.objects.filter(pk=last.pk).update(rewritten_on=timezone.now().date())
    WaitingReport.objects.create(design=last, nonce=bytes(16), stratum=0, report=b"\0\0")
    with pytest.raises(Conflict, match="order of arrival is not erased yet"):
        archiving.archive(split.digest)
    assert not ReportArchive.objects.exists()


def test_purge_of_a_split_archived_design_deletes_all(split: Design, folder: Path) -> None:
    archiving.archive(split.digest)
    assert purging.purge(split.digest) == 200
    assert (list(folder.iterdir()), ReportArchive.objects.count(), Report.objects.count()) == ([], 0, 0)


@pytest.mark.parametrize(("order", "allowed"), [([0, 1, 2, 3], 1), ([2, 3, 0, 1], 2), ([1, 0, 3, 2], 3)])
def test_nonces_fall_between_parts_alone(order: list[int], allowed: int) -> None:
    """Four reports, in chunks of one and of all."""
    nonces = [bytes([one] * 16) for one in order]
    for size in (1, 4):
        strata, symbols = np.zeros(size, dtype=np.intp), np.zeros((size, 2), dtype=np.uint8)
        chunks = [
            Chunk(strata, symbols, b"".join(nonces[at : at + size]), strata.astype(np.uint8))
            for at in range(0, 4, size)
        ]
        assert len(list(archive_files.counted(chunks, Contents(), parts=allowed))) == 4 // size
        with pytest.raises(Conflict, match="not in the order of their nonces"):
            list(archive_files.counted(chunks, Contents(), parts=allowed - 1))
