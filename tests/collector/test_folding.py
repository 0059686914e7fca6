"""Folding: every report is counted once, whatever happens on the way.

The designs are closed, or rehearsals, so that nothing waits on for the next step: those are in test_steps.py.
"""

import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from django.db import connection

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.designs.services import close_design, freeze_design
from collector.models import DailyCount, FrozenDesign, Report, SetAsideReport, WaitingReport
from collector.reports import folding, moving, purging, rewriting, selectors, steps
from tests.factories import payloads
from tests.tools.gate import few

pytestmark = pytest.mark.django_db


@pytest.fixture
def design(design: Design) -> Design:
    """Closed, with whatever is put among what waits."""
    close_design(design.digest)
    return design


@pytest.fixture
def rehearsed(db: None) -> Design:
    return freeze_design(payloads.document(rehearsal=True))


def send(design: Design, count: int, seed: int = 1) -> None:
    generator = np.random.default_rng(seed)
    WaitingReport.objects.bulk_create(
        WaitingReport(
            nonce=secrets.token_bytes(16),
            design=FrozenDesign.objects.get(digest=design.digest),
            stratum=int(generator.integers(2)),
            report=bytes([int(generator.integers(2)), int(generator.integers(3))]),
            mode=Report.Mode.SIMULATED if design.rehearsal else Report.Mode.BROWSER,
        )
        for _ in range(count)
    )


def same(left: selectors.Totals, right: selectors.Totals) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


def test_fold_totals_by_position_symbol_and_stratum(design: Design) -> None:
    put(design, [(0, b"\1\0"), (0, b"\1\2"), (1, b"\0\2")])
    assert folding.fold(design.digest) == 3
    first, second = selectors.totals(design.digest)
    assert first.tolist() == [[0, 2], [1, 0]]
    assert second.tolist() == [[1, 0, 1], [0, 0, 1]]


def test_fold_in_chunks_equals_recount(design: Design) -> None:
    send(design, 1_003)
    assert folding.fold(design.digest, chunk=100) == 1_003
    assert same(selectors.totals(design.digest), selectors.recount(design.digest))
    assert selectors.totals(design.digest)[0].sum() == 1_003


def test_fold_repeated_counts_new_reports_only(design: Design) -> None:
    send(design, 50)
    folding.fold(design.digest)
    assert folding.fold(design.digest) == 0
    send(design, 7, seed=2)
    assert folding.fold(design.digest) == 7
    assert same(selectors.totals(design.digest), selectors.recount(design.digest))


def test_waiting_designs_lists_designs_to_fold(design: Design) -> None:
    assert selectors.waiting_designs() == []
    send(design, 1)
    assert selectors.waiting_designs() == [design.digest]
    folding.fold(design.digest)
    assert selectors.waiting_designs() == []


DAMAGED = [(0, b"\1"), (0, b""), (0, b"\1\2\0"), (0, b"\2\0"), (1, b"\0\3"), (2, b"\0\0"), (0, b"\xff\xff")]
"""A group and symbols that the design cannot have produced: lengths, symbols, a group of others."""


def put(design: Design, reports: list[tuple[int, bytes]]) -> None:
    number = FrozenDesign.objects.get(digest=design.digest).number
    WaitingReport.objects.bulk_create(
        WaitingReport(nonce=secrets.token_bytes(16), design_id=number, stratum=stratum, report=report)
        for stratum, report in reports
    )


@pytest.mark.parametrize("damaged", few([[one] for one in DAMAGED] + [DAMAGED]))
def test_fold_sets_damaged_reports_aside(
    design: Design, damaged: list[tuple[int, bytes]], caplog: pytest.LogCaptureFixture
) -> None:
    send(design, 50)
    put(design, damaged)
    assert folding.fold(design.digest, chunk=20) == 50
    assert same(selectors.totals(design.digest), selectors.recount(design.digest))
    assert selectors.report_counts([design.digest])[design.digest] == selectors.ReportCounts(folded=50, waiting=0)
    kept = [(row.stratum, bytes(row.report)) for row in SetAsideReport.objects.all()]
    assert sorted(kept) == sorted(damaged)
    assert selectors.set_aside_in_all() == len(damaged)
    assert all(b.hex() not in caplog.text for _, b in damaged if len(b) > 1)
    assert folding.fold(design.digest) == 0


def test_purge_deletes_reports_set_aside(design: Design) -> None:
    send(design, 20)
    put(design, DAMAGED)
    assert purging.purge(design.digest) == 20
    assert not SetAsideReport.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_rewrite_keeps_reports_set_aside(design: Design) -> None:
    put(design, DAMAGED)
    folding.fold(design.digest)
    before = sorted(SetAsideReport.objects.values_list("nonce", "report", "stratum", "mode"))
    rewriting.rewrite()
    assert sorted(SetAsideReport.objects.values_list("nonce", "report", "stratum", "mode")) == before


class Death(BaseException):
    """A worker that is killed."""


@pytest.mark.django_db(transaction=True)
def test_fold_interrupted_counts_each_report_once(design: Design) -> None:
    """Killed before the first statement, before the second and so on to the last; the next worker counts all once."""
    stored, left = 0, 0

    def die(execute: Callable[..., Any], *given: Any) -> Any:
        nonlocal left
        if left == 0:
            raise Death
        left -= 1
        return execute(*given)

    for number in range(50):
        send(design, 20, seed=number)
        stored, left = stored + 20, number
        with suppress(Death), connection.execute_wrapper(die):
            folding.fold(design.digest, chunk=15)
        assert selectors.report_count(design.digest) == selectors.recount(design.digest)[0].sum() == stored
        if left:
            break
        folding.fold(design.digest)
        assert selectors.report_counts([design.digest])[design.digest] == selectors.ReportCounts(
            folded=stored, waiting=0
        )
        assert same(selectors.totals(design.digest), selectors.recount(design.digest))
    assert 10 < number < 49, "it died everywhere, and in the end it lived"


def days(design: Design) -> list[tuple[int, int, int]]:
    """First day, last day and count, days as those of the month."""
    return [(row.first_day.day, row.last_day.day, row.count) for row in selectors.daily_counts(design.digest)]


def folded_on(day: int, design: Design, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding.timezone, "now", lambda: datetime(2026, 3, day, 23, 59, tzinfo=UTC))
    send(design, count, seed=day)
    folding.fold(design.digest)


def test_fold_joins_days_with_few_reports(rehearsed: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    for day, count in ((1, 12), (2, 3), (5, 6), (6, 1), (7, 10), (7, 4), (8, 2)):
        folded_on(day, rehearsed, count, monkeypatch)
    assert days(rehearsed) == [(1, 1, 12), (2, 6, 10), (7, 7, 14), (8, 8, 2)]
    counted = selectors.report_counts([rehearsed.digest])
    assert counted == {rehearsed.digest: selectors.ReportCounts(folded=38, waiting=0)}
    monkeypatch.undo()
    send(rehearsed, 4)
    assert selectors.report_count(rehearsed.digest) == 42
    assert selectors.report_counts([rehearsed.digest])[rehearsed.digest].waiting == 4


def test_fold_closed_design_joins_last_days(rehearsed: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    folded_on(1, rehearsed, 12, monkeypatch)
    folded_on(2, rehearsed, 3, monkeypatch)
    assert days(rehearsed) == [(1, 1, 12), (2, 2, 3)]
    close_design(rehearsed.digest)
    folding.fold(rehearsed.digest)
    folding.fold(rehearsed.digest)
    assert days(rehearsed) == [(1, 2, 15)]


def test_fold_clock_set_back_loses_no_report(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    folded_on(2, design, 12, monkeypatch)
    folded_on(1, design, 5, monkeypatch)
    assert days(design) == [(2, 2, 17)]


def test_daily_count_has_no_further_fields() -> None:
    assert {field.name for field in DailyCount._meta.fields} == {"pk", "design", "first_day", "last_day", "count"}


QUESTIONS: dict[str, tuple[Callable[[str], object], list[str]]] = {
    "how many are stored": (lambda digest: selectors.report_counts([digest]), ["PRIMARY KEY", "waitingreport_pkey"]),
    "what waits": (lambda _: selectors.waiting_designs(), ["PRIMARY KEY", "waitingreport_pkey"]),
    "the next step": (
        lambda _: steps.has_step(get_design(_), 1),
        ["PRIMARY KEY", "waitingreport_pkey"],
    ),
    "what is to be folded": (lambda digest: moving.move(1, most=10, wait=False), ["PRIMARY KEY", "waitingreport_pkey"]),
    "coins": (selectors.coin_report_count, ["report_from_a_coin"]),
    "sheets": (selectors.sheet_count, ["report_from_a_coin"]),
    "coins in the totals": (selectors.folded_coin_report_count, ["report_from_a_coin"]),
    "all of one design": (selectors.recount, ["PRIMARY KEY", "report_pkey"]),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_selectors_query_by_index_not_by_full_scan(design: Design, question: str) -> None:
    """Each goes by a key or by a small index; over millions of reports anything else would take seconds.

    PostgreSQL, which reads a table that is as small as here from end to end, is told not to; by Citus on every node.
    """
    send(design, 2)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL citus.propagate_set_commands = 'local'")
            cursor.execute("SET LOCAL enable_seqscan = off")
    ask, indexes = QUESTIONS[question]
    plan = explained(lambda: ask(design.digest))
    assert any(index in plan for index in indexes), plan
    assert "SCAN U0" not in plan
    assert not re.search(r"(SCAN|Seq Scan on) collector_(waiting)?report", plan), plan


def explained(ask: Callable[[], object]) -> str:
    """How the database goes about the statements of a question, as it says itself."""
    asked: list[tuple[str, Any]] = []

    def note(execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(("SAVEPOINT", "RELEASE")):
            asked.append((sql, values))
        return execute(sql, values, many, context)

    with connection.execute_wrapper(note):
        ask()
    explain = "EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN "
    plans = []
    with connection.cursor() as cursor:
        for sql, values in asked:
            cursor.execute(explain + sql, values)
            plans += cursor.fetchall()
    return str(plans)
