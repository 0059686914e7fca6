"""Reports of different nodes have different writers: one node that answers nothing takes no others along."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from collector.endpoint.writers import Writers
from collector.reports import storing
from collector.reports.storing import NewReport, Outcome

SECONDS = 30
"""That a test waits for what should come at once."""


def new(number: int) -> NewReport:
    return NewReport(number.to_bytes(16), "0" * 64, 0, b"\0\0", 0)


class Nodes:
    """A store whose second node answers nothing until it is told to."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.stuck, self.go_on = threading.Event(), threading.Event()

    def node_of(self, report: NewReport) -> str:
        return "dead" if report.nonce[-1] % 2 else "alive"

    def __call__(self, reports: Sequence[NewReport]) -> list[Outcome]:
        self.batches.append([one.nonce[-1] for one in reports])
        if "dead" in map(self.node_of, reports):
            self.stuck.set()
            assert self.go_on.wait(SECONDS)
        return [Outcome.STORED for _ in reports]


def test_writers_of_living_node_do_not_wait_for_dead_one() -> None:
    nodes = Nodes()
    writers = Writers(nodes, nodes.node_of)
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(writers.put, new(number)) for number in (1, 3)]
        assert nodes.stuck.wait(SECONDS)
        assert [writers.put(new(number)) for number in range(0, 20, 2)] == [Outcome.STORED] * 10
        assert not any(one.done() for one in waiting)
        nodes.go_on.set()
        assert [one.result(SECONDS) for one in waiting] == [Outcome.STORED] * 2
    assert all(len({number % 2 for number in batch}) == 1 for batch in nodes.batches), "no batch of two nodes"


@pytest.mark.django_db
def test_node_of_report_on_one_server_is_none() -> None:
    assert storing.node_of(new(0)) is None
