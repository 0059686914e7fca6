"""Tables spread over several PostgreSQL servers by Citus: all rows of a design on one of them.

The designs are copied to every node (a reference table). What grows is divided by the design's number into shards, of
which the same ones of all tables lie together. Everything else stays on the coordinator, with which Candor speaks.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from django.db import OperationalError, connection, transaction

from collector.database import locks, node_functions
from collector.database.node_functions import DESIGNS, FIRST
from collector.database.statements import execute, fetch_rows
from collector.errors import Conflict

TABLES = (
    FIRST, "collector_report", "collector_setasidereport", "collector_batch", "collector_invitation",
    "collector_usedtoken", "collector_tally", "collector_dailycount",
)  # fmt: skip
"""Divided by the design's number, which is the first column of their keys."""

VACUUMED = (FIRST, "collector_invitation")
"""Tables whose settings, by migrations, have a vacuum come by for each deleted row; Citus gives shards no settings."""

CANDIDATES = 32
"""Numbers looked at for each part of a design: among them is one on any node and on most shards."""

SHARDS = 32
MOST_SHARDS = 1_024

REMEMBERED = "collector_foreignkeys"
"""A table with a statement for each key that the way back makes again: see `_drop_keys`."""

SETTINGS = {"citus.multi_shard_modify_mode": "sequential", "citus.node_connection_timeout": "5s"}
"""One connection to each node in a transaction, which sees there what it wrote, in whatever order it used tables. A
node that does not answer is given up as a database server is (config/database.py)."""

DEFERRED = 2
"""Of what Citus has to drop: the copy of a shard that was moved (CLEANUP_DEFERRED_ON_SUCCESS)."""

Watch = Callable[[str], object]


@dataclass(frozen=True)
class Node:
    """A server that holds shards."""

    host: str
    port: int
    shards: int


@cache
def is_distributed() -> bool:
    """Whether the tables of this database are distributed: asked once, for no other process runs as this changes."""
    return connection.vendor == "postgresql" and _has_citus() and bool(_distributed())


def nodes() -> list[Node]:
    """The servers on which shards may lie, and how many parts of the reports each holds."""
    found = fetch_rows(
        "SELECT node.nodename, node.nodeport, count(shard.shardid) FROM pg_dist_node AS node "
        "LEFT JOIN citus_shards AS shard ON shard.nodename = node.nodename AND shard.nodeport = node.nodeport "
        "AND shard.table_name = %s::regclass WHERE node.isactive AND node.noderole = 'primary' "
        "AND node.shouldhaveshards GROUP BY 1, 2 ORDER BY 1, 2",
        "collector_report",
    )
    return [Node(str(host), int(port), int(shards)) for host, port, shards in found]


def spread(beside: int, first: int, count: int) -> list[int]:
    """Numbers from `first` on, for parts of the design with the number `beside`: without nodes the next ones.

    On a cluster they lie, with that design, on all nodes in turn, and on as many shards, which can be moved each.
    """
    if not is_distributed():
        return list(range(first, first + count))
    found = fetch_rows(
        "SELECT number, placed.nodename || ':' || placed.nodeport, placed.shardid "
        "FROM unnest(%s::int[]) AS number JOIN pg_dist_shard_placement AS placed "
        "ON placed.shardid = get_shard_id_for_distribution_column(%s::regclass, number) ORDER BY number",
        [beside, *range(first, first + CANDIDATES * (count + 1))],
        FIRST,
    )
    candidates = {int(number): (str(node), int(shard)) for number, node, shard in found}
    used = Counter[str | int](candidates.pop(beside))
    chosen: list[int] = []
    for _ in range(count):
        number = min(candidates, key=lambda one: (*(used[place] for place in candidates[one]), one))
        used.update(candidates.pop(number))
        chosen.append(number)
    return sorted(chosen)


def distribute(*, shards: int = SHARDS, watch: Watch = lambda words: None) -> bool:
    """Distribute the tables in one transaction: all of them or, after a crash, none. False where they are already.

    Raises Conflict where this is not a Citus cluster, or others are connected to the database.
    """
    if not 1 <= shards <= MOST_SHARDS:
        raise Conflict(f"The number of shards must be from 1 to {MOST_SHARDS}; got {shards}.")
    _require_cluster()
    if len(_distributed()) == len(TABLES) + 1:
        return False
    require_alone()
    with transaction.atomic():
        _prepare()
        _drop_keys(remember=True)
        node_functions.guard_designs()
        watch(f"copying {DESIGNS} to every node")
        execute("SELECT create_reference_table(%s)", DESIGNS)
        for table in TABLES:
            watch(f"distributing {table}")
            if table == FIRST:
                given = (table, shards)
                execute(
                    "SELECT create_distributed_table(%s, 'design_id', shard_count => %s, colocate_with => 'none')",
                    *given,
                )
            else:
                execute("SELECT create_distributed_table(%s, 'design_id', colocate_with => %s)", table, FIRST)
        node_functions.lay(list(TABLES))
    apply_settings()
    is_distributed.cache_clear()
    return True


def undistribute(*, watch: Watch = lambda words: None) -> bool:
    """Put all tables back on the coordinator in one transaction. False where none is distributed.

    Raises Conflict where others are connected to the database.
    """
    if not is_distributed():
        return False
    require_alone()
    with transaction.atomic():
        _prepare()
        again = _drop_keys(remember=False) + _remembered()
        for table in (*TABLES, DESIGNS):
            watch(f"putting back {table}")
            execute("SELECT undistribute_table(%s)", table)
        for statement in again:
            execute(statement)
        execute(f"DROP TABLE {REMEMBERED}")
        node_functions.take_back(list(TABLES))
    for name in SETTINGS:
        execute(f"ALTER DATABASE {_database()} RESET {name}")
    is_distributed.cache_clear()
    return True


def apply_settings() -> None:
    """Give the database and all shards the settings that they need; nodes that were added later get them too."""
    for name, value in SETTINGS.items():
        execute(f"ALTER DATABASE {_database()} SET {name} = '{value}'")
        execute(f"SET {name} = '{value}'")
    for table in VACUUMED:
        settings = "autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0"
        on_shards(table, f"ALTER TABLE %s SET ({settings})")


def drop_moved() -> None:
    """Drop the copies that shards leave behind on the node from which they were moved; not within a transaction.

    Citus does so by itself some time later. Raises OperationalError where one is still read.
    """
    execute("CALL citus_cleanup_orphaned_resources()")
    if left := fetch_rows("SELECT object_name FROM pg_dist_cleanup WHERE policy_type = %s", DEFERRED):
        raise OperationalError(f"Copies of moved shards are still read: {', '.join(str(name) for (name,) in left)}")


def on_shards(table: str, command: str) -> list[str]:
    """Execute a command for each shard of a table, on its node and in a transaction of its own; %s is its name.

    Returns what each said. Raises NodeFailed at the first that failed.
    """
    return _said(fetch_rows("SELECT success, result FROM run_command_on_shards(%s, %s)", table, command))


def on_nodes(command: str) -> list[str]:
    """Execute a command on the coordinator and every node; return what each said. Raises NodeFailed."""
    return _said(fetch_rows("SELECT success, result FROM run_command_on_all_nodes(%s)", command))


class NodeFailed(OperationalError):
    """What a node said where a command failed there."""


def _said(results: Sequence[tuple[object, ...]]) -> list[str]:
    for success, result in results:
        if not success:
            raise NodeFailed(str(result))
    return [str(result) for _, result in results]


def _require_cluster() -> None:
    if connection.vendor != "postgresql":
        raise Conflict("The database is SQLite: it is one file, and only PostgreSQL with Citus has several nodes.")
    if not _has_citus():
        raise Conflict(
            "The database has no extension citus. Install it on every server, then CREATE EXTENSION citus; see "
            "docs/how-to/citus.md."
        )
    if not fetch_rows("SELECT FROM pg_dist_node WHERE groupid = 0"):
        raise Conflict(
            "The coordinator has no address by which nodes can reach it: SELECT citus_set_coordinator_host(...)."
        )
    if not fetch_rows("SELECT FROM pg_dist_node WHERE groupid <> 0 AND isactive AND shouldhaveshards"):
        raise Conflict("The cluster has no worker node: SELECT citus_add_node(...) for each, on the coordinator.")


def require_alone() -> None:
    """Raise Conflict where others are connected to the database; SQLite does not know.

    Reports that come meanwhile would wait until all rows are copied, and be refused after a quarter of a minute; and
    processes know only once where rows lie.
    """
    if connection.vendor != "postgresql":
        return
    others = fetch_rows(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND backend_type = 'client backend' AND application_name NOT LIKE 'citus%'"
    )
    if (count := int(others[0][0]) - _own_connections()) > 0:
        raise Conflict(
            f"The database has {count} other connection{'' if count == 1 else 's'}. Stop the web processes, workers "
            "and beat first, so that no response arrives in the meantime."
        )


def _own_connections() -> int:
    pool = getattr(connection, "pool", None)
    if pool is None:
        return 1
    pool.wait()
    return int(pool.get_stats()["pool_size"])


def _prepare() -> None:
    locks.exclusive_lock(locks.EVERY, locks.REWRITING)
    execute("SET LOCAL citus.enable_unsafe_triggers = on")  # ours look at designs, which every node has
    execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")


def _drop_keys(*, remember: bool) -> list[str]:
    """Drop the foreign keys to designs; return the statements that make them again.

    The distributed tables get theirs anew at once, by Citus. Those of tables that stay on the coordinator would have
    Citus manage them too, and never let go of one with an identity column: they are left out until the way back.
    """
    keys = fetch_rows(
        "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE contype = 'f' AND confrelid = %s::regclass AND conparentid = 0",
        DESIGNS,
    )
    if remember:
        execute(f"CREATE TABLE {REMEMBERED} (statement text NOT NULL)")
    again = []
    for table, name, definition in keys:
        if remember and table in TABLES:
            continue
        execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        again.append(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        if remember:
            execute(f"INSERT INTO {REMEMBERED} VALUES (%s)", again[-1])  # noqa: S608 - a name of ours
    return again


def _remembered() -> list[str]:
    return [str(statement) for (statement,) in fetch_rows(f"SELECT statement FROM {REMEMBERED}")]  # noqa: S608


def _has_citus() -> bool:
    return bool(fetch_rows("SELECT FROM pg_extension WHERE extname = 'citus'"))


def _distributed() -> list[str]:
    """Our tables that Citus knows as distributed or copied."""
    found = fetch_rows(
        "SELECT logicalrelid::regclass::text FROM pg_dist_partition WHERE logicalrelid::regclass::text = ANY(%s)",
        [DESIGNS, *TABLES],
    )
    return [str(table) for (table,) in found]


def _database() -> str:
    return connection.ops.quote_name(str(fetch_rows("SELECT current_database()")[0][0]))
