"""Steps of an open design: no release differs from another one by fewer than ten reports of a group."""

import secrets
from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.db import connection

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.endpoint import receiving
from collector.models import FrozenDesign, Report, WaitingReport
from collector.reports import folding, selectors, step_plans, steps
from tests.factories import payloads

pytestmark = pytest.mark.django_db


def send(design: Design, *counts: int, mode: int = 0) -> None:
    """So many reports of each group, each with symbols of its own choice."""
    number = FrozenDesign.objects.get(digest=design.digest).number
    WaitingReport.objects.bulk_create(
        WaitingReport(
            nonce=secrets.token_bytes(16),
            design_id=number,
            stratum=stratum,
            report=bytes([secrets.randbelow(2), secrets.randbelow(3)]),
            mode=mode,
        )
        for stratum, count in enumerate(counts)
        for _ in range(count)
    )


def by_group(design: Design) -> list[int]:
    return [int(size) for size in selectors.totals(design.digest)[0].sum(axis=1)]


def waiting(design: Design) -> list[int]:
    counts = Counter(WaitingReport.objects.filter(design__digest=design.digest).values_list("stratum", flat=True))
    return [counts[stratum] for stratum in range(len(design.strata))]


@pytest.mark.parametrize(
    ("stored", "folded"), [(0, 0), (1, 0), (10, 0), (19, 0), (20, 10), (29, 10), (30, 20), (123, 110)]
)
def test_fold_open_design_keeps_one_step_waiting(design: Design, stored: int, folded: int) -> None:
    send(design, stored)
    assert folding.fold(design.digest) == folded
    assert by_group(design) == [folded, 0]
    assert selectors.report_counts([design.digest])[design.digest] == selectors.ReportCounts(folded, 0, stepwise=True)
    assert folding.fold(design.digest) == 0
    close_design(design.digest)
    assert selectors.report_count(design.digest) == stored
    assert folding.fold(design.digest) == stored - folded
    assert by_group(design) == [stored, 0]


def test_fold_one_arrival_changes_no_totals(design: Design) -> None:
    """The attack of issue 15: an estimate before and after a single arrival."""
    send(design, 44, 34)
    folding.fold(design.digest)
    before = [table.tolist() for table in selectors.totals(design.digest)]
    for _ in range(5):
        send(design, 1, 1)
        assert folding.fold(design.digest) == 0
        assert [table.tolist() for table in selectors.totals(design.digest)] == before
    send(design, 1, 1)
    assert folding.fold(design.digest) == 20


def test_fold_steps_are_per_stratum(design: Design) -> None:
    send(design, 39, 19)
    assert folding.fold(design.digest) == 20
    assert by_group(design) == [20, 0]
    assert waiting(design) == [19, 19]
    assert selectors.waiting_designs() == []
    send(design, 0, 1)
    assert selectors.waiting_designs() == [design.digest]
    assert folding.fold(design.digest) == 10
    assert by_group(design) == [20, 10]


def test_fold_protected_strata_step_together(db: None) -> None:
    """Else how many reports are folded would tell how many are in each."""
    document = payloads.document(participation={"epsilon": "0.5"})
    protected = freeze_design(document)
    send(protected, 13, 12)
    assert folding.fold(protected.digest) == 10
    assert sum(waiting(protected)) == 15


def test_selectors_do_not_reveal_waiting_reports(design: Design) -> None:
    send(design, 25)
    folding.fold(design.digest)

    def told() -> list[Any]:
        digest = design.digest
        return [
            selectors.report_counts([digest]),
            selectors.report_count(digest),
            [(day.first_day, day.last_day, day.count) for day in selectors.daily_counts(digest)],
            selectors.coin_report_count(digest),
            selectors.sheet_count(digest),
            selectors.folded_coin_report_count(digest),
            selectors.folded_in_all(),
            [table.tolist() for table in selectors.recount(digest)],
            sum(len(strata) for _, strata, _ in selectors.hashed_reports(digest, b"key")),
            selectors.waiting_designs(),
        ]

    before = told()
    assert before[1] == 10 == before[-2]
    for mode in (0, 1, 2, 0):
        send(design, 1, mode=mode)
        folding.fold(design.digest)
        assert told() == before
    assert selectors.received_count(design.digest) == 29


def test_coin_report_counts_open_design_are_stepped(design: Design) -> None:
    send(design, 45, mode=Report.Mode.COIN)
    send(design, 7, mode=Report.Mode.PAPER)
    folding.fold(design.digest)
    assert selectors.coin_report_count(design.digest) == selectors.folded_coin_report_count(design.digest) == 30
    assert selectors.sheet_count(design.digest) == 0
    close_design(design.digest)
    assert (selectors.coin_report_count(design.digest), selectors.sheet_count(design.digest)) == (52, 7)


def test_fold_rehearsal_has_no_steps(db: None) -> None:
    """Those who answer it are simulated."""
    rehearsed = freeze_design(payloads.document(rehearsal=True))
    receiving.receive_simulated([payloads.body(rehearsed) for _ in range(13)], slug="campus")
    assert folding.fold(rehearsed.digest) == 13


def test_daily_count_open_design_is_in_steps(design: Design) -> None:
    for count in (26, 3, 11):
        send(design, count)
        folding.fold(design.digest)
    assert [(day.first_day, day.count) for day in selectors.daily_counts(design.digest)] == [(today(), 30)]


def today() -> date:
    return folding.timezone.now().date()


@pytest.mark.parametrize("chunk", [1, 10, 25, 60])
def test_fold_chunks_are_whole_steps_per_stratum(design: Design, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[int]] = []
    honest = folding._fold_chunk

    def fold_chunk(*given: Any, **named: Any) -> Any:
        moved = honest(*given, **named)
        seen.append(by_group(design))
        return moved

    monkeypatch.setattr(folding, "_fold_chunk", fold_chunk)
    send(design, 77, 44)
    assert folding.fold(design.digest, chunk=chunk) == 90
    assert all(size % steps.STEP == 0 for sizes in seen for size in sizes)
    assert seen[-1] == [60, 30]


def test_fold_in_parallel_keeps_one_step_waiting(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    """On SQLite nothing keeps two processes apart: what one has drawn another may have folded meanwhile."""
    honest, others = folding._fold_chunk, [folding.fold, folding.fold]

    def fold_chunk(*given: Any, **named: Any) -> Any:
        if others:
            others.pop()(design.digest, chunk=10, wait=False)
        return honest(*given, **named)

    monkeypatch.setattr(folding, "_fold_chunk", fold_chunk)
    send(design, 64, 31)
    folding.fold(design.digest, chunk=20)
    assert by_group(design) == [50, 20]
    assert waiting(design) == [14, 11]


def drawn(design: Design, tries: int) -> list[set[int]]:
    """Which of the waiting reports are folded in so many draws, each by the rank of its nonce."""
    number = FrozenDesign.objects.get(digest=design.digest).number
    ranks = {nonce: rank for rank, nonce in enumerate(sorted(WaitingReport.objects.values_list("nonce", flat=True)))}
    return [{ranks[one] for one in next(step_plans.plan(design, number).chunks(500))} for _ in range(tries)]


@pytest.mark.parametrize("mine", [[0], [24], [0, 1], [23, 24]])
def test_fold_step_choice_is_independent_of_nonce(design: Design, mine: list[int]) -> None:
    """Of 25 that wait 10 are folded: one in 10/25 of 400 draws, two together in 10/25 of 9/24 of them.

    Whoever takes the lowest or the highest nonces fares no better. Each fails by chance in fewer than 1 of 10^5 runs.
    """
    send(design, 25)
    hits, chance = sum(set(mine) <= folded for folded in drawn(design, 400)), [0.4, 0.15][len(mine) - 1]
    near = 4.6 * (400 * chance * (1 - chance)) ** 0.5
    assert abs(hits - 400 * chance) <= near


def test_fold_backlog_is_drawn_by_one_statement(design: Design) -> None:
    """However many chunks there are, one statement draws them all: a million reports take no square of the time."""
    send(design, 400)
    asked: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        asked.append(sql)
        return execute(sql, *given)

    with connection.execute_wrapper(note):
        folding.fold(design.digest, chunk=20)
    assert sum("NOT EXISTS" in sql for sql in asked) == 1


def test_fold_closed_design_folds_the_rest(design: Design) -> None:
    send(design, 55, 7)
    folding.fold(design.digest)
    assert by_group(design) == [40, 0]
    close_design(design.digest)
    assert selectors.waiting_designs() == [design.digest]
    folding.fold(design.digest)
    assert by_group(design) == [55, 7]
    assert WaitingReport.objects.count() == 0


def test_fold_design_closed_meanwhile_folds_all(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = folding._fold_chunk

    def fold_chunk(*given: Any, **named: Any) -> Any:
        moved = honest(*given, **named)
        close_design(design.digest)
        return moved

    monkeypatch.setattr(folding, "_fold_chunk", fold_chunk)
    send(design, 64, 31)
    assert folding.fold(design.digest, chunk=10) == 95
    assert by_group(design) == [64, 31]
