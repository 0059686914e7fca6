"""The servers of the database, as a real PostgreSQL with a real replica names them, on the operator's page too."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client

from collector.database.servers import Server, Servers, database_servers
from config import metrics
from surveys.panel import operations
from tests.tools.replica import NAME, Pair, running_pair

PRIMARY = Server("on this machine", "primary", "takes reports", True)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with running_pair() as running:
        yield running


@pytest.fixture
def aliases(pair: Pair, monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any) -> Iterator[None]:
    """Both servers among Django's databases."""
    for alias, folder in (("first", pair.primary), ("second", pair.replica)):
        given = connections.configure_settings(
            {"default": connections.settings["default"], alias: pair.settings(folder)}
        )
        monkeypatch.setitem(connections.settings, alias, given[alias])
    with django_db_blocker.unblock():
        yield
        for alias in ("first", "second"):
            connections[alias].close()
            del connections[alias]


def replica(**known: Any) -> Server:
    return Server(**{
        "name": NAME, "role": "replica", "state": "streaming", "works": True, "lag_bytes": 0, "lag_seconds": 0, **known
    })  # fmt: skip


def wait_for(expected: list[Server]) -> None:
    """Wait until those are the servers: a replica connects, and catches up, within moments."""
    until = time.monotonic() + 30
    while (found := list(database_servers("first").servers)) != expected and time.monotonic() < until:
        time.sleep(0.05)
    assert found == expected


@pytest.mark.django_db
def test_servers_of_one_database_are_not_listed() -> None:
    assert database_servers().servers == ()
    assert connection.vendor in {"sqlite", "postgresql"}


@pytest.mark.usefixtures("aliases")
def test_servers_list_replica_and_whether_it_confirms(pair: Pair) -> None:
    wait_for([PRIMARY, replica()])
    assert database_servers("first").confirmed is False
    pair.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{NAME}'")
    pair.execute("SELECT pg_reload_conf()")
    try:
        wait_for([PRIMARY, replica(synchronous=True)])
        assert database_servers("first").confirmed is True
        with connections["first"].cursor() as cursor:
            cursor.execute("SET synchronous_commit = local")
        assert database_servers("first").confirmed is False
    finally:
        pair.execute("ALTER SYSTEM RESET synchronous_standby_names")
        pair.execute("SELECT pg_reload_conf()")


@pytest.mark.usefixtures("aliases")
def test_servers_replica_lag_is_told_in_megabytes(pair: Pair) -> None:
    """What a report writes, some kilobytes, moves nothing."""
    wait_for([PRIMARY, replica()])
    pair.execute("SELECT pg_wal_replay_pause()", on=pair.replica)
    try:
        pair.execute("CREATE TABLE small AS SELECT generate_series(1, 100) AS number")
        wait_for([PRIMARY, replica()])
        pair.execute("CREATE TABLE large AS SELECT repeat('x', 900) FROM generate_series(1, 4000)")
        (lag,) = [one.lag_bytes for one in database_servers("first").servers if one.role == "replica"]
        assert lag is not None
        assert lag >= 3_000_000
        assert lag % 1_000_000 == 0
    finally:
        pair.execute("SELECT pg_wal_replay_resume()", on=pair.replica)
    wait_for([PRIMARY, replica()])


@pytest.mark.usefixtures("aliases")
def test_servers_without_right_to_read_say_so(pair: Pair) -> None:
    wait_for([PRIMARY, replica()])
    pair.execute("CREATE ROLE plain")
    with connections["first"].cursor() as cursor:
        cursor.execute("SET ROLE plain")
    hint = "may not be read: GRANT pg_read_all_stats to Candor's user"
    (_, shown) = database_servers("first").servers
    assert shown == replica(state=hint, lag_bytes=None, lag_seconds=None)


@pytest.mark.usefixtures("aliases")
def test_servers_replica_takes_no_reports() -> None:
    (shown,) = database_servers("second").servers
    assert (shown.role, shown.state, shown.works) == ("replica", "takes no reports", False)


def page() -> str:
    client = Client()
    operator = User.objects.create_superuser("root", password="a long passphrase")
    client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.get("/panel/operation/")
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


@pytest.mark.django_db
def test_operation_page_of_one_database_names_no_servers() -> None:
    shown = page()
    assert "Software and settings" in shown
    assert "Database servers" not in shown
    assert "Workers by machine" not in shown
    assert not re.search("candor_(server|replica|shards|workers)", metrics.exposition().decode())


@pytest.mark.django_db
@pytest.mark.usefixtures("aliases")
def test_operation_page_and_metrics_show_replica(monkeypatch: pytest.MonkeyPatch) -> None:
    wait_for([PRIMARY, replica()])
    for shower in (operations, metrics):
        monkeypatch.setattr(shower, "database_servers", lambda: database_servers("first"))
    shown = page()
    assert "Server Role State on this machine primary ✓ takes reports" in shown
    assert f"{NAME} replica ✓ streaming, 0 MB and 0 s behind" in shown
    assert "Responses are acknowledged before a replica has them" in shown
    assert "Shards" not in shown
    told = metrics.exposition().decode()
    assert f'candor_server_up{{role="replica",server="{NAME}"}} 1.0' in told
    assert f'candor_replica_lag_bytes{{server="{NAME}"}} 0.0' in told
    assert f'candor_replica_synchronous{{server="{NAME}"}} 0.0' in told
    assert "candor_shards" not in told


@pytest.mark.django_db
def test_operation_page_and_metrics_show_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [
        Server("10.0.0.1:5432", "coordinator", "answers", True, shards=0, size=0),
        Server("10.0.0.2:5432", "worker", "does not answer", False, shards=32, size=7_000_000),
    ]
    for shower in (operations, metrics):
        monkeypatch.setattr(shower, "database_servers", lambda: Servers(nodes))
    shown = page()
    assert "Server Role State Shards 10.0.0.1:5432 coordinator ✓ answers 0, 0 MB" in shown
    assert "10.0.0.2:5432 worker ✗ does not answer 32, 7 MB" in shown
    assert "acknowledged" not in shown
    told = metrics.exposition().decode()
    assert 'candor_server_up{role="worker",server="10.0.0.2:5432"} 0.0' in told
    assert 'candor_shards_bytes{server="10.0.0.2:5432"} 7e+06' in told
    assert "candor_replica" not in told
