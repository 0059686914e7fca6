"""A survey larger than a node, on a Citus cluster: where its parts lie, what they give, closing all of them or none."""

import json
import os
import random
import secrets
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from collector.database import distribution
from collector.designs import Design, parts
from collector.designs.services import close_design, freeze_design
from collector.models import FrozenDesign, Report, WaitingReport
from collector.reports import folding, purging, rewriting, selectors, storing
from collector.reports.storing import NewReport, Outcome
from estimator.runs import services
from estimator.runs.selectors import changed_designs
from surveys.maintenance import backup, backup_checks
from tests.citus.cluster import Cluster, running
from tests.factories import payloads
from tests.tools.backups import empty_database, members

pytestmark = pytest.mark.django_db(transaction=True)

COUNT = 4
ROOT = Path(__file__).parents[2]

NODES = """
SELECT design.number, placed.nodeport, placed.shardid FROM collector_frozendesign AS design
JOIN pg_dist_shard_placement AS placed
ON placed.shardid = get_shard_id_for_distribution_column('collector_report', design.number)
"""


@pytest.fixture
def split(db: None) -> Design:
    design = freeze_design(payloads.document(slug="large"))
    parts.split_design(design.digest, COUNT)
    return design


def rows(count: int) -> list[tuple[bytes, int, bytes]]:
    return [(secrets.token_bytes(16), place % 2, bytes([place % 2, place % 3])) for place in range(count)]


def store(design: Design, sent: list[tuple[bytes, int, bytes]]) -> set[Outcome]:
    return set(storing.store([NewReport(nonce, design.digest, group, report, 0) for nonce, group, report in sent]))


def asked(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def test_parts_lie_on_all_nodes_in_turn(split: Design) -> None:
    placed = asked(NODES)
    ports = [port for _, port, _ in placed]
    assert len(placed) == COUNT
    assert sorted(map(ports.count, set(ports))) == [COUNT // 2] * 2
    assert len({shard for *_, shard in placed}) == COUNT
    store(split, rows(200))
    held = distribution.on_shards("collector_waitingreport", "SELECT count(*) FROM %1$s")
    assert sum(map(int, held)) == 200
    assert sum(int(one) > 20 for one in held) == COUNT


def test_split_design_on_nodes_gives_what_its_twin_gives(split: Design) -> None:
    twin, sent = freeze_design(payloads.document(slug="small")), rows(400)
    for design in (split, twin):
        assert store(design, sent) == {Outcome.STORED}
        assert store(design, sent) == {Outcome.KNOWN}
        folding.fold(design.digest)
        close_design(design.digest)
        folding.fold(design.digest)
        assert store(design, rows(20)) == {Outcome.CLOSED}
    for read in (selectors.totals, selectors.recount):
        assert [one.tolist() for one in read(split.digest)] == [one.tolist() for one in read(twin.digest)]
    for count in (selectors.report_count, selectors.received_count, selectors.coin_report_count):
        assert count(split.digest) == count(twin.digest)
    assert selectors.report_count(split.digest) == 400
    days = [[one.count for one in selectors.daily_counts(design.digest)] for design in (split, twin)]
    assert days[0] == days[1] == [400]
    rewriting.rewrite()
    assert purging.purge(split.digest) == 400
    assert (Report.objects.count(), WaitingReport.objects.count()) == (400, 0)


def test_backup_of_parts_on_nodes_restores_every_one(split: Design, tmp_path: Path) -> None:
    store(split, rows(400))
    backup.back_up(tmp_path / "one.zip")
    before = sorted(Report.objects.values_list("design_id", "nonce", "report"))
    totals = [one.tolist() for one in selectors.totals(split.digest)]
    empty_database()
    backup.restore(tmp_path / "one.zip", inspect=backup_checks.compare)
    assert sorted(Report.objects.values_list("design_id", "nonce", "report")) == before
    assert [one.tolist() for one in selectors.totals(split.digest)] == totals
    backup.back_up(tmp_path / "two.zip")
    assert members(tmp_path / "one.zip") == members(tmp_path / "two.zip")


def test_changed_designs_on_nodes_are_estimated_once(split: Design) -> None:
    twin = freeze_design(payloads.document(slug="small"))
    assert changed_designs(before=timezone.now()) == []
    store(split, rows(400))
    folding.fold(split.digest)
    assert changed_designs(before=timezone.now()) == [split.digest]
    run = services.run_now(split.digest)
    assert run.reports == selectors.report_count(split.digest) > 0
    assert changed_designs(before=timezone.now()) == []
    for design in (split, twin):
        store(design, rows(200))
        close_design(design.digest)
        folding.fold(design.digest)
    assert changed_designs(before=timezone.now()) == sorted([split.digest, twin.digest])
    assert changed_designs(before=run.requested_at - timedelta(seconds=1)) == [twin.digest]


def test_undistribute_keeps_the_parts(split: Design) -> None:
    sent = rows(100)
    store(split, sent)
    distribution.undistribute()
    try:
        assert store(split, sent) == {Outcome.KNOWN}
        assert FrozenDesign.objects.filter(part_of=split.digest).count() == COUNT - 1
    finally:
        distribution.distribute(shards=4)
    assert store(split, sent) == {Outcome.KNOWN}


STRIKES = 8
CLOSE = """
import sys
import django
django.setup()
from collector.designs.services import close_design
print("ready", flush=True)
sys.stdin.readline()
for digest in sys.argv[1:]:
    close_design(digest)
"""
MAKE = """
import json
import django
django.setup()
from collector.designs import parts
from collector.designs.services import freeze_design
from tests.factories import payloads
made = [freeze_design(payloads.document(version=version)).digest for version in range(1, 41)]
for digest in made:
    parts.split_design(digest, 4)
print(json.dumps(made))
"""
STATES = (
    "SELECT coalesce(part_of_id, digest), count(*), count(closed_on) FROM collector_frozendesign GROUP BY 1 ORDER BY 1"
)


def test_close_with_a_node_killed_closes_all_parts_or_none(tmp_path: Path) -> None:
    """Half of the strikes on a worker, half on the coordinator, each while one design after the other is closed."""
    chance = random.Random(8)
    with running() as cluster:
        cluster.create_database("killed")
        there = os.environ | {"DATABASE_URL": cluster.coordinator.url("killed"), "CANDOR_DATA": str(tmp_path)}
        for words in (["manage.py", "migrate", "--verbosity", "0"], ["manage.py", "distribute", "--shards", "8"]):
            subprocess.run([sys.executable, *words], cwd=ROOT, env=there, check=True, stdout=subprocess.DEVNULL)
        made = subprocess.run([sys.executable, "-c", MAKE], cwd=ROOT, env=there, check=True, capture_output=True)
        left, partly = json.loads(made.stdout), 0
        for strike in range(STRIKES):
            _strike(cluster, there, left, wait=chance.uniform(0.0, 0.12), on_worker=bool(strike % 2))
            states = _states(cluster)
            assert all(closed in (0, 4) for _, closed in states.values()), states
            closed = [digest for digest in left if states[digest][1]]
            partly += 0 < len(closed) < len(left)
            left = [digest for digest in left if digest not in closed]
        assert partly, "at least one strike was between the first and the last"


def _strike(cluster: Cluster, there: dict[str, str], left: list[str], *, wait: float, on_worker: bool) -> None:
    closer = subprocess.Popen(
        [sys.executable, "-c", CLOSE, *left],
        cwd=ROOT, env=there, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert closer.stdin
    assert closer.stdout
    assert closer.stdout.readline() == "ready\n"
    closer.stdin.write("\n")
    closer.stdin.flush()
    time.sleep(wait)
    struck = cluster.workers[0] if on_worker else cluster.coordinator
    struck.stop(signal.SIGQUIT)
    closer.wait(timeout=60)
    struck.start()


def _states(cluster: Cluster) -> dict[str, tuple[int, int]]:
    """The parts of each design, and those that are closed: the same on every node, once Citus has recovered."""
    for _ in range(60):
        cluster.coordinator.execute("SELECT recover_prepared_transactions()", "killed")
        pending = [one.execute("SELECT count(*) FROM pg_prepared_xacts", "killed")[0][0] for one in cluster.nodes]
        found = [one.execute(STATES, "killed") for one in cluster.nodes]
        if not any(pending) and found[0] == found[1] == found[2]:
            break
        time.sleep(0.5)
    assert not any(pending), "transactions that nobody ended"
    assert found[0] == found[1] == found[2], "nodes differ"
    return {str(digest): (int(str(count)), int(str(closed))) for digest, count, closed in found[0]}
