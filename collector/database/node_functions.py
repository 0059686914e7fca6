"""What the nodes of a cluster execute by themselves: storing, the lock of closing, and what triggers look up.

The designs are copied to every node, as one shard whose name is the same on all of them. Functions that run on a node
read it by that name: at the price of a table's, where Citus would plan each look anew, and certainly there.
"""

from typing import Any

from django.db import connection

from collector.database import locks
from collector.database.statements import read_sql

DESIGNS = "collector_frozendesign"
FIRST = "collector_waitingreport"

ON_ONE_SERVER, ON_NODES, GUARD = "store_v2.postgresql", "store_cluster_v2.postgresql", "guard_cluster_v1.postgresql"
"""The function that stores reports, on one server and on the node of a design; the trigger of the designs' copies."""

LOOKING_UP = """
SELECT DISTINCT pg_get_functiondef(function.oid) FROM pg_trigger AS trigger
JOIN pg_proc AS function ON function.oid = trigger.tgfoid
WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY(%s) AND prosrc LIKE '%% ' || %s || ' %%'
"""


def guard_designs() -> None:
    """Have closing wait for those who store, on every node that will have a copy of the designs."""
    _execute(read_sql(GUARD).format(taking=locks.TAKING))


def lay(tables: list[str]) -> None:
    """Have the node of a design store its reports, once the tables are distributed; triggers read the node's copy."""
    copy = str(_rows("SELECT shard_name(%s::regclass, shardid) FROM pg_dist_shard WHERE logicalrelid = %s::regclass",
                     DESIGNS, DESIGNS)[0][0])  # fmt: skip
    _replace_store(read_sql(ON_NODES).replace("{copy}", copy))
    arguments = _rows("SELECT oid::regprocedure::text FROM pg_proc WHERE proname = 'collector_store'")[0][0]
    _execute("SELECT create_distributed_function(%s, 'beside', colocate_with => %s)", arguments, FIRST)
    _look_up(tables, DESIGNS, copy)


def take_back(tables: list[str]) -> None:
    """Undo `lay` and `guard_designs`, once the tables are on the coordinator alone."""
    _replace_store(read_sql(ON_ONE_SERVER))
    found = _rows("SELECT substring(prosrc FROM 'collector_frozendesign_[0-9]+') FROM pg_proc WHERE prosrc LIKE %s",
                  f"% {DESIGNS}\\_%")  # fmt: skip
    for (copy,) in set(found):
        _look_up(tables, copy, DESIGNS)
    _execute(f"DROP TRIGGER IF EXISTS design_is_guarded ON {DESIGNS}")
    _execute("DROP FUNCTION IF EXISTS collector_guard_design")


def _look_up(tables: list[str], before: str, now: str) -> None:
    """Have the triggers of these tables that read one table read another."""
    for (definition,) in _rows(LOOKING_UP, tables, before):
        _execute(definition.replace(f" {before} ", f" {now} "))


def _replace_store(definition: str) -> None:
    _execute("DROP FUNCTION collector_store")
    _execute(definition)


def _rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return list(cursor.fetchall())


def _execute(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
