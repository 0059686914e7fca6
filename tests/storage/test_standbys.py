"""A PostgreSQL with a standby: nothing is acknowledged that is on one of them alone, and both forget the order."""

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import ConnectionHandler, OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

from collector.database import replication, settings, write_ahead_log
from config import postgresql
from config.database import database
from tests.system.installation import wait_until
from tests.tools.postgresql import running_postgresql

pytestmark = pytest.mark.django_db(transaction=True)

STREAMED = {
    "wal_level": "replica",
    "max_wal_senders": "5",
    "wal_keep_size": "16MB",
    "checkpoint_timeout": "30s",
    "hot_standby": "on",
    "wal_retrieve_retry_interval": "200ms",
}
"""As deploy/ha sets them, but smaller, so that a test is short."""

WAITS = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
N, SECONDS = 300, 40


class Standby(postgresql.PostgreSQL):
    """A copy of a server that follows it."""

    def __init__(self, primary: postgresql.PostgreSQL) -> None:
        super().__init__(primary.folder.parent / "standby")
        self.folder.mkdir(mode=0o700)
        if user := postgresql._user():
            shutil.chown(self.folder, user)
        self._run("pg_basebackup", "-D", self.data, "-R", "-c", "fast", "-d", f"host={primary.folder} user=candor")


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[postgresql.PostgreSQL, Standby]]:
    with ExitStack() as running:
        patch = running.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(postgresql, "FORGETTING", postgresql.FORGETTING | STREAMED)
        primary = running.enter_context(running_postgresql())
        with psycopg.connect(primary.url, autocommit=True) as there:
            there.execute("CREATE TABLE plain (nonce bytea PRIMARY KEY)")
        standby = Standby(primary)
        standby.start()
        running.callback(standby.stop)
        yield primary, standby


@pytest.fixture
def there(
    pair: tuple[postgresql.PostgreSQL, Standby], monkeypatch: pytest.MonkeyPatch
) -> Iterator[BaseDatabaseWrapper]:
    """The connection of both modules to the primary."""
    options = database(pair[0].url, Path())
    options["OPTIONS"].pop("pool")  # type: ignore[attr-defined]
    made = ConnectionHandler({"default": options})["default"]
    made.inc_thread_sharing()
    for module in (replication, write_ahead_log):
        monkeypatch.setattr(module, "connection", made)
    yield made
    made.close()


@pytest.fixture
def alone(pair: tuple[postgresql.PostgreSQL, Standby]) -> Iterator[Callable[[], None]]:
    """The standby is away and every commit waits for it; what is given lets it come back."""
    primary, standby = pair
    standby.stop()
    configure(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    yield standby.start
    if not standby.alive():
        standby.start()
    configure(primary, "ALTER SYSTEM RESET synchronous_standby_names")


def configure(server: postgresql.PostgreSQL, statement: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as asked:
        asked.execute(statement)
        asked.execute("SELECT pg_reload_conf()")
        wanted = "*" if "SET syn" in statement and "RESET" not in statement else ""
        wait_until(lambda: asked.execute("SHOW synchronous_standby_names").fetchone() == (wanted,), SECONDS)


def waiting(server: postgresql.PostgreSQL) -> list[int]:
    with psycopg.connect(server.url) as asked:
        return [pid for (pid,) in asked.execute(WAITS).fetchall()]


def end_wait(server: postgresql.PostgreSQL, function: str) -> None:
    """Cancel or terminate who waits for the standby."""
    wait_until(lambda: waiting(server) != [], SECONDS)
    with psycopg.connect(server.url, autocommit=True) as asked:
        asked.execute(f"SELECT {function}({waiting(server)[0]})")


def insert(there: BaseDatabaseWrapper, nonce: bytes) -> Sequence[str]:
    with replication.warnings_collected() as warnings, there.cursor() as cursor:
        cursor.execute("INSERT INTO plain VALUES (%s)", [nonce])
    return warnings


def in_thread(act: Callable[[], Any]) -> Future[Any]:
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(act)
    finally:
        pool.shutdown(wait=False)


@pytest.mark.long
def test_cancelled_wait_for_standby_succeeds_and_warns(
    pair: tuple[postgresql.PostgreSQL, Standby], there: BaseDatabaseWrapper, alone: Callable[[], None]
) -> None:
    """PostgreSQL says that it is stored; only the warning says that it may be on one machine."""
    stored = in_thread(lambda: insert(there, b"cancelled"))
    end_wait(pair[0], "pg_cancel_backend")
    assert len(stored.result(SECONDS)) == 1
    waited = in_thread(replication.wait_for_standbys)
    wait_until(lambda: waiting(pair[0]) != [], SECONDS)
    assert not waited.done(), "it is on one machine"
    alone()
    waited.result(SECONDS)
    with psycopg.connect(pair[1].url) as copy:
        assert copy.execute("SELECT nonce FROM plain WHERE nonce = 'cancelled'").fetchall() != []


@pytest.mark.long
def test_cancelled_wait_for_standbys_is_refused(
    pair: tuple[postgresql.PostgreSQL, Standby], there: BaseDatabaseWrapper, alone: Callable[[], None]
) -> None:
    waited = in_thread(replication.wait_for_standbys)
    end_wait(pair[0], "pg_cancel_backend")
    with pytest.raises(OperationalError, match="cancelled"):
        waited.result(SECONDS)


@pytest.mark.long
def test_terminated_wait_leaves_row_that_is_waited_for(
    pair: tuple[postgresql.PostgreSQL, Standby], there: BaseDatabaseWrapper, alone: Callable[[], None]
) -> None:
    """What a proxy or a shutdown does: whoever sends again sees the row, and would be told that it is safe."""
    stored = in_thread(lambda: insert(there, b"terminated"))
    end_wait(pair[0], "pg_terminate_backend")
    with pytest.raises(OperationalError):
        stored.result(SECONDS)
    there.close()
    with there.cursor() as cursor:
        cursor.execute("INSERT INTO plain VALUES ('terminated') ON CONFLICT DO NOTHING")
        assert cursor.rowcount == 0, "it is there, and nothing has waited"
    waited = in_thread(replication.wait_for_standbys)
    wait_until(lambda: waiting(pair[0]) != [], SECONDS)
    alone()
    waited.result(SECONDS)


def logged(server: postgresql.PostgreSQL, nonces: list[bytes]) -> int:
    """How many of the nonces are in a server's write-ahead log."""
    held = b"".join(file.read_bytes() for file in (server.data / "pg_wal").iterdir() if file.is_file())
    return sum(nonce in held for nonce in nonces)


@pytest.mark.long
def test_overwritten_log_is_gone_on_standby_too(
    pair: tuple[postgresql.PostgreSQL, Standby], there: BaseDatabaseWrapper
) -> None:
    """Files that are kept for standbys are pushed out, here and there."""
    drawn = random.Random(8)
    nonces = [drawn.randbytes(16) for _ in range(N)]
    for nonce in nonces:
        insert(there, nonce)
    with there.cursor() as cursor:
        cursor.execute("DROP TABLE plain")
        cursor.execute("CREATE TABLE plain (nonce bytea PRIMARY KEY)")
        cursor.execute("SELECT pg_switch_wal()")
        cursor.execute("CHECKPOINT")
    wait_until(lambda: logged(pair[1], nonces) == N, SECONDS)
    assert logged(pair[0], nonces) == N, "a checkpoint alone leaves what is kept for standbys"
    assert write_ahead_log.overwrite()
    assert logged(pair[0], nonces) == 0
    with psycopg.connect(pair[1].url, autocommit=True) as copy:
        copy.execute("CHECKPOINT")  # a restartpoint, as comes by itself within checkpoint_timeout
    wait_until(lambda: logged(pair[1], nonces) == 0, 2 * SECONDS)
    assert settings.traces(there) == []
