"""Stored backups: encrypted, on a schedule, pruned, and restored into an empty place, in a folder and over S3's API."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from collector.designs.selectors import get_design
from collector.reports import archiving, folding, rewriting
from estimator.base import jobs
from surveys import tasks
from surveys.errors import BackupError
from surveys.lifecycle.services import close_survey
from surveys.maintenance import backup, backup_checks, backup_store, drafts, scheduled_backups
from surveys.maintenance.archive import new_file
from surveys.models import Backup, Survey, Version
from tests.factories.runs import fill
from tests.tools.backups import empty_database
from tests.tools.keys import KeyPair, new_key
from tests.tools.s3 import BUCKET, Bucket, running_s3

pytestmark = pytest.mark.django_db(transaction=True)
PREFIX = "survey/backups"


@pytest.fixture(scope="module")
def server() -> Iterator[Bucket]:
    with running_s3() as server:
        yield server


@pytest.fixture
def key(tmp_path: Path) -> KeyPair:
    return new_key(tmp_path / "identity.txt")


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path, key: KeyPair, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Backups are due every day, and go into a folder of the test's own; nobody is woken."""
    settings.CANDOR_BACKUPS = tmp_path / "backups"
    settings.CANDOR_BACKUP_RECIPIENTS = (key.recipient,)
    settings.CANDOR_BACKUP_EVERY, settings.CANDOR_BACKUPS_KEPT = 24, 2
    monkeypatch.setattr(jobs, "wake", lambda task, job_id: None)
    return tmp_path / "backups"


@pytest.fixture
def bucket(server: Bucket, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """They go into a bucket instead, with the variables that an operator would set."""
    for name in server.names():
        server.client.delete_object(Bucket=BUCKET, Key=name)
    settings.STORAGES = settings.STORAGES | {"backups": server.storage(PREFIX)}
    for name, value in server.environment(PREFIX).items():
        monkeypatch.setenv(name, value)
    return server


@pytest.fixture
def reports(version: Version) -> Version:
    """An open survey with reports."""
    fill(get_design(version.design_id))
    return version


def run_due() -> Backup:
    """What beat and a worker do."""
    scheduled_backups.run_due()
    made = Backup.objects.first()
    assert made is not None
    scheduled_backups.execute(made.pk)
    made.refresh_from_db()
    return made


def later(monkeypatch: pytest.MonkeyPatch, **more: float) -> None:
    moved = timezone.now() + timedelta(**more)
    monkeypatch.setattr(timezone, "now", lambda: moved)


def called(*words: str, **options: Any) -> dict[str, Any]:
    out = io.StringIO()
    call_command(*words, json=True, stdout=out, **options)
    told: dict[str, Any] = json.loads(out.getvalue())
    return told


@pytest.mark.long
def test_backup_in_bucket_is_pruned_restored_and_recorded(
    reports: Version, bucket: Bucket, key: KeyPair, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for _day in range(3):
        made.append(run_due())
        assert (made[-1].state, made[-1].fault) == ("done", "")
        later(monkeypatch, hours=24, seconds=1)
    assert bucket.names() == [f"{PREFIX}/{one.name}" for one in made[1:]]
    assert list(Backup.objects.values_list("name", flat=True)) == [made[2].name, made[1].name]
    content = bucket.client.get_object(Bucket=BUCKET, Key=f"{PREFIX}/{made[2].name}")["Body"].read()
    assert content.startswith(b"age-encryption.org/v1\n")
    assert b"designs/" not in content
    assert len(content) == made[2].size
    settings.CANDOR_BACKUP_IDENTITY = str(key.identity)
    tasks.check_backups()
    made[2].refresh_from_db()
    assert made[2].check_fault == ""
    assert made[2].checked_at == timezone.now()
    last = scheduled_backups.last_backup()
    assert last is not None
    assert (last.name, last.place, last.megabytes) == (made[2].name, f"s3://{BUCKET}/{PREFIX}", 1)
    assert (last.checked_at, last.check_fault) == (timezone.now(), "")
    assert list(drafts.folder().iterdir()) == [], "nothing of the empty place is left"


@pytest.mark.long
def test_stored_backup_is_restored_by_name(reports: Version, bucket: Bucket, key: KeyPair) -> None:
    told = called("backup")
    counted = backup.counted()
    assert told["place"] == f"s3://{BUCKET}/{PREFIX}"
    empty_database()
    with pytest.raises(CommandError, match="encrypted: name the file with its private key"):
        called("restore", "latest")
    restored = called("restore", told["file"], identity=key.identity)
    assert (restored["surveys"], restored["reports"]) == (1, counted)
    assert Survey.objects.get().slug == "campus"
    assert not Backup.objects.exists()


@pytest.mark.long
def test_check_on_another_machine_is_read_here(
    reports: Version, bucket: Bucket, key: KeyPair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process with an empty data folder, the store's variables and the private key, and nothing else."""
    told = called("backup")
    left = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DATABASE", "REDIS"))}
    there = left | {"CANDOR_DATA": str(tmp_path / "there"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "manage.py", "check_backup", "--identity", str(key.identity)]
    done = subprocess.run([*command, "--signed-by", told["signed_by"]], env=there, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{told['file']} restores: 1 surveys, {backup.counted()} reports" in done.stdout
    tasks.check_backups()
    made = Backup.objects.get()
    assert made.checked_at is not None
    assert made.check_fault == ""


@pytest.mark.long
def test_check_finds_spoilt_backup(reports: Version, folder: Path, key: KeyPair) -> None:
    made = run_due()
    file = folder / made.name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(CommandError, match="cannot be decrypted"):
        called("check_backup", identity=key.identity)
    made.refresh_from_db()
    assert "cannot be decrypted" in made.check_fault
    assert backup_store.read_check(made.name) == (made.checked_at.replace(microsecond=0), made.check_fault)


def test_check_compares_rows_and_totals(reports: Version, folder: Path, tmp_path: Path) -> None:
    """A signed backup of a database whose totals somebody has changed: every hash is right, and the recount is not."""
    folding.fold(reports.design_id)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE collector_tally SET count = count + 1")
    backup.back_up(tmp_path / "odd.zip")
    empty_database()
    with pytest.raises(BackupError, match=r"totals of [0-9a-f]+ are not those of its reports"):
        backup_checks.check_here(str(tmp_path / "odd.zip"), None, signed_by="")
    assert not Survey.objects.exists()


def test_backup_due_by_age_of_the_last(monkeypatch: pytest.MonkeyPatch, folder: Path, settings: Any) -> None:
    first = run_due()
    assert (first.state, folder.stat().st_mode & 0o777) == ("done", 0o700)
    assert (folder / first.name).stat().st_mode & 0o777 == 0o600
    later(monkeypatch, hours=23)
    scheduled_backups.run_due()
    assert Backup.objects.count() == 1
    later(monkeypatch, hours=1, seconds=1)
    assert run_due() != first
    later(monkeypatch, days=-3)  # the clock is set back: what is ahead of it counts as none
    scheduled_backups.run_due()
    assert Backup.objects.count() == 3
    Backup.objects.all().delete()
    settings.CANDOR_BACKUP_EVERY = 0
    scheduled_backups.run_due()
    assert not Backup.objects.exists()


def test_one_backup_at_a_time(folder: Path) -> None:
    scheduled_backups.run_due()
    scheduled_backups.run_due()
    assert Backup.objects.count() == 1
    with pytest.raises(CommandError, match="A backup is being made already"):
        called("backup")


def test_backup_of_killed_worker_is_made_by_another(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scheduled_backups.run_due()
    made = Backup.objects.get()
    jobs.take(Backup, made.pk)  # and here it is killed
    later(monkeypatch, seconds=61)
    made = run_due()
    assert (made.state, made.tries) == ("done", 2)
    assert [path.name for path in folder.iterdir()] == [made.name]


def test_worker_that_lost_its_lease_stores_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(name: str, file: Any) -> None:
        original(name, file)
        Backup.objects.update(lease="of another")

    original = backup_store.save
    monkeypatch.setattr(backup_store, "save", save)
    assert run_due().state == "running"
    assert list(folder.iterdir()) == []


def test_failed_backup_names_its_error_and_is_tried_again(
    folder: Path, bucket: Bucket, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.STORAGES = settings.STORAGES | {"backups": bucket.storage(PREFIX, secret_key="wrong")}
    failed = run_due()
    assert failed.state == "failed"
    assert failed.fault == (
        "The backup could not be stored: the store answered SignatureDoesNotMatch. Nothing of it is left."
    )
    last = scheduled_backups.last_backup()
    assert last is not None
    assert (last.made_at, last.fault, last.is_overdue) == (None, failed.fault, False)
    scheduled_backups.run_due()
    assert Backup.objects.count() == 1, "not at once"
    later(monkeypatch, hours=1, seconds=1)
    scheduled_backups.run_due()
    assert Backup.objects.count() == 2
    later(monkeypatch, hours=48)
    last = scheduled_backups.last_backup()
    assert last is not None
    assert last.is_overdue


def test_full_disk_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(name: str, file: Any) -> None:
        raise OSError(errno.ENOSPC, "a secret path")

    monkeypatch.setattr(backup_store, "save", full)
    failed = run_due()
    assert failed.fault == "The backup could not be stored: No space left on device. Nothing of it is left."
    assert list(drafts.folder().iterdir()) == []


def test_unencrypted_backup_is_not_stored(folder: Path, settings: Any) -> None:
    settings.CANDOR_BACKUP_RECIPIENTS = ()
    with pytest.raises(CommandError, match="no backup is stored unencrypted"):
        called("backup")
    assert not folder.exists()


def test_identity_of_another_key_is_refused(folder: Path, tmp_path: Path) -> None:
    made = run_due()
    other = new_key(tmp_path / "other.txt")
    with pytest.raises(CommandError, match="none of the identities in") as refusal:
        called("restore", made.name, identity=other.identity)
    assert "AGE-SECRET-KEY" not in str(refusal.value)


@pytest.mark.parametrize("content", ["", "age1abc", "AGE-SECRET-KEY-1NONSENSE"])
def test_file_without_identity_is_refused(folder: Path, tmp_path: Path, content: str) -> None:
    made = run_due()
    (tmp_path / "spoilt.txt").write_text(content)
    with pytest.raises(CommandError, match="holds no identity of age"):
        called("restore", made.name, identity=tmp_path / "spoilt.txt")


def test_prune_leaves_files_of_others(folder: Path) -> None:
    made = run_due()
    others = ["candor-00000000-20200101T000000Z.zip.age", "notes.txt"]
    for name in others:
        (folder / name).write_text("of somebody else")
    assert backup_store.prune(1) == []
    assert sorted(path.name for path in folder.iterdir()) == sorted([made.name, *others])


def test_prune_abandons_uploads_of_killed_workers(bucket: Bucket) -> None:
    name = f"{PREFIX}/{backup_store.name_at(timezone.now())}"
    bucket.client.create_multipart_upload(Bucket=BUCKET, Key=name)
    assert len(storages["backups"].unfinished()) == 1  # type: ignore[attr-defined]
    backup_store.prune(1)
    assert storages["backups"].unfinished() == []  # type: ignore[attr-defined]


HANGING = """
import sys, time
from pathlib import Path
from surveys.maintenance.archive import new_file
with new_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("half", flush=True)
    time.sleep(600)
"""


def test_draft_of_killed_command_is_deleted_by_the_next(tmp_path: Path) -> None:
    place = tmp_path / "by hand"
    place.mkdir()
    file = place / "candor.zip"
    command = [sys.executable, "-c", HANGING, str(file)]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONPATH": str(Path.cwd())}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout.readline() == b"half\n"
        with new_file(place / "candor.zip") as second:
            second.write(b"whole")
        assert len(list(place.iterdir())) == 2, "the other one is at work"
        process.send_signal(signal.SIGKILL)
        process.wait()
    file.unlink()
    time.sleep(0.01)
    with new_file(file) as third:
        third.write(b"whole")
    assert [path.name for path in place.iterdir()] == ["candor.zip"]


def test_backup_without_an_archive_file_fails_and_says_so(reports: Version, settings: Any, tmp_path: Path) -> None:
    """Else it would be one without these reports."""
    settings.CANDOR_ARCHIVES = tmp_path / "archives"
    close_survey(reports.survey)
    rewriting.rewrite_closed()
    archiving.archive(reports.design_id)
    scheduled_backups.make_now()
    (file,) = settings.CANDOR_ARCHIVES.iterdir()
    file.unlink()
    with pytest.raises(BackupError, match=f"The file {file.name} with this survey's archived reports is missing"):
        scheduled_backups.make_now()
    assert len(list(settings.CANDOR_BACKUPS.iterdir())) == 1
