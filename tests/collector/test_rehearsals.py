"""Simulated reports and real ones never meet: not by any door of the collector, and not by raw SQL."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, NotSupportedError, OperationalError, connection, transaction

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.endpoint import receiving
from collector.models import FrozenDesign, Report, Tally, WaitingReport
from collector.reports import folding, selectors, services
from tests.factories import payloads
from tests.factories.reports import fold_waiting, store_report
from tests.tools.refusals import refuses

INSERT = "INSERT INTO {table} (nonce, design_id, stratum, report, mode) VALUES (%s, %s, 0, %s, {mode})"
TABLES = ("collector_waitingreport", "collector_report")


@pytest.fixture
def rehearsed(db: None) -> Design:
    """An open design of a rehearsal, under the name of the real one."""
    return freeze_design(payloads.document(rehearsal=True))


def number_of(design: Design) -> int:
    return FrozenDesign.objects.get(digest=design.digest).number


def form(design: Design, **more: str) -> dict[str, str]:
    return {"design": design.digest, "stratum": "y1", "item-1": "0", "item-2": "0", **more}


def body_of(fields: dict[str, str]) -> bytes:
    return "&".join(f"{name}={value}" for name, value in fields.items()).encode()


DOORS: dict[str, Callable[[Design], object]] = {
    "the browser's": lambda design: store_report(payloads.body(design)),
    "the coin's first": lambda design: receiving.preview_form(body_of(form(design)), slug="campus"),
    "the coin's": lambda design: receiving.receive_form(body_of(form(design, nonce="ab" * 16)), slug="campus"),
    "paper's": lambda design: receiving.receive_sheet(form(design, nonce="ab" * 16), slug="campus"),
}


@pytest.mark.parametrize("door", DOORS)
def test_real_endpoints_reject_reports_to_rehearsal(design: Design, rehearsed: Design, door: str) -> None:
    with refuses(404):
        DOORS[door](rehearsed)
    DOORS[door](design)  # the same report fits the real design
    assert selectors.report_count(rehearsed.digest) == 0


def test_simulated_report_to_real_design_answers_404(design: Design, rehearsed: Design) -> None:
    with refuses(404):
        receiving.receive_simulated([payloads.body(rehearsed), payloads.body(design)], slug="campus")
    receiving.receive_simulated([payloads.body(rehearsed)], slug="campus")
    assert WaitingReport.objects.get().mode == Report.Mode.SIMULATED, "of the two before neither was stored"
    close_design(rehearsed.digest)
    with refuses(410):
        receiving.receive_simulated([payloads.body(rehearsed)], slug="campus")


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(("mode", "simulated"), [(0, True), (1, True), (2, True), (3, False)])
def test_raw_sql_insert_mixing_simulated_and_real_raises(
    design: Design, rehearsed: Design, mode: int, simulated: bool, table: str
) -> None:
    number = number_of(rehearsed if simulated else design)
    with pytest.raises(IntegrityError, match="simulated reports"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(INSERT.format(table=table, mode=mode), [b"n" * 16, number, bytes(2)])


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("change", ["design_id = %s", "mode = 0, design_id = %s", "mode = 0 WHERE %s <> 0"])
def test_raw_sql_update_mixing_simulated_and_real_raises(
    design: Design, rehearsed: Design, change: str, table: str
) -> None:
    """By the trigger; Citus itself refuses another design's number, which would move the row to another node."""
    receiving.receive_simulated([payloads.body(rehearsed)], slug="campus")
    if table == "collector_report":
        folding.fold(rehearsed.digest)
    refusals = (IntegrityError, OperationalError, NotSupportedError)
    with pytest.raises(refusals), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {change}", [number_of(design)])


def test_clear_rehearsal_real_design_raises(design: Design, rehearsed: Design) -> None:
    store_report(payloads.body(design))
    receiving.receive_simulated([payloads.body(rehearsed)], slug="campus")
    fold_waiting(design)
    folding.fold(rehearsed.digest)
    for forget in (services.clear_rehearsal, services.discard_rehearsal):
        with pytest.raises(ValueError, match="design must be one of a rehearsal"):
            forget(design.digest)
    services.clear_rehearsal(rehearsed.digest)
    assert set(Tally.objects.values_list("design__digest", flat=True)) == {design.digest}
    receiving.receive_simulated([payloads.body(rehearsed)], slug="campus")  # it takes them anew
    services.discard_rehearsal(rehearsed.digest)
    assert list(FrozenDesign.objects.values_list("digest", flat=True)) == [design.digest]
    assert selectors.recount(design.digest)[0].sum() == 1
