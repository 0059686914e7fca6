"""Folding: waiting reports are moved to the kept ones, and added to the totals and to the count of the day, once."""

import logging
import time
from datetime import date

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from collector import locks, selectors
from collector.models import DailyCount, FrozenDesign, WaitingReport
from collector.moving import Moved, move, set_aside

CHUNKS = {"sqlite": 500, "postgresql": 5_000}
"""Reports folded in one transaction. On SQLite no report can be stored while it lasts, so it has to be short."""

PAUSES = {"sqlite": 0.01, "postgresql": 0.0}
"""Seconds between two of them: who waits for SQLite stands in no queue and only looks again every few milliseconds."""

PARTS = 64
"""Of the totals of a design: as many workers can fold it without waiting for each other."""

FEWEST = 10
"""A day with fewer reports is kept together with the next ones: alone it would tell when a person took part."""

ADD = """
INSERT INTO collector_tally (design_id, part, stratum, position, symbol, count) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (design_id, part, stratum, position, symbol) DO UPDATE SET count = collector_tally.count + excluded.count
"""


logger = logging.getLogger(__name__)


class Unfit(Exception):
    """Among the reports to be folded is one that its design cannot produce."""


def fold(digest: str, *, chunk: int | None = None, wait: bool = True) -> int:
    """Fold the waiting reports of a design; how many were folded.

    Each chunk is one transaction: its reports are moved, counted and no longer wait together, so a worker that dies
    leaves them waiting, and two workers never count the same report. Reports that another worker has in hand are
    passed over, and at the end waited for: every report that was stored before is in the totals then, or set aside
    where its design cannot produce it. A worker that looks again in a moment need not `wait`.
    """
    folded, chunk = 0, chunk or CHUNKS[connection.vendor]
    # SQLite lets one transaction write: no other worker has any in hand.
    for waits in (False, True) if wait and connection.vendor == "postgresql" else (False,):
        moved = _fold_what_fits(digest, chunk, wait=waits)
        while moved.count == chunk:
            folded += len(moved.new)
            time.sleep(PAUSES[connection.vendor])
            moved = _fold_what_fits(digest, chunk, wait=waits)
        folded += len(moved.new)
    if not selectors.is_open(digest):
        _join_last_days(digest)
    return folded


def _fold_what_fits(digest: str, chunk: int, *, wait: bool) -> Moved:
    """A chunk, once what does not fit the design is set aside: it would keep all others from being folded."""
    try:
        return _fold_chunk(digest, chunk, wait=wait)
    except Unfit:
        count = _set_aside(digest)
        logger.error("%d reports of design %s do not fit it and are set aside", count, digest)
    return _fold_chunk(digest, chunk, wait=wait)


@transaction.atomic
def _set_aside(digest: str) -> int:
    """Set aside every waiting report that its design cannot produce; how many."""
    locks.share(locks.EVERY, locks.REWRITING)
    waiting = WaitingReport.objects.filter(design__digest=digest)
    rows = list(waiting.values_list("stratum", "report", "design__number", "nonce"))
    fits = selectors.fitting(selectors.get_design(digest), [(stratum, report) for stratum, report, _, _ in rows])
    return set_aside([(number, bytes(nonce)) for (_, _, number, nonce), fit in zip(rows, fits, strict=True) if not fit])


@transaction.atomic
def _fold_chunk(digest: str, chunk: int, *, wait: bool) -> Moved:
    locks.share(locks.EVERY, locks.REWRITING)  # before it holds anything that rewriting waits for
    number = FrozenDesign.objects.values_list("number", flat=True).filter(digest=digest).first()
    if number is None:  # a rehearsal that was forgotten meanwhile
        return Moved(0, [])
    moved = move(number, most=chunk, wait=wait)
    if moved.new:
        if not all(selectors.fitting(selectors.get_design(digest), moved.new)):
            raise Unfit
        _add(digest, moved.new)
        _count_day(digest, timezone.now().date(), len(moved.new))
    return moved


def _add(digest: str, rows: list[selectors.StoredRow]) -> None:
    """Add reports to a part of the totals that nobody else adds to before this transaction ends."""
    counts = selectors.empty_totals(selectors.get_design(digest))
    selectors.count_into(counts, rows)
    part = locks.hold_a_free_one(digest, PARTS)
    cells = [
        (digest, part, int(stratum), position, int(symbol), int(table[stratum, symbol]))
        for position, table in enumerate(counts)
        for stratum, symbol in zip(*table.nonzero(), strict=True)
    ]
    with connection.cursor() as cursor:
        cursor.executemany(ADD, cells)


def _count_day(digest: str, day: date, count: int) -> None:
    """Add reports to a day's count: to a row of its own, or to the newest while that is of this day or too few.

    Last in its transaction: other workers wait for this one from here until it is committed, and no longer.
    """
    locks.hold(digest, locks.DAYS)
    newest = DailyCount.objects.filter(design_id=digest).order_by("first_day").last()
    if newest is None or (newest.last_day < day and newest.count >= FEWEST):
        DailyCount.objects.create(design_id=digest, first_day=day, last_day=day, count=count)
    else:
        last_day = max(day, newest.last_day)
        DailyCount.objects.filter(pk=newest.pk).update(last_day=last_day, count=F("count") + count)


@transaction.atomic
def _join_last_days(digest: str) -> None:
    """Of a closed design no day is to come that the last ones could be kept with: they join the days before them."""
    locks.hold(digest, locks.DAYS)
    *_, before, newest = [None, None, *DailyCount.objects.filter(design_id=digest).order_by("first_day")]
    if before is not None and newest is not None and newest.count < FEWEST:
        newest.delete()
        DailyCount.objects.filter(pk=before.pk).update(last_day=newest.last_day, count=F("count") + newest.count)
