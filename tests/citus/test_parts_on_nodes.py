"""A survey larger than a node, on a Citus cluster: where its parts lie, and what they give."""

import secrets
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
from tests.factories import payloads
from tests.tools.backups import empty_database, members

pytestmark = pytest.mark.django_db(transaction=True)

COUNT = 4
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
