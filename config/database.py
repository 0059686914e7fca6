"""The database settings: an SQLite file by default, PostgreSQL if DATABASE_URL names one."""

from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from estimator.base.extras import missing_package

POOL = {"min_size": 1, "max_size": 8, "timeout": 10}
"""Pooled connections per process for pages; reports use a separate one (collector/endpoint/writer.py)."""

PATIENCE = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
}
"""Seconds to connect; milliseconds until a server that takes nothing is given up; after how many seconds of silence,
how often and how many times its machine is asked whether it is there."""


def database(url: str, data: Path) -> dict[str, object]:
    """Return Django's settings of the database.

    Raises ImproperlyConfigured for an address of another kind of database; it never says the address, which may hold
    a password.
    """
    if not url:
        return _sqlite(data)
    try:
        found = dj_database_url.parse(url)
    except ValueError:
        found = {}
    if found.get("ENGINE") != "django.db.backends.postgresql" or not found["HOST"] or not found["NAME"]:
        raise ImproperlyConfigured("DATABASE_URL must be like postgresql://user:password@host:5432/name.")
    if missing := missing_package("psycopg", "servers"):
        raise ImproperlyConfigured(f"DATABASE_URL names a PostgreSQL, and {missing}")
    options = {**PATIENCE, **found.get("OPTIONS", {}), "pool": POOL}
    # A pool may hold connections that a restart of the database has ended.
    return {**found, "OPTIONS": options, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True}


def _sqlite(data: Path) -> dict[str, object]:
    # IMMEDIATE: a transaction that will write takes its place in the queue at once instead of failing half way.
    # synchronous=FULL: a report that was answered with 201 survives a power cut.
    # journal_size_limit=0: a log that is begun anew keeps no older write behind the new ones
    # (collector/database/write_ahead_log.py).
    # temp_store=MEMORY: what a statement would need to be undone, for folding every page that it changes, goes through
    # no file; it was a third of what was written, and pages of reports were left on the disk outside the database.
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": data / "candor.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; "
            "PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=0;",
        },
    }
