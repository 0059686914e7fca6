"""The servers behind the database: replicas of a PostgreSQL, nodes of one with Citus. None where it is one alone.

What is told of them comes in steps, as it is collected every few seconds: whole megabytes and quarters of a minute of
lag, rounded down, so that a report alone moves neither.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import DatabaseError, connections, transaction

from collector.database.settings import MEGABYTE

STEP = 15
"""Seconds to which a lag in time is rounded down."""

CONNECT = "2s"
"""How long a node is waited for when it is asked whether it answers."""

HERE = """
SELECT pg_is_in_recovery(), COALESCE(host(inet_server_addr()) || ':' || inet_server_port(), 'on this machine'),
current_setting('synchronous_commit'), EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
"""
REPLICAS = """
SELECT application_name || COALESCE(' at ' || host(client_addr), ''), state, sync_state,
pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint, extract(epoch FROM replay_lag)::bigint
FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup' ORDER BY 1, pid
"""
NODES = """
SELECT nodename || ':' || nodeport, groupid = 0, noderole = 'primary',
citus_check_connection_to_node(nodename, nodeport),
(SELECT count(*) FROM pg_dist_placement AS placed WHERE placed.groupid = node.groupid)
FROM pg_dist_node AS node WHERE isactive ORDER BY groupid, noderole, 1
"""
SIZES = "SELECT nodename || ':' || nodeport, sum(shard_size)::bigint FROM citus_shards GROUP BY 1"

CONFIRMED = {"sync", "quorum"}
WAITED_FOR = {"on", "remote_apply"}


@dataclass(frozen=True)
class Server:
    """One server. Lags are a replica's; shards, and their size in whole megabytes, a node's of Citus."""

    name: str
    role: str
    state: str
    works: bool
    synchronous: bool = False
    lag_bytes: int | None = None
    lag_seconds: int | None = None
    shards: int | None = None
    size: int | None = None


@dataclass(frozen=True)
class Servers:
    """All servers of the database, and whether a replica has each report before it is acknowledged."""

    servers: Sequence[Server] = ()
    confirmed: bool = False


def database_servers(alias: str = "default") -> Servers:
    """The servers that PostgreSQL names; none on SQLite and where one PostgreSQL is alone."""
    database = connections[alias]
    if database.vendor != "postgresql":
        return Servers()
    with database.cursor() as cursor:
        cursor.execute(HERE)
        in_recovery, address, commit, citus = cursor.fetchone()
    if in_recovery:
        return Servers([Server(address, "replica", "takes no reports", False)])
    replicas = _replicas(alias)
    nodes = _nodes(alias) if citus else []
    if replicas and not any(node.role == "coordinator" for node in nodes):
        nodes.insert(0, Server(address, "primary", "takes reports", True))
    confirmed = commit in WAITED_FOR and any(one.synchronous for one in replicas)
    return Servers([*nodes, *replicas], confirmed)


def _replicas(alias: str) -> list[Server]:
    with connections[alias].cursor() as cursor:
        cursor.execute(REPLICAS)
        rows = cursor.fetchall()
    found, seen = [], Counter[str]()
    for name, state, sync, lag_bytes, lag_seconds in rows:
        seen[name] += 1
        unique = name if seen[name] == 1 else f"{name} ({seen[name]})"
        if state is None:
            hint = "may not be read: GRANT pg_read_all_stats to Candor's user"
            found.append(Server(unique, "replica", hint, True))
            continue
        size = None if lag_bytes is None else max(0, lag_bytes) // MEGABYTE * MEGABYTE
        # Without writing there is no lag in time, and a moment later a short one: both are none.
        seconds = int(lag_seconds or 0) // STEP * STEP
        found.append(Server(unique, "replica", state, state == "streaming", sync in CONFIRMED, size, seconds))
    return found


def _nodes(alias: str) -> list[Server]:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SELECT set_config('citus.node_connection_timeout', %s, true)", [CONNECT])
        cursor.execute(NODES)
        rows = cursor.fetchall()
    found = []
    for name, coordinator, primary, works, shards in rows:
        role = "coordinator" if coordinator else "worker"
        state = "answers" if works else "does not answer"
        found.append(Server(name, role if primary else f"replica of a {role}", state, works, shards=shards))
    return _with_sizes(alias, found) if all(node.works for node in found) else found


def _with_sizes(alias: str, nodes: list[Server]) -> list[Server]:
    """The nodes with the sizes of their shards, which only all of them together tell."""
    try:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            cursor.execute(SIZES)
            sizes = dict(cursor.fetchall())
    except DatabaseError:
        return nodes  # one went away meanwhile
    return [replace(node, size=-(-int(sizes.get(node.name, 0)) // MEGABYTE) * MEGABYTE) for node in nodes]
