"""Test of a stored backup: restored into an empty place of its own, and compared with what its manifest says.

That place is an SQLite database in a private folder, deleted afterwards; a process of its own fills it, so that nothing
of it meets this installation's database.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Q
from django.utils import timezone

from collector.models import FrozenDesign, Report, WaitingReport
from collector.reports import selectors
from estimator.base.stores import fault_of
from surveys.errors import BackupError
from surveys.maintenance import backup, backup_store, drafts, encryption, signature, tables
from surveys.maintenance.archive import ArchiveReader
from surveys.models import Backup

EVERY = timedelta(days=1)
LONGEST = timedelta(hours=6)
"""Longest time that a test may take."""

AWAY = (
    *("DATABASE_URL", "REDIS_URL", "CANDOR_EXPORTS_STORE", "CANDOR_ARCHIVES_STORE", "CANDOR_ARCHIVE_AFTER"),
    *("CANDOR_BACKUP_EVERY", "CANDOR_BACKUP_IDENTITY"),
)
"""Variables that the empty place does not share."""


@contextmanager
def plain_file(source: str, identity: Path | None) -> Iterator[IO[bytes]]:
    """A backup, decrypted into a file without a name where it is encrypted. `source` is as of `backup_store.opened`.

    Raises BackupError and OSError.
    """
    stored = source == backup_store.LATEST or backup_store.NAME.fullmatch(source) is not None
    with backup_store.opened(source) as file:
        if not stored and not encryption.is_encrypted(file):
            yield file
            return
        if identity is None:
            raise BackupError("The backup is encrypted: name the file with its private key, with --identity FILE.")
        with drafts.nameless_file() as plain:
            encryption.decrypt(file, plain, identity)
            yield plain


def check(name: str, identity: Path, *, signed_by: str = "") -> dict[str, object]:
    """Restore a stored backup into an empty place and compare it; returns what it holds.

    Parameters
    ----------
    name
        As of `backup_store.opened`.
    identity
        The file with the private key.
    signed_by
        The fingerprint of the installation that made it; empty for this one.

    Raises
    ------
    BackupError
        Saying what is wrong with it.
    """
    signer = signature.read_fingerprint(signed_by) if signed_by else signature.own_fingerprint()
    with drafts.named_folder("check-") as place:
        changed = dict.fromkeys(AWAY, "") | {"CANDOR_DATA": str(place), "DJANGO_SETTINGS_MODULE": "config.settings"}
        changed["CANDOR_BACKUPS_STORE"] = backup_store.place()
        _run(["migrate", "--verbosity", "0"], changed)
        asked = ["check_backup", name, "--here", "--json", "--identity", str(identity), "--signed-by", signer]
        found: dict[str, object] = json.loads(_run(asked, changed))
    return found


def check_here(name: str, identity: Path | None, *, signed_by: str) -> dict[str, object]:
    """Restore a backup into this installation, which must be empty, and compare it. Raises BackupError."""
    with plain_file(name, identity) as file:
        return backup.restore(file, signed_by=signed_by, inspect=compare)


def compare(archive: ArchiveReader) -> None:
    """Compare what was restored with the manifest, and totals with a recount. Raises BackupError."""
    for model in tables.tables():
        _require_rows(archive, backup.rows_name(model), model._default_manager.count())
    for design in FrozenDesign.objects.iterator():
        for table in (Report, WaitingReport):
            count = table._default_manager.filter(design=design).count()
            _require_rows(archive, backup.records_name(design.digest, table), count)
        if design.purged_on is None and design.part_of_id is None:
            counted, stored = selectors.recount(design.digest), selectors.totals(design.digest)
            if [table.tolist() for table in counted] != [table.tolist() for table in stored]:
                raise BackupError(f"The totals of {design.digest} are not those of its reports.")


def record(name: str, fault: str) -> None:
    """Record the result of a test here, where the backup was made, and beside the backup. Raises OSError."""
    now = timezone.now()
    with suppress(DatabaseError):  # another machine has no database of this installation
        Backup.objects.filter(name=name).update(checked_at=now, check_fault=fault[:200])
    backup_store.note_check(name, now, fault[:200])


def run_due() -> None:
    """Test the newest backup if that is due and the private key is here, else read what a test elsewhere has left."""
    newest = Backup.objects.filter(state=Backup.State.DONE).order_by("-finished_at").first()
    if newest is None:
        return
    if settings.CANDOR_BACKUP_IDENTITY:
        if _claim(newest):
            record(newest.name, _fault_in(newest.name))
        return
    note = backup_store.read_check(newest.name)
    if note and (newest.checked_at is None or note[0] > newest.checked_at):
        Backup.objects.filter(pk=newest.pk).update(checked_at=note[0], check_fault=note[1])


def _claim(newest: Backup) -> bool:
    """Return True if a test is due and this worker is to do it, for at most LONGEST."""
    now = timezone.now()
    due = Q(checked_at=None) | Q(checked_at__lte=now - EVERY) | Q(checked_at__gt=now)
    free = Q(lease_until=None) | Q(lease_until__lte=now) | Q(lease_until__gt=now + LONGEST)
    return bool(Backup.objects.filter(due, free, pk=newest.pk).update(lease_until=now + LONGEST))


def _fault_in(name: str) -> str:
    try:
        check(name, Path(settings.CANDOR_BACKUP_IDENTITY))
    except BackupError as error:
        return str(error)
    except OSError as error:
        return f"It could not be read: {fault_of(error)}."
    return ""


def _require_rows(archive: ArchiveReader, name: str, found: int) -> None:
    said = archive.members[name].rows if name in archive.members else 0
    if said != found:
        raise BackupError(f"{name} has {said} rows in the backup, and {found} were restored.")


def _run(command: list[str], changed: dict[str, str]) -> str:
    """The output of a command of manage.py with changed variables; BackupError with its sentence where it failed."""
    words = ["env", *(f"{name}={value}" for name, value in changed.items())]
    words += [sys.executable, str(settings.ROOT / "manage.py"), *command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST.total_seconds(), check=False)
    except subprocess.TimeoutExpired:
        raise BackupError(f"Restoring took longer than {LONGEST}.") from None
    if done.returncode:
        try:
            raise BackupError(json.loads(done.stdout)["error"])
        except (ValueError, KeyError, TypeError):
            raise BackupError(f"No empty place could be made: {command[0]} ended with {done.returncode}.") from None
    return done.stdout
