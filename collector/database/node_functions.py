"""What the nodes of a cluster execute by themselves: storing, the lock of closing, and what triggers look up.

The designs are copied to every node, as one shard whose name is the same on all of them. Functions that run on a node
read it by that name: at the price of a table's, where Citus would plan each look anew, and certainly there.
"""

from collector.database import locks
from collector.database.statements import execute, fetch_rows, read_sql

DESIGNS = "collector_frozendesign"
FIRST = "collector_waitingreport"

ON_ONE_SERVER, ON_NODES, GUARD = "store_v2.postgresql", "store_cluster_v2.postgresql", "guard_cluster_v1.postgresql"
"""The function that stores reports, on one server and on the node of a design; the trigger of the designs' copies."""

COPY = "SELECT shard_name(%s::regclass, shardid) FROM pg_dist_shard WHERE logicalrelid = %s::regclass"
COPIES = "SELECT substring(prosrc FROM 'collector_frozendesign_[0-9]+') FROM pg_proc WHERE prosrc LIKE %s"
LOOKING_UP = """
SELECT DISTINCT pg_get_functiondef(function.oid) FROM pg_trigger AS trigger
JOIN pg_proc AS function ON function.oid = trigger.tgfoid
WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY(%s) AND prosrc LIKE '%% ' || %s || ' %%'
"""


def guard_designs() -> None:
    """Have closing wait for those who store, on every node that will have a copy of the designs."""
    execute(read_sql(GUARD).format(taking=locks.TAKING))


def lay(tables: list[str]) -> None:
    """Have the node of a design store its reports, once the tables are distributed; triggers read the node's copy."""
    ((copy,),) = fetch_rows(COPY, DESIGNS, DESIGNS)
    _replace_store(read_sql(ON_NODES).replace("{copy}", copy))
    arguments = fetch_rows("SELECT oid::regprocedure::text FROM pg_proc WHERE proname = 'collector_store'")[0][0]
    execute("SELECT create_distributed_function(%s, 'beside', colocate_with => %s)", arguments, FIRST)
    _look_up(tables, DESIGNS, copy)


def take_back(tables: list[str]) -> None:
    """Undo `lay` and `guard_designs`, once the tables are on the coordinator alone."""
    _replace_store(read_sql(ON_ONE_SERVER))
    found = fetch_rows(COPIES, f"% {DESIGNS}\\_%")
    for (copy,) in set(found):
        _look_up(tables, copy, DESIGNS)
    execute(f"DROP TRIGGER IF EXISTS design_is_guarded ON {DESIGNS}")
    execute("DROP FUNCTION IF EXISTS collector_guard_design")


def _look_up(tables: list[str], before: str, now: str) -> None:
    """Have the triggers of these tables that read one table read another."""
    for (definition,) in fetch_rows(LOOKING_UP, tables, before):
        execute(definition.replace(f" {before} ", f" {now} "))


def _replace_store(definition: str) -> None:
    execute("DROP FUNCTION collector_store")
    execute(definition)
