"""Reports come one after the other; who steals one node of a cluster afterwards cannot say in which order.

As tests/storage/test_order_attack.py for one server, of the coordinator and every node: the rows of each shard in
every order that they have, their stamps, a dump, every file and the write-ahead log. The nonces are drawn from a seed.
A bound of four standard errors of Spearman's correlation is passed by unrelated orders once in 16,000.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from math import sqrt

import pytest
from django.db import connection

from collector.designs import Design, parts
from collector.designs.services import close_design, freeze_design
from collector.models import FrozenDesign
from collector.reports import folding, purging, rewriting, storing
from collector.reports.storing import NewReport, Outcome
from tests.citus.plugin import PORTS
from tests.citus.thief import Thief
from tests.factories import payloads
from tests.storage.attacking import Order, correlation, recognised

pytestmark = pytest.mark.django_db(transaction=True)

N = 240
FEW = 40
"""Orders of fewer say too little to be compared."""

TABLES = "collector_report", "collector_waitingreport", "collector_setasidereport"
PLACE = (
    "SELECT placed.nodeport FROM pg_dist_shard_placement AS placed "
    "WHERE placed.shardid = get_shard_id_for_distribution_column('collector_report', %s)"
)
MOVE = (
    "SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('collector_report', %s), "
    "'127.0.0.1', %s, '127.0.0.1', %s, shard_transfer_mode => 'force_logical')"
)


@pytest.fixture
def thieves(db: None) -> list[Thief]:
    """Of the coordinator, and of each node."""
    name = connection.settings_dict["NAME"]
    return [Thief(port, name) for port in PORTS]


@pytest.fixture
def designs(db: None) -> list[Design]:
    """One that lies on the first node, one on the second, and one in parts on both."""
    made: dict[int, Design] = {}
    for version in range(1, 30):
        design = freeze_design(payloads.document(version=version))
        made.setdefault(port_of(design.digest), design)
        if len(made) == len(PORTS) - 1:
            break
    split = freeze_design(payloads.document(slug="large"))
    parts.split_design(split.digest, 4)
    return [*made.values(), split]


def port_of(key: str) -> int:
    return int(asked(PLACE, FrozenDesign.objects.get(digest=key).number)[0][0])


@contextmanager
def elsewhere(key: str) -> Iterator[None]:
    """Within, the shard of a design lies on the other node."""
    number, source = FrozenDesign.objects.get(digest=key).number, port_of(key)
    (target,) = {*PORTS[1:]} - {source}
    asked(MOVE, number, source, target)
    assert port_of(key) == target
    yield
    asked(MOVE, number, target, source)


def asked(statement: str, *values: object) -> list[tuple[int, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def arrive(designs: list[Design], count: int, seed: int) -> dict[str, Order]:
    """One report after the other of every design, folded meanwhile as a worker does: by design in this order."""
    drawn, came = random.Random(seed), defaultdict[str, Order](list)
    for number in range(count):
        sent = [NewReport(drawn.randbytes(16), one.digest, drawn.randrange(2), b"\1\2", 0) for one in designs]
        assert set(storing.store(sent)) == {Outcome.STORED}
        for one in sent:
            came[one.digest].append(one.nonce)
        if number % 23 == 0:
            for design in designs:
                folding.fold(design.digest)
    return came


def parted(came: dict[str, Order]) -> list[Order]:
    """The orders of arrival, of each part by itself: what a table can tell."""
    found = defaultdict[str, Order](list)
    for digest, order in came.items():
        for nonce in order:
            found[parts.key_for(digest, nonce)].append(nonce)
    return list(found.values())


def told(thief: Thief, truths: list[Order]) -> dict[str, tuple[Order, Order]]:
    """By where somebody looks: the order that stands there, and the true one of the same reports."""
    orders = {
        f"{shard} by {name}": order
        for table in TABLES
        for shard in thief.shards(table)
        for name, order in thief.orders(shard).items()
    }
    orders |= thief.files([nonce for truth in truths for nonce in truth])
    found = {}
    for where, order in orders.items():
        for number, truth in enumerate(truths):
            mine, held = set(truth), set(order)
            if len(mine & held) >= FEW:
                found[f"{thief.port} {where}, {number}"] = (
                    [nonce for nonce in order if nonce in mine],
                    [nonce for nonce in truth if nonce in held],
                )
    return found


def test_thief_of_a_node_finds_the_order_before_rewriting(designs: list[Design], thieves: list[Thief]) -> None:
    """The test of the test. The coordinator has no report, in no table, file or log, at any time."""
    for thief in thieves:
        thief.checkpoint()  # the server's own comes a minute later, and deletes what the log has from before
    came = arrive(designs, N // 2, seed=3)
    coordinator, *nodes = thieves
    every = [nonce for order in came.values() for nonce in order]
    assert (coordinator.files(every), coordinator.logged(every)) == ({}, [])
    for design in designs[:-1]:
        order = came[design.digest]
        (node,) = [one for one in nodes if one.port == port_of(design.digest)]
        logged = node.logged(order)  # before the files are looked at, which takes a checkpoint
        found = {where: correlation(*pair) for where, pair in told(node, [order]).items()}
        assert max(value for where, value in found.items() if "by xmin" in where) > 0.5, "which step each was in"
        assert len(logged) >= 0.9 * len(order)
        assert logged == [nonce for nonce in order if nonce in logged]


@pytest.mark.parametrize("moved", [False, True])
def test_order_attack_on_every_node_finds_nothing(designs: list[Design], thieves: list[Thief], *, moved: bool) -> None:
    """Also where a shard was moved to the other node while reports came: neither node tells their order."""
    came = arrive(designs, N // 2, seed=5)
    with elsewhere(designs[0].digest) if moved else nullcontext():
        for digest, order in arrive(designs, N // 2, seed=6).items():
            came[digest] += order
        for design in designs:
            close_design(design.digest)
        assert rewriting.rewrite_closed()
        require_no_order(thieves, parted(came))


def require_no_order(thieves: list[Thief], truths: list[Order]) -> None:
    """Everything that somebody finds on any node says as much of the orders of arrival as chance does."""
    looked = 0
    for thief in thieves:
        assert thief.logged([nonce for truth in truths for nonce in truth]) == []
        for where, (guess, truth) in told(thief, truths).items():
            size, looked = len(truth), looked + 1
            assert recognised(guess, truth) <= 1 / size + 4 * sqrt(1 / size * (1 - 1 / size) / size), where
            assert correlation(guess, truth) < 4 / sqrt(size), where
        assert all(thief.stamps(shard) <= 1 for table in TABLES for shard in thief.shards(table))
        assert thief.port != PORTS[0] or not any(thief.size(table) for table in TABLES)
    assert looked >= len(truths) * 6, "each part by every order of its rows, and in a file"


def test_purged_reports_are_in_no_file_of_any_node(designs: list[Design], thieves: list[Thief]) -> None:
    came = arrive(designs, 60, seed=9)
    every = [nonce for order in came.values() for nonce in order]
    assert sum(bool(thief.files(every)) for thief in thieves) == len(PORTS) - 1
    for design in designs:
        close_design(design.digest)
        assert purging.purge(design.digest) == 60
    assert rewriting.rewrite_closed()
    assert [thief.files(every) for thief in thieves] == [{}, {}, {}]
    assert [thief.logged(every) for thief in thieves] == [[], [], []]
