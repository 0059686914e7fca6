"""What was stored by an earlier version is there after an update, and after going back; the triggers are laid anew."""

import pytest
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Sum

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.endpoint import receiving
from collector.models import FrozenDesign, Report, Tally, WaitingReport
from collector.reports import folding, selectors
from tests.factories import payloads
from tests.factories.reports import fold_waiting, store_report

pytestmark = pytest.mark.django_db(transaction=True)

FIRST, SECOND, THIRD = "ab" * 16, "cd" * 16, "ef" * 16

TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'collector%'",
    "postgresql": "SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid "
    "WHERE NOT tgisinternal AND relname LIKE 'collector%'",
}


@pytest.fixture
def rehearsed(db: None) -> Design:
    return freeze_design(payloads.document(rehearsal=True))


def migrate(name: str) -> None:
    MigrationExecutor(connection).migrate([("collector", name)])


@pytest.mark.long
@pytest.mark.usefixtures("and_back")
def test_migration_0005_marks_rehearsal_reports(design: Design, rehearsed: Design) -> None:
    store_report(payloads.body(design))
    receiving.receive_simulated([payloads.body(rehearsed)], slug="campus")
    migrate("0004_paper_mode")
    modes = "SELECT design_id, mode FROM collector_report"
    assert dict(rows(modes)) == {design.digest: 0, rehearsed.digest: 0}
    assert "report_in_its_world" not in triggers()
    assert len(triggers()) == 4
    migrate("0005_sealed_rehearsals")
    assert dict(rows(modes)) == {design.digest: 0, rehearsed.digest: 3}
    assert len(triggers()) == 5


@pytest.mark.long
@pytest.mark.usefixtures("and_back")
def test_migration_0009_and_back_keeps_reports_and_totals(design: Design, rehearsed: Design) -> None:
    """Folded and waiting ones, of two designs; down, up, and each is where it was, under its nonce and counted once."""
    store_report(payloads.body(design, nonce=FIRST, stratum="y2", report="0102"))
    fold_waiting(design)
    number = FrozenDesign.objects.get(digest=design.digest).number
    Tally.objects.create(design_id=number, part=7, stratum=1, position=0, symbol=1, count=41)
    store_report(payloads.body(design, nonce=SECOND, report="0001"))
    receiving.receive_simulated([payloads.body(rehearsed, nonce=THIRD)], slug="campus")
    before, totals = stored(), tallied()
    assert len(triggers()) == 7
    migrate("0006_daily_count")
    assert rows("SELECT nonce, design_id, stratum, mode, folding FROM collector_report ORDER BY nonce") == [
        (FIRST, design.digest, 1, 0, 2),
        (SECOND, design.digest, 0, 0, 0),
        (THIRD, rehearsed.digest, 0, 3, 0),
    ]
    assert rows("SELECT count FROM collector_tally WHERE stratum = 1 AND position = 0") == [(42,)]
    assert len(triggers()) == 5
    migrate("0009_tally_parts")
    assert sorted(FrozenDesign.objects.values_list("number", flat=True)) == [1, 2]
    assert stored() == before
    assert len(triggers()) == 7
    migrate("0017_totals_by_number")
    assert tallied() == totals
    assert selectors.received_count(design.digest) == 2


@pytest.mark.usefixtures("and_back")
def test_migration_0017_and_back_keeps_totals_and_days(design: Design, rehearsed: Design) -> None:
    receiving.receive_simulated([payloads.body(rehearsed), payloads.body(rehearsed, stratum="y2")], slug="campus")
    folding.fold(rehearsed.digest)
    totals, days = tallied(), selectors.daily_counts(rehearsed.digest)
    (number,) = FrozenDesign.objects.filter(rehearsal=True).values_list("number", flat=True)
    assert totals
    assert [day.count for day in days] == [2]
    migrate("0016_closed_by_a_restore")
    assert set(rows("SELECT design_id FROM collector_tally")) == {(rehearsed.digest,)}
    assert rows("SELECT design_id, count FROM collector_dailycount") == [(rehearsed.digest, 2)]
    migrate("0017_totals_by_number")
    assert set(rows("SELECT design_id FROM collector_tally")) == {(number,)}
    assert (tallied(), selectors.daily_counts(rehearsed.digest)) == (totals, days)


@pytest.mark.usefixtures("and_back")
def test_migration_0020_makes_closings_final_and_goes_back_from_no_other(design: Design, rehearsed: Design) -> None:
    close_design(design.digest, undoable=True)
    with pytest.raises(OperationalError, match="The closing of 1 surveys can still be undone"):
        migrate("0019_report_archives")
    close_design(design.digest)
    before = len(triggers())
    migrate("0019_report_archives")
    migrate("0020_final_closing")
    found = FrozenDesign.objects.order_by("number").values_list("closed_on", "final_on")
    (closed_on, final_on), untouched = found
    assert closed_on is not None
    assert (final_on, untouched) == (closed_on, (None, None))
    assert len(triggers()) == before


@pytest.mark.parametrize("table", [WaitingReport, Report])
def test_table_rows_lie_in_key_order(table: type[Report]) -> None:
    """SQLite numbers the rows of an ordinary table as they come: a migration that forgets ByKey would bring it back."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has no such tables")
    (made,) = rows(f"SELECT sql FROM sqlite_master WHERE name = '{table._meta.db_table}'")
    assert str(made[0]).endswith('PRIMARY KEY ("design_id", "nonce")) WITHOUT ROWID')


def rows(sql: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def stored() -> list[tuple[object, ...]]:
    return [
        (table.__name__, *row)
        for table in (WaitingReport, Report)
        for row in table.objects.order_by("pk").values_list("design__digest", "nonce", "stratum", "mode", "report")
    ]


def tallied() -> list[tuple[object, ...]]:
    cells = Tally.objects.values_list("design__digest", "stratum", "position", "symbol")
    return sorted(cells.annotate(Sum("count")))


def triggers() -> set[object]:
    return {name for (name,) in rows(TRIGGERS[connection.vendor])}
