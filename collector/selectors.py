"""What is read from the store."""

import json
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from collector.models import FrozenDesign, Report, Tally

CHUNK = 50_000

BY_HAND = {"mode__gt": Report.Mode.BROWSER, "mode__lt": Report.Mode.SIMULATED}
"""Of the reports randomised with a coin or a die; the first condition is that of their small index."""


def get_design(digest: str) -> Design:
    """The frozen design of this digest; FrozenDesign.DoesNotExist where there is none."""
    design = find_design(digest)
    if design is None:
        raise FrozenDesign.DoesNotExist(f"no design has the digest {digest}")
    return design


def find_design(digest: str) -> Design | None:
    """The frozen design of this digest, or None. A design never changes, so it is read once."""
    try:
        return _read(digest)
    except FrozenDesign.DoesNotExist:
        return None


@lru_cache(maxsize=64)
def _read(digest: str) -> Design:
    return Design(json.loads(FrozenDesign.objects.values_list("document", flat=True).get(digest=digest)))


def is_open(digest: str) -> bool:
    return FrozenDesign.objects.filter(digest=digest, closed_on=None).exists()


def report_count(digest: str) -> int:
    """How many reports are stored, folded or not."""
    return Report.objects.filter(design_id=digest).count()


def coin_report_count(digest: str) -> int:
    """How many of the stored reports were randomised with a coin or a die, sent or on paper."""
    return Report.objects.filter(design_id=digest, **BY_HAND).count()


def sheet_count(digest: str) -> int:
    """How many of the stored reports came on paper."""
    return Report.objects.filter(design_id=digest, mode=Report.Mode.PAPER).count()


def folded_coin_report_count(digest: str) -> int:
    """How many of the reports in the totals were randomised with a coin or a die, sent or on paper."""
    by_hand = Report.objects.filter(design_id=digest, **BY_HAND)
    return by_hand.filter(folding=Report.Folding.FOLDED).count()


def waiting_designs() -> list[str]:
    """Digests of the designs with reports that are not folded yet."""
    waiting = Report.objects.filter(folding__lt=Report.Folding.FOLDED)
    return list(waiting.values_list("design_id", flat=True).distinct())


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
        counts[position][stratum, symbol] = count
    return counts


def recount(digest: str) -> Totals:
    """The same totals counted anew from every stored report, folded or not: the check on folding."""
    counts = empty_totals(get_design(digest))
    rows = Report.objects.filter(design_id=digest).values_list("stratum", "report")
    chunk: list[StoredRow] = []
    for row in rows.iterator(chunk_size=CHUNK):
        chunk.append(row)
        if len(chunk) == CHUNK:
            count_into(counts, chunk)
            chunk = []
    count_into(counts, chunk)
    return counts


def empty_totals(design: Design) -> Totals:
    return tuple(np.zeros((len(design.strata), size), dtype=np.int64) for size in design.alphabets)


def count_into(counts: Totals, rows: Sequence[StoredRow]) -> None:
    """Add reports, to totals in place."""
    if not rows:
        return
    strata = np.fromiter((stratum for stratum, _ in rows), dtype=np.intp, count=len(rows))
    symbols = np.frombuffer(b"".join(bytes(report) for _, report in rows), dtype=np.uint8).reshape(len(rows), -1)
    for position, table in enumerate(counts):
        cells = np.bincount(strata * table.shape[1] + symbols[:, position], minlength=table.size)
        table += cells.reshape(table.shape)
