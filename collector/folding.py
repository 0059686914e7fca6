"""Folding: new reports are added to the totals, each exactly once."""

from django.db import transaction
from django.db.models import F, QuerySet

from collector import selectors
from collector.models import Report, Tally

Folding = Report.Folding


CHUNK = 5_000
"""Reports folded in one transaction: while it lasts no new report can be written, so it has to be short."""


def fold(digest: str, *, chunk: int = CHUNK) -> int:
    """Fold all waiting reports of a design; how many were folded.

    Each chunk is one transaction: its reports are claimed, counted and marked together, so a worker that dies leaves
    them waiting, and two workers never count the same report.
    """
    folded = 0
    while size := _fold_chunk(digest, chunk):
        folded += size
    return folded


@transaction.atomic
def _fold_chunk(digest: str, chunk: int) -> int:
    reports = Report.objects.filter(design_id=digest)
    waiting = reports.filter(folding=Folding.WAITING)
    # No other transaction ever sees a claim: it becomes FOLDED or WAITING again before it is committed.
    if not waiting.filter(nonce__in=waiting.values("nonce")[:chunk]).update(folding=Folding.CLAIMED):
        return 0
    claimed = reports.filter(folding=Folding.CLAIMED)
    rows = list(claimed.values_list("stratum", "report"))
    _add(digest, rows)
    _mark(claimed)
    return len(rows)


def _mark(claimed: QuerySet[Report]) -> None:
    claimed.update(folding=Folding.FOLDED)


def _add(digest: str, rows: list[selectors.StoredRow]) -> None:
    counts = selectors.empty_totals(selectors.get_design(digest))
    selectors.count_into(counts, rows)
    for position, table in enumerate(counts):
        for stratum, symbol in zip(*table.nonzero(), strict=True):
            cell = {"design_id": digest, "stratum": int(stratum), "position": position, "symbol": int(symbol)}
            Tally.objects.get_or_create(**cell, defaults={"count": 0})
            Tally.objects.filter(**cell).update(count=F("count") + int(table[stratum, symbol]))
