"""People answer by invitation; who steals a node of a cluster cannot say which report came with which invitation.

As tests/storage/test_link_attack.py for one server, of the coordinator and every node. Everything is drawn from a seed.
"""

import random
from math import sqrt

import pytest
from django.db import connection

from collector.designs.services import freeze_design
from collector.invitations import batches
from collector.reports import folding, rewriting, storing
from collector.reports.storing import NewReport, Outcome
from tests.citus.plugin import PORTS
from tests.citus.thief import Thief
from tests.factories import payloads
from tests.factories.reports import fold_waiting
from tests.storage.attacking import Order, correlation, paired

pytestmark = pytest.mark.django_db(transaction=True)

N = 200
BY_CHANCE = 1 / N + 4 * sqrt(1 / N * (1 - 1 / N) / N)
UNRELATED = 4 / sqrt(N)
MODULUS = "8" + "0" * 766 + "1"


@pytest.fixture
def thieves(db: None) -> list[Thief]:
    name = connection.settings_dict["NAME"]
    return [Thief(port, name) for port in PORTS]


def answered(kind: str) -> tuple[dict[bytes, bytes], Order]:
    """The nonce of the report that came with each invitation, in this order, all folded; and some that nobody used."""
    more = {"modulus": MODULUS} if kind == "blind" else {}
    design, drawn = freeze_design(payloads.document(invitations={"kind": kind} | more)), random.Random(11)
    used, left = ([drawn.randbytes(32) for _ in range(count)] for count in (N, N // 10))
    if kind == "secret":
        batches.add(design.digest, [*used, *left], stratum=None, kind="file")
    nonces = {one: drawn.randbytes(16) for one in used}
    for number, (one, nonce) in enumerate(nonces.items()):
        assert storing.store([NewReport(nonce, design.digest, 0, b"\1\2", 0, one)]) == [Outcome.STORED]
        if number % 23 == 0:
            folding.fold(design.digest)
    fold_waiting(design)
    return nonces, left


def test_link_attack_on_every_node_finds_no_token(thieves: list[Thief]) -> None:
    """Of an open survey, after a rewriting: every order of used tokens against every order of reports."""
    nonces, _ = answered("blind")
    rewriting.rewrite()
    looked = 0
    for thief in thieves:
        tokens = [thief.orders(shard, "hash") for shard in thief.shards("collector_usedtoken")]
        reports = [thief.orders(shard) for shard in thief.shards("collector_report")]
        for one in [order for found in tokens for order in found.values() if order]:
            assert one == sorted(one), "where a token lies follows from its hash"
            for other in [order for found in reports for order in found.values() if order]:
                assert paired(one, other, nonces) <= BY_CHANCE
                assert correlation([nonces[token] for token in one], other) < UNRELATED
                looked += 1
    assert looked == 25, "five orders of each, on the node that has them"


def test_used_code_is_in_no_file_of_any_node(thieves: list[Thief]) -> None:
    """A dead row of a code would have the stamp of the report that used it."""
    nonces, left = answered("secret")
    used = list(nonces)
    before = [thief.files(used) for thief in thieves]
    assert not before[0], "the coordinator never has one"
    assert any(before), "until a vacuum comes by"
    rewriting.rewrite()
    assert [thief.files(used) for thief in thieves] == [{}, {}, {}]
    assert [thief.logged(used) for thief in thieves] == [[], [], []]
    assert sum(bool(thief.files(left)) for thief in thieves) == 1, "the search finds what is there"
