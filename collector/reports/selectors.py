"""Queries on stored reports and totals."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import islice
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import Case, Count, Exists, OuterRef, Q, Subquery, Sum, When
from django.db.models.functions import Coalesce
from django.utils import timezone
from numpy.typing import NDArray

from collector.database.distribution import is_distributed
from collector.designs import Design, parts
from collector.designs.selectors import get_design
from collector.errors import Conflict
from collector.models import (
    DailyCount,
    FrozenDesign,
    Report,
    ReportArchive,
    SetAsideReport,
    StoredReport,
    Tally,
    WaitingReport,
)
from collector.reports import archives
from collector.reports.archive_files import NONCE, Chunk
from collector.reports.steps import IN_STEPS, foldable, has_step

CHUNK = 50_000

BY_HAND = {"mode__gt": Report.Mode.BROWSER, "mode__lt": Report.Mode.SIMULATED}
"""Filter of reports randomised with a coin or a die. The first condition matches their small index: without
it a question looks at every report."""


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Read everything within from one snapshot of the store, despite concurrent storing and folding."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def in_steps(digest: str) -> bool:
    """Return True if the design is folded in steps now, so that its waiting reports are not disclosed."""
    return FrozenDesign.objects.filter(IN_STEPS, digest=digest).exists()


def released_moment(digest: str) -> datetime:
    """The current time to state beside results of a design: only the day if it is folded in steps."""
    now = timezone.now()
    return now.replace(hour=0, minute=0, second=0, microsecond=0) if in_steps(digest) else now


@dataclass(frozen=True)
class ReportCounts:
    """The number of a design's reports in its totals, and of those waiting to be folded.

    Of an open one, which is folded `stepwise`, what waits is not told: as if only those steps had come.
    """

    folded: int
    waiting: int
    stepwise: bool = False

    @property
    def stored(self) -> int:
        return self.folded + self.waiting


def report_counts(digests: Collection[str]) -> dict[str, ReportCounts]:
    """The counts of several designs, in one query on one server; the cost does not grow with the folded reports."""
    mine = FrozenDesign.objects.filter(Q(digest__in=digests) | Q(part_of__in=digests))
    designs = mine.annotate(whole=Coalesce("part_of", "digest"), stepwise=IN_STEPS)
    if is_distributed():
        return _counts_of_nodes(list(designs.values_list("whole", "number", "stepwise")))
    return _summed(designs.values_list("whole", folded(), waiting(), "stepwise"))


def _summed(rows: Iterable[tuple[str, int, int, bool]]) -> dict[str, ReportCounts]:
    """The counts of each design, from those of its parts."""
    found: dict[str, ReportCounts] = {}
    for digest, folded, waiting, stepwise in rows:
        before = found.get(digest, ReportCounts(0, 0))
        found[digest] = ReportCounts(before.folded + int(folded), before.waiting + int(waiting), bool(stepwise))
    return found


def _counts_of_nodes(designs: list[tuple[str, int, bool]]) -> dict[str, ReportCounts]:
    """As `report_counts`, of tables on several nodes, which know no subquery for each design."""
    numbers = [number for _, number, _ in designs]
    told = [number for _, number, stepwise in designs if not stepwise]
    with one_snapshot():
        waits = _counts(WaitingReport, told)
        days = DailyCount.objects.filter(design__number__in=numbers).order_by().values_list("design_id")
        folds = dict(days.annotate(number=Sum("count")))
    return _summed(
        (digest, folds.get(number, 0), waits.get(number, 0), stepwise) for digest, number, stepwise in designs
    )


def _counts(table: type[StoredReport], numbers: Sequence[int], **conditions: int) -> dict[int, int]:
    """The number of reports in this table by design, under conditions."""
    mine = table._default_manager.filter(design__number__in=numbers, **conditions).order_by().values_list("design_id")
    return dict(mine.annotate(reports=Count("*")))


def report_count(digest: str) -> int:
    """The number of stored reports, folded or not; of an open design, those folded in steps."""
    counts = report_counts([digest])
    return counts[digest].stored if counts else 0


def received_count(digest: str) -> int:
    """The number of stored reports, also of an open design. Internal use only: it would reveal of each report
    when it came."""
    designs = FrozenDesign.objects.filter(digest__in=parts.keys(digest))
    if is_distributed():
        found = [(digest, number, False) for number in designs.values_list("number", flat=True)]
        return sum(counts.stored for counts in _counts_of_nodes(found).values())
    return sum(int(folds) + int(waits) for folds, waits in designs.values_list(folded(), _number(WaitingReport)))


def folded() -> Coalesce:
    """Query expression on designs: the number of their reports in the totals; of a split one, of its first part."""
    mine = DailyCount.objects.filter(design=OuterRef("number")).order_by().values("design")
    return Coalesce(Subquery(mine.annotate(number=Sum("count")).values("number")), 0)


def folded_in_parts() -> Coalesce:
    """Query expression on designs: the number of the reports in the totals of their further parts."""
    theirs = DailyCount.objects.filter(design__part_of=OuterRef("digest")).order_by().values("design__part_of")
    return Coalesce(Subquery(theirs.annotate(number=Sum("count")).values("number")), 0)


def folded_of_nodes() -> dict[str, int]:
    """The number of reports in the totals of each design that has any, of tables on several nodes."""
    numbers = FrozenDesign.objects.annotate(whole=Coalesce("part_of", "digest")).values_list("number", "whole")
    wholes, found = dict(numbers), Counter[str]()
    counts = DailyCount.objects.order_by().values_list("design_id").annotate(reports=Sum("count"))
    for number, count in counts:
        found[wholes[number]] += int(count)
    return {digest: count for digest, count in found.items() if count}


def waiting() -> Case:
    """Query expression on designs: the number of reports not folded yet; 0 if folded in steps."""
    return Case(When(IN_STEPS, then=0), default=_number(WaitingReport))


def _number(table: type[StoredReport], **conditions: int) -> Coalesce:
    """Query expression on designs: the number of their reports in this table under conditions."""
    mine = table._default_manager.filter(design=OuterRef("number"), **conditions).order_by().values("design")
    return Coalesce(Subquery(mine.annotate(reports=Count("*")).values("reports")), 0)


def folded_in_all() -> int:
    """The number of reports in the totals of all designs together, without rehearsals."""
    counted = DailyCount.objects.filter(design__rehearsal=False).aggregate(number=Sum("count"))
    return counted["number"] or 0


def set_aside_in_all() -> int:
    """The number of reports set aside because their designs cannot produce them."""
    return SetAsideReport.objects.count()


def daily_counts(digest: str) -> list[DailyCount]:
    """The daily counts of folded reports, earliest first; those of a split design's parts are added up, unsaved."""
    keys = parts.keys(digest)
    counts = list(DailyCount.objects.filter(design__digest__in=keys))
    return counts if len(keys) == 1 else _joined_days(counts)


def daily_counts_of(digests: Collection[str]) -> dict[str, list[DailyCount]]:
    """The daily counts of several designs, each as `daily_counts` has them, in two queries."""
    mine = FrozenDesign.objects.filter(Q(digest__in=digests) | Q(part_of__in=digests))
    wholes = dict(mine.annotate(whole=Coalesce("part_of", "digest")).values_list("number", "whole"))
    found: dict[str, list[DailyCount]] = {}
    for one in DailyCount.objects.filter(design__number__in=list(wholes)).order_by("first_day"):
        found.setdefault(wholes[one.design_id], []).append(one)
    return {digest: _joined_days(counts) for digest, counts in found.items()}


def _joined_days(counts: list[DailyCount]) -> list[DailyCount]:
    """One count for all those that share a day, the earliest first."""
    joined: list[DailyCount] = []
    for one in counts:
        if joined and one.first_day <= joined[-1].last_day:
            joined[-1].last_day = max(joined[-1].last_day, one.last_day)
            joined[-1].count += one.count
        else:
            joined.append(DailyCount(first_day=one.first_day, last_day=one.last_day, count=one.count))
    return joined


def coin_report_count(digest: str) -> int:
    """The number of stored reports randomised with a coin or a die, sent or on paper; also purged ones.

    Of an open design this counts those in the totals and moves in steps as well, as the next two do.
    """
    return _by_hand(digest, "coin_reports", Report, WaitingReport)


def sheet_count(digest: str) -> int:
    """The number of stored reports from paper; also purged ones."""
    return _by_hand(digest, "sheets", Report, WaitingReport, mode=Report.Mode.PAPER)


def folded_coin_report_count(digest: str) -> int:
    """The number of reports in the totals that were randomised with a coin or a die, sent or on paper."""
    return _by_hand(digest, "coin_reports", Report)


def _by_hand(digest: str, stored: str, *tables: type[StoredReport], **conditions: int) -> int:
    """Count reports randomised by hand; `kept` names the count stored before a purge."""
    stepwise = in_steps(digest)
    looked, by_hand = (tables[:1] if stepwise else tables), BY_HAND | conditions
    apart = is_distributed()
    numbers = [] if apart else [_number(table, **by_hand) for table in looked]
    designs = FrozenDesign.objects.filter(digest__in=parts.keys(digest)).order_by("number")
    columns = "purged_on", stored, "archive__state", f"archive__{stored}", "number"
    rows = list(designs.values_list(*columns, *numbers))
    if not rows:
        return 0
    purged_on, before, state, archived, *_ = rows[0]  # the design itself, whose number is the lowest
    if purged_on:
        return int(before)
    if state in ReportArchive.READ:
        return int(archived)
    if apart:
        count = sum(sum(_counts(table, [row[4] for row in rows], **by_hand).values()) for table in looked)
    else:
        count = sum(int(one) for row in rows for one in row[5:])
    return foldable(count) if stepwise else count


def require_reports(digest: str) -> None:
    """Raise Conflict where the reports of a design are not there any more."""
    day = FrozenDesign.objects.values_list("purged_on", flat=True).filter(digest=digest).first()
    if day is not None:
        raise Conflict(
            f"The responses of this survey were deleted on {day:%-d %B %Y}, as its owner had decided. Their totals are "
            "kept, and what needs single responses can no longer be computed."
        )


def waiting_designs() -> list[str]:
    """Digests of the designs with reports to fold, and keys of such parts; an open design needs a whole step."""
    waits = WaitingReport.objects.all()
    some = (
        Q(number__in=list(waits.order_by().values_list("design_id", flat=True).distinct()))
        if is_distributed()
        else Q(Exists(waits.filter(design=OuterRef("number"))))
    )
    designs = FrozenDesign.objects.filter(some).annotate(stepwise=IN_STEPS).order_by("digest")
    found = designs.values_list("digest", "number", "stepwise")
    return [digest for digest, number, stepwise in found if not stepwise or has_step(get_design(digest), number)]


StoredRow = tuple[int, bytes | memoryview]
"""A stored report: its stratum and its symbols."""

Totals = tuple[NDArray[np.int64], ...]
"""For each position of a report, the counts of symbols by stratum: an array of shape (strata, symbols)."""


def totals(digest: str) -> Totals:
    """The folded totals of a design."""
    counts = empty_totals(get_design(digest))
    cells = Tally.objects.filter(design__digest__in=parts.keys(digest))
    for stratum, position, symbol, count in cells.values_list("stratum", "position", "symbol", "count"):
        counts[position][stratum, symbol] += count
    return counts


def recount(digest: str) -> Totals:
    """Recompute the totals from the stored reports, as a check on folding (see `stored_reports`). Raises
    Conflict."""
    return count(get_design(digest), stored_reports(digest))


def count(design: Design, chunks: Iterable[tuple[NDArray[Any], NDArray[np.uint8]]]) -> Totals:
    """Count reports, given as strata and symbols like those of `stored_reports`, into totals."""
    counts = empty_totals(design)
    for strata, symbols in chunks:
        _count(counts, strata, symbols)
    return counts


def stored_reports(digest: str) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint8]]]:
    """Yield every stored report in chunks, folded or not: strata, and symbols with one row per report.

    Of an open design, those that were folded. One statement reads them, from one state of the store. Raises Conflict
    where they are deleted, or are by the end.
    """
    for chunk in _chunks(digest):
        yield chunk.strata, chunk.symbols


def hashed_reports(digest: str, key: bytes) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.uint8]]]:
    """As `stored_reports`, preceded by a keyed hash of each report's nonce (8-byte BLAKE2b, RFC 7693).

    Whoever lacks the key learns from the hashes neither the nonces nor their order; the nonces stay here.

    Parameters
    ----------
    key
        At most 64 bytes.
    """
    for chunk in _chunks(digest, nonces=True):
        nonces = (chunk.nonces[start : start + NONCE] for start in range(0, len(chunk.nonces), NONCE))
        hashes = b"".join(blake2b(nonce, digest_size=8, key=key).digest() for nonce in nonces)
        yield np.frombuffer(hashes, dtype=">u8").astype(np.uint64), chunk.strata, chunk.symbols


def _chunks(digest: str, *, nonces: bool = False) -> Iterator[Chunk]:
    """Every stored report, from the rows or from the archive of a closed design."""
    require_reports(digest)
    archive = archives.find(digest)
    yield from archives.read(archive, nonces=nonces) if archive else _stored(digest, nonces=nonces)
    require_reports(digest)
    if archive is None and archives.find(digest):
        raise Conflict("The reports of this survey were archived meanwhile; try again.")


def _stored(digest: str, *, nonces: bool) -> Iterator[Chunk]:
    columns = ("stratum", "report", "nonce")[: 3 if nonces else 2]
    keys = parts.keys(digest)
    folded = Report.objects.filter(design__digest__in=keys).values_list(*columns)
    # In one statement: between two the design could be closed, and some of what waited be folded.
    released = FrozenDesign.objects.filter(~IN_STEPS, digest__in=keys)
    waits = WaitingReport.objects.filter(design__in=released).values_list(*columns)
    rows = folded.union(waits, all=True).iterator(chunk_size=CHUNK)
    while some := list(islice(rows, CHUNK)):
        yield Chunk(*_arrays([row[:2] for row in some]), b"".join(bytes(row[2]) for row in some) if nonces else b"")


def valid_reports(design: Design, rows: Sequence[StoredRow]) -> list[bool]:
    """For each report, True if its design can produce it: group, length and every symbol are valid."""
    sizes, groups = np.array(design.alphabets), len(design.strata)
    if all(len(report) == len(sizes) for _, report in rows):
        strata, symbols = _arrays(rows)
        return [bool(fits) for fits in (strata < groups) & (symbols < sizes).all(axis=1)]
    return [len(one[1]) == len(sizes) and valid_reports(design, [one])[0] for one in rows]


def empty_totals(design: Design) -> Totals:
    return tuple(np.zeros((len(design.strata), size), dtype=np.int64) for size in design.alphabets)


def count_into(counts: Totals, rows: Sequence[StoredRow]) -> None:
    """Add reports to totals, in place."""
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
