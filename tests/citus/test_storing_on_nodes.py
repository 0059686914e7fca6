"""Storing on the node of the design: where it runs, that closing waits there, and a node that answers nothing."""

import secrets
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from django.db import connection

from collector.database import distribution, locks
from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.endpoint.writers import Writers
from collector.reports import folding, storing
from collector.reports.storing import NewReport, Outcome
from tests.factories import payloads
from tests.tools.door import store_and_leave

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 60.0
WAITERS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objsubid = 2"
GONE = "SELECT pg_advisory_unlock_all()"


def new(design: Design) -> NewReport:
    return NewReport(secrets.token_bytes(16), design.digest, 0, b"\1\2", 0)


@contextmanager
def at(port: int) -> Iterator[psycopg.Connection[Any]]:
    """A connection to one node's part of the test's database."""
    there = connection.settings_dict
    named = {"host": there["HOST"], "user": there["USER"], "dbname": there["NAME"]}
    with psycopg.connect(port=port, autocommit=True, **named) as found:
        yield found


def port_of(design: Design) -> int:
    node = storing.node_of(new(design))
    assert node
    return int(node.rpartition(":")[2])


@pytest.fixture
def designs(db: None) -> list[Design]:
    """Open designs, enough for rows on both workers."""
    return [freeze_design(payloads.document(version=version)) for version in range(1, 9)]


def until(ask: Any, wanted: object) -> None:
    end = time.monotonic() + PATIENCE
    while ask() != wanted and time.monotonic() < end:
        time.sleep(0.01)
    assert ask() == wanted


@pytest.mark.parametrize("through_a_writer", [True, False], ids=["a writer", "a page"])
def test_store_waits_for_the_lock_of_its_node_alone(designs: list[Design], through_a_writer: bool) -> None:
    """Held on the node of the design it stops its reports, and on no other server."""
    put = Writers(store_and_leave, storing.node_of).put
    ports = [one.port for one in distribution.nodes()]
    with ThreadPoolExecutor(1) as pool:
        for design in designs[:4]:
            (number,) = locks.numbers([design.digest])

            def send(one: Design = design) -> Outcome:
                return put(new(one)) if through_a_writer else store_and_leave([new(one)])[0]

            for port in (int(connection.settings_dict["PORT"]), *ports):
                with at(port) as node:
                    node.execute("SELECT pg_advisory_lock(%s, %s)", [number, locks.TAKING])
                    sent = pool.submit(send)
                    if port == port_of(design):
                        until(lambda node=node: node.execute(WAITERS).fetchone()[0], 1)
                        assert not sent.done()
                        node.execute(GONE)
                    assert sent.result(PATIENCE) is Outcome.STORED


def test_close_waits_for_reports_stored_on_any_server(designs: list[Design]) -> None:
    """Storing shares the lock of one server, whichever the design's rows are on or are moved to."""

    def close(design: Design) -> None:
        close_design(design.digest)
        connection.close()

    ports = [int(connection.settings_dict["PORT"]), *(one.port for one in distribution.nodes())]
    with ThreadPoolExecutor(1) as pool:
        for port, design in zip(ports, designs, strict=False):
            with at(port) as node:
                node.execute("SELECT pg_advisory_lock_shared(%s, %s)", [*locks.numbers([design.digest]), locks.TAKING])
                closing = pool.submit(close, design)
                until(lambda node=node: node.execute(WAITERS).fetchone()[0], 1)
                assert not closing.done()
                assert storing.store([new(designs[-1])]) == [Outcome.STORED], "others go on"
                node.execute(GONE)
                closing.result(PATIENCE)
            assert storing.store([new(design)]) == [Outcome.CLOSED]


def test_store_known_report_writes_a_record_on_its_node(designs: list[Design]) -> None:
    """So that its commit waits for the node's standbys, which may not have what was stored before."""
    design = designs[0]
    waiting, kept = new(design), [new(design) for _ in range(10)]
    for reports in (kept, [waiting]):
        storing.store(reports)
        folding.fold(design.digest)
    with at(port_of(design)) as node:
        node.execute("SELECT pg_create_logical_replication_slot('candor_test', 'test_decoding')")
        try:
            storing.store([new(design)])
            assert messages(node) == 0
            for report in (waiting, kept[0]):
                assert storing.store([report]) == [Outcome.KNOWN]
                assert messages(node) == 1
        finally:
            node.execute("SELECT pg_drop_replication_slot('candor_test')")


def messages(node: psycopg.Connection[Any]) -> int:
    found = node.execute("SELECT data FROM pg_logical_slot_get_changes('candor_test', NULL, NULL)").fetchall()
    return sum("prefix: candor" in str(data) for (data,) in found)


@contextmanager
def stopped(port: int) -> Iterator[None]:
    """Within, a node answers nothing: all its processes stand still."""
    with at(port) as node:
        (folder,) = node.execute("SHOW data_directory").fetchone() or ("",)
    server = psutil.Process(int((Path(folder) / "postmaster.pid").read_text().split()[0]))
    try:
        server.suspend()  # first: from now on no process of it begins
        for one in server.children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # a process of the server's own that just ended
                one.suspend()
        yield
    finally:
        for one in server.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                one.resume()
        server.resume()  # last: what ended meanwhile is its child until it goes on


def test_node_that_answers_nothing_leaves_others_alone(designs: list[Design]) -> None:
    put = Writers(store_and_leave, storing.node_of).put
    for design in designs:
        assert put(new(design)) is Outcome.STORED
    ports = {design.digest: port_of(design) for design in designs}
    struck = min(ports.values())
    others = [design for design in designs if ports[design.digest] != struck]
    victims = [design for design in designs if ports[design.digest] == struck]
    late = [new(design) for design in victims]
    with ThreadPoolExecutor(len(late)) as pool:
        with stopped(struck):
            waiting = [pool.submit(put, report) for report in late]
            time.sleep(0.2)
            for _ in range(10):
                assert {put(new(design)) for design in others} == {Outcome.STORED}
            assert not any(one.done() for one in waiting)
        assert {one.result(PATIENCE) for one in waiting} == {Outcome.STORED}
