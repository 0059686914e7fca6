"""PostgreSQL advisory locks between workers on one design, held until the transaction ends.

SQLite lets one transaction write at a time: there is nothing to hold. PostgreSQL's advisory locks go by two numbers:
the beginning of the design's digest and what is held of it. Who waits for one comes before whoever asks later: writers
that share it without ever pausing cannot keep out the one who wants it alone, as they can with a lock on a row.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.db import connection

DAYS = -1
"""The design's daily counts. Numbers from 0 on are the parts of its totals."""

TAKING = -2
"""Acceptance of reports: shared while storing them, exclusive to close the design."""

REWRITING = -3
"""The reports of EVERY design: exclusive to swap their table, shared to move, delete or long-read them."""

BATCHES = -4
"""The numbering of the design's invitation batches."""

FOLDING = -5
"""The waiting reports of an open design: exclusive while they are folded in steps."""

PEOPLE = -6
"""Under a key in place of a digest: the privacy budget of respondents in several surveys."""

ARCHIVING = -8
"""The design's archive: exclusive while its reports are moved there, moved back or the file is deleted."""

PAGE_LOG = -9
"""Under EVERY: the log of respondents' pages, exclusive while an entry is appended."""

NUMBERS = "00000000"
"""In place of a digest: the numbers assigned to designs when they are frozen."""

EVERY = NUMBERS
"""In place of a digest: locks that cover all designs."""


def exclusive_lock(digest: str, what: int) -> None:
    """Acquire the lock exclusively, once nobody else holds it."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_number(digest), what])


def exclusive_locks(digests: Collection[str], what: int) -> None:
    """Acquire the locks of several designs exclusively, in the order in which storing shares them."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for number in numbers(digests):
                cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [number, what])


def shared_lock(digest: str, what: int) -> None:
    """Acquire the lock shared with others, once nobody holds it exclusively."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [_number(digest), what])


@contextmanager
def sole_lock(digest: str, what: int, *, wait: bool) -> Iterator[bool]:
    """Hold the lock exclusively across transactions; yield True if held (without `wait`: False if taken)."""
    if connection.vendor != "postgresql":
        yield True
        return
    place = [_number(digest), what]
    with connection.cursor() as cursor:
        ask = "pg_advisory_lock(%s, %s) IS NOT NULL" if wait else "pg_try_advisory_lock(%s, %s)"
        cursor.execute(f"SELECT {ask}", place)
        held = bool(cursor.fetchone()[0])
    try:
        yield held
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", place)


def numbers(digests: Collection[str]) -> list[int]:
    """Return the designs' lock numbers, sorted: the order for acquiring several shared locks."""
    return sorted(map(_number, digests))


def in_order(digests: Collection[str]) -> list[str]:
    """Return the digests in the order of their lock numbers."""
    return sorted(digests, key=_number)


def lock_any_free(digest: str, count: int) -> int:
    """Lock the first free part of 0 to count - 1 exclusively and return it; if none is free, wait for 0."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT part FROM generate_series(0, %s) AS part WHERE pg_try_advisory_xact_lock(%s, part) LIMIT 1",
            [count - 1, _number(digest)],
        )
        free = cursor.fetchone()
    if free is not None:
        return int(free[0])
    exclusive_lock(digest, 0)
    return 0


def _number(digest: str) -> int:
    return int.from_bytes(bytes.fromhex(digest[:8]), signed=True)
