"""Reports in files: where a closed design's archive is, what is read of it, and how it is compared and deleted."""

import fcntl
import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from django.conf import settings
from django.core.files.storage import storages
from django.db import connection

from collector.database import locks
from collector.designs import parts
from collector.designs.selectors import get_design, part_count
from collector.errors import Conflict
from collector.models import ReportArchive
from collector.reports import archive_files
from collector.reports.archive_files import NONCE, ArchiveFault, Chunk, Contents

STORE = "archives"
LOCK = "archiving.lock"
PIECE = 1 << 20

logger = logging.getLogger(__name__)


class Busy(Conflict):
    """Error: another process moves or deletes this archive now."""


def find(digest: str) -> ReportArchive | None:
    """The archive that is read in place of a design's rows; None where the rows are."""
    return ReportArchive.objects.filter(design=digest, state__in=ReportArchive.READ).first()


def read(archive: ReportArchive, *, nonces: bool = False, modes: bool = False) -> Iterator[Chunk]:
    """Yield every report of an archive, in the order of the file and in bounded memory.

    A file of a store elsewhere is copied to this machine first, into a file without a name.
    Raises ArchiveFault where the file is missing, damaged or not the one that was written.
    """
    width, count = len(get_design(archive.design_id).alphabets), 0
    with _opened(archive) as file:
        for chunk in archive_files.read(file, width, nonces=nonces, modes=modes):
            count += len(chunk)
            yield chunk
    if count != archive.reports:
        raise ArchiveFault(f"The file {archive.name} has {count:,} reports, and {archive.reports:,} were archived.")


def records(archive: ReportArchive) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The key of each part with reports, of an unsplit design its digest, and its reports as a backup has them.

    To be read in this order. Raises ArchiveFault at the end where they are not those archived.
    """
    yield from groupby(_records(archive), key=lambda record: parts.key_for(archive.design_id, record[:NONCE]))


def _records(archive: ReportArchive) -> Iterator[bytes]:
    for chunk in _compared(archive):
        found = chunk.records()
        size = len(found) // len(chunk)
        yield from (found[start : start + size] for start in range(0, len(found), size))


def verify(archive: ReportArchive) -> Iterator[Chunk]:
    """As `read`; every byte and every report is compared with what was recorded. Raises ArchiveFault at the end."""
    with _opened(archive) as file:
        known = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    if known != archive.sha256:
        raise ArchiveFault(f"The file {archive.name} is not the one that was written: its SHA-256 differs.")
    yield from _compared(archive)


def _compared(archive: ReportArchive) -> Iterator[Chunk]:
    contents = Contents()
    chunks = read(archive, nonces=True, modes=True)
    yield from archive_files.counted(chunks, contents, parts=part_count(archive.design_id))
    require_contents(archive, contents)


def require_contents(archive: ReportArchive, found: Contents) -> None:
    recorded = Contents(archive.content, archive.reports, archive.coin_reports, archive.sheets)
    if found != recorded:
        raise ArchiveFault(f"The file {archive.name} does not hold the reports that were archived.")


def discard(digest: str) -> bool:
    """Delete file and row of an archive that is not read: unfinished, or of reports that are back or purged.

    The caller holds `sole`. Raises OSError where the file cannot be deleted; the row stays then.
    """
    unread = [ReportArchive.State.WRITING, ReportArchive.State.DISCARDED]
    archive = ReportArchive.objects.filter(design=digest, state__in=unread).first()
    if archive is None:
        return False
    store: Any = storages[STORE]
    if archive.archived_on and not store.exists(archive.name):
        logger.warning("%s is not in the store of archives; if another machine has it, delete it there", archive.name)
    store.delete_with_drafts(archive.name)
    archive.delete()
    return True


@contextmanager
def sole(digest: str) -> Iterator[None]:
    """Be the only process that moves or deletes this design's archive. Raises Busy where another is."""
    held = _sole_file() if connection.vendor == "sqlite" else locks.sole_lock(digest, locks.ARCHIVING, wait=False)
    with held as alone:
        if not alone:
            raise Busy("Another process is moving archived reports now; try again later.")
        yield


@contextmanager
def _sole_file() -> Iterator[bool]:
    """A lock of this machine, as SQLite's database is a file of it; gone with its process."""
    handle = os.open(Path(settings.DATA) / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


@contextmanager
def _opened(archive: ReportArchive) -> Iterator[IO[bytes]]:
    """The file, where it can be searched; else a copy of it."""
    try:
        stored = storages[STORE].open(archive.name)
    except FileNotFoundError:
        raise ArchiveFault(f"The file {archive.name} with this survey's archived reports is missing.") from None
    with stored:
        if stored.seekable():
            yield stored
            return
        with TemporaryFile(dir=settings.DATA) as copy:
            _copy(stored, copy, archive)
            yield copy


def _copy(stored: Any, copy: IO[bytes], archive: ReportArchive) -> None:
    known = hashlib.sha256()
    while piece := stored.read(PIECE):
        known.update(piece)
        copy.write(piece)
    if known.hexdigest() != archive.sha256:
        raise ArchiveFault(f"The file {archive.name} is not the one that was written: its SHA-256 differs.")
    copy.seek(0)
