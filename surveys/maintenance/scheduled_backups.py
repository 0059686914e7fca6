"""Backups on a schedule: jobs that any worker can take up, one at a time, encrypted and stored elsewhere.

What is due is told by how long ago the last one began, so no hour of the day matters. A time ahead of the clock shows
that the clock was set back, and counts as none.
"""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BufferedRandom

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from collector.reports.archive_files import ArchiveFault
from estimator.base import jobs
from estimator.base.lease import LeaseRenewal
from estimator.base.stores import fault_of
from surveys.errors import BackupError
from surveys.maintenance import backup, backup_store, drafts, encryption
from surveys.models import Backup

State = Backup.State

RETRY = timedelta(hours=1)
"""Longest time between a backup that failed and the next attempt."""

FAILED_KEPT = timedelta(days=30)
MEGABYTE = 1_000_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LastBackup:
    """The newest good backup, and whether it is recent enough. Without one only `is_overdue` and `fault` count."""

    made_at: datetime | None
    name: str
    place: str
    megabytes: int
    checked_at: datetime | None
    check_fault: str
    is_overdue: bool
    fault: str
    """Why the latest attempt failed, if it came after."""


def last_backup() -> LastBackup | None:
    """The newest good backup; None if there is none and none is scheduled."""
    done = Backup.objects.filter(state=State.DONE).order_by("-finished_at").first()
    every = timedelta(hours=settings.CANDOR_BACKUP_EVERY)
    if done is None and not every:
        return None
    failed = Backup.objects.filter(state=State.FAILED).order_by("-finished_at").first()
    if done is None:
        first = Backup.objects.order_by("requested_at").first()
        late = first is not None and not _is_recent(first.requested_at, 2 * every)
        return LastBackup(None, "", "", 0, None, "", late, failed.fault if failed else "")
    assert done.finished_at is not None
    newer = failed is not None and failed.finished_at is not None and failed.finished_at > done.finished_at
    return LastBackup(
        done.finished_at,
        done.name,
        done.place,
        -(-(done.size or 0) // MEGABYTE),
        done.checked_at,
        done.check_fault,
        bool(every) and not _is_recent(done.requested_at, 2 * every),
        failed.fault if failed is not None and newer else "",
    )


def run_due() -> None:
    """Request a backup if one is due, and wake workers for one that no worker makes."""
    if jobs.resume(Backup, wake) or Backup.objects.filter(state__in=[State.QUEUED, State.RUNNING]).exists():
        return
    every = timedelta(hours=settings.CANDOR_BACKUP_EVERY)
    if not every:
        return
    good = Backup.objects.filter(state=State.DONE).order_by("-requested_at").first()
    tried = Backup.objects.order_by("-requested_at").first()
    if good is not None and _is_recent(good.requested_at, every):
        return
    if tried is not None and _is_recent(tried.requested_at, min(every, RETRY)):
        return
    request(wake_worker=True)


def request(*, wake_worker: bool) -> Backup:
    """Request a backup. Raises BackupError if one is being made."""
    try:
        with transaction.atomic():
            made = Backup.objects.create()
    except IntegrityError:
        raise BackupError("A backup is already in progress; the operation page shows when it is ready.") from None
    if wake_worker:
        transaction.on_commit(lambda: wake(made.pk))
    return made


def wake(backup_id: int) -> None:
    jobs.wake("surveys.execute_backup", backup_id)


def execute(backup_id: int) -> None:
    """Make a backup, unless another worker does or it is finished."""
    jobs.perform(Backup, backup_id, _make)


def make_now() -> Backup:
    """Make a backup in this process, and return it. Raises BackupError."""
    made = request(wake_worker=False)
    execute(made.pk)
    made.refresh_from_db()
    if made.state != State.DONE:
        raise BackupError(made.fault or "A worker has started the backup; the operation page shows the result.")
    return made


def _make(backup_id: int, lease: str) -> None:
    name = backup_store.name_at(timezone.now())
    try:
        with LeaseRenewal(Backup, backup_id, lease) as renewal, drafts.nameless_file() as file:
            size, digest = _write(file, renewal.watch)
            renewal.watch(0.9)
            backup_store.save(name, file)
            renewal.watch(1.0)
        _keep(backup_id, lease, name, size, digest)
    except (BackupError, ArchiveFault) as refusal:
        _fail(backup_id, lease, str(refusal))
    except OSError as error:
        _fail(backup_id, lease, f"The backup could not be stored: {fault_of(error)}. Nothing of it is left.")
    else:
        _prune()


def _write(file: BufferedRandom, watch: Callable[[float], None]) -> tuple[int, str]:
    """Write the encrypted backup; returns its size in bytes and its SHA-256."""
    total, written = max(1, backup.counted()), 0

    def count(more: int) -> None:
        nonlocal written
        written += more
        if written % 1_000 == 0:
            watch(0.9 * min(1.0, written / total))

    with encryption.encrypting(file, settings.CANDOR_BACKUP_RECIPIENTS) as plain:
        backup.write(plain, watch=count)
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    return file.tell(), digest


def _keep(backup_id: int, lease: str, name: str, size: int, digest: str) -> None:
    """Record the backup; one whose job another worker has by now is deleted."""
    fields = {"name": name, "place": backup_store.place()[:300], "size": size, "sha256": digest}
    ended = {"state": State.DONE, "progress": 100, "finished_at": timezone.now(), "fault": ""}
    try:
        jobs.acquire_lease(Backup, backup_id, lease, **fields, **ended)
    except jobs.LeaseLost:
        backup_store.delete(name)
        raise


def _fail(backup_id: int, lease: str, fault: str) -> None:
    """End the job as failed; the next one is due within an hour."""
    jobs.acquire_lease(Backup, backup_id, lease, state=State.FAILED, fault=fault[:200], finished_at=timezone.now())


def _prune() -> None:
    try:
        gone = backup_store.prune(settings.CANDOR_BACKUPS_KEPT)
    except OSError as error:
        logger.warning("older backups could not be deleted: %s", fault_of(error))
        return
    Backup.objects.filter(state=State.DONE, name__in=gone).delete()
    Backup.objects.filter(state=State.FAILED, finished_at__lte=timezone.now() - FAILED_KEPT).delete()


def _is_recent(moment: datetime, period: timedelta) -> bool:
    """Return True if a moment is less than `period` ago, and not ahead of the clock by more than clocks differ."""
    now = timezone.now()
    return now - period < moment <= now + jobs.FURTHEST
