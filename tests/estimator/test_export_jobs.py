"""Exports as jobs: one whole file or none, whatever happens to who writes it."""

import errno
import hashlib
import os
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone, translation

from collector.designs import Design
from collector.designs.services import freeze_design
from collector.errors import InputError
from estimator import tasks
from estimator.base import jobs as leases
from estimator.base import lease as heart
from estimator.base.cells import ExportError, Watch
from estimator.exports import services as jobs
from estimator.exports import storage
from estimator.exports.formats import FORMATS, Format
from estimator.models import Export, Run
from estimator.runs import services
from estimator.runs.results import NOTHING_KNOWN, ReportContext
from surveys.tasks import execute_export
from tests.factories import payloads
from tests.factories.runs import fill, run_of

pytestmark = pytest.mark.django_db
Write = Callable[[Run, ReportContext, BinaryIO, Watch], None]
Register = Callable[..., str]


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own, and nobody is woken."""
    settings.CANDOR_EXPORTS = tmp_path / "exports"
    monkeypatch.setattr(leases, "wake", lambda task, job_id: None)
    return storage.folder()


@pytest.fixture
def run(design: Design) -> Run:
    fill(design)
    return run_of(design)


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    def registered(write: Write, **more: Any) -> str:
        monkeypatch.setitem(FORMATS, "test", Format("test", ".bin", "application/x-test", "Test", write, **more))
        return "test"

    return registered


def asked(run: Run, name: str = "csv", **more: Any) -> Export:
    return jobs.request(run, name, **more)[0]


def made(export: Export) -> Export:
    jobs.execute(export.pk, NOTHING_KNOWN)
    export.refresh_from_db()
    return export


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def later(monkeypatch: pytest.MonkeyPatch, **more: float) -> None:
    moved = timezone.now() + timedelta(**more)
    monkeypatch.setattr(timezone, "now", lambda: moved)


def test_export_is_written_once_with_size_and_hash(run: Run, alice: User, folder: Path) -> None:
    export = made(asked(run, by=alice))
    content = storage.path_of(export.key).read_bytes()
    assert content.startswith(b"\xef\xbb\xbfitem,")
    assert (export.state, export.progress, export.size) == ("done", 100, len(content))
    assert export.sha256 == hashlib.sha256(content).hexdigest()
    assert export.finished_at is not None
    assert export.kept_until == export.finished_at + timedelta(days=7)
    assert left(folder) == [export.key]
    assert (folder.stat().st_mode & 0o777, storage.path_of(export.key).stat().st_mode & 0o777) == (0o700, 0o600)
    assert jobs.request(run, "csv") == (export, False)
    jobs.execute(export.pk, NOTHING_KNOWN)
    assert Export.objects.get(pk=export.pk).tries == 1


def test_export_requested_twice_is_one_job(run: Run) -> None:
    first, made_now = jobs.request(run, "csv")
    assert made_now
    assert jobs.request(run, "csv") == (first, False)
    assert asked(run, "json") != first


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"name": "no-such"}, "format"),
        ({"name": "../../etc/passwd"}, "format"),
        ({"name": "csv", "language": "de"}, "language"),
        ({"name": "test", "language": "xx", "microdata": True}, "language"),
        ({"name": "test"}, "microdata"),
    ],
)
def test_export_invalid_request_names_field(run: Run, register: Register, said: dict[str, Any], field: str) -> None:
    register(lambda run, context, out, watch: None, microdata=True, translated=True)
    with pytest.raises(InputError) as refusal:
        jobs.request(run, **said)
    assert (refusal.value.field, str(refusal.value).split()[0]) == (field, field)
    assert not Export.objects.exists()


def test_export_unfinished_run_is_rejected(design: Design) -> None:
    with pytest.raises(InputError, match="run must be finished"):
        jobs.request(services.request_run(design.digest), "csv")


def test_export_uses_chosen_language(run: Run, register: Register) -> None:
    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        out.write((translation.get_language() or "none").encode())

    name = register(write, translated=True)
    german, own = made(asked(run, name, language="de")), made(asked(run, name))
    assert [storage.path_of(one.key).read_bytes() for one in (german, own)] == [b"de", b"en"]
    assert (german.language, own.language) == ("de", "en")


def test_export_of_killed_worker_is_resumed_without_rest(
    run: Run, register: Register, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = register(lambda run, context, out, watch: out.write(b"whole") and None)
    export = asked(run, name)
    lease = leases.take(Export, export.pk)
    with storage.Draft(export.key, lease).open() as file:
        file.write(b"ha")  # and here it is killed
    tasks.delete_expired_exports()
    assert left(folder) == [f"{export.key}.{lease}.draft"]  # it could still be at work
    jobs.execute(export.pk, NOTHING_KNOWN)
    assert left(folder) == [f"{export.key}.{lease}.draft"]
    later(monkeypatch, seconds=61)
    assert jobs.resume_waiting() == [export.pk]
    assert made(export).state == "done"
    tasks.delete_expired_exports()
    assert left(folder) == [export.key]
    assert (storage.path_of(export.key).read_bytes(), export.tries) == (b"whole", 2)


def test_export_two_lease_holders_write_one_file(run: Run, register: Register, folder: Path) -> None:
    texts = iter([b"slow", b"quick"])

    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        text = next(texts)
        out.write(text)
        if text == b"slow":
            jobs.execute(export.pk, NOTHING_KNOWN)  # held: nothing happens
            Export.objects.filter(pk=export.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
            jobs.execute(export.pk, NOTHING_KNOWN)  # takes it over, and finishes first

    export = asked(run, register(write))
    assert made(export).state == "done"
    assert left(folder) == [export.key]
    assert storage.path_of(export.key).read_bytes() == b"quick"


def test_export_disk_full_fails_without_file(run: Run, register: Register, folder: Path) -> None:
    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        out.write(b"begun")
        raise OSError(errno.ENOSPC, "a secret path")

    export = made(asked(run, register(write)))
    assert (export.state, export.tries, left(folder)) == ("failed", 1, [])
    assert export.fault == (
        "The file could not be written: No space left on device. Nothing of it was kept; request it again."
    )
    again, made_now = jobs.request(run, "test")
    assert made_now
    assert list(Export.objects.all()) == [again]


def test_export_disk_full_on_fsync_fails_without_file(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.EDQUOT, "")

    monkeypatch.setattr(os, "fsync", full)
    export = made(asked(run))
    assert (export.state, left(folder)) == ("failed", [])


def test_export_failing_format_is_tried_three_times(run: Run, register: Register, folder: Path) -> None:
    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        untyped: Any = out
        untyped.write("no bytes")

    export = asked(run, register(write))
    for tries in range(1, leases.MOST_TRIES + 1):
        with pytest.raises(TypeError):
            jobs.execute(export.pk, NOTHING_KNOWN)
        export.refresh_from_db()
        assert (export.tries, left(folder)) == (tries, [])
    assert (export.state, export.fault) == ("failed", "The computation ended with TypeError.")
    jobs.execute(export.pk, NOTHING_KNOWN)
    assert jobs.resume_waiting() == []


def test_export_refused_or_empty_states_fault(run: Run, register: Register) -> None:
    def refuse(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        raise ExportError("It takes at least 100 reports; there are 90.")

    for write, fault in (
        (refuse, "It takes at least 100 reports; there are 90."),
        (lambda run, context, out, watch: None, "The file is empty."),
    ):
        export = made(asked(run, register(write)))
        assert (export.state, export.fault, export.tries) == ("failed", fault, 1)


def test_export_retention_is_shorter_for_microdata(
    run: Run, register: Register, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = register(lambda run, context, out, watch: out.write(b"rows") and None, microdata=True)
    rows, numbers = made(asked(run, name, microdata=True)), made(asked(run))
    later(monkeypatch, days=1, seconds=1)
    assert not jobs.exists(rows)
    tasks.delete_expired_exports()
    assert left(folder) == [numbers.key]
    assert list(Export.objects.all()) == [numbers]
    later(monkeypatch, days=6)
    tasks.delete_expired_exports()
    assert left(folder) == []
    assert not Export.objects.exists()


def test_export_failed_row_is_deleted_after_retention(
    run: Run, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(asked(run, register(lambda run, context, out, watch: None)))
    tasks.delete_expired_exports()
    assert Export.objects.count() == 1
    later(monkeypatch, days=8)
    tasks.delete_expired_exports()
    assert not Export.objects.exists()


def test_export_file_without_row_is_deleted(run: Run, folder: Path) -> None:
    kept, gone = made(asked(run)), made(asked(run, "json"))
    Export.objects.filter(pk=gone.pk).delete()  # as a cascade does
    (folder / "README").write_text("of the operator")
    tasks.delete_expired_exports()
    assert left(folder) == sorted([kept.key, "README"])


def test_export_lost_file_is_made_again(run: Run) -> None:
    lost = made(asked(run))
    storage.path_of(lost.key).unlink()
    assert not jobs.exists(lost)
    again, made_now = jobs.request(run, "csv")
    assert made_now
    assert again != lost
    assert made(again).state == "done"


def test_purge_deletes_microdata_exports(run: Run, register: Register, folder: Path) -> None:
    name = register(lambda run, context, out, watch: out.write(b"rows") and None, microdata=True)
    made(asked(run, name, microdata=True))
    other = made(asked(run))
    jobs.delete_microdata(run.design_id)
    tasks.delete_expired_exports()
    assert left(folder) == [other.key]


def test_run_is_kept_while_its_exports_exist(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(design)
    old = services.execute(services.request_run(design.digest, trigger=Run.Trigger.SCHEDULE).pk)
    services.execute(services.request_run(design.digest, trigger=Run.Trigger.SCHEDULE).pk)
    export = made(asked(old))
    later(monkeypatch, hours=1)
    services.prune()
    assert Run.objects.filter(pk=old.pk).exists()
    jobs.delete(export)
    services.prune()
    assert not Run.objects.filter(pk=old.pk).exists()


@pytest.mark.parametrize("key", ["../secret_key", "a" * 31, "A" * 32, "a" * 32 + "/", "a" * 32 + "\n", ""])
def test_export_path_rejects_other_names(key: str) -> None:
    with pytest.raises(ValueError, match="32 hex digits"):
        storage.path_of(key)


def elsewhere(act: Callable[[], Any]) -> Any:
    """What another connection sees or does."""
    found: list[Any] = []

    def acting() -> None:
        try:
            found.append(act())
        finally:
            connection.close()

    thread = threading.Thread(target=acting)
    thread.start()
    thread.join(timeout=60)
    return found[0]


@pytest.mark.django_db(transaction=True)
def test_export_long_job_renews_lease_until_cancelled(
    register: Register, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that reads an older state may not write in SQLite; the writer hears of its end all the same."""
    monkeypatch.setattr(heart, "BETWEEN_BEATS", 0.02)
    users = [User.objects.create_user(f"u{number}") for number in range(3)]
    design = freeze_design(payloads.document())
    fill(design)
    seen = []

    def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        reading = User.objects.iterator(chunk_size=1)
        next(reading)
        elsewhere(users[0].save)
        out.write(b"x" * 100)
        watch(0.4)
        for _ in range(1000):
            if (progress := elsewhere(lambda: Export.objects.get().progress)) == 40:
                break
            time.sleep(0.02)
        seen.extend([progress, left(folder)])
        elsewhere(lambda: jobs.delete(export))
        for _ in range(1000):
            time.sleep(0.02)
            watch(0.5)
        seen.append("nobody told the writer")

    export = asked(run_of(design), register(write))
    jobs.execute(export.pk, NOTHING_KNOWN)
    assert (seen[0], len(seen[1]), len(seen)) == (40, 1, 2)
    assert left(folder) == []
    assert not Export.objects.exists()


def test_export_hanging_job_loses_lease(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    renewed = []
    monkeypatch.setattr(heart, "BETWEEN_BEATS", 0.005)
    monkeypatch.setattr(heart, "LONGEST_SILENCE", 0.05)
    monkeypatch.setattr(heart.LeaseRenewal, "_renew", lambda self: renewed.append(1))
    with heart.LeaseRenewal(Export, 1, "") as beating:
        beating._thread.join(timeout=30)
        assert not beating._thread.is_alive()
    assert renewed


@pytest.mark.django_db(transaction=True)
def test_export_parallel_requests_make_one_job() -> None:
    design = freeze_design(payloads.document())
    fill(design)
    run, together, found = run_of(design), threading.Barrier(4), list[tuple[int, bool]]()

    def ask() -> None:
        try:
            together.wait(timeout=30)
            export, made_now = jobs.request(run, "csv")
            found.append((export.pk, made_now))
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len({key for key, _ in found}) == 1
    assert sorted(made_now for _, made_now in found) == [False, False, False, True]


def test_export_task_is_sent_after_commit(
    run: Run, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent = []
    monkeypatch.setattr(leases, "wake", lambda task, job_id: sent.append((task, job_id)))
    with django_capture_on_commit_callbacks(execute=True):
        export = asked(run)
    assert sent == [(execute_export.name, export.pk)]
    execute_export(export.pk)
    assert jobs.exists(Export.objects.get())
