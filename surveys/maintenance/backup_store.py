"""Stored backups: files in `storages["backups"]`, a folder or an S3 bucket, named by installation and time."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from estimator.base.stores import is_folder
from surveys.errors import BackupError
from surveys.maintenance import signature

NAME = re.compile(r"candor-([0-9a-f]{8})-\d{8}T\d{6}Z\.zip\.age")
"""The first digits of the fingerprint of the installation, and the time at which its backup was begun."""

CHECKED = ".checked"
LATEST = "latest"
LARGEST_NOTE = 4096
"""Maximum bytes of what a check on another machine leaves beside a backup."""


def name_at(now: datetime) -> str:
    return f"candor-{_mine()}-{now:%Y%m%dT%H%M%SZ}.zip.age"


def place() -> str:
    """Where backups are, without a key or a password."""
    store: Any = storages["backups"]
    if is_folder(store):
        return str(settings.CANDOR_BACKUPS)
    return f"s3://{store.bucket_name}/{store.location}".rstrip("/")


def save(name: str, file: IO[bytes]) -> None:
    """Store a file, whole or not at all. Raises OSError."""
    file.seek(0)
    storages["backups"].save(name, File(file))


def delete(name: str) -> None:
    storages["backups"].delete(name)


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """A stored backup by its name, `latest`, or a path; read in pieces. Raises BackupError, OSError."""
    if NAME.fullmatch(name) or name == LATEST:
        name = newest() if name == LATEST else name
        try:
            with storages["backups"].open(name) as file:
                yield file
        except FileNotFoundError:
            raise BackupError(f"There is no backup {name} in {place()}.") from None
    else:
        with Path(name).open("rb") as found:
            yield found


def newest(fingerprint: str = "") -> str:
    """The name of the newest stored backup, of the installation with this fingerprint or of any. Raises BackupError."""
    found = [name for name in _names() if name.startswith(f"candor-{_digits(fingerprint)}")]
    if not found:
        raise BackupError(f"There is no backup in {place()}.")
    return max(found, key=lambda name: name.split("-")[2])


def own() -> list[str]:
    """The names of this installation's stored backups, the oldest first."""
    return sorted(name for name in _names() if NAME.fullmatch(name)[1] == _mine())  # type: ignore[index]


def prune(keep: int) -> list[str]:
    """Delete all but the newest of this installation's backups; returns the names of those that are deleted.

    Also deletes the parts of backups whose worker was killed as it sent them: one is made at a time.
    """
    store: Any = storages["backups"]
    if not is_folder(store):
        for name, upload in store.unfinished():
            if (found := NAME.fullmatch(name)) and found[1] == _mine():
                store.abandon(name, upload)
    gone = own()[:-keep]
    for name in gone:
        store.delete(name)
        store.delete(name + CHECKED)
    return gone


def note_check(name: str, checked_at: datetime, fault: str) -> None:
    """Leave the result of a check beside its backup, for the installation to read."""
    note = json.dumps({"checked_at": f"{checked_at:%Y-%m-%dT%H:%M:%S%z}", "fault": fault}).encode()
    storages["backups"].save(name + CHECKED, ContentFile(note))


def read_check(name: str) -> tuple[datetime, str] | None:
    """What `note_check` left beside a backup; None if there is nothing that can be read. Raises StoreError."""
    try:
        with storages["backups"].open(name + CHECKED) as file:
            note = json.loads(file.read(LARGEST_NOTE))
        checked_at, fault = datetime.fromisoformat(note["checked_at"]), str(note["fault"])[:200]
    except (FileNotFoundError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return (checked_at, fault) if checked_at.tzinfo else None


def _names() -> list[str]:
    try:
        return [name for name in storages["backups"].listdir("")[1] if NAME.fullmatch(name)]
    except FileNotFoundError:
        return []  # the folder of the first backup


def _mine() -> str:
    return _digits(signature.own_fingerprint())


def _digits(fingerprint: str) -> str:
    return fingerprint.replace("-", "")[:8]
