"""Folding: waiting reports are moved to the stored ones, and added once to the totals and daily count."""

import logging
import time
from collections.abc import Callable
from datetime import date
from functools import partial

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from collector.database import locks
from collector.designs import parts
from collector.designs.selectors import get_design, is_final
from collector.errors import Conflict, ValidationError
from collector.models import DailyCount, FrozenDesign, WaitingReport
from collector.reports import selectors, step_plans
from collector.reports.moving import MovedReports, move, set_aside
from collector.reports.steps import IN_STEPS

CHUNKS = {"sqlite": 500, "postgresql": 5_000}
"""Reports folded per transaction. SQLite stores no report meanwhile, so it has to be short."""

PAUSES = {"sqlite": 0.01, "postgresql": 0.0}
"""Seconds between transactions: SQLite has no lock queue, waiting writers retry every few milliseconds."""

PARTS = 64
"""Parts of a design's totals: this many workers can fold it without waiting for each other."""

FEWEST = 10
"""A day with fewer reports is merged with the next ones: alone it would reveal when a respondent answered."""

ADD = """
INSERT INTO collector_tally (design_id, part, stratum, position, symbol, count) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (design_id, part, stratum, position, symbol) DO UPDATE SET count = collector_tally.count + excluded.count
"""


logger = logging.getLogger(__name__)


def fold(digest: str, *, chunk: int | None = None, wait: bool = True) -> int:
    """Fold the waiting reports of a design, of an open one in steps; return how many were folded.

    Each chunk is one transaction: its reports are moved, counted and no longer wait together, so a worker that dies
    leaves them waiting, and two workers never count the same report. Of a closed design, reports that another worker
    has in hand are passed over, and at the end waited for: every report that was stored before is in the totals then,
    or set aside where its design cannot produce it. An open design one worker folds at a time. A worker that looks
    again in a moment need not `wait`. A design that is split is folded part by part; a part's key folds that one.
    """
    return sum(_fold(key, chunk or CHUNKS[connection.vendor], wait=wait) for key in parts.keys(digest))


def _fold(digest: str, chunk: int, *, wait: bool) -> int:
    """As `fold`, of one part: from here on a digest is the key of a part."""
    folded = _fold_steps(digest, chunk, wait=wait)
    return folded if selectors.in_steps(digest) else folded + _fold_all(digest, chunk, wait=wait)


def _fold_steps(digest: str, chunk: int, *, wait: bool) -> int:
    """Fold the whole steps that an open design has at the start; return the number of reports."""
    if not selectors.in_steps(digest):
        return 0
    with locks.sole_lock(digest, locks.FOLDING, wait=wait) as alone:
        folded, again = 0, alone
        while again and selectors.in_steps(digest):
            taken, again = _take_steps(digest, chunk)
            folded, again = folded + taken, again and wait
    return folded


def _take_steps(digest: str, chunk: int) -> tuple[int, bool]:
    """Fold a drawn plan; return the number of reports, and True if a concurrent change interrupted it."""
    design, number = (
        get_design(digest),
        FrozenDesign.objects.values_list("number", flat=True).get(pk=digest),
    )
    planned, folded = step_plans.plan(design, number), 0
    left = planned.those_left
    try:
        for nonces in planned.chunks(chunk):
            count = _fold_chunk(digest, partial(step_plans.move, nonces=nonces, left=left), steps=True).count
            if not count:
                return folded, True
            folded += count
            time.sleep(PAUSES[connection.vendor])
    except Conflict:
        return folded, True
    except ValidationError:
        _set_aside(digest)
        return folded, True
    return folded, False


def _fold_all(digest: str, chunk: int, *, wait: bool) -> int:
    """Fold every waiting report of a design that is closed or a rehearsal."""
    folded = 0
    # SQLite lets one transaction write: no other worker has any in hand.
    for waits in (False, True) if wait and connection.vendor == "postgresql" else (False,):
        moved = _fold_what_fits(digest, chunk, wait=waits)
        while moved.count == chunk:
            folded += len(moved.new)
            time.sleep(PAUSES[connection.vendor])
            moved = _fold_what_fits(digest, chunk, wait=waits)
        folded += len(moved.new)
    if is_final(digest):
        _join_last_days(digest)
    return folded


def _fold_what_fits(digest: str, chunk: int, *, wait: bool) -> MovedReports:
    """Fold a chunk; reports that do not fit the design are set aside, as they would block the rest."""
    take = partial(move, most=chunk, wait=wait)
    try:
        return _fold_chunk(digest, take, steps=False)
    except ValidationError:
        _set_aside(digest)
    return _fold_chunk(digest, take, steps=False)


@transaction.atomic
def _set_aside(digest: str) -> None:
    locks.shared_lock(locks.EVERY, locks.REWRITING)
    waiting = WaitingReport.objects.filter(design__digest=digest)
    rows = list(waiting.values_list("stratum", "report", "design__number", "nonce"))
    fits = selectors.valid_reports(get_design(digest), [(stratum, report) for stratum, report, _, _ in rows])
    unfit = [(number, bytes(nonce)) for (_, _, number, nonce), fit in zip(rows, fits, strict=True) if not fit]
    logger.error("%d reports of design %s do not fit it and are set aside", set_aside(unfit), digest)


@transaction.atomic
def _fold_chunk(digest: str, take: Callable[[int], MovedReports], *, steps: bool) -> MovedReports:
    """Fold the reports that `take` moves, in one transaction; nothing if the design is not, or is no
    more, one that is folded in `steps`, or all at once."""
    locks.shared_lock(locks.EVERY, locks.REWRITING)  # before it holds anything that rewriting waits for
    mine = FrozenDesign.objects.filter(IN_STEPS if steps else ~IN_STEPS, digest=digest)
    number = mine.values_list("number", flat=True).first()
    if number is None:  # a rehearsal that was forgotten meanwhile, or a design that was closed
        return MovedReports(0, [])
    moved = take(number)
    if moved.new:
        if not all(selectors.valid_reports(get_design(digest), moved.new)):
            raise ValidationError(("report",), "must be one that its design can produce")
        _add(digest, number, moved.new)
        _count_day(digest, number, timezone.now().date(), len(moved.new))
    return moved


def _add(digest: str, number: int, rows: list[selectors.StoredRow]) -> None:
    """Add reports to a part of the totals that no concurrent transaction writes to."""
    counts = selectors.empty_totals(get_design(digest))
    selectors.count_into(counts, rows)
    part = locks.lock_any_free(digest, PARTS)
    cells = [
        (number, part, int(stratum), position, int(symbol), int(table[stratum, symbol]))
        for position, table in enumerate(counts)
        for stratum, symbol in zip(*table.nonzero(), strict=True)
    ]
    with connection.cursor() as cursor:
        cursor.executemany(ADD, cells)


def _count_day(digest: str, number: int, day: date, count: int) -> None:
    """Add reports to a day's count: to a new row, or to the newest if that is of this day or too small.

    Last in its transaction: other workers wait for this one from here until it is committed, and no longer.
    """
    locks.exclusive_lock(digest, locks.DAYS)
    newest = DailyCount.objects.filter(design__number=number).order_by("first_day").last()
    if newest is None or (newest.last_day < day and newest.count >= FEWEST):
        DailyCount.objects.create(design_id=number, first_day=day, last_day=day, count=count)
    else:
        last_day = max(day, newest.last_day)
        DailyCount.objects.filter(pk=newest.pk).update(last_day=last_day, count=F("count") + count)


@transaction.atomic
def _join_last_days(digest: str) -> None:
    """Merge the last day of a closed design into the one before if it has fewer than FEWEST reports."""
    locks.exclusive_lock(digest, locks.DAYS)
    *_, before, newest = [None, None, *DailyCount.objects.filter(design__digest=digest)]
    if before is not None and newest is not None and newest.count < FEWEST:
        newest.delete()
        DailyCount.objects.filter(pk=before.pk).update(last_day=newest.last_day, count=F("count") + newest.count)
