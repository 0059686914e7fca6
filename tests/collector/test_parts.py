"""A design that is split: it takes, counts, closes and gives out the same reports as an unsplit twin."""

import secrets
from datetime import date

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from collector.designs import Design, parts
from collector.designs.selectors import find_design, get_design, part_count
from collector.designs.services import close_design, freeze_design
from collector.endpoint import receiving
from collector.endpoint.receiving import RequestRefused
from collector.errors import Conflict
from collector.models import DailyCount, FrozenDesign, Report, WaitingReport
from collector.reports import folding, purging, selectors, storing
from collector.reports.storing import NewReport, Outcome
from estimator.runs.selectors import changed_designs
from tests.factories import payloads
from tests.factories.reports import sent

pytestmark = pytest.mark.django_db

COUNT = 4


@pytest.fixture
def split(db: None) -> Design:
    design = freeze_design(payloads.document(slug="large"))
    parts.split_design(design.digest, COUNT)
    return design


@pytest.fixture
def twin(db: None) -> Design:
    return freeze_design(payloads.document(slug="small"))


def store(design: Design, rows: list[tuple[bytes, int, bytes, int]]) -> list[Outcome]:
    return storing.store([NewReport(nonce, design.digest, group, report, mode) for nonce, group, report, mode in rows])


@pytest.mark.django_db(transaction=True)
def test_split_design_stores_each_report_once_in_its_part(split: Design) -> None:
    rows = sent(200)
    assert set(store(split, rows)) == {Outcome.STORED}
    assert set(store(split, rows)) == {Outcome.KNOWN}
    other = [(nonce, group, bytes([1 - report[0], report[1]]), mode) for nonce, group, report, mode in rows]
    assert set(store(split, other)) == {Outcome.TAKEN}
    numbers = dict(FrozenDesign.objects.values_list("digest", "number"))
    placed = {bytes(nonce): number for nonce, number in WaitingReport.objects.values_list("nonce", "design_id")}
    assert placed == {nonce: numbers[parts.key_for(split.digest, nonce)] for nonce, *_ in rows}
    assert len(set(placed.values())) == COUNT
    folding.fold(split.digest)
    assert set(store(split, rows)) == {Outcome.KNOWN}, "of those in the totals too"


@pytest.mark.django_db(transaction=True)
def test_batch_of_split_and_unsplit_designs_is_stored(split: Design, twin: Design) -> None:
    rows = sent(60)
    batch = [
        NewReport(nonce, design.digest, group, report, mode)
        for nonce, group, report, mode in rows
        for design in (split, twin)
    ]
    assert set(storing.store([*batch, *batch][: len(batch) + 1])) == {Outcome.STORED, Outcome.KNOWN}
    assert selectors.received_count(split.digest) == selectors.received_count(twin.digest) == 60


@pytest.mark.django_db(transaction=True)
def test_split_design_gives_what_its_twin_gives(split: Design, twin: Design) -> None:
    rows = sent(400)
    for design in (split, twin):
        store(design, rows)
        close_design(design.digest)
        assert folding.fold(design.digest) == 400
    both = split.digest, twin.digest
    for read in (
        lambda digest: [one.tolist() for one in selectors.totals(digest)],
        lambda digest: [one.tolist() for one in selectors.recount(digest)],
        lambda digest: selectors.report_counts([digest])[digest],
        selectors.report_count,
        selectors.received_count,
        selectors.coin_report_count,
        selectors.sheet_count,
        selectors.folded_coin_report_count,
        lambda digest: [(one.first_day, one.last_day, one.count) for one in selectors.daily_counts(digest)],
    ):
        assert read(both[0]) == read(both[1])
    key = secrets.token_bytes(32)
    split_rows, twin_rows = (
        sorted(
            (int(code), int(group), report.tobytes())
            for chunk in selectors.hashed_reports(digest, key)
            for code, group, report in zip(*chunk, strict=True)
        )
        for digest in both
    )
    assert split_rows == twin_rows
    assert selectors.report_counts(both).keys() == set(both)


def test_open_split_design_is_folded_in_steps_of_each_part(split: Design) -> None:
    for key in parts.keys(split.digest):
        put(key, 45)
    assert set(selectors.waiting_designs()) == set(parts.keys(split.digest))
    assert folding.fold(split.digest) == COUNT * 30
    assert selectors.report_counts([split.digest]) == {split.digest: selectors.ReportCounts(COUNT * 30, 0, True)}
    assert [int(one.sum()) for one in selectors.totals(split.digest)] == [COUNT * 30] * 2
    assert selectors.received_count(split.digest) == COUNT * 45


def test_key_of_a_part_folds_that_part(split: Design) -> None:
    keys = parts.keys(split.digest)
    for key in keys:
        put(key, 45)
    assert folding.fold(keys[2]) == 30
    assert selectors.waiting_designs() == sorted({*keys} - {keys[2]})


def put(key: str, count: int) -> None:
    number = FrozenDesign.objects.get(digest=key).number
    WaitingReport.objects.bulk_create(
        WaitingReport(design_id=number, nonce=secrets.token_bytes(16), stratum=0, report=b"\1\2") for _ in range(count)
    )


@pytest.mark.django_db(transaction=True)
def test_close_design_closes_every_part(split: Design) -> None:
    close_design(split.digest)
    assert FrozenDesign.objects.filter(closed_on=None).count() == 0
    assert set(store(split, sent(50))) == {Outcome.CLOSED}


def test_purge_deletes_reports_of_every_part_and_keeps_counts(split: Design) -> None:
    store_within(split, rows := sent(200))
    close_design(split.digest)
    assert purging.purge(split.digest) == 200
    assert not Report.objects.exists()
    by_hand = sum(mode > 0 for *_, mode in rows)
    assert selectors.coin_report_count(split.digest) == by_hand
    assert selectors.report_count(split.digest) == 200
    with pytest.raises(Conflict, match="were deleted"):
        selectors.recount(split.digest)
    assert FrozenDesign.objects.filter(purged_on=None).count() == 0


def store_within(design: Design, rows: list[tuple[bytes, int, bytes, int]]) -> None:
    storing.insert([NewReport(nonce, design.digest, group, report, mode) for nonce, group, report, mode in rows])


def test_daily_counts_of_parts_are_added_up_where_days_meet(split: Design) -> None:
    numbers = sorted(FrozenDesign.objects.values_list("number", flat=True))
    days = [(0, 1, 1, 30), (0, 4, 4, 20), (1, 1, 2, 11), (2, 2, 3, 12), (3, 5, 5, 40)]
    for place, first, last, count in days:
        first_day, last_day = date(2026, 3, first), date(2026, 3, last)
        DailyCount.objects.create(design_id=numbers[place], first_day=first_day, last_day=last_day, count=count)
    found = [(one.first_day.day, one.last_day.day, one.count) for one in selectors.daily_counts(split.digest)]
    assert found == [(1, 3, 53), (4, 4, 20), (5, 5, 40)]
    assert selectors.folded_in_all() == 113
    assert changed_designs(before=selectors.timezone.now()) == [split.digest]


def test_key_of_a_part_is_no_design_for_respondents(split: Design) -> None:
    key = parts.keys(split.digest)[1]
    assert find_design(key) is None
    assert get_design(key).digest == split.digest
    with pytest.raises(RequestRefused, match="No open design"):
        receiving.preview_form(f"design={key}&stratum=y1&item-1=1&item-2=0".encode(), slug="large")


def test_split_design_refuses_what_cannot_be_split(split: Design, twin: Design) -> None:
    with pytest.raises(Conflict, match="split already"):
        parts.split_design(split.digest, 2)
    with pytest.raises(Conflict, match="from 2 to 64; got 65"):
        parts.split_design(twin.digest, 65)
    rehearsed = freeze_design(payloads.document(slug="rehearsed", rehearsal=True))
    with pytest.raises(Conflict, match="A rehearsal cannot be split"):
        parts.split_design(rehearsed.digest, 2)
    put(twin.digest, 1)
    with pytest.raises(Conflict, match="has responses already"):
        parts.split_design(twin.digest, 2)
    close_design(twin.digest)
    with pytest.raises(Conflict, match="is closed"):
        parts.split_design(twin.digest, 2)
    assert part_count(twin.digest) == 1


def test_split_design_by_invitation_is_refused() -> None:
    invited = freeze_design(payloads.document(slug="invited", invitations={"kind": "secret"}))
    with pytest.raises(Conflict, match="A survey by invitation cannot be split"):
        parts.split_design(invited.digest, 2)


@pytest.mark.parametrize("change", ["part_of_id = NULL", "number = 999", "document = '{}'"])
def test_part_is_frozen_in_raw_sql(split: Design, change: str) -> None:
    key = parts.keys(split.digest)[1]
    statement = f"UPDATE collector_frozendesign SET {change} WHERE digest = %s"
    with (
        pytest.raises(IntegrityError, match="frozen design"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, [key])


def test_simulated_report_of_a_part_is_refused_by_the_database(split: Design) -> None:
    key = parts.keys(split.digest)[1]
    rows = [NewReport(secrets.token_bytes(16), key, 0, b"\1\2", Report.Mode.SIMULATED)]
    with pytest.raises(IntegrityError, match="simulated reports belong to rehearsals"), transaction.atomic():
        storing.insert(rows)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("and_back")
def test_migration_back_with_a_split_design_is_refused(split: Design) -> None:
    with pytest.raises(Exception, match="1 surveys are split into parts"):
        MigrationExecutor(connection).migrate([("collector", "0017_totals_by_number")])
    assert FrozenDesign.objects.filter(part_of=split.digest).count() == COUNT - 1


def test_nonces_spread_evenly_over_parts() -> None:
    placed = [parts.place_of(number.to_bytes(16), 8) for number in range(8_000)]
    assert all(900 < placed.count(part) < 1_100 for part in range(8))
    assert [parts.place_of(bytes([number] * 16), 8) for number in range(6)] == [5, 5, 6, 6, 6, 6]
