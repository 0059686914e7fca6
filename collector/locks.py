"""Locks that workers on PostgreSQL hold until their transaction ends. SQLite lets one transaction write at a time."""

from django.db import connection

FREEZING = (0, 0)
"""Held while a design gets its number."""

DAYS = -1
"""In place of a part of the totals: held while a design's days are counted."""


def wait_for(number: int, part: int) -> None:
    """Hold the lock of a part of a design, once nobody else does."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [number, part])


def first_free(number: int, parts: int) -> int:
    """Hold the first part of a design that nobody holds, of 0 to parts - 1; where all are held, wait for part 0."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT part FROM generate_series(0, %s) AS part WHERE pg_try_advisory_xact_lock(%s, part) LIMIT 1",
            [parts - 1, number],
        )
        free = cursor.fetchone()
    if free is not None:
        return int(free[0])
    wait_for(number, 0)
    return 0
