"""Reports that come together share a transaction, and nobody is told that a report is stored which is not."""

import secrets
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import DataError, InternalError, OperationalError, connection, transaction

from collector.designs import Design
from collector.endpoint import writer as writer_module
from collector.endpoint.receiving import read
from collector.endpoint.writer import Writer
from collector.errors import RequestRefused
from collector.reports import selectors
from collector.reports.storing import NewReport, Outcome, insert, store
from tests.factories import payloads
from tests.tools.door import store_and_leave
from tests.tools.refusals import refuses

SECONDS = 30
"""That a test waits for what should come at once."""

FULL = ["PRAGMA max_page_count = 1", "CREATE TABLE more AS SELECT zeroblob(1000000)"]


def new(number: int) -> NewReport:
    return NewReport(number.to_bytes(16), "0" * 64, 0, b"\0\0", 0)


class Store:
    """Stores nothing and remembers what it was given; fails as it is told to."""

    def __init__(self, *faults: BaseException | None) -> None:
        self.faults, self.batches = list(faults), []
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def __call__(self, reports: Sequence[NewReport]) -> list[Outcome]:
        self.batches.append(list(reports))
        self.begun.set()
        assert self.go_on.wait(SECONDS)
        if self.faults and (fault := self.faults.pop(0)):
            raise fault
        return [Outcome.KNOWN if one.nonce[-1] % 2 else Outcome.STORED for one in reports]


def put_all(writer: Writer, numbers: range, store: Store) -> list[Outcome | None]:
    """Put one report, and the others while it is being stored; what became of each, None where it was sent away."""

    def put(number: int) -> Outcome | None:
        try:
            return writer.put(new(number))
        except RequestRefused as refusal:
            if refusal.status != 503:
                raise
            return None

    store.go_on.clear()
    store.begun.clear()
    with ThreadPoolExecutor(len(numbers)) as pool:
        first = pool.submit(put, numbers[0])
        assert store.begun.wait(SECONDS)
        others = [pool.submit(put, number) for number in numbers[1:]]
        end = time.monotonic() + SECONDS
        while writer.waiting < len(others) and not any(one.done() for one in others) and time.monotonic() < end:
            time.sleep(0.001)
        store.go_on.set()
        return [one.result(SECONDS) for one in (first, *others)]


def test_writer_batches_reports_that_wait() -> None:
    store = Store()
    outcomes = put_all(Writer(store), range(20), store)
    assert [len(batch) for batch in store.batches] == [1, 19]
    assert outcomes == [Outcome.KNOWN if number % 2 else Outcome.STORED for number in range(20)]


def test_writer_gathers_for_a_moment_after_several(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is alone is not kept waiting."""
    monkeypatch.setattr(writer_module, "GATHER", 0.5)
    store = Store()
    writer = Writer(store)
    start = time.monotonic()
    for number in range(5):
        writer.put(new(number))
    assert time.monotonic() - start < 0.5
    put_all(writer, range(20), store)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(writer.put, new(0))
        time.sleep(0.1)
        assert writer.put(new(2)) is first.result(SECONDS) is Outcome.STORED
    assert [len(batch) for batch in store.batches] == [1] * 5 + [1, 19, 2]


def test_writer_one_failing_report_stores_the_others() -> None:
    class Picky(Store):
        def __call__(self, reports: Sequence[NewReport]) -> list[Outcome]:
            outcomes = super().__call__(reports)
            if any(one.nonce[-1] == 5 for one in reports):
                raise DataError("the row is (5)")
            return outcomes

    store = Picky()
    outcomes = put_all(Writer(store), range(10), store)
    assert outcomes.count(None) == 1
    assert outcomes[5] is None


def test_writer_database_down_rejects_then_recovers() -> None:
    away = OperationalError("connection refused")
    store = Store(None, away, away)
    writer = Writer(store)
    outcomes = put_all(writer, range(10), store)
    assert outcomes == [Outcome.STORED, *[None] * 9]
    assert len(store.batches) == 3, "tried again with a new connection, and not one by one"
    assert writer.put(new(0)) is Outcome.STORED


def test_writer_lost_connection_is_renewed() -> None:
    store = Store(OperationalError("terminating connection due to administrator command"))
    assert Writer(store).put(new(0)) is Outcome.STORED


def test_writer_demoted_server_is_left_for_the_new_primary() -> None:
    """A connection that outlives a failover leads to a standby; nothing is tried there report by report."""
    demoted = InternalError("cannot execute INSERT in a read-only transaction")
    demoted.__cause__ = psycopg.errors.ReadOnlySqlTransaction()
    store = Store(None, demoted)
    writer = Writer(store)
    assert None not in put_all(writer, range(10), store)
    assert [len(batch) for batch in store.batches] == [1, 9, 9]
    store.faults += [demoted, demoted]
    with refuses(503):
        writer.put(new(0))


def test_writer_full_queue_rejects() -> None:
    store = Store()
    outcomes = put_all(Writer(store, waiting=3), range(5), store)
    assert outcomes.count(None) == 1


def test_writer_timeout_rejects_with_503() -> None:
    store = Store()
    store.go_on.clear()
    writer = Writer(store, patience=0.05)
    with refuses(503):
        writer.put(new(0))
    assert store.begun.wait(SECONDS)
    time.sleep(0.1)
    with refuses(503):
        writer.put(new(0))
    assert writer.waiting == 0, "who comes later is sent away without being let in"
    store.go_on.set()


@pytest.mark.parametrize("fault", [SystemExit(), MemoryError(), AssertionError()])
def test_writer_thread_survives_errors(fault: BaseException) -> None:
    store = Store(fault, fault)
    writer = Writer(store)
    with refuses(503):
        writer.put(new(0))
    store.faults.clear()
    assert writer.put(new(2)) is Outcome.STORED


def test_writer_dead_thread_is_restarted() -> None:
    writer = Writer(Store())
    writer._thread = threading.Thread()
    assert writer.put(new(0)) is Outcome.STORED


def really(writer: Writer, design: Design, nonce: str) -> Outcome:
    try:
        return writer.put(read(payloads.body(design, nonce=nonce), slug="campus"))
    finally:  # a thread that ends with its connection open keeps a place of the pool for good
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_writer_parallel_same_report_is_stored_once(design: Design) -> None:
    writer = Writer(store_and_leave)
    with ThreadPoolExecutor(50) as pool:
        sent = [pool.submit(really, writer, design, f"{number % 5:032x}") for number in range(250)]
        outcomes = [one.result(SECONDS) for one in sent]
    assert outcomes.count(Outcome.STORED) == 5
    assert outcomes.count(Outcome.KNOWN) == 245
    assert selectors.received_count(design.digest) == 5


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("sqlite", "postgresql"),
    [
        (FULL, ["SELECT pg_terminate_backend(pg_backend_pid())"]),
        (["PRAGMA query_only = ON"], ["SET default_transaction_read_only = on"]),
    ],
    ids=["full or cut off", "read-only"],
)
def test_writer_database_error_stores_nothing_and_recovers(
    design: Design, sqlite: list[str], postgresql: list[str]
) -> None:
    faults = [sqlite if connection.vendor == "sqlite" else postgresql] * 2

    def failing(reports: Sequence[NewReport]) -> list[Outcome]:
        with connection.cursor() as cursor:
            for statement in faults.pop() if faults else ():
                cursor.execute(statement)
        return store_and_leave(reports)

    writer = Writer(failing)
    with refuses(503):
        really(writer, design, "ab" * 16)
    assert selectors.received_count(design.digest) == 0
    faults.clear()
    assert really(writer, design, "ab" * 16) is Outcome.STORED


READS = """
SELECT sum(seq_scan), sum(idx_scan) FROM pg_stat_xact_user_tables
WHERE relname IN ('collector_report', 'collector_waitingreport', 'collector_frozendesign')
"""
"""In this transaction: tables read from end to end, and rows found by their keys."""


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite keeps its statements by their text")
def test_writer_batch_is_one_statement_using_keys(design: Design) -> None:
    """Planned once, and not for tables as small as they are when the plan is made."""
    sizes, plans, reads = [1, 2, 3, 5, 8, 1], list[tuple[str, int, int]](), list[tuple[int, int]]()

    def storing(reports: Sequence[NewReport]) -> list[Outcome]:
        batches = [[one._replace(nonce=secrets.token_bytes(16)) for one in reports * size] for size in sizes]
        for batch in batches:
            store(batch)
        with connection.cursor() as cursor, transaction.atomic():
            insert(batches[0])
            cursor.execute(READS)
            reads.extend(cursor.fetchall())
            cursor.execute("SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements")
            plans.extend(cursor.fetchall())
        return store_and_leave(reports)

    really(Writer(storing), design, "cd" * 16)
    assert selectors.received_count(design.digest) == sum(sizes) + 1
    ((tables, found),) = reads
    assert (tables, found > 0) == (0, True)
    (storing_plans,) = [counts for text, *counts in plans if "collector_store" in text]
    assert storing_plans[0] >= len(sizes) - 2
    assert storing_plans[1] == 0
