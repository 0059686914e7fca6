"""Reports come one after the other; who steals the files of the write-ahead log cannot say in which order.

Nothing here is left to chance: `attacking.logged` finds a nonce that is not there once in 10**30 times.
"""

import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from collector.database import settings as store
from collector.database import write_ahead_log
from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.errors import Conflict
from collector.models import Report, WaitingReport
from collector.reports import folding, rewriting
from config import postgresql
from config.database import database
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.storage import attacking
from tests.storage.attacking import Order, log_files, logged
from tests.tools.backups import empty_database
from tests.tools.postgresql import running_postgresql

pytestmark = pytest.mark.django_db(transaction=True)

N = 100


@pytest.fixture
def opened(transactional_db: None) -> Iterator[Design]:
    yield freeze_design(payloads.document())
    empty_database()


def send(design: Design, count: int, seed: int = 8) -> Order:
    """Reports in the order in which they came; every 23rd time what waits is folded, as by a worker."""
    drawn = random.Random(seed)
    order = [drawn.randbytes(16) for _ in range(count)]
    for number, nonce in enumerate(order):
        store_report(payloads.body(design, nonce=nonce.hex()))
        if number % 23 == 22:
            folding.fold(design.digest)
    return order


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def size() -> int:
    return sum(file.stat().st_size for file in log_files())


def only(vendor: str) -> None:
    if connection.vendor != vendor:
        pytest.skip(f"of {vendor} alone")


@contextmanager
def uncut() -> Iterator[None]:
    """Somebody reads, so that nobody cuts the log: a web process does, which other tests have within this one."""
    if connection.vendor != "sqlite":
        yield
        return
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM collector_report").fetchone()
        yield


def test_wal_kept_reveals_order(opened: Design) -> None:
    """The test of the test: nothing cuts the log meanwhile. Of PostgreSQL's a few stand across two pages."""
    with uncut():
        order = send(opened, N)
        found = logged(order)
    assert len(found) >= (N if connection.vendor == "sqlite" else 0.9 * N)
    assert found == [nonce for nonce in order if nonce in found]


@pytest.fixture
def kept_short(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(write_ahead_log, "LOOKS", 0.02)
    ended = write_ahead_log.limit_size()
    yield
    ended.set()


def test_sqlite_wal_is_truncated_during_reports(opened: Design, kept_short: None) -> None:
    """Nothing is folded after the last ones, and somebody reads again and again."""
    only("sqlite")
    order = []
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as reader:
        for seed in range(8):
            order += send(opened, 10, seed)
            reader.execute("SELECT count(*) FROM collector_waitingreport").fetchone()
        wait_until(lambda: not size())
    assert logged(order) == []
    assert WaitingReport.objects.count() == len(order)


def test_sqlite_wal_is_truncated_when_reader_ends(opened: Design) -> None:
    only("sqlite")
    with uncut():
        order = send(opened, 3)
        assert not write_ahead_log.truncate()
    assert write_ahead_log.truncate()
    assert (logged(order), size()) == ([], 0)


def test_sqlite_wal_overlapping_readers_is_truncated(opened: Design, kept_short: None) -> None:
    """None reads for long, but one always does: who opens slow pages in several windows could keep the log for good."""
    only("sqlite")
    ended, cut = threading.Event(), threading.Event()

    def read() -> None:
        with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as reader:
            while not ended.is_set():
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM collector_waitingreport").fetchone()
                ended.wait(0.3)
                reader.execute("COMMIT")

    def look() -> None:
        while not ended.wait(0.001):
            if not size():
                cut.set()

    send(opened, 3)
    threads = [threading.Thread(target=read) for _ in range(3)] + [threading.Thread(target=look)]
    for thread in threads:
        thread.start()
        time.sleep(0.1)
    cut.clear()
    deadline = time.monotonic() + 10
    seed = 100
    while not cut.is_set() and time.monotonic() < deadline:
        send(opened, 1, seed := seed + 1)
    ended.set()
    for thread in threads:
        thread.join()
    assert cut.is_set()


def test_sqlite_wal_empty_is_not_touched(opened: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation in which nothing happens writes nothing all day."""
    only("sqlite")
    assert write_ahead_log.truncate()
    monkeypatch.setattr(sqlite3, "connect", None)
    assert write_ahead_log.truncate()


def test_sqlite_wal_restarted_keeps_nothing_older(opened: Design) -> None:
    """Also where only SQLite's own checkpoint came by."""
    only("sqlite")
    order = send(opened, 20)
    with connection.cursor() as cursor:  # not while a web process is just cutting it
        wait_until(lambda: not cursor.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()[0])
    with uncut():
        last = send(opened, 1, seed=9)
        assert len(logged(order)) <= len(order)
        frames = (size() - 32) // (4096 + 24)
        assert frames < 20, "the log was cut to what one report wrote"
        assert logged(last) == last


def test_sqlite_wal_truncate_waits_for_other_truncate(opened: Design) -> None:
    """SQLite itself does not wait for that; a rewriting would be busy whenever the web's thread comes by."""
    only("sqlite")
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as looking:
        with uncut():
            order = send(opened, 3)
            cutting, waiting = (
                threading.Thread(target=write_ahead_log.truncate, kwargs={"patience": 20.0}) for _ in range(2)
            )
            cutting.start()
            wait_until(lambda: looking.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[0])
            waiting.start()
            time.sleep(0.1)
            assert waiting.is_alive()
        for one in (cutting, waiting):
            one.join()
    assert (logged(order), size()) == ([], 0)


def test_rewrite_during_wal_truncation_succeeds(opened: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead_log, "LOOKS", 0.001)
    ended = write_ahead_log.limit_size()
    try:
        for seed in range(10):
            send(opened, 2, seed)
            rewriting.rewrite()
    finally:
        ended.set()


def test_rewrite_without_wal_truncation_is_busy(opened: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    only("sqlite")
    monkeypatch.setattr(write_ahead_log, "truncate", lambda patience: False)
    with pytest.raises(Conflict):
        rewriting.rewrite()


def test_wal_closed_design_reveals_no_order(opened: Design) -> None:
    with uncut():
        order = send(opened, N)
        assert logged(order)
    close_design(opened.digest)
    assert rewriting.rewrite_closed()
    write_ahead_log.truncate()  # what was written after the rewriting, as a fold's end and the web's thread do
    assert logged(order) == []
    assert Report.objects.count() == N


@pytest.fixture(scope="module")
def default_server() -> Iterator[str]:
    """A PostgreSQL as a distribution starts it."""
    with ExitStack() as running:
        with pytest.MonkeyPatch.context() as patch:  # while it starts alone: the others start as ours do
            patch.setattr(postgresql, "FORGETTING", {})
            patch.setattr(postgresql, "SEGMENT", 16)
            server = running.enter_context(running_postgresql())
        yield server.url


@pytest.fixture
def elsewhere(default_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., BaseDatabaseWrapper]]:
    """The connection of the module of the log to that server, as a user of it."""
    made: list[Any] = []

    def connect(user: str = postgresql.USER) -> BaseDatabaseWrapper:
        settings = database(default_server.replace(postgresql.USER, user, 1), connection.settings_dict["NAME"])
        settings["OPTIONS"].pop("pool")
        made.append(ConnectionHandler({"default": settings})["default"])
        for module in (write_ahead_log, attacking):
            monkeypatch.setattr(module, "connection", made[-1])
        return made[-1]

    yield connect
    for one in made:
        one.close()


@pytest.mark.long
def test_postgresql_wal_reused_segment_is_overwritten(elsewhere: Callable[..., BaseDatabaseWrapper]) -> None:
    drawn, there = random.Random(8), elsewhere()
    order = [drawn.randbytes(16) for _ in range(N)]
    with there.cursor() as cursor:
        cursor.execute("CREATE TABLE plain (nonce bytea PRIMARY KEY)")
        for nonce in order:
            cursor.execute("INSERT INTO plain VALUES (%s)", [nonce])
    assert len(logged(order)) >= 0.9 * N
    with there.cursor() as cursor:
        cursor.execute("DROP TABLE plain")
        cursor.execute("SELECT pg_switch_wal()")
        cursor.execute("CHECKPOINT")
    assert len(logged(order)) >= 0.9 * N, "kept under a new name"
    assert write_ahead_log.overwrite()
    assert logged(order) == []


@pytest.mark.long
def test_postgresql_wal_missing_rights_names_grant(elsewhere: Callable[..., BaseDatabaseWrapper]) -> None:
    with elsewhere().cursor() as cursor:
        cursor.execute("CREATE ROLE guest LOGIN")
    there = elsewhere("guest")
    assert not write_ahead_log.overwrite()
    (*_others, rights) = store.traces(there)
    assert "GRANT EXECUTE ON FUNCTION pg_switch_wal(), pg_ls_waldir() TO guest" in rights
    with elsewhere().cursor() as cursor:
        for statement in rights.partition("superuser: ")[2].rstrip(".").split("; "):
            cursor.execute(statement)
    assert rights not in store.traces(elsewhere("guest"))
    assert write_ahead_log.overwrite()


@pytest.fixture(scope="module")
def own_server() -> Iterator[postgresql.PostgreSQL]:
    with running_postgresql() as server:
        yield server


@pytest.mark.long
def test_postgresql_log_has_no_value_of_failed_statement(own_server: postgresql.PostgreSQL) -> None:
    """One that is refused, with its row; one whose process is ended; one whose process is killed."""
    with psycopg.connect(own_server.url, autocommit=True) as there:
        there.execute("CREATE TABLE plain (nonce text CHECK (nonce = ''))")
        with pytest.raises(psycopg.errors.CheckViolation):
            there.execute("INSERT INTO plain VALUES ('c0ffee')")
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        with psycopg.connect(own_server.url, autocommit=True) as there:
            ended = threading.Timer(0.5, os.kill, [there.info.backend_pid, signal_number])
            ended.start()
            with pytest.raises(psycopg.OperationalError):
                there.execute("SELECT pg_sleep(60), 'c0ffee'")
    # It has recovered and takes connections again.
    wait_until(lambda: own_server.log.read_text().count("ready to accept connections") == 2)
    assert "terminated by signal 9" in own_server.log.read_text()
    assert "c0ffee" not in own_server.log.read_text()


def test_database_traces_name_order_keeping_settings(elsewhere: Callable[..., BaseDatabaseWrapper]) -> None:
    found = " ".join(store.traces(elsewhere()))
    assert "wal_recycle is on: " in found
    assert "max_wal_size is 1GB: " in found
    assert "Set it to 256MB or less." in found
    assert "archive_mode" not in found
    assert "log_min_error_statement is error: where a statement fails, its log would hold the reports in it" in found
    assert store.traces(connection) == [], "what we start ourselves forgets"
