"""Every test's database is one of all nodes, and distributed as soon as its tables are there."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db.backends.postgresql.creation import DatabaseCreation

from tests.citus.cluster import create_database, drop_database

PORTS = [int(port) for port in os.environ["CITUS_PORTS"].split(",")]
SHARDS = 4


@pytest.fixture(scope="session", autouse=True)
def _distributed_databases() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseCreation, "_create_test_db", _create)
        patch.setattr(DatabaseCreation, "_destroy_test_db", lambda self, name, verbosity: drop_database(name, PORTS))
        patch.setattr(DatabaseCreation, "create_test_db", _create_tables)
        yield


def _create(self: DatabaseCreation, verbosity: int, autoclobber: bool, keepdb: bool = False) -> str:
    name: str = self._get_test_db_name()
    create_database(name, PORTS)
    return name


_honest = DatabaseCreation.create_test_db


def _create_tables(self: DatabaseCreation, *args: Any, **kwargs: Any) -> str:
    name: str = _honest(self, *args, **kwargs)
    call_command("distribute", shards=SHARDS)
    return name
