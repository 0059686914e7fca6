"""Folding: new reports are added to the totals and to the count of the day, each exactly once."""

from datetime import date

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from collector import selectors
from collector.models import DailyCount, Report, Tally

Folding = Report.Folding

CHUNK = 5_000
"""Reports folded in one transaction: while it lasts no new report can be written, so it has to be short."""

FEWEST = 10
"""A day with fewer reports is kept together with the next ones: alone it would tell when a person took part."""


def fold(digest: str, *, chunk: int = CHUNK) -> int:
    """Fold all waiting reports of a design; how many were folded.

    Each chunk is one transaction: its reports are claimed, counted and marked together, so a worker that dies leaves
    them waiting, and two workers never count the same report.
    """
    folded = 0
    while size := _fold_chunk(digest, chunk):
        folded += size
    if not selectors.is_open(digest):
        _join_last_days(digest)
    return folded


@transaction.atomic
def _fold_chunk(digest: str, chunk: int) -> int:
    # The index of what is not folded yet is found by this very condition; without it every report would be looked at.
    reports = Report.objects.filter(design_id=digest, **selectors.NOT_FOLDED)
    waiting = reports.filter(folding=Folding.WAITING)
    # No other transaction ever sees a claim: it becomes FOLDED or WAITING again before it is committed.
    if not waiting.filter(nonce__in=waiting.values("nonce")[:chunk]).update(folding=Folding.CLAIMED):
        return 0
    claimed = reports.filter(folding=Folding.CLAIMED)
    rows = list(claimed.values_list("stratum", "report"))
    _add(digest, rows)
    _count_day(digest, timezone.now().date(), len(rows))
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


def _count_day(digest: str, day: date, count: int) -> None:
    """Add reports to a day's count: to a row of its own, or to the newest while that is of this day or too few."""
    newest = DailyCount.objects.filter(design_id=digest).order_by("first_day").last()
    if newest is None or (newest.last_day < day and newest.count >= FEWEST):
        DailyCount.objects.create(design_id=digest, first_day=day, last_day=day, count=count)
    else:
        last_day = max(day, newest.last_day)
        DailyCount.objects.filter(pk=newest.pk).update(last_day=last_day, count=F("count") + count)


@transaction.atomic
def _join_last_days(digest: str) -> None:
    """Of a closed design no day is to come that the last ones could be kept with: they join the days before them."""
    *_, before, newest = [None, None, *DailyCount.objects.filter(design_id=digest).order_by("first_day")]
    if before is not None and newest is not None and newest.count < FEWEST:
        newest.delete()
        DailyCount.objects.filter(pk=before.pk).update(last_day=newest.last_day, count=F("count") + newest.count)
