"""Move waiting reports of a design to the stored or set-aside ones, in the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from collector.reports.selectors import StoredRow

KEEP = """
INSERT INTO collector_report (design_id, stratum, mode, nonce, report)
SELECT design_id, stratum, mode, nonce, report FROM collector_waitingreport
WHERE design_id = %s {which}
ON CONFLICT DO NOTHING RETURNING stratum, report
"""
DELETE = """
DELETE FROM collector_waitingreport WHERE design_id = %s
AND nonce IN (SELECT nonce FROM collector_waitingreport WHERE design_id = %s {which})
"""
MOVE = """
WITH claimed AS MATERIALIZED (
  SELECT nonce FROM collector_waitingreport WHERE design_id = %s {which} FOR UPDATE {others}
), gone AS (
  DELETE FROM collector_waitingreport AS waits USING claimed
  WHERE design_id = %s AND waits.nonce = claimed.nonce
  RETURNING design_id, stratum, mode, waits.nonce, report
), kept AS (
  INSERT INTO collector_report (design_id, stratum, mode, nonce, report)
  SELECT design_id, stratum, mode, nonce, report FROM gone ORDER BY nonce
  ON CONFLICT DO NOTHING RETURNING nonce, stratum, report
) SELECT kept.stratum, kept.report FROM gone LEFT JOIN kept USING (nonce)
"""
"""For PostgreSQL, where several workers move reports of one design at once. Each writes in the order of the nonces:
where a row lies can tell when its chunk was folded, and not which report of the chunk came first."""

FIRST = "ORDER BY nonce LIMIT %s"
THESE = "AND nonce IN ({places}) ORDER BY nonce"
"""SQL condition for the waiting reports to move: the first ones, or those with these nonces."""

SET_ASIDE = """
INSERT INTO collector_setasidereport (design_id, stratum, mode, nonce, report)
SELECT design_id, stratum, mode, nonce, report FROM collector_waitingreport WHERE design_id = %s AND nonce = %s
ON CONFLICT DO NOTHING
"""
NO_LONGER_WAITING = "DELETE FROM collector_waitingreport WHERE design_id = %s AND nonce = %s"


@dataclass(frozen=True)
class MovedReports:
    """Reports moved out of the waiting table: their number, and those not stored before."""

    count: int
    new: list[StoredRow]


def move(number: int, *, most: int, wait: bool) -> MovedReports:
    """Move up to `most` reports of a design, lowest nonces first.

    Those that another worker is moving are passed over or, with `wait`, waited for. A nonce that was kept before stays
    as it was kept.
    """
    return _move(number, FIRST, [most], "" if wait else "SKIP LOCKED")


def move_reports(number: int, nonces: Sequence[bytes]) -> MovedReports:
    """Move those of these reports that are waiting; wait for any that another worker is moving."""
    return _move(number, THESE.format(places=", ".join(["%s"] * len(nonces))), nonces, "")


def _move(number: int, which: str, given: Sequence[int | bytes], others: str) -> MovedReports:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(KEEP.format(which=which), [number, *given])
            new = cursor.fetchall()
            cursor.execute(DELETE.format(which=which), [number, number, *given])
            return MovedReports(cursor.rowcount, new)
        cursor.execute(MOVE.format(which=which, others=others), [number, *given, number])
        rows = cursor.fetchall()
    return MovedReports(len(rows), [(stratum, report) for stratum, report in rows if report is not None])


def set_aside(keys: Sequence[tuple[int, bytes]]) -> int:
    """Set waiting reports aside, uncounted, by design number and nonce; return the number given."""
    ordered = sorted(keys)
    with connection.cursor() as cursor:
        for statement in (SET_ASIDE, NO_LONGER_WAITING):
            cursor.executemany(statement, ordered)
    return len(ordered)
