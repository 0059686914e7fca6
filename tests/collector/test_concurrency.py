"""Several at once: workers that fold one design, senders that store, someone who closes. Those that need two

transactions side by side run on PostgreSQL alone; SQLite lets one write at a time.
"""

import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Event, Thread, current_thread
from typing import Any

import pytest
from django.db import connection, transaction

from collector.database import distribution
from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.endpoint import receiving
from collector.models import FrozenDesign, Report, Tally, WaitingReport
from collector.reports import folding, moving, purging, rewriting, selectors, services, shards, storing
from collector.reports.storing import NewReport, Outcome
from tests.factories import payloads
from tests.factories.reports import fold_waiting

pytestmark = pytest.mark.django_db(transaction=True)

on_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite lets one write at a time")
PATIENCE = 60.0


def new(design: Design, **changes: object) -> NewReport:
    sound = {"nonce": secrets.token_bytes(16), "digest": design.digest, "stratum": 0, "report": b"\1\2", "mode": 0}
    return NewReport(**sound | changes)  # type: ignore[arg-type]


class Other(Thread):
    """Another process, as far as the database can tell: a thread with a connection of its own.

    With `pausing` it stops where it comes to a pause, until it shall `go_on`.
    """

    def __init__(self, work: Callable[[], Any], *, pausing: bool = False) -> None:
        super().__init__(daemon=True)
        self.work, self.pausing = work, pausing
        self.there, self.further = Event(), Event()
        self.result: Future[Any] = Future()
        self.start()

    def go_on(self) -> Any:
        """What its work comes to in the end."""
        self.further.set()
        return self.result.result(PATIENCE)

    def run(self) -> None:
        try:
            self.result.set_result(self.work())
        except BaseException as error:
            self.result.set_exception(error)
        finally:
            connection.close()


def pause() -> None:
    me = current_thread()
    if isinstance(me, Other) and me.pausing:
        me.there.set()
        assert me.further.wait(PATIENCE)


def paused(work: Callable[[], Any]) -> Other:
    """Another that has come to its pause."""
    other = Other(work, pausing=True)
    assert other.there.wait(PATIENCE)
    return other


@pytest.fixture
def slow_folding(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a pause when a chunk is added to the totals, before anything is committed."""
    honest = folding._add

    def add(*given: Any) -> None:
        honest(*given)
        pause()

    monkeypatch.setattr(folding, "_add", add)


def fold_ten(design: Design) -> None:
    """A chunk of a design that is closed, or a rehearsal."""
    folding._fold_chunk(design.digest, partial(moving.move, most=10, wait=False), steps=False)


def close_with(design: Design, count: int) -> None:
    """So many reports wait in a closed design."""
    storing.store([new(design) for _ in range(count)])
    close_design(design.digest)


WAITS = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"


def until_waiting(count: int = 1) -> None:
    """Until so many transactions wait for a lock, on whatever node of a cluster."""
    deadline = time.monotonic() + PATIENCE
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute(WAITS)
            found = distribution.on_nodes(WAITS) if distribution.is_distributed() else cursor.fetchone()
            if sum(map(int, found)) == count:
                return
            time.sleep(0.01)
    raise AssertionError(f"there are not {count} that wait")


def counted_once(design: Design, count: int) -> bool:
    totals, recount = selectors.totals(design.digest), selectors.recount(design.digest)
    counted = selectors.report_counts([design.digest])[design.digest]
    return (
        all((one == other).all() for one, other in zip(totals, recount, strict=True))
        and totals[0].sum() == count
        and counted == selectors.ReportCounts(folded=count, waiting=0)
    )


@on_postgresql
@pytest.mark.usefixtures("slow_folding")
def test_fold_closed_design_workers_run_in_parallel(design: Design) -> None:
    """Another one has reports in hand and has added to the totals: this one folds the rest and is done."""
    close_with(design, 30)
    slow = paused(lambda: fold_ten(design))
    assert folding.fold(design.digest, wait=False) == 20
    assert selectors.report_counts([design.digest])[design.digest] == selectors.ReportCounts(folded=20, waiting=10)
    slow.go_on()
    assert counted_once(design, 30)
    assert set(Tally.objects.values_list("part", flat=True)) == {0, 1}


@on_postgresql
@pytest.mark.usefixtures("slow_folding")
def test_fold_waiting_blocks_until_other_worker_commits(design: Design) -> None:
    close_with(design, 30)
    slow = paused(lambda: fold_ten(design))
    last = Other(lambda: folding.fold(design.digest))
    until_waiting()
    assert not last.result.done()
    slow.go_on()
    assert last.go_on() == 20
    assert counted_once(design, 30)


@on_postgresql
@pytest.mark.usefixtures("slow_folding")
def test_fold_after_worker_death_folds_its_reports(design: Design) -> None:
    close_with(design, 30)

    def dies() -> None:
        with transaction.atomic():
            fold_ten(design)
            raise SystemExit

    slow = paused(dies)
    last = Other(lambda: folding.fold(design.digest))
    until_waiting()
    with pytest.raises(SystemExit):
        slow.go_on()
    assert last.go_on() == 30
    assert counted_once(design, 30)


@on_postgresql
@pytest.mark.usefixtures("slow_folding")
def test_store_retry_during_fold_is_known(design: Design) -> None:
    """It cannot know before the worker has committed: it waits, and then finds it where it has gone."""
    first = new(design)
    storing.store([first, *(new(design) for _ in range(9))])
    slow = paused(lambda: fold_waiting(design))
    changed = first._replace(report=b"\0\0")
    again = Other(lambda: storing.store([first, changed, new(design)]))
    until_waiting()
    slow.go_on()
    assert again.go_on() == [Outcome.KNOWN, Outcome.TAKEN, Outcome.STORED]
    close_design(design.digest)
    folding.fold(design.digest)
    assert counted_once(design, 11)


@on_postgresql
@pytest.mark.usefixtures("slow_folding")
def test_clear_rehearsal_during_fold_leaves_no_reports(db: None) -> None:
    rehearsed = freeze_design(payloads.document(rehearsal=True))
    receiving.receive_simulated([payloads.body(rehearsed) for _ in range(20)], slug="campus")
    slow = paused(lambda: fold_ten(rehearsed))
    forgetting = Other(lambda: services.clear_rehearsal(rehearsed.digest))
    until_waiting()
    slow.go_on()
    forgetting.go_on()
    assert counted_once(rehearsed, 0)
    assert not Tally.objects.exists()


@on_postgresql
@pytest.mark.usefixtures("slow_folding")
def test_close_design_during_fold_counts_each_report_once(design: Design) -> None:
    storing.store([new(design) for _ in range(45)])
    slow = paused(lambda: folding.fold(design.digest, chunk=10))
    close_design(design.digest)
    final = Other(lambda: folding.fold(design.digest))
    until_waiting()
    slow.go_on()
    assert final.go_on() == 35
    assert counted_once(design, 45)
    assert [day.count for day in selectors.daily_counts(design.digest)] == [45]


@on_postgresql
@pytest.mark.usefixtures("slow_folding")
def test_fold_open_design_one_worker_at_a_time(design: Design) -> None:
    """Two that draw at once would leave less than a step, and who has to know all waits for who was before."""
    storing.store([new(design) for _ in range(45)])
    slow = paused(lambda: folding.fold(design.digest, chunk=10))
    assert folding.fold(design.digest, wait=False) == 0
    asked = Other(lambda: folding.fold(design.digest))
    until_waiting()
    slow.go_on()
    assert asked.go_on() == 0
    assert selectors.report_count(design.digest) == 30
    assert WaitingReport.objects.count() == 15


@on_postgresql
@pytest.mark.usefixtures("slow_folding")
def test_purge_waits_for_running_fold(design: Design) -> None:
    """Else what that one keeps a moment later would be there for good."""
    close_with(design, 30)
    slow = paused(lambda: fold_ten(design))
    purge = Other(lambda: purging.purge(design.digest, chunk=7))
    until_waiting()
    slow.go_on()
    assert purge.go_on() == 30
    assert purged(design, 30)


@on_postgresql
def test_rewrite_waits_for_running_purge(design: Design) -> None:
    """A copy of the table that is made meanwhile would bring back what is just being deleted."""
    closed(design, 30)

    def delete_slowly() -> None:
        with transaction.atomic():
            purging._delete_chunk(FrozenDesign.objects.get().number, 10)
            pause()

    slow = paused(delete_slowly)
    rewrite = Other(rewriting.rewrite)
    until_waiting()
    slow.go_on()
    rewrite.go_on()
    assert Report.objects.count() == 20
    assert purging.purge(design.digest) == 20
    assert purged(design, 30)


@on_postgresql
def test_purge_waits_for_running_rewrite(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it deletes of the old table would stay in the new one."""
    closed(design, 30)
    where, name = (shards, "_until_done") if distribution.is_distributed() else (rewriting, "_replace")
    honest = getattr(where, name)

    def replace_slowly(*given: Any, **named: Any) -> None:
        honest(*given, **named)
        pause()

    monkeypatch.setattr(where, name, replace_slowly)
    slow = paused(rewriting.rewrite)
    purge = Other(lambda: purging.purge(design.digest))
    until_waiting()
    slow.go_on()
    assert purge.go_on() == 30
    assert purged(design, 30)


def closed(design: Design, count: int) -> None:
    storing.store([new(design) for _ in range(count)])
    close_design(design.digest)
    folding.fold(design.digest)


def purged(design: Design, count: int) -> bool:
    """Whether no report is left, and the totals hold them all."""
    left = Report.objects.exists() or WaitingReport.objects.exists()
    return not left and selectors.totals(design.digest)[0].sum() == count


@on_postgresql
def test_close_design_takes_its_turn_among_stores(design: Design) -> None:
    """One is storing; it is to be closed; another wants to store. With a shared lock on the row it would not wait."""

    def store_slowly() -> list[Outcome]:
        with transaction.atomic():
            outcomes = storing.insert([new(design)])
            pause()
        return outcomes

    first = paused(store_slowly)
    closing = Other(lambda: close_design(design.digest))
    until_waiting(1)
    last = Other(lambda: storing.store([new(design)]))
    until_waiting(2)
    assert first.go_on() == [Outcome.STORED]
    closing.go_on()
    assert last.go_on() == [Outcome.CLOSED]
    assert selectors.received_count(design.digest) == 1


@on_postgresql
def test_snapshot_during_fold_reads_consistent_totals(design: Design) -> None:
    close_with(design, 1)
    with selectors.one_snapshot():
        assert selectors.totals(design.digest)[0].sum() == 0
        assert Other(lambda: folding.fold(design.digest)).go_on() == 1
        assert selectors.totals(design.digest)[0].sum() == 0
        assert WaitingReport.objects.count() == 1
    assert counted_once(design, 1)


def test_freeze_design_in_parallel_numbers_are_unique(db: None) -> None:
    def freeze(version: int) -> str:
        try:
            return freeze_design(payloads.document(version=version)).digest
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        digests = list(pool.map(freeze, [1, 2, 3, 4] * 4))
    numbers = [number_of(digest) for digest in set(digests)]
    assert sorted(numbers) == [1, 2, 3, 4]


def number_of(digest: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT number FROM collector_frozendesign WHERE digest = %s", [digest])
        return int(cursor.fetchone()[0])


def test_store_and_fold_in_parallel_count_each_report_once(design: Design) -> None:
    """Stored by six and folded by four at once, some twice and some for a design that is gone: each counted once."""
    batches = [[new(design, stratum=n % 2) for n in range(20)] for _ in range(12)]

    def send(batch: list[NewReport]) -> None:
        try:
            storing.store(batch)
            storing.store(batch[5:])
        finally:
            connection.close()

    def work(number: int) -> None:
        try:
            folding.fold(design.digest, chunk=7, wait=number % 2 == 0)
            folding.fold("f" * 64)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        sent = [pool.submit(send, batch) for batch in batches]
        done = [pool.submit(work, number) for number in range(12)]
        for one in (*sent, *done):
            one.result(PATIENCE)
    assert selectors.received_count(design.digest) % 10 == 0
    close_design(design.digest)
    folding.fold(design.digest)
    assert counted_once(design, 240)
