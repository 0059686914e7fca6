"""Purging: the reports of a closed design are deleted permanently; their counts are retained."""

from django.db import connection, transaction
from django.utils import timezone

from collector.database import locks
from collector.designs import parts
from collector.invitations import batches
from collector.models import FrozenDesign, ReportArchive, SetAsideReport
from collector.reports import archives, folding, selectors

CHUNK = 5_000
"""Reports deleted per transaction: SQLite stores no report meanwhile, so it has to be short."""

DELETE = """
DELETE FROM collector_report WHERE design_id = %s
AND nonce IN (SELECT nonce FROM collector_report WHERE design_id = %s ORDER BY nonce LIMIT %s)
"""


def purge(digest: str, *, chunk: int = CHUNK) -> int:
    """Delete all reports of a closed design; return how many this call deleted.

    The design is marked before the first is gone, so that nothing counts a part of them for all. A purge that was cut
    off goes on where it is called again. Their bytes stay in the database's files until `rewriting.rewrite`.

    An archive's file goes too.

    Raises
    ------
    ValueError
        Where the design is open or its closing not final, or it is unknown.
    Conflict, OSError
        Where its archive is being moved or cannot be deleted now; the next call goes on.
    """
    folding.fold(digest)
    deleted = 0
    for number in _mark(digest):
        while size := _delete_chunk(number, chunk):
            deleted += size
    FrozenDesign.objects.filter(digest__in=parts.keys(digest)).update(rewritten_on=None)
    return _discard_archive(digest) or deleted


@transaction.atomic
def _mark(digest: str) -> list[int]:
    """Mark a design and its parts as purged; return their numbers. The counts stand in the design's own row."""
    locks.shared_lock(locks.EVERY, locks.REWRITING)
    design = FrozenDesign.objects.select_for_update(no_key=True).filter(digest=digest).first()
    held = FrozenDesign.objects.filter(digest__in=parts.keys(digest))
    if design is None or design.final_on is None:
        raise ValueError(f"design must be permanently closed; got {digest}")
    if design.purged_on is None:
        design.coin_reports, design.sheets = selectors.coin_report_count(digest), selectors.sheet_count(digest)
        design.purged_on = timezone.now().date()
        design.save(update_fields=["coin_reports", "sheets", "purged_on"])
        held.filter(part_of=design).update(purged_on=design.purged_on)
    ReportArchive.objects.filter(design=design, state__in=ReportArchive.READ).update(
        state=ReportArchive.State.DISCARDED
    )
    SetAsideReport.objects.filter(design__in=held).delete()
    batches.delete(digest, restored=True)
    return list(held.order_by("number").values_list("number", flat=True))


@transaction.atomic
def _delete_chunk(number: int, chunk: int) -> int:
    locks.shared_lock(locks.EVERY, locks.REWRITING)
    with connection.cursor() as cursor:
        cursor.execute(DELETE, [number, number, chunk])
        return int(cursor.rowcount)


def _discard_archive(digest: str) -> int:
    """Delete the file of a purged design; returns how many reports were in it."""
    archive = ReportArchive.objects.filter(design=digest).first()
    if archive is None:
        return 0
    with archives.sole(digest):
        archives.discard(digest)
    return archive.reports if archive.archived_on else 0
