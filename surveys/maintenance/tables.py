"""The tables that a backup holds, and their rows as JSON lines that every supported database accepts."""

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from itertools import islice
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, models
from django.db.models import Sum

from collector.models import FrozenDesign, Report, Tally, WaitingReport

Model = type[models.Model]
Columns = list[Any]
"""Fields of a model that have a column each."""

Made = Callable[[Mapping[str, Any]], Any]
"""Makes the value of a column that a backup has elsewhere, from the row's other values by name."""

LEFT_OUT = {
    "axes.AccessAttempt", "axes.AccessAttemptExpiration", "axes.AccessFailureLog", "axes.AccessLog",  # always empty
    "collector.ReportArchive",  # files of this installation; a backup holds the reports themselves
    "estimator.Export",  # files of this installation, made again from the runs
    "estimator.Worker",  # when a worker of this installation last looked
    "sessions.Session",  # who is signed in here
    "surveys.Backup",  # of this installation, which are in no backup
    "surveys.DraftRevision",  # steps on the way to a draft, which is in the backup itself
    "surveys.FetchCode",  # of no use without the secret below, and nobody's business but the installation's
    "surveys.PreviewLink",  # secrets of this installation, which a restore must not make good again
    "surveys.KeptAnswer",  # to programs' requests of the last day
    "surveys.Mailing", "surveys.Recipient",  # mails that are sent from here, and the addresses that wait for them
    "surveys.SigningSecret",  # whoever steals a backup makes no tokens, and after a restore nobody fetches a second one
}  # fmt: skip
"""Tables left out; all others are in a backup, so none can be forgotten."""

MADE_BY_MIGRATE: tuple[Model, ...] = (Permission, ContentType)
"""Tables with rows in an empty installation; a restore replaces them with the backup's."""

AT_ONCE = 200
"""Number of rows read or written together; a row of a page may hold a hundred kilobytes."""


def tables() -> list[Model]:
    """The tables stored as rows of JSON: all but the responses, which have a binary format."""
    found = {model._meta.label: model for model in apps.get_models(include_auto_created=True)}
    held = [model for label, model in found.items() if label not in LEFT_OUT and model not in (Report, WaitingReport)]
    return sorted(held, key=lambda model: model._meta.db_table)


def columns(model: Model) -> Columns:
    """The columns of a row. A design's document is a separate member, and the parts of a total are summed."""
    if model is Tally:
        return [Tally._meta.get_field(name) for name in ("design", "stratum", "position", "symbol", "count")]
    stored = [column for column in model._meta.local_concrete_fields if not column.generated]
    return [column for column in stored if model is not FrozenDesign or column.name != "document"]


def names(model: Model) -> list[str]:
    return [column.attname for column in columns(model)]


def read(model: Model) -> Iterator[bytes]:
    """Every row as a line of JSON, in the order of the key."""
    for row in _values(model).iterator(chunk_size=AT_ONCE):
        yield (
            json.dumps(row, default=_plain, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"
        )


def write(model: Model, lines: Iterable[bytes], **more: Made) -> int:
    """Insert rows written by `read`; returns their number. `more`: columns that it has elsewhere."""
    named = names(model)
    filled = [*columns(model), *map(model._meta.get_field, more)]
    insert = _insert(model, filled)
    count, left = 0, iter(lines)
    while batch := [json.loads(line) for line in islice(left, AT_ONCE)]:
        if more:
            batch = [[*row, *(value(dict(zip(named, row, strict=True))) for value in more.values())] for row in batch]
        with connection.cursor() as cursor:
            cursor.executemany(insert, [_prepared(filled, row) for row in batch])
        count += len(batch)
    return count


def numbered() -> list[str]:
    """The names of the tables that number their rows."""
    return [model._meta.db_table for model in tables() if isinstance(model._meta.pk, models.AutoField)]


def last_keys() -> dict[str, int]:
    """The highest number ever given to a row, by table: that of a deleted row must not be given again."""
    given = _sequences(numbered())
    return {table: number for table, number in sorted(given.items()) if number}


def set_last_keys(given: dict[str, int]) -> None:
    """Set the database's sequences to these numbers; a table of an older version may have none any more."""
    known = set(numbered())
    with connection.cursor() as cursor:
        for table, number in given.items():
            if table not in known:
                continue
            if connection.vendor == "sqlite":
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, number])
            else:
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, number])


def _values(model: Model) -> Any:
    rows = model._default_manager.order_by("pk")
    if model is not Tally:
        return rows.values_list(*names(model))
    *cell, count = names(model)
    return Tally.objects.order_by(*cell).values_list(*cell).annotate(Sum(count))


def _plain(value: Any) -> str:
    """Text for what JSON cannot express; a field's `to_python` restores it, to the microsecond and the byte."""
    if isinstance(value, date):
        return value.isoformat()
    return base64.b64encode(bytes(value)).decode()


def _insert(model: Model, filled: Columns) -> str:
    quote = connection.ops.quote_name
    listed = ", ".join(quote(str(column.column)) for column in filled)
    return f"INSERT INTO {quote(model._meta.db_table)} ({listed}) VALUES ({', '.join(['%s'] * len(filled))})"  # noqa: S608


def _prepared(filled: Columns, row: list[Any]) -> list[Any]:
    pairs = zip(filled, row, strict=True)
    return [column.get_db_prep_save(column.to_python(value), connection) for column, value in pairs]


def _sequences(names: list[str]) -> dict[str, int]:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, seq FROM sqlite_sequence")
            return {name: number for name, number in cursor.fetchall() if name in names}
        given = {}
        for table in names:
            cursor.execute("SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, 'id'))", [table])
            given[table] = cursor.fetchone()[0] or 0
        return given
