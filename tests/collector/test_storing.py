"""A batch of reports: an outcome for each, as if they had come one after the other, in one transaction."""

import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from collector.database import statements
from collector.designs import Design
from collector.designs.selectors import get_design
from collector.designs.services import close_design, freeze_design
from collector.endpoint import receiving
from collector.models import Report, WaitingReport
from collector.reports import folding, selectors, storing
from collector.reports.storing import NewReport, Outcome
from tests.factories import payloads
from tests.factories.reports import fold_waiting

pytestmark = pytest.mark.django_db

STORED, KNOWN, TAKEN, CLOSED, UNINVITED = Outcome


def new(design: Design, **changes: object) -> NewReport:
    sound = {"nonce": secrets.token_bytes(16), "digest": design.digest, "stratum": 0, "report": b"\1\2", "mode": 0}
    return NewReport(**sound | changes)  # type: ignore[arg-type]


@pytest.fixture
def other(db: None) -> Design:
    """Another open design."""
    return freeze_design(payloads.document(version=2))


def test_store_outcomes_keep_report_order(design: Design) -> None:
    first, second = new(design), new(design)
    assert storing.store([first]) == [STORED]
    changed = second._replace(stratum=1)
    assert storing.store([second, first, changed, first._replace(report=b"\0\2"), second]) == [
        STORED, KNOWN, TAKEN, TAKEN, KNOWN,
    ]  # fmt: skip
    assert storing.store([]) == []
    assert selectors.received_count(design.digest) == 2


def test_store_batch_repeated_nonce_first_is_stored(design: Design) -> None:
    first = new(design)
    batch = [first, first, first._replace(report=b"\0\0"), first]
    assert storing.store(batch) == [STORED, KNOWN, TAKEN, KNOWN]
    assert bytes(WaitingReport.objects.get().report) == b"\1\2"


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no standbys")
def test_store_known_report_waits_for_standbys(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found, it may be on one machine alone; a new one waits with its own commit, without a statement more."""
    waits: list[str] = []
    monkeypatch.setattr(storing.replication, "wait_for_standbys", lambda: waits.append("waited"))
    first = new(design)
    get_design(design.digest)  # as the endpoint has, once in its process, before it stores
    with CaptureQueriesContext(connection) as executed:
        storing.store([first])
    assert (len(executed), waits) == (1, [])
    assert storing.store([first, new(design)]) == [KNOWN, STORED]
    assert waits == ["waited"]
    monkeypatch.undo()
    assert storing.store([first]) == [KNOWN], "at once where there are none"


def test_store_nonce_in_two_designs_is_two_reports(design: Design, other: Design) -> None:
    first = new(design)
    assert storing.store([first, first._replace(digest=other.digest, report=b"\0\0")]) == [STORED, STORED]
    assert [selectors.received_count(one.digest) for one in (design, other)] == [1, 1]


def test_store_batch_closed_design_stores_the_others(design: Design, other: Design) -> None:
    before, late = new(design), new(design)
    storing.store([before])
    close_design(design.digest)
    batch = [late, before, new(other), before._replace(stratum=1), late, new(other, digest="0" * 64)]
    assert storing.store(batch) == [CLOSED, KNOWN, STORED, TAKEN, CLOSED, CLOSED]
    assert [selectors.received_count(one.digest) for one in (design, other)] == [1, 1]


def test_store_folded_report_is_known(design: Design) -> None:
    first = new(design)
    storing.store([first])
    fold_waiting(design)
    assert storing.store([first, first._replace(report=b"\0\0"), first]) == [KNOWN, TAKEN, KNOWN]
    assert not WaitingReport.objects.exists(), "none is left that would be counted again"
    assert Report.objects.count() == 1


def test_fold_report_folded_before_is_not_counted_again(design: Design) -> None:
    """As it could be after tables were put back from copies of two moments."""
    first = new(design)
    storing.store([first])
    fold_waiting(design)
    WaitingReport.objects.create(design_id=Report.objects.get().design_id, nonce=first.nonce, stratum=1, report=b"\0\0")
    storing.store([new(design)])
    close_design(design.digest)
    assert folding.fold(design.digest, chunk=1) == 1
    assert selectors.report_counts([design.digest])[design.digest] == selectors.ReportCounts(folded=2, waiting=0)
    totals, recount = selectors.totals(design.digest), selectors.recount(design.digest)
    assert totals[0].tolist() == recount[0].tolist() == [[0, 2], [0, 0]]


def test_store_large_batch_is_one_transaction(design: Design) -> None:
    """Also over several statements: where the last one fails none is stored."""
    batch = [new(design) for _ in range(2 * statements.AT_ONCE + 1)]
    with pytest.raises(Exception, match="waitingreport_mode_known"):
        storing.store([*batch, new(design, nonce=b"\xff" * 16, mode=9)])
    assert selectors.received_count(design.digest) == 0
    assert storing.store(batch) == [STORED] * len(batch)
    assert storing.store(batch[::-1]) == [KNOWN] * len(batch)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("size", [1, 16, 256])
def test_store_statements_do_not_grow_with_the_batch(design: Design, size: int) -> None:
    """As the table in docs/evidence/receiving-responses.md says, before Candor was spread over machines and since."""
    receiving.read(payloads.body(design), slug="campus")  # the design is cached from here on
    with CaptureQueriesContext(connection) as executed:
        receiving.read(payloads.body(design), slug="campus")
        assert storing.store([new(design) for _ in range(size)]) == [STORED] * size
    words = [query["sql"].split()[0] for query in executed]
    on_sqlite = ["BEGIN", "SELECT", "INSERT", "WITH", "COMMIT"]
    assert words == (["SELECT"] if connection.vendor == "postgresql" else on_sqlite)


@pytest.mark.django_db(transaction=True)
def test_store_within_transaction_raises(design: Design) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        storing.store([new(design)])


@pytest.mark.django_db(transaction=True)
def test_store_parallel_same_nonce_stores_one(design: Design) -> None:
    """The others are told that it is known, each time, whatever else their batch holds."""
    for _ in range(3):
        first = new(design)

        def send(_: int, first: NewReport = first) -> Outcome:
            try:
                return storing.store([new(design), first, new(design)])[1]
            finally:
                connection.close()

        with ThreadPoolExecutor(50) as pool:
            outcomes = list(pool.map(send, range(50)))
        assert sorted(one.name for one in outcomes) == ["KNOWN"] * 49 + ["STORED"]
    assert selectors.received_count(design.digest) == 3 * 101
