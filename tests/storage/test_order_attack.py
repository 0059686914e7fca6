"""500 reports come one after the other; who steals the database afterwards cannot say in which order.

The nonces are drawn from a seed, so nothing here is left to chance: a guess that follows from the nonces alone is right
about as often as any other, whatever the order of arrival was.
"""

import random
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.models import FrozenDesign, Report, WaitingReport
from collector.reports import folding, rewriting, selectors
from estimator import tasks
from surveys.maintenance import backup
from tests.factories import payloads
from tests.factories.reports import fold_waiting, store_report
from tests.storage import attacking
from tests.storage.attacking import BY_CHANCE, N, Order, attacks, correlation, recognised
from tests.tools.backups import empty_database, members

pytestmark = pytest.mark.django_db(transaction=True)

UNRELATED = 4 / sqrt(N)


@pytest.fixture
def arrived(unhurried: None) -> Iterator[Order]:
    """500 reports of a design in the order in which they came, folded meanwhile as a worker does."""
    design, drawn = freeze_design(payloads.document()), random.Random(8)
    order = [drawn.randbytes(16) for _ in range(N)]
    for number, nonce in enumerate(order):
        symbols = bytes([drawn.randrange(2), drawn.randrange(3)]).hex()
        body = payloads.body(design, nonce=nonce.hex(), stratum=drawn.choice(["y1", "y2"]), report=symbols)
        store_report(body)
        if number % 23 == 0:
            folding.fold(design.digest)
    fold_waiting(design)
    yield order
    empty_database()


def found(order: Order) -> dict[str, tuple[float, float]]:
    """What each attack finds out: the share of the places that it knows, and its order's correlation with truth."""
    guesses = {name: attack() for name, attack in attacks().items()}
    return {name: (recognised(guess, order), correlation(guess, order)) for name, guess in guesses.items()}


def test_order_attack_plain_table_finds_order(unhurried: None) -> None:
    """The test of the test: a table as most projects would have it tells the order of all."""
    drawn = random.Random(8)
    order = [drawn.randbytes(16) for _ in range(N)]
    kind = "BLOB" if connection.vendor == "sqlite" else "bytea"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE plain (nonce {kind} PRIMARY KEY, report {kind})")
        for nonce in order:
            cursor.execute("INSERT INTO plain VALUES (%s, %s)", [nonce, b"12"])
    try:
        knowing = {
            name: attack() for name, attack in attacks("plain").items() if name not in ("place in the file", "cmin")
        }
        assert len(knowing) >= 3
        for name, guess in knowing.items():
            assert recognised(guess, order) == 1, name
            assert correlation(guess, order) == pytest.approx(1)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE plain")


def test_order_attack_rewritten_store_finds_nothing(arrived: Order, tmp_path: Path) -> None:
    """Before it is rewritten the store itself tells something; afterwards no attack finds more than chance does."""
    if connection.vendor == "sqlite":
        packed = attacking.pages_without_an_arrival("collector_report", tmp_path / "packed.sqlite3")
        assert attacking.pages("collector_report") != packed, "where there was room"
    else:
        assert found(arrived)["xmin"][1] > 0.9, "which step each was in; within it they are drawn"
    rewriting.rewrite()
    after = found(arrived)
    file = tmp_path / "candor.zip"
    backup.back_up(file)
    (records,) = [content for name, content in members(file).items() if name.startswith("reports/")]
    guess = attacking.backup_order(records, 21)
    after["backup"] = recognised(guess, arrived), correlation(guess, arrived)
    assert len(after) == (4 if connection.vendor == "sqlite" else 6)
    for name, (places, order) in after.items():
        assert places <= BY_CHANCE, f"{name}: {places:.3f}"
        assert order < UNRELATED, f"{name}: {order:.3f}"
    if connection.vendor == "sqlite":
        assert attacking.pages("collector_report") == packed, "what the file looks like follows from the keys"
        assert has_no_log()
    else:
        assert len(set(stamps())) == 1, "one transaction wrote them all"


def stamps() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT xmin::text FROM collector_report")
        return [row[0] for row in cursor.fetchall()]


def has_no_log() -> bool:
    """SQLite's log of the newest writes is cut to nothing; for PostgreSQL's see docs/reference/stored-data.md."""
    log = Path(f"{connection.settings_dict['NAME']}-wal")
    return not log.exists() or not any(nonce in log.read_bytes() for nonce in attacking.asked(NONCES))


NONCES = "SELECT nonce FROM collector_report"
ROWS = "SELECT design_id, nonce, stratum, mode, report FROM {} ORDER BY design_id, nonce"


def rows(table: str = "collector_report") -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(ROWS.format(table))
        return [(row[0], bytes(row[1]), row[2], row[3], bytes(row[4])) for row in cursor.fetchall()]


def shape() -> object:
    """The columns, keys, indexes and triggers of the reports, as the database describes them."""
    with connection.cursor() as cursor:
        described = connection.introspection.get_table_description(cursor, "collector_report")
        constraints = connection.introspection.get_constraints(cursor, "collector_report")
        triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'collector_report' ORDER BY 1"
        if connection.vendor == "postgresql":
            triggers = (
                "SELECT pg_get_triggerdef(oid) FROM pg_trigger "
                "WHERE tgrelid = 'collector_report'::regclass AND NOT tgisinternal ORDER BY 1"
            )
        cursor.execute(triggers)
        return [column[:] for column in described], constraints, cursor.fetchall()


def test_rewrite_changes_no_row_or_schema(arrived: Order) -> None:
    before, totals, described = rows(), selectors.totals(digest()), shape()
    assert len(before) == N
    rewriting.rewrite()
    rewriting.rewrite()
    assert rows() == before
    assert [table.tolist() for table in selectors.totals(digest())] == [table.tolist() for table in totals]
    assert shape() == described
    assert len(described[2]) == 2
    assert [table.tolist() for table in selectors.recount(digest())] == [table.tolist() for table in totals]


def digest() -> str:
    return FrozenDesign.objects.get().digest


def test_rewrite_crash_leaves_old_or_new_table(arrived: Order, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each statement in turn it dies, as a connection does that is cut off."""
    before, described, real = rows(), shape(), connection.execute_wrapper
    for last in range(100):
        left = iter(range(last))

        def die(execute: Any, statement: str, values: Any, many: bool, context: Any, left: Any = left) -> Any:
            if next(left, None) is None:
                raise KeyboardInterrupt
            return execute(statement, values, many, context)

        try:
            with real(die):
                rewriting.rewrite()
        except KeyboardInterrupt:
            assert rows() == before
            assert shape() == described
        else:
            break
    assert last > 3
    assert rows() == before


def test_rewrite_includes_waiting_reports(arrived: Order) -> None:
    """Of an open survey it waits for long, and PostgreSQL would keep it as it came."""
    waiting = 19
    for _ in range(waiting):
        store_report(payloads.body(Design.of(payloads.document())))
    assert folding.fold(digest()) == 0
    rewriting.rewrite()
    lie = "nonce" if connection.vendor == "sqlite" else "ctid"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT nonce FROM collector_waitingreport ORDER BY {lie}")
        nonces = [bytes(nonce) for (nonce,) in cursor.fetchall()]
        assert nonces == sorted(nonces)
        assert len(nonces) == waiting
        if connection.vendor == "postgresql":
            cursor.execute("SELECT count(DISTINCT xmin::text) FROM collector_waitingreport")
            assert cursor.fetchone() == (1,)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's log has the order of an open survey anyway")
def test_order_attack_waiting_reports_after_fold_find_nothing(unhurried: None) -> None:
    """The last 19 of an open survey wait until it is closed, at a place in the file that would tell who came last."""
    design, drawn = freeze_design(payloads.document()), random.Random(8)
    order = []
    try:
        for _ in range(2):
            came = [drawn.randbytes(16) for _ in range(9)]
            for nonce in came:
                store_report(payloads.body(design, nonce=nonce.hex()))
            order += came
            newest = [nonce for nonce in attacking.places("collector_waitingreport") if nonce in came]
            assert newest == came, "a thief knows their order for as long as nobody has looked"
            tasks.fold_waiting()
            assert attacking.places("collector_waitingreport") == sorted(order)
        assert WaitingReport.objects.count() == len(order)
        assert not rewriting.shuffle_waiting(), "where nothing comes nothing is written"
    finally:
        empty_database()


def test_store_and_fold_work_between_rewrites(arrived: Order) -> None:
    design = Design.of(payloads.document())
    rewriting.rewrite()
    store_report(payloads.body(design))
    assert not store_report(payloads.body(design, nonce=arrived[0].hex(), **content(arrived[0])))
    assert fold_waiting(design) == 1
    rewriting.rewrite()
    assert (Report.objects.count(), WaitingReport.objects.count()) == (N + 1, 0)
    with pytest.raises(Exception, match="cannot be changed"), transaction.atomic():
        Report.objects.update(mode=1)


def content(nonce: bytes) -> dict[str, str]:
    row = Report.objects.get(nonce=nonce)
    return {"stratum": ["y1", "y2"][row.stratum], "report": bytes(row.report).hex()}


def test_rewrite_closed_survey_runs_once(arrived: Order) -> None:
    assert not rewriting.rewrite_closed(), "it is open"
    close_design(digest())
    assert rewriting.rewrite_closed()
    assert FrozenDesign.objects.get().rewritten_on is not None
    assert not rewriting.rewrite_closed()
    assert max(order for _, order in found(arrived).values()) < UNRELATED
    if connection.vendor == "postgresql":
        assert len(set(stamps())) == 1
