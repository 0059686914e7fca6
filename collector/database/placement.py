"""The nodes of a cluster on which designs' reports are, as its coordinator said; nothing where there is one server.

Only a hint: whatever a process believes, the coordinator finds the right node. It keeps reports of different nodes
apart, so that those of a dead one do not take the others along.
"""

import time
from collections.abc import Iterable

from django.db import connection

from collector.database.distribution import is_distributed
from collector.database.node_functions import FIRST

OLD = 60.0
"""Seconds after which places are asked again: shards are moved to other nodes."""

WHERE = """
SELECT number, placed.nodename || ':' || placed.nodeport FROM unnest(%s::int[]) AS number
JOIN pg_dist_shard_placement AS placed ON placed.shardid = get_shard_id_for_distribution_column(%s::regclass, number)
"""

_nodes: dict[int, str] = {}
_old_from = float("inf")
"""When what is known is to be asked again (monotonic seconds)."""


def learn(numbers: Iterable[int]) -> None:
    """Ask where the reports of these designs are, so that `node_of` knows it."""
    global _old_from
    if is_distributed():
        _nodes.update(_ask(numbers))
        _old_from = min(_old_from, time.monotonic() + OLD)


def node_of(number: int) -> str:
    """The node of a design's reports, by name and port; empty where this process has not asked. No statement."""
    return _nodes.get(number, "")


def refresh() -> None:
    """Ask again where it was long ago. On a cluster alone."""
    global _old_from
    if time.monotonic() > _old_from:
        _old_from = time.monotonic() + OLD
        _nodes.update(_ask(list(_nodes)))


def expire() -> None:
    """Have the next `refresh` ask, as after a failure."""
    global _old_from
    _old_from = float("-inf")


def _ask(numbers: Iterable[int]) -> dict[int, str]:
    with connection.cursor() as cursor:
        cursor.execute(WHERE, [list(numbers), FIRST])
        return dict(cursor.fetchall())
