"""What the promises ask of the database's own settings; looked at before anything runs, by Django's system checks."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import Error, Tags, register
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

LOST = "a report that was answered with 201 could be lost in a power cut"
READABLE = "deleted reports would stay readable in the file"
OUTSIDE = "pages of reports would be left on the disk outside the database"

WANTED: dict[str, list[tuple[str, tuple[str, ...], str]]] = {
    "sqlite": [
        ("synchronous", ("2", "3"), LOST),
        ("secure_delete", ("1",), READABLE),
        ("temp_store", ("2",), OUTSIDE),
    ],
    "postgresql": [
        ("synchronous_commit", ("on", "local", "remote_write", "remote_apply"), LOST),
        ("fsync", ("on",), LOST),
        ("full_page_writes", ("on",), LOST),
    ],
}
"""By kind of database: a setting, the values that keep the promise, and what is lost without them."""

ASKED = {"sqlite": "PRAGMA {}", "postgresql": "SHOW {}"}


SIZE = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    "postgresql": "SELECT pg_database_size(current_database())",
}


def size_in_bytes() -> int:
    """What the database takes on disk, indexes and what is free to be used again included."""
    with connection.cursor() as cursor:
        cursor.execute(SIZE[connection.vendor])
        return int(cursor.fetchone()[0])


@register(Tags.database)
def check_settings(*, databases: Sequence[str] | None = None, **_given: Any) -> list[Error]:
    """One error for each setting with which a promise would not hold; `migrate`, which `make run` begins with, asks."""
    return [fault for name in databases or () for fault in faults(connections[name])]


def faults(database: BaseDatabaseWrapper) -> list[Error]:
    """What is wrong with the settings of one database."""
    found = []
    with database.cursor() as cursor:
        for setting, good, loss in WANTED[database.vendor]:
            cursor.execute(ASKED[database.vendor].format(setting))
            value = str(cursor.fetchone()[0])
            if value not in good:
                hint = f"It must be {' or '.join(good)}."
                found.append(Error(f"The database's {setting} is {value}: {loss}.", hint, id="collector.E001"))
    return found
