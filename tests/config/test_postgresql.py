"""The PostgreSQL server that is started for an installation: how it ends."""

import os
import signal
import threading

import psycopg
import pytest

from config import postgresql
from tests.system.installation import wait_until
from tests.tools.postgresql import running_postgresql


def test_postgresql_stop_during_recovery_keeps_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL 18 may wait for good where it is told to end in that moment; whether it does is chance."""
    monkeypatch.setattr(postgresql, "ORDERLY", 2.0)
    with running_postgresql() as server:
        with psycopg.connect(server.url, autocommit=True) as there:
            there.execute("CREATE TABLE plain AS SELECT 1 AS kept")
            killed = threading.Timer(0.2, os.kill, [there.info.backend_pid, signal.SIGKILL])
            killed.start()
            with pytest.raises(psycopg.OperationalError):
                there.execute("SELECT pg_sleep(60)")
        wait_until(lambda: "terminated by signal 9" in server.log.read_text(), 30)
        server.stop()
        assert not server.alive()
        server.start()
        with psycopg.connect(server.url) as there:
            assert there.execute("SELECT kept FROM plain").fetchall() == [(1,)]
