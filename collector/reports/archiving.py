"""Moving the reports of a closed design from rows into a file, and back.

    writing -> clearing -> archived -> returning -> discarded

The file is written, read back and compared with the rows and the totals before it is read in their place; only then
are they deleted. On the way back it is read until the rows are there again and compared. Whatever kills a process
leaves one of the two whole, and the next call goes on.
"""

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain, islice
from tempfile import TemporaryFile

import numpy as np
from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from django.db import connection, transaction
from django.utils import timezone

from collector.database import locks
from collector.designs import parts
from collector.designs.selectors import get_design, part_count
from collector.errors import Conflict
from collector.models import FrozenDesign, Report, ReportArchive, WaitingReport
from collector.reports import archive_files, archives, purging, rewriting, selectors
from collector.reports.archive_files import Chunk, Contents

State = ReportArchive.State
ROWS = 5_000
"""Rows deleted or put back per transaction: SQLite stores no report meanwhile."""

INSERT = (
    "INSERT INTO collector_report (design_id, nonce, stratum, mode, report) VALUES (%s, %s, %s, %s, %s) "
    "ON CONFLICT DO NOTHING"
)


def unfinished() -> list[str]:
    """Digests of the designs whose move was cut off, or is under way."""
    return list(ReportArchive.objects.exclude(state=State.ARCHIVED).values_list("design", flat=True))


def archive(digest: str) -> ReportArchive:
    """Move the reports of a closed design into a file; go on where an earlier call was cut off.

    Raises
    ------
    Conflict
        Where the design may not be archived (open, not rewritten since closing, reopenable, purged, without reports, a
        rehearsal), where another process moves its reports, or where the file is not what was written.
    OSError
        Where the file cannot be written or read. The rows are there still.
    """
    with archives.sole(digest):
        archives.discard(digest)
        found = ReportArchive.objects.filter(design=digest).first() or _write(digest)
        if found.state == State.RETURNING:
            raise Conflict("The reports of this survey are being put back; finish that first.")
        if found.state == State.CLEARING:
            _clear(found)
        return found


def put_back(digest: str) -> int:
    """Put archived reports back as rows and delete the file; returns how many.

    Raises Conflict where none are archived, the file is damaged or missing, or another process moves them; OSError.
    """
    with archives.sole(digest):
        found = archives.find(digest)
        if found is None:
            archives.discard(digest)
            raise Conflict("The reports of this survey are not archived.")
        for _ in archives.verify(found):
            pass
        _mark(found, State.RETURNING)
        rows = _rows(archives.read(found, nonces=True, modes=True), _numbers(digest))
        while batch := list(islice(rows, ROWS)):
            _insert(digest, batch)
        _compare_rows(found)
        _mark(found, State.DISCARDED)
        archives.discard(digest)
        return found.reports


def finish(digest: str) -> None:
    """Go on with a move that was cut off, or delete what is left of it. Raises as `archive` and `put_back` do."""
    state = ReportArchive.objects.filter(design=digest).values_list("state", flat=True).first()
    if state == State.CLEARING:
        archive(digest)
    elif state == State.RETURNING:
        put_back(digest)
    else:
        with archives.sole(digest):
            archives.discard(digest)


def check(archive: ReportArchive) -> None:
    """Compare every byte and report of an archive with what was recorded, and with the totals. Raises Conflict."""
    found = ((one.strata, one.symbols) for one in archives.verify(archive))
    counted = selectors.count(get_design(archive.design_id), found)
    totals = selectors.totals(archive.design_id)
    same = all(np.array_equal(one, other) for one, other in zip(counted, totals, strict=True))
    if not same or archive.reports != selectors.report_count(archive.design_id):
        raise Conflict("The totals of this survey are not those of its reports in the file.")


def _write(digest: str) -> ReportArchive:
    """Write, read back and compare; from the end of this on the file is read."""
    made = _claim(digest)
    width, contents = len(get_design(digest).alphabets), Contents()
    with TemporaryFile(dir=settings.DATA) as file:
        with _stored(digest) as chunks:
            counted = archive_files.counted(chunks, contents, parts=part_count(digest))
            archive_files.write(file, digest, width, counted)
        made.size = file.tell()
        file.seek(0)
        made.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        storages[archives.STORE].save(made.name, File(file))
    made.content, made.reports = contents.content, contents.reports
    made.coin_reports, made.sheets = contents.coin_reports, contents.sheets
    check(made)
    _mark(made, State.CLEARING)
    return made


@transaction.atomic
def _claim(digest: str) -> ReportArchive:
    """Record the file that is to be written, so that none is ever left that no row names."""
    _require_archivable(_locked(digest))
    return ReportArchive.objects.create(design_id=digest, name=f"{digest}-{secrets.token_hex(4)}.parquet")


def _locked(digest: str) -> FrozenDesign:
    design = FrozenDesign.objects.select_for_update(no_key=True).filter(digest=digest).first()
    if design is None:
        raise Conflict(f"There is no design {digest}.")
    return design


def _require_archivable(design: FrozenDesign) -> None:
    if design.purged_on is not None:
        raise Conflict("The reports of this survey were deleted; there are none to archive.")
    if design.rehearsal:
        raise Conflict("Reports of simulated respondents are not archived.")
    if design.final_on is None:
        raise Conflict("The survey is open or may be opened again: reports are archived once its closing is final.")
    if design.restored_on is not None:
        raise Conflict("A restore closed this survey, and it may be reopened: its reports stay in the database.")
    mine = FrozenDesign.objects.filter(digest__in=parts.keys(design.digest))
    if mine.filter(rewritten_on=None).exists() or WaitingReport.objects.filter(design__in=mine).exists():
        raise Conflict("The order of arrival is not erased yet, which happens within minutes of closing; try again.")
    if not Report.objects.filter(design__in=mine).exists():
        raise Conflict("The survey has no reports.")


def _numbers(digest: str) -> list[int]:
    """The numbers of a design's parts, in their order; of an unsplit one its own."""
    keys = parts.keys(digest)
    numbers = dict(FrozenDesign.objects.filter(digest__in=keys).values_list("digest", "number"))
    return [numbers[key] for key in keys]


@contextmanager
def _stored(digest: str) -> Iterator[Iterator[Chunk]]:
    """The rows of a design by nonce, of a split one part by part, from one state of the store."""
    state = nullcontext() if connection.vendor == "sqlite" else selectors.one_snapshot()
    with rewriting.in_exclusive_window(), state:
        yield chain.from_iterable(map(_chunks, _numbers(digest)))


def _chunks(number: int) -> Iterator[Chunk]:
    found = Report.objects.filter(design__number=number).order_by("nonce")
    rows = found.values_list("nonce", "stratum", "mode", "report").iterator(chunk_size=archive_files.BATCH)
    while some := list(islice(rows, archive_files.BATCH)):
        nonces, strata, modes, reports = zip(*some, strict=True)
        symbols = np.frombuffer(b"".join(map(bytes, reports)), dtype=np.uint8).reshape(len(some), -1)
        yield Chunk(
            np.array(strata, dtype=np.intp), symbols, b"".join(map(bytes, nonces)), np.array(modes, dtype=np.uint8)
        )


@transaction.atomic
def _mark(archive: ReportArchive, state: str) -> None:
    """Take the archive to its next state. Raises Conflict where its reports were purged meanwhile."""
    design = _locked(archive.design_id)
    if design.purged_on is not None:
        raise Conflict("The reports of this survey were deleted meanwhile.")
    if state == State.CLEARING:
        _require_archivable(design)
        archive.archived_on = timezone.now().date()
    if state in (State.ARCHIVED, State.DISCARDED):  # rows came or went, which the next rewriting packs
        FrozenDesign.objects.filter(digest__in=parts.keys(design.digest)).update(rewritten_on=None)
    archive.state = state
    archive.save(force_update=True)


def _clear(archive: ReportArchive) -> None:
    for number in _numbers(archive.design_id):
        while _delete(number):
            pass
    _mark(archive, State.ARCHIVED)


@transaction.atomic
def _delete(number: int) -> int:
    locks.shared_lock(locks.EVERY, locks.REWRITING)
    with connection.cursor() as cursor:
        cursor.execute(purging.DELETE, [number, number, ROWS])
        return int(cursor.rowcount)


Row = tuple[int, bytes, int, int, bytes]


def _rows(chunks: Iterator[Chunk], numbers: list[int]) -> Iterator[Row]:
    for chunk in chunks:
        for place, (stratum, mode) in enumerate(zip(chunk.strata, chunk.modes, strict=True)):
            nonce = chunk.nonces[archive_files.NONCE * place : archive_files.NONCE * (place + 1)]
            number = numbers[parts.place_of(nonce, len(numbers))]
            yield number, nonce, int(stratum), int(mode), chunk.symbols[place].tobytes()


@transaction.atomic
def _insert(digest: str, rows: list[Row]) -> None:
    locks.shared_lock(locks.EVERY, locks.REWRITING)
    if _locked(digest).purged_on is not None:
        raise Conflict("The reports of this survey were deleted meanwhile.")
    with connection.cursor() as cursor:
        cursor.executemany(INSERT, rows)


def _compare_rows(archive: ReportArchive) -> None:
    contents = Contents()
    with _stored(archive.design_id) as chunks:
        for _ in archive_files.counted(chunks, contents, parts=part_count(archive.design_id)):
            pass
    archives.require_contents(archive, contents)
