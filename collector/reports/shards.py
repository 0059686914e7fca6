"""Erasing the order of arrival where tables are divided over nodes: each shard is written anew on its node.

In a transaction of the node, which stamps all rows: a crash leaves a shard as it was or in the order of its keys.
Reports of its designs wait for as long as their shard is written.
"""

from collections.abc import Sequence

from django.db import OperationalError, transaction

from collector.database import distribution, locks, write_ahead_log
from collector.database.settings import MAY_OVERWRITE

CELL = "design_id, part, stratum, position, symbol, count"
ROW = "design_id, nonce, stratum, mode, report"
SUMMED = (
    "SELECT design_id, 0 AS part, stratum, position, symbol, SUM(count) AS count FROM %1$s "
    "GROUP BY design_id, stratum, position, symbol"
)
REWRITTEN = {
    "collector_report": (ROW, ""),
    "collector_setasidereport": (ROW, ""),
    "collector_waitingreport": (ROW, ""),
    "collector_usedtoken": ("design_id, hash", ""),
    "collector_tally": (CELL, SUMMED),
}
"""Tables with their columns in the order of their rows, and a query where rows are not taken as they are."""

REWRITE = """DO $rewrite$ BEGIN
SET LOCAL lock_timeout = '{patience}';
SET LOCAL citus.enable_manual_changes_to_shards = on;
LOCK TABLE %1$s IN ACCESS EXCLUSIVE MODE;
CREATE TEMPORARY TABLE kept ON COMMIT DROP AS {query};
ALTER TABLE %1$s DISABLE TRIGGER USER;
TRUNCATE %1$s;
INSERT INTO %1$s ({columns}) SELECT {columns} FROM kept ORDER BY {columns};
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE %1$s ENABLE TRIGGER USER;
END $rewrite$"""
"""The triggers looked at each row when it came. Emptied and not deleted: nothing is left for a vacuum to remove."""

PATIENCE, TRIES = "1s", 20
"""Reports wait behind each attempt to lock a shard that somebody reads."""


def rewrite() -> None:
    """Write every shard of the tables of reports anew. Raises OperationalError where one is read for too long."""
    distribution.apply_settings()
    with transaction.atomic():
        locks.exclusive_lock(locks.EVERY, locks.REWRITING)
        for table, (columns, query) in REWRITTEN.items():
            command = REWRITE.format(
                patience=PATIENCE,
                columns=columns,
                query=query or f"SELECT {columns} FROM %1$s",  # noqa: S608 - names of ours
            )
            _until_done(table, command)


def overwrite_logs() -> bool:
    """As `write_ahead_log.overwrite`, on every server of the cluster: False where the user lacks the rights on one."""
    return "f" not in distribution.on_nodes(MAY_OVERWRITE) and write_ahead_log.overwrite(_largest)


def _until_done(table: str, command: str) -> Sequence[str]:
    for _try in range(TRIES - 1):
        try:
            return distribution.on_shards(table, command)
        except OperationalError as error:
            if "lock timeout" not in str(error):
                raise
    return distribution.on_shards(table, command)


def _largest(statement: str) -> str:
    """Execute a statement on every node; of the numbers that they say, the largest."""
    return max(distribution.on_nodes(statement), key=lambda said: int(said) if said.isdigit() else 0)
