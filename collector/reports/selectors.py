"""What is read from the store."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import Case, Count, Exists, OuterRef, Subquery, Sum, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from numpy.typing import NDArray

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.errors import Conflict
from collector.models import DailyCount, FrozenDesign, Report, SetAsideReport, StoredReport, Tally, WaitingReport
from collector.reports.steps import IN_STEPS, foldable, has_step

CHUNK = 50_000

BY_HAND = {"mode__gt": Report.Mode.BROWSER, "mode__lt": Report.Mode.SIMULATED}
"""Of the reports that were randomised with a coin or a die. The first condition is that of their small index: without
it a question looks at every report."""


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Everything that is read within is of one state of the store, whatever is stored and folded meanwhile."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def in_steps(digest: str) -> bool:
    """Whether reports of it are folded in steps now, so that some wait which nothing may tell of."""
    return FrozenDesign.objects.filter(IN_STEPS, digest=digest).exists()


def released_moment(digest: str) -> datetime:
    """Now, as it may stand beside what is read of a design: of one that takes steps, the day alone."""
    now = timezone.now()
    return now.replace(hour=0, minute=0, second=0, microsecond=0) if in_steps(digest) else now


@dataclass(frozen=True)
class ReportCounts:
    """How many reports of a design are in its totals, and how many wait to be folded.

    Of an open one, which is folded `stepwise`, what waits is not told: as if only those steps had come.
    """

    folded: int
    waiting: int
    stepwise: bool = False

    @property
    def stored(self) -> int:
        return self.folded + self.waiting


def report_counts(digests: Collection[str]) -> dict[str, ReportCounts]:
    """The counts of several designs in one query, which no number of folded reports makes longer."""
    designs = FrozenDesign.objects.filter(digest__in=digests).annotate(stepwise=IN_STEPS)
    rows = designs.values_list("digest", folded(), waiting(), "stepwise")
    return {digest: ReportCounts(folded, waiting, bool(stepwise)) for digest, folded, waiting, stepwise in rows}


def report_count(digest: str) -> int:
    """How many reports are stored, folded or not; of an open design, how many were folded in steps."""
    counts = report_counts([digest])
    return counts[digest].stored if counts else 0


def received_count(digest: str) -> int:
    """How many reports are stored, of an open design too. For rules within alone: shown it would tell of each report
    when it came."""
    designs = FrozenDesign.objects.filter(digest=digest).values_list(folded(), _number(WaitingReport))
    counts = designs.first()
    return 0 if counts is None else int(counts[0]) + int(counts[1])


def folded() -> Coalesce:
    """Of a query of designs: how many of their reports are in the totals."""
    mine = DailyCount.objects.filter(design=OuterRef("pk")).order_by().values("design")
    return Coalesce(Subquery(mine.annotate(number=Sum("count")).values("number")), 0)


def waiting() -> Case:
    """Of a query of designs: how many of their reports are not folded yet; of open ones this is not told."""
    return Case(When(IN_STEPS, then=0), default=_number(WaitingReport))


def _number(table: type[StoredReport], **conditions: int) -> Coalesce:
    """Of a query of designs: how many of their reports in this table meet the conditions."""
    mine = table._default_manager.filter(design=OuterRef("number"), **conditions).order_by().values("design")
    return Coalesce(Subquery(mine.annotate(reports=Count("*")).values("reports")), 0)


def folded_in_all() -> int:
    """How many reports are in the totals of all designs together, those of rehearsals left out."""
    counted = DailyCount.objects.filter(design__rehearsal=False).aggregate(number=Sum("count"))
    return counted["number"] or 0


def set_aside_in_all() -> int:
    """How many reports are set aside, as their designs cannot produce them."""
    return SetAsideReport.objects.count()


def daily_counts(digest: str) -> list[DailyCount]:
    """How many reports were folded on which days, the first days first."""
    return list(DailyCount.objects.filter(design_id=digest))


def coin_report_count(digest: str) -> int:
    """How many of the stored reports were randomised with a coin or a die, sent or on paper; purged ones too.

    Of an open design this counts those in the totals and moves in steps as well, as the next two do.
    """
    return _by_hand(digest, "coin_reports", Report, WaitingReport)


def sheet_count(digest: str) -> int:
    """How many of the stored reports came on paper; purged ones too."""
    return _by_hand(digest, "sheets", Report, WaitingReport, mode=Report.Mode.PAPER)


def folded_coin_report_count(digest: str) -> int:
    """How many of the reports in the totals were randomised with a coin or a die, sent or on paper."""
    return _by_hand(digest, "coin_reports", Report)


def _by_hand(digest: str, kept: str, *tables: type[StoredReport], **conditions: int) -> int:
    """`kept` names the count that was written down before the reports were purged."""
    stepwise = in_steps(digest)
    numbers = [_number(table, **BY_HAND, **conditions) for table in (tables[:1] if stepwise else tables)]
    design = FrozenDesign.objects.filter(digest=digest).values_list("purged_on", kept, *numbers).first()
    if design is None:
        return 0
    purged_on, before, *counts = design
    count = int(before if purged_on else sum(counts))
    return foldable(count) if stepwise else count


def require_reports(digest: str) -> None:
    """Raise Conflict where the reports of a design are not there any more."""
    day = FrozenDesign.objects.values_list("purged_on", flat=True).filter(digest=digest).first()
    if day is not None:
        raise Conflict(
            f"The reports of this survey were deleted on {day:%-d %B %Y}, as its owner had decided. Their totals are "
            "kept, and what needs the reports themselves can no longer be computed."
        )


def waiting_designs() -> list[str]:
    """Digests of the designs with reports that can be folded: of open ones, with a step."""
    waits = WaitingReport.objects.filter(design=OuterRef("number"))
    designs = FrozenDesign.objects.filter(Exists(waits)).annotate(stepwise=IN_STEPS).order_by("digest")
    found = designs.values_list("digest", "number", "stepwise")
    return [digest for digest, number, stepwise in found if not stepwise or has_step(get_design(digest), number)]


StoredRow = tuple[int, bytes | memoryview]
"""A stored report: its stratum and its symbols."""

Totals = tuple[NDArray[np.int64], ...]
"""For each position of a report an array of shape (strata, symbols): how many of the stratum hold the symbol."""


def totals(digest: str) -> Totals:
    """The folded totals of a design."""
    counts = empty_totals(get_design(digest))
    for stratum, position, symbol, count in Tally.objects.filter(design_id=digest).values_list(
        "stratum", "position", "symbol", "count"
    ):
        counts[position][stratum, symbol] += count
    return counts


def recount(digest: str) -> Totals:
    """The same totals counted anew from the reports, as `stored_reports` has them: the check on folding. Raises
    Conflict."""
    return count(get_design(digest), stored_reports(digest))


def count(design: Design, chunks: Iterable[tuple[NDArray[Any], NDArray[np.uint8]]]) -> Totals:
    """The totals of reports that come as strata and symbols, as `stored_reports` gives them."""
    counts = empty_totals(design)
    for strata, symbols in chunks:
        _count(counts, strata, symbols)
    return counts


def stored_reports(digest: str) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint8]]]:
    """Every stored report in chunks, folded or not: the strata, and the symbols with a row for each report.

    Of an open design, those that were folded. One statement reads them, from one state of the store. Raises Conflict
    where they are deleted, or are by the end.
    """
    for chunk in _stored(digest, "stratum", "report"):
        yield _arrays(chunk)


def hashed_reports(digest: str, key: bytes) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.uint8]]]:
    """As `stored_reports`, before the strata of each report a keyed hash of its nonce (BLAKE2b of 8 bytes, RFC 7693).

    Whoever lacks the key learns from the hashes neither the nonces nor their order; the nonces stay here.

    Parameters
    ----------
    key
        At most 64 bytes.
    """
    for chunk in _stored(digest, "nonce", "stratum", "report"):
        hashes = b"".join(blake2b(nonce, digest_size=8, key=key).digest() for nonce, _, _ in chunk)
        yield np.frombuffer(hashes, dtype=">u8").astype(np.uint64), *_arrays([row[1:] for row in chunk])


def _stored(digest: str, *columns: str) -> Iterator[list[tuple[Any, ...]]]:
    require_reports(digest)
    folded = Report.objects.filter(design__digest=digest).values_list(*columns)
    # In one statement: between two the design could be closed, and some of what waited be folded.
    released = FrozenDesign.objects.filter(~IN_STEPS, digest=digest)
    waits = WaitingReport.objects.filter(design__in=released).values_list(*columns)
    rows = folded.union(waits, all=True).iterator(chunk_size=CHUNK)
    while chunk := list(islice(rows, CHUNK)):
        yield chunk
    require_reports(digest)


def valid_reports(design: Design, rows: Sequence[StoredRow]) -> list[bool]:
    """Of each report whether its design can produce it: its group, its length, each of its symbols."""
    sizes, groups = np.array(design.alphabets), len(design.strata)
    if all(len(report) == len(sizes) for _, report in rows):
        strata, symbols = _arrays(rows)
        return [bool(fits) for fits in (strata < groups) & (symbols < sizes).all(axis=1)]
    return [len(one[1]) == len(sizes) and valid_reports(design, [one])[0] for one in rows]


def empty_totals(design: Design) -> Totals:
    return tuple(np.zeros((len(design.strata), size), dtype=np.int64) for size in design.alphabets)


def count_into(counts: Totals, rows: Sequence[StoredRow]) -> None:
    """Add reports, to totals in place."""
    if not rows:
        return
    _count(counts, *_arrays(rows))


def _arrays(rows: Sequence[StoredRow]) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    strata = np.fromiter((stratum for stratum, _ in rows), dtype=np.intp, count=len(rows))
    symbols = np.frombuffer(b"".join(bytes(report) for _, report in rows), dtype=np.uint8).reshape(len(rows), -1)
    return strata, symbols


def _count(counts: Totals, strata: NDArray[Any], symbols: NDArray[np.uint8]) -> None:
    for position, table in enumerate(counts):
        cells = np.bincount(strata * table.shape[1] + symbols[:, position], minlength=table.size)
        table += cells.reshape(table.shape)
