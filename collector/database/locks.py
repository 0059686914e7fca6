"""What workers of one design hold against each other on PostgreSQL, until their transaction ends.

SQLite lets one transaction write at a time: there is nothing to hold. PostgreSQL's advisory locks go by two numbers:
the beginning of the design's digest and what is held of it. Who waits for one comes before whoever asks later: writers
that share it without ever pausing cannot keep out the one who wants it alone, as they can with a lock on a row.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.db import connection

DAYS = -1
"""The counts of its days. From 0 on, the parts of its totals."""

TAKING = -2
"""That it takes reports: shared by those who store them, held alone to close it."""

REWRITING = -3
"""The reports of EVERY design: held alone to exchange their table, shared to move, delete or read them for long."""

BATCHES = -4
"""The numbers of its batches of invitations."""

FOLDING = -5
"""The waiting reports of an open design: held alone to fold them in steps."""

PEOPLE = -6
"""Under a key in place of a digest: the budget of people whom several surveys ask."""

NUMBERS = "00000000"
"""In place of a digest: the numbers that designs get as they are frozen."""

EVERY = NUMBERS
"""In place of a digest: whatever is held of all designs together."""


def exclusive_lock(digest: str, what: int) -> None:
    """Hold it alone, once nobody else holds it."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_number(digest), what])


def shared_lock(digest: str, what: int) -> None:
    """Hold it together with others, once nobody holds it alone."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [_number(digest), what])


@contextmanager
def sole_lock(digest: str, what: int, *, wait: bool) -> Iterator[bool]:
    """Hold it alone over several transactions; whether it is held: without `wait`, not where somebody else holds it."""
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
    """What stands for designs, in the order in which whoever shares several asks for them."""
    return sorted(map(_number, digests))


def lock_any_free(digest: str, count: int) -> int:
    """Hold alone the first of 0 to count - 1 that nobody holds, and say which; where all are held, wait for 0."""
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
