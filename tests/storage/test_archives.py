"""Archived reports: the same to every reader, small, in bounded memory, and whole whatever kills the move."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from collector.designs.selectors import get_design
from collector.errors import Conflict
from collector.models import FrozenDesign, Report, ReportArchive
from collector.reports import archives, archiving, purging, rewriting, selectors
from estimator.analyses import services as analyses
from surveys.maintenance import archives as archived
from surveys.maintenance import backup, retention
from surveys.models import AuditEntry, Version
from tests.storage.reading import KEY, rows, told
from tests.tools.backups import empty_database, members, signed_by
from tests.tools.gate import few
from tests.tools.s3 import BUCKET, Bucket, running_s3

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("folder")]


def test_archive_and_back_gives_readers_the_same(closed: Version, folder: Path) -> None:
    digest = closed.design_id
    before, stored = told(digest), rows()
    assert before[2] == 1
    made = archiving.archive(digest)
    assert (made.state, made.reports, Report.objects.count()) == ("archived", 91, 0)
    assert told(digest) == before
    (file,) = folder.iterdir()
    assert (file.stat().st_mode & 0o777, file.stat().st_size) == (0o600, made.size)
    assert archiving.put_back(digest) == 91
    assert (told(digest), rows(), list(folder.iterdir())) == (before, stored, [])
    assert not ReportArchive.objects.exists()


def test_archive_file_holds_nonces_in_order_and_no_time(closed: Version, folder: Path) -> None:
    archiving.archive(closed.design_id)
    (file,) = folder.iterdir()
    found = pq.read_table(file)
    nonces = found.column("nonce").to_pylist()
    assert nonces == sorted(nonces)
    assert found.column_names == ["nonce", "stratum", "mode", "symbol_0", "symbol_1"]
    assert pq.ParquetFile(file).metadata.metadata == {b"candor.design": closed.design_id.encode()}


def test_cross_table_of_archived_reports_is_the_same(closed: Version) -> None:
    asked = {"rows": "cheated", "columns": "mood", "group": ""}
    design = get_design(closed.design_id)
    before = analyses.execute(analyses.request("cross-table", asked, [design]).pk)
    archiving.archive(closed.design_id)
    again = analyses.execute(analyses.repeat(before).pk)
    assert (again.result_digest, again.input_digest) == (before.result_digest, before.input_digest)


STEPS = ["_claim", "check", "_mark", "_delete"]


@pytest.mark.parametrize("killed", STEPS)
@pytest.mark.parametrize("after", few([False, True]))
def test_archive_killed_anywhere_goes_on(
    closed: Version, folder: Path, monkeypatch: pytest.MonkeyPatch, killed: str, *, after: bool
) -> None:
    digest, real = closed.design_id, getattr(archiving, killed)
    before = told(digest)
    monkeypatch.setattr(archiving, "ROWS", 40)

    def die(*given: Any) -> None:
        if after:
            real(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(archiving, killed, die)
        with pytest.raises(KeyboardInterrupt):
            archiving.archive(digest)
    assert told(digest) == before
    archived.run_due()
    assert told(digest) == before
    assert archiving.archive(digest).state == "archived"
    assert told(digest) == before
    assert len(list(folder.iterdir())) == 1
    assert Report.objects.count() == 0


@pytest.mark.parametrize("killed", ["_mark", "_insert", "_compare_rows"])
def test_put_back_killed_anywhere_goes_on(
    closed: Version, folder: Path, monkeypatch: pytest.MonkeyPatch, killed: str
) -> None:
    digest, real = closed.design_id, getattr(archiving, killed)
    before = told(digest)
    archiving.archive(digest)
    monkeypatch.setattr(archiving, "ROWS", 40)

    def die(*given: Any) -> None:
        real(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(archiving, killed, die)
        with pytest.raises(KeyboardInterrupt):
            archiving.put_back(digest)
    assert told(digest) == before
    archived.run_due()
    assert (told(digest), Report.objects.count(), list(folder.iterdir())) == (before, 91, [])


def elsewhere(digest: str) -> None:
    """Archive over a connection of its own, as another process has."""
    try:
        archiving.archive(digest)
    finally:
        connection.close()


def test_archive_refuses_what_may_change(version: Version, closed: Version) -> None:
    digest = closed.design_id
    FrozenDesign.objects.filter(pk=digest).update(rewritten_on=None)
    with pytest.raises(Conflict, match="order of arrival is not erased yet"):
        archiving.archive(digest)
    assert rewriting.rewrite_closed()
    with archives.sole(digest), ThreadPoolExecutor(1) as other:
        refusal = other.submit(elsewhere, digest).exception()
    assert str(refusal).startswith("Another process is moving archived reports now")
    with pytest.raises(Conflict, match="are not archived"):
        archiving.put_back(digest)
    assert not ReportArchive.objects.exists()


@pytest.mark.usefixtures("and_back")
def test_migration_back_with_an_archive_is_refused(closed: Version) -> None:
    """Earlier versions would find no report, and delete what names the file."""
    archiving.archive(closed.design_id)
    with pytest.raises(OperationalError, match=r"Reports of closed surveys are in files \(1\)"):
        MigrationExecutor(connection).migrate([("collector", "0018_parts_of_designs")])
    assert ReportArchive.objects.get().state == "archived"


def test_archive_with_other_totals_keeps_the_rows(closed: Version) -> None:
    Report.objects.filter(nonce=b"\x55" * 16).delete()
    with pytest.raises(Conflict, match="totals of this survey are not those"):
        archiving.archive(closed.design_id)
    assert Report.objects.count() == 90
    archived.run_due()
    assert not ReportArchive.objects.exists()


def test_damaged_archive_is_refused(closed: Version, folder: Path) -> None:
    archiving.archive(closed.design_id)
    (file,) = folder.iterdir()
    content = bytearray(file.read_bytes())
    content[200] ^= 1
    file.write_bytes(content)
    with pytest.raises(Conflict, match="damaged"):
        list(selectors.hashed_reports(closed.design_id, KEY))
    with pytest.raises(CommandError, match="SHA-256 differs"):
        call_command("archive_reports", "campus", back=True)
    file.unlink()
    with pytest.raises(Conflict, match="is missing"):
        selectors.recount(closed.design_id)


@pytest.mark.parametrize("state", ["archived", "clearing"])
def test_purge_deletes_the_archive(closed: Version, folder: Path, state: str) -> None:
    archiving.archive(closed.design_id)
    ReportArchive.objects.update(state=state)
    assert purging.purge(closed.design_id) == 91
    assert list(folder.iterdir()) == []
    assert not ReportArchive.objects.exists()
    assert (selectors.coin_report_count(closed.design_id), selectors.report_count(closed.design_id)) == (1, 91)
    with pytest.raises(Conflict, match="were deleted on"):
        selectors.recount(closed.design_id)


def test_purge_with_store_away_is_tried_again(closed: Version, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archiving.archive(closed.design_id)
    retention.set_retention(closed.survey, 30)
    Version.objects.update(closed_at=timezone.now() - timedelta(days=31))

    def away(name: str) -> None:
        raise OSError(5, "no disk")

    with monkeypatch.context() as patch:
        patch.setattr(storages["archives"], "delete", away)
        retention.purge_due()
    assert Version.objects.get().purged_at is None
    assert len(list(folder.iterdir())) == 1
    retention.purge_due()
    assert Version.objects.get().purged_at is not None
    assert list(folder.iterdir()) == []


def test_backup_holds_archived_reports_and_restores_rows(closed: Version, tmp_path: Path) -> None:
    digest = closed.design_id
    backup.back_up(tmp_path / "before.zip")
    archiving.archive(digest)
    before = told(digest)
    backup.back_up(tmp_path / "after.zip")
    name = f"reports/{digest}.bin"
    assert members(tmp_path / "after.zip")[name] == members(tmp_path / "before.zip")[name]
    signer = signed_by(tmp_path / "after.zip")
    ReportArchive.objects.all().delete()
    empty_database()
    backup.restore(tmp_path / "after.zip", signed_by=signer)
    assert told(digest) == before
    assert Report.objects.count() == 91


def test_due_after_the_days_and_by_command(closed: Version, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archived, "FEWEST", 91)
    Version.objects.update(closed_at=timezone.now() - timedelta(days=9.5))
    archived.run_due()
    settings.CANDOR_ARCHIVE_AFTER = 10
    archived.run_due()
    assert not ReportArchive.objects.exists()
    settings.CANDOR_ARCHIVE_AFTER = 9
    archived.run_due()
    assert ReportArchive.objects.get().state == "archived"
    (entry,) = AuditEntry.objects.filter(act="archived the responses")
    assert entry.detail.startswith("version 1: 91 responses in a file of ")
    assert archived.summary() == f"91 in 1 file, 0.0 MB in {settings.CANDOR_ARCHIVES}"
    call_command("archive_reports", "campus", check=True)
    call_command("archive_reports", "campus", back=True)
    assert rewriting.rewrite_closed()
    call_command("archive_reports", "campus")
    assert ReportArchive.objects.get().state == "archived"
    with pytest.raises(CommandError, match="no closed version whose reports are in the database"):
        call_command("archive_reports", "campus")


@pytest.fixture(scope="module")
def server() -> Iterator[Bucket]:
    with running_s3() as server:
        yield server


@pytest.mark.long
def test_archive_in_a_bucket(closed: Version, server: Bucket, settings: Any) -> None:
    settings.STORAGES = settings.STORAGES | {"archives": server.storage("survey/archives")}
    before = told(closed.design_id)
    made = archiving.archive(closed.design_id)
    assert server.names("survey/archives") == [f"survey/archives/{made.name}"]
    assert told(closed.design_id) == before
    content = bytearray(server.client.get_object(Bucket=BUCKET, Key=server.names("survey/archives")[0])["Body"].read())
    content[200] ^= 1
    server.client.put_object(Bucket=BUCKET, Key=f"survey/archives/{made.name}", Body=bytes(content))
    with pytest.raises(Conflict, match="SHA-256 differs"):
        selectors.recount(closed.design_id)
    server.client.create_multipart_upload(Bucket=BUCKET, Key=f"survey/archives/{made.name}")
    purging.purge(closed.design_id)
    assert server.names("survey/archives") == []
    assert storages["archives"].unfinished() == [], "nor what a killed process had sent"  # type: ignore[attr-defined]


MEASURED = """
import json, resource, sys, tempfile
import numpy as np
import django
django.setup()
from collector.reports import archive_files
from collector.reports.archive_files import Chunk

def chunks(count):
    some = np.random.default_rng(1)
    for first in range(0, count, 50_000):
        size = min(50_000, count - first)
        keys = (np.arange(first, first + size, dtype=np.uint64) << 40) + some.integers(0, 2**40, size, dtype=np.uint64)
        nonces = np.column_stack((keys, some.integers(0, 2**64, size, dtype=np.uint64))).astype(">u8").tobytes()
        symbols = some.integers(0, 2, (size, 20), dtype=np.uint8)
        yield Chunk((np.arange(size) % 2).astype(np.intp), symbols, nonces, np.zeros(size, dtype=np.uint8))

count = int(sys.argv[1])
with tempfile.TemporaryFile() as file:
    archive_files.write(file, "0" * 64, 20, chunks(count))
    size, reports = file.tell(), 0
    file.seek(0)
    for chunk in archive_files.read(file, 20):
        reports += len(chunk)
print(json.dumps([size, reports, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def measured(count: int) -> tuple[int, int, float]:
    """Bytes of a file of so many reports to 20 yes/no questions, how many were read, and the most MB in memory."""
    command = [sys.executable, "-c", MEASURED, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    size, reports, most = json.loads(done.stdout)
    return size, reports, most


@pytest.mark.long
def test_archive_takes_few_bytes_and_bounded_memory() -> None:
    """A million reports beside a third of it: both are more than a row group."""
    small, large = measured(300_000), measured(1_200_000)
    assert (small[1], large[1]) == (300_000, 1_200_000)
    assert large[0] / large[1] < 19
    assert large[2] < small[2] + 32
