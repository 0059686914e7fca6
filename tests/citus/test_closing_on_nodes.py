"""Closing hammered against storing on a cluster: nothing is acknowledged afterwards, nothing that was is lost.

Senders store batches of reports of many designs, on all nodes, while one design after the other is closed, others fold
and everything is written anew. What is sent after a design was closed is never STORED.
"""

import secrets
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event

import pytest
from django.db import connection

from collector.designs import Design, parts
from collector.designs.services import close_design, freeze_design
from collector.errors import Conflict
from collector.models import Report, WaitingReport
from collector.reports import folding, rewriting, selectors, storing
from collector.reports.storing import NewReport, Outcome
from tests.factories import payloads

pytestmark = pytest.mark.django_db(transaction=True)

SENDERS, BATCH = 5, 12
PAUSE = 0.15
"""Seconds between one closing and the next."""

PATIENCE = 120.0


class Noted:
    """What was said of each design's reports, and when."""

    def __init__(self) -> None:
        self.ended = Event()
        self.closed_at: dict[str, float] = {}
        self.stored: defaultdict[str, set[bytes]] = defaultdict(set)
        self.refused: defaultdict[str, set[bytes]] = defaultdict(set)
        self.late: list[str] = []
        """Designs of which a report was stored that was sent after closing."""

    def note(self, batch: list[NewReport], outcomes: list[Outcome], begun: float) -> None:
        for one, outcome in zip(batch, outcomes, strict=True):
            if outcome is Outcome.STORED:
                self.stored[one.digest].add(one.nonce)
                if begun > self.closed_at.get(one.digest, float("inf")):
                    self.late.append(one.digest)
            else:
                assert outcome is Outcome.CLOSED, outcome
                self.refused[one.digest].add(one.nonce)


@pytest.fixture
def designs(db: None) -> list[Design]:
    """Eight in one piece and two in parts, on all nodes."""
    made = [freeze_design(payloads.document(version=version)) for version in range(1, 11)]
    for design in made[:2]:
        parts.split_design(design.digest, 4)
    return made


def until(found: Callable[[], object]) -> None:
    """Wait for it, on a busy machine too."""
    end = time.monotonic() + PATIENCE
    while not found() and time.monotonic() < end:
        time.sleep(0.01)


def until_ended(noted: Noted, work: Callable[[], object]) -> None:
    """Do it again and again, as another process would: with a connection of its own."""
    try:
        while not noted.ended.is_set():
            work()
    finally:
        connection.close()


def batch_of(designs: list[Design]) -> list[NewReport]:
    return [NewReport(secrets.token_bytes(16), secrets.choice(designs).digest, 0, b"\1\2", 0) for _ in range(BATCH)]


def send(noted: Noted, designs: list[Design]) -> None:
    batch, begun = batch_of(designs), time.monotonic()
    noted.note(batch, storing.store(batch), begun)


def fold(designs: list[Design]) -> None:
    folding.fold(secrets.choice(designs).digest, wait=False)


def rewrite() -> None:
    with suppress(Conflict):  # somebody reads for too long; beat comes again
        rewriting.rewrite()


def test_close_among_senders_loses_and_adds_no_report(designs: list[Design]) -> None:
    noted = Noted()
    work = [lambda: send(noted, designs)] * SENDERS + [lambda: fold(designs)] * 2 + [rewrite]
    with ThreadPoolExecutor(len(work)) as pool:
        going = [pool.submit(until_ended, noted, one) for one in work]
        try:
            for design in designs:
                time.sleep(PAUSE)
                until(lambda one=design: noted.stored[one.digest])
                close_design(design.digest)
                noted.closed_at[design.digest] = time.monotonic()
            time.sleep(PAUSE)
            until(lambda: all(noted.refused[one.digest] for one in designs))
        finally:
            noted.ended.set()
        for one in going:
            one.result(PATIENCE)
    assert noted.late == []
    assert all(noted.stored[one.digest] and noted.refused[one.digest] for one in designs), "it was closed among them"
    for design in designs:
        folding.fold(design.digest)
    assert not WaitingReport.objects.exists()
    found: defaultdict[str, set[bytes]] = defaultdict(set)
    whole = {key: design.digest for design in designs for key in parts.keys(design.digest)}
    for key, nonce in Report.objects.values_list("design__digest", "nonce"):
        found[whole[key]].add(bytes(nonce))
    assert found == noted.stored, "what was acknowledged, and no more"
    for design in designs:
        totals, recount = selectors.totals(design.digest), selectors.recount(design.digest)
        assert [one.tolist() for one in totals] == [one.tolist() for one in recount]
        assert int(totals[0].sum()) == selectors.report_count(design.digest) == len(noted.stored[design.digest])
