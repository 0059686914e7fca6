"""Taking a report: stored once, answered alike, never changed."""

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.utils import ConnectionHandler

from collector.database import settings
from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.models import FrozenDesign, Report, WaitingReport
from config.database import database
from tests.factories import payloads
from tests.factories.reports import fold_waiting, store_report
from tests.tools.refusals import refuses

pytestmark = pytest.mark.django_db


def test_store_report_keeps_bytes(design: Design) -> None:
    body = payloads.body(design, stratum="y2", report="0102", nonce="ab" * 16)
    assert store_report(body)
    stored = WaitingReport.objects.get()
    assert (bytes(stored.nonce).hex(), stored.stratum, bytes(stored.report)) == ("ab" * 16, 1, b"\x01\x02")


def test_store_report_repeated_is_stored_once(design: Design) -> None:
    body = payloads.body(design)
    assert (store_report(body), store_report(body)) == (True, False)
    assert WaitingReport.objects.count() == 1


@pytest.mark.parametrize("change", [{"report": "0101"}, {"stratum": "y2"}])
def test_store_report_changed_under_nonce_answers_409(design: Design, change: dict[str, str]) -> None:
    first = payloads.report(design, nonce="cd" * 16)
    store_report(payloads.body(design, **first))
    with refuses(409):
        store_report(payloads.body(design, **(first | change)))
    assert bytes(WaitingReport.objects.get().report) == b"\x00\x00"


def test_store_report_closed_design_answers_410(design: Design) -> None:
    kept = payloads.body(design)
    store_report(kept)
    close_design(design.digest)
    with refuses(410):
        store_report(payloads.body(design))
    assert not store_report(kept), "a retry of a stored report still gets its receipt"
    assert WaitingReport.objects.count() == 1


def test_close_design_twice_keeps_first_day(design: Design) -> None:
    FrozenDesign.objects.update(closed_on=date(2026, 1, 2))
    close_design(design.digest)
    assert FrozenDesign.objects.get().closed_on == date(2026, 1, 2)


@pytest.mark.parametrize(
    ("slug", "changes", "status"),
    [
        ("campus", {"design": "0" * 64}, 404),
        ("another", {}, 404),
        ("campus", {"report": "0000ff"}, 422),
    ],
)
def test_store_report_rejected_writes_nothing(design: Design, slug: str, changes: dict[str, str], status: int) -> None:
    with refuses(status):
        store_report(payloads.body(design, **changes), slug=slug)
    assert not WaitingReport.objects.exists()


def test_freeze_design_twice_is_idempotent(design: Design) -> None:
    assert freeze_design(payloads.document()).digest == design.digest
    assert FrozenDesign.objects.count() == 1


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE collector_frozendesign SET document = '{}'",
        "UPDATE collector_frozendesign SET digest = 'x'",
        "UPDATE collector_frozendesign SET opened_on = '2000-01-01'",
        "DELETE FROM collector_frozendesign",
        "UPDATE collector_frozendesign SET number = 9",
        "UPDATE {} SET report = %(bytes)s",
        "UPDATE {} SET stratum = 1",
        "UPDATE {} SET nonce = %(bytes)s",
        "UPDATE {} SET mode = 1",
    ],
)
@pytest.mark.parametrize("table", ["collector_waitingreport", "collector_report"])
def test_raw_sql_change_of_frozen_row_raises(design: Design, sql: str, table: str) -> None:
    for fold in (True, False):  # a report in each table
        store_report(payloads.body(design))
        if fold:
            fold_waiting(design)
    with pytest.raises((IntegrityError, OperationalError)), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.format(table), {"bytes": b"\1" * 16} if "%" in sql else None)


def test_raw_sql_reopening_design_raises(design: Design) -> None:
    close_design(design.digest)
    with pytest.raises((IntegrityError, OperationalError)), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE collector_frozendesign SET closed_on = NULL")


def test_database_commit_is_durable_and_checked(tmp_path: Path) -> None:
    """A commit of an installation returns when it is on disk, and the check that says so at start can fail."""
    installed = database(os.environ.get("DATABASE_URL", ""), tmp_path)
    installed["OPTIONS"].pop("pool", None)
    there = ConnectionHandler({"default": installed})["default"]
    weaker = "SET synchronous_commit = off" if there.vendor == "postgresql" else "PRAGMA synchronous = OFF"
    try:
        assert settings.faults(there) == []
        with there.cursor() as cursor:
            cursor.execute(weaker)
        assert [fault.id for fault in settings.faults(there)] == ["collector.E001"]
    finally:
        there.close()


def test_report_tables_have_no_further_fields() -> None:
    """Whatever is added to what is kept has to be added here too, and argued for."""
    for table in (WaitingReport, Report):
        fields = {field.name for field in table._meta.fields}
        assert fields == {"pk", "nonce", "design", "stratum", "report", "mode"}, "the key is design and nonce"


@pytest.mark.django_db(transaction=True)
def test_store_report_parallel_same_nonce_stores_one(design: Design) -> None:
    body = payloads.body(design)

    def send(_: int) -> bool:
        try:
            return store_report(body)
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        created = list(pool.map(send, range(50)))
    assert sum(created) == 1
    assert WaitingReport.objects.count() == 1
