"""Database settings that the guarantees require, verified before anything runs by Django's system checks."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

LOST = "a report that was answered with 201 could be lost in a power cut"
READABLE = "deleted reports would stay readable in the file"
ORDERED = "the order of arrival of responses would stay readable in the log"
OUTSIDE = "pages of reports would be left on the disk outside the database"

WANTED: dict[str, list[tuple[str, tuple[str, ...], str]]] = {
    "sqlite": [
        ("synchronous", ("2", "3"), LOST),
        ("secure_delete", ("1",), READABLE),
        ("temp_store", ("2",), OUTSIDE),
        ("journal_size_limit", ("0",), ORDERED),
    ],
    "postgresql": [
        ("synchronous_commit", ("on", "local", "remote_write", "remote_apply"), LOST),
        ("fsync", ("on",), LOST),
        ("full_page_writes", ("on",), LOST),
    ],
}
"""By database vendor: a setting, its allowed values, and the consequence of any other value."""

ASKED = {"sqlite": "PRAGMA {}", "postgresql": "SHOW {}"}


SIZE = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    "postgresql": "SELECT pg_database_size(current_database())",
}


MEGABYTE = 1_000_000


def size_in_bytes() -> int:
    """The database's size in bytes, rounded up to megabytes: finer would reveal when a few reports came."""
    with connection.cursor() as cursor:
        cursor.execute(SIZE[connection.vendor])
        return -(-int(cursor.fetchone()[0]) // MEGABYTE) * MEGABYTE


IN_THE_LOG = "its log would hold reports with the time at which each came"
IN_THE_LOG_OF_ERRORS = "where a statement fails, its log would hold the reports in it with the time"
BEHIND = "its write-ahead log, which holds reports in the order in which they came, would be kept"

FORGETFUL = {
    "wal_recycle": ("= 'off'", "off", f"{BEHIND} under new names until it is written over"),
    "max_wal_size": ("::int <= 256", "256MB or less", f"{BEHIND} for long"),
    "wal_keep_size": ("::int <= 256", "256MB or less", f"{BEHIND} for long, for standbys"),
    "archive_mode": ("= 'off'", "off", f"{BEHIND} in an archive"),
    "track_commit_timestamp": ("= 'off'", "off", "it would record when each response arrived"),
    "log_statement": ("IN ('none', 'ddl')", "none", IN_THE_LOG),
    "log_min_duration_statement": ("= '-1'", "-1", IN_THE_LOG),
    "log_min_duration_sample": ("= '-1'", "-1", IN_THE_LOG),
    "log_transaction_sample_rate": ("= '0'", "0", IN_THE_LOG),
    "log_min_error_statement": ("= 'panic'", "panic", IN_THE_LOG_OF_ERRORS),
    "log_error_verbosity": ("= 'terse'", "terse", IN_THE_LOG_OF_ERRORS),
}
"""PostgreSQL settings that erase the order of arrival: the required value in SQL and in words, and what
would become of the order else."""

SET_OTHERWISE = "SELECT current_setting(name) FROM pg_settings WHERE name = %s AND NOT setting {wanted}"
SLOTS = "SELECT count(*) FROM pg_replication_slots"
MAY_OVERWRITE = """
SELECT has_function_privilege('pg_switch_wal()', 'EXECUTE')
AND has_function_privilege('pg_ls_waldir()', 'EXECUTE')
AND (current_setting('is_superuser') = 'on'
     OR EXISTS (SELECT FROM pg_roles WHERE rolname = 'pg_checkpoint' AND pg_has_role(oid, 'USAGE')))
"""
RIGHTS = (
    "PostgreSQL's user may not overwrite the write-ahead log after a survey is closed. As a superuser: GRANT "
    "pg_checkpoint TO {user}; GRANT EXECUTE ON FUNCTION pg_switch_wal(), pg_ls_waldir() TO {user}."
)


@register(Tags.database)
def check_settings(*, databases: Sequence[str] | None = None, **_given: Any) -> list[CheckMessage]:
    """Return one error for each setting that breaks a guarantee; `migrate`, run first by `make run`, calls it.

    One warning for each that keeps the order of arrival for longer than it need be.
    """
    found: list[CheckMessage] = []
    for name in databases or ():
        found += faults(connections[name])
        found += [Warning(words, id="collector.W001") for words in traces(connections[name])]
    return found


def faults(database: BaseDatabaseWrapper) -> list[Error]:
    """Return one error for each wrong setting of a database."""
    found = []
    with database.cursor() as cursor:
        for setting, good, loss in WANTED[database.vendor]:
            cursor.execute(ASKED[database.vendor].format(setting))
            value = str(cursor.fetchone()[0])
            if value not in good:
                hint = f"It must be {' or '.join(good)}."
                found.append(Error(f"The database's {setting} is {value}: {loss}.", hint, id="collector.E001"))
    return found


def traces(database: BaseDatabaseWrapper) -> list[str]:
    """PostgreSQL settings that retain the order of arrival longer than necessary, each with its remedy."""
    if database.vendor != "postgresql":
        return []
    found = []
    with database.cursor() as cursor:
        for setting, (wanted, words, loss) in FORGETFUL.items():
            cursor.execute(SET_OTHERWISE.format(wanted=wanted), [setting])
            found += [
                f"PostgreSQL's {setting} is {value}: {loss}. Set it to {words}." for (value,) in cursor.fetchall()
            ]
        cursor.execute(SLOTS)
        if slots := cursor.fetchone()[0]:
            found.append(f"PostgreSQL has replication slots ({slots}): {BEHIND} for each. Drop those that nobody uses.")
        cursor.execute(f"SELECT current_user, ({MAY_OVERWRITE})")
        user, may_overwrite = cursor.fetchone()
    return found if may_overwrite else [*found, RIGHTS.format(user=user)]
