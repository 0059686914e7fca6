"""On a Citus cluster: where rows lie, what refuses, that rewriting leaves no order on any node, and the way back."""

import secrets
from collections.abc import Iterator

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from collector.database import distribution
from collector.database.statements import read_sql
from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.models import FrozenDesign, Report, WaitingReport
from collector.reports import folding, purging, rewriting, selectors, shards, storing
from collector.reports.storing import NewReport, Outcome
from tests.factories import payloads

pytestmark = pytest.mark.django_db(transaction=True)

STAMPS = "SELECT count(DISTINCT xmin::text) FROM %1$s"


def new(design: Design) -> NewReport:
    return NewReport(secrets.token_bytes(16), design.digest, 0, b"\1\2", 0)


@pytest.fixture
def designs(db: None) -> list[Design]:
    """Open designs, enough for rows on both workers."""
    return [freeze_design(payloads.document(version=version)) for version in range(1, 9)]


@pytest.fixture
def one_server(db: None) -> Iterator[None]:
    """Within, the tables are on the coordinator alone."""
    distribution.undistribute()
    yield
    distribution.distribute(shards=4)


def test_reports_of_a_design_are_on_one_node(designs: list[Design]) -> None:
    storing.store([new(design) for design in designs for _ in range(5)])
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(DISTINCT nodeport) FROM citus_shards WHERE table_name = 'collector_report'::regclass"
        )
        assert cursor.fetchone() == (2,)
        cursor.execute("SELECT count(DISTINCT colocation_id) FROM citus_tables WHERE citus_table_type = 'distributed'")
        assert cursor.fetchone() == (1,)
    held = distribution.on_shards("collector_waitingreport", "SELECT count(*) FROM %1$s")
    assert sum(map(int, held)) == 40
    assert sorted(map(int, held))[-2] > 0, "they are on several shards"


def test_batch_of_many_designs_is_stored_folded_and_counted(designs: list[Design]) -> None:
    batch = [new(design) for design in designs for _ in range(30)]
    assert set(storing.store(batch)) == {Outcome.STORED}
    assert set(storing.store(batch)) == {Outcome.KNOWN}
    for design in designs:
        assert folding.fold(design.digest) == 20
        close_design(design.digest)
        assert folding.fold(design.digest) == 10
        totals, recount = selectors.totals(design.digest), selectors.recount(design.digest)
        assert [one.tolist() for one in totals] == [one.tolist() for one in recount]
        assert selectors.report_count(design.digest) == 30
        assert storing.store([new(design)]) == [Outcome.CLOSED]


def test_rewriting_orders_every_shard_by_nonce_with_one_stamp(designs: list[Design]) -> None:
    for _ in range(3):
        storing.store([new(design) for design in designs for _ in range(20)])
        for design in designs:
            folding.fold(design.digest)
    before = sorted(Report.objects.values_list("design_id", "nonce", "stratum", "mode", "report"))
    waiting = sorted(WaitingReport.objects.values_list("design_id", "nonce"))
    assert max(map(int, distribution.on_shards("collector_report", STAMPS))) > 1, "the order in which they came"
    rewriting.rewrite()
    assert set(distribution.on_shards("collector_report", STAMPS)) <= {"0", "1"}
    assert set(distribution.on_shards("collector_waitingreport", STAMPS)) <= {"0", "1"}
    keys = "SELECT coalesce(string_agg(design_id || encode(nonce, 'hex'), ',' ORDER BY ctid), '') FROM %1$s"
    by_key = keys.replace("ORDER BY ctid", "ORDER BY design_id, nonce")
    assert distribution.on_shards("collector_report", keys) == distribution.on_shards("collector_report", by_key)
    assert sorted(Report.objects.values_list("design_id", "nonce", "stratum", "mode", "report")) == before
    assert sorted(WaitingReport.objects.values_list("design_id", "nonce")) == waiting


def test_overwrite_logs_without_rights_on_a_node_is_false() -> None:
    """For a user who is no superuser, as operators make one: a rewriting is done all the same, and says what lacks."""
    assert shards.overwrite_logs()
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE limited LOGIN")  # Citus makes it on every node
        try:
            cursor.execute("SET ROLE limited")
            assert not shards.overwrite_logs()
        finally:
            cursor.execute("RESET ROLE")
            cursor.execute("DROP ROLE limited")


def test_purge_deletes_reports_of_one_design(designs: list[Design]) -> None:
    storing.store([new(design) for design in designs[:2] for _ in range(30)])
    for design in designs[:2]:
        close_design(design.digest)
        folding.fold(design.digest)
    assert purging.purge(designs[0].digest) == 30
    assert [selectors.report_count(design.digest) for design in designs[:2]] == [30, 30]
    assert Report.objects.count() == 30


def test_distribute_again_changes_nothing(designs: list[Design]) -> None:
    assert not distribution.distribute()


def test_undistribute_and_distribute_keep_every_row(designs: list[Design]) -> None:
    storing.store([new(design) for design in designs for _ in range(30)])
    for design in designs:
        folding.fold(design.digest)
    before = sorted(Report.objects.values_list("design_id", "nonce", "report"))
    distribution.undistribute()
    try:
        assert not distribution.is_distributed()
        assert sorted(Report.objects.values_list("design_id", "nonce", "report")) == before
        assert set(storing.store([new(design) for design in designs])) == {Outcome.STORED}
        with connection.cursor() as cursor:
            keys = connection.introspection.get_constraints(cursor, "surveys_version").values()
            assert ("collector_frozendesign", "digest") in [key["foreign_key"] for key in keys]
    finally:
        distribution.distribute(shards=4)
    assert sorted(Report.objects.values_list("design_id", "nonce", "report")) == before
    assert set(storing.store([new(design) for design in designs])) == {Outcome.STORED}


@pytest.mark.usefixtures("one_server")
def test_undistribute_leaves_functions_and_triggers_of_one_server() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = 'collector_store'")
        ((source,),) = cursor.fetchall()
        assert source in read_sql("store_v2.postgresql")
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE prosrc ~ 'collector_frozendesign_' OR proname ~ 'guard_design'"
        )
        assert cursor.fetchall() == []
        cursor.execute(
            "SELECT tgname FROM pg_trigger WHERE tgrelid = 'collector_frozendesign'::regclass AND NOT tgisinternal"
        )
        assert {name for (name,) in cursor.fetchall()} == {
            "design_is_frozen", "design_stays_closed", "open_design_stays",
        }  # fmt: skip


@pytest.mark.usefixtures("one_server")
def test_distribute_with_other_connections_is_refused() -> None:
    there = connection.settings_dict
    with (
        psycopg.connect(host=there["HOST"], port=there["PORT"], user=there["USER"], dbname=there["NAME"]),
        pytest.raises(CommandError, match=r"1 other connection\. Stop the web processes"),
    ):
        call_command("distribute")
    assert FrozenDesign.objects.count() == 0
