"""Totals and daily counts name their design by its number, as the reports do, and their keys begin with it.

A database of several nodes can then keep all rows of a design on one of them. The rows are put aside while the tables
are made, in both directions. On PostgreSQL a worker of the version before that folds meanwhile has committed before the
first row is read; one that folds afterwards fails in its transaction, so that its reports wait for a new worker.
"""

from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import OperationalError, migrations, models, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from collector.database import locks
from collector.database.tables import ByKey

COLUMNS = {
    "collector_tally": "part, stratum, position, symbol, count",
    "collector_dailycount": "first_day, last_day, count",
}
PUT_ASIDE = """
CREATE TABLE {table}_aside AS
SELECT design.{new} AS design_id, {columns} FROM {table} JOIN collector_frozendesign AS design
ON design.{old} = {table}.design_id
"""
TAKE_OUT = """
INSERT INTO {table} (design_id, {columns}) SELECT design_id, {columns} FROM {table}_aside ORDER BY design_id, {columns}
"""
LOCK = "LOCK TABLE collector_frozendesign, collector_tally, collector_dailycount IN ACCESS EXCLUSIVE MODE"
PATIENCE, TRIES = "100ms", 600
"""Incoming reports wait behind each attempt; readers may take a minute altogether."""


def put_aside(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _put_aside(editor, old="digest", new="number")


def put_aside_again(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _put_aside(editor, old="number", new="digest")


def _put_aside(editor: BaseDatabaseSchemaEditor, *, old: str, new: str) -> None:
    if editor.connection.vendor == "postgresql":
        locks.exclusive_lock(locks.EVERY, locks.REWRITING)  # nobody folds from here on
        _lock(editor)
    for table, columns in COLUMNS.items():
        editor.execute(PUT_ASIDE.format(table=table, columns=columns, old=old, new=new))


def _lock(editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(f"SET LOCAL lock_timeout = '{PATIENCE}'")
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic(using=editor.connection.alias):
                editor.execute(LOCK)
                break
        except OperationalError:
            if not left:
                raise
    editor.execute("SET LOCAL lock_timeout = 0")


def take_out(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    for table, columns in COLUMNS.items():
        editor.execute(TAKE_OUT.format(table=table, columns=columns))
        editor.execute(f"DROP TABLE {table}_aside")


def key(*fields: str) -> models.CompositePrimaryKey:
    return models.CompositePrimaryKey(*fields, blank=True, editable=False, primary_key=True, serialize=False)


def design(**named: Any) -> models.ForeignKey:
    return models.ForeignKey("collector.frozendesign", on_delete=django.db.models.deletion.PROTECT, **named)


BY_NUMBER = {"to_field": "number", "db_index": False, "related_name": "+"}


class Migration(migrations.Migration):
    dependencies = [("collector", "0016_closed_by_a_restore")]
    operations = [
        migrations.RunPython(put_aside, take_out),
        migrations.DeleteModel("Tally"),
        migrations.DeleteModel("DailyCount"),
        ByKey(
            migrations.CreateModel(
                name="Tally",
                fields=[
                    ("pk", key("design_id", "part", "stratum", "position", "symbol")),
                    ("design", design(**BY_NUMBER)),
                    ("part", models.PositiveSmallIntegerField(default=0)),
                    ("stratum", models.PositiveSmallIntegerField()),
                    ("position", models.PositiveSmallIntegerField()),
                    ("symbol", models.PositiveSmallIntegerField()),
                    ("count", models.PositiveBigIntegerField()),
                ],
            )
        ),
        ByKey(
            migrations.CreateModel(
                name="DailyCount",
                fields=[
                    ("pk", key("design_id", "first_day")),
                    ("design", design(**BY_NUMBER)),
                    ("first_day", models.DateField(help_text="UTC, as the next")),
                    ("last_day", models.DateField()),
                    ("count", models.PositiveBigIntegerField()),
                ],
                options={
                    "ordering": ["first_day"],
                    "constraints": [
                        models.CheckConstraint(
                            condition=models.Q(("last_day__gte", models.F("first_day"))), name="daily_count_in_order"
                        ),
                    ],
                },
            )
        ),
        migrations.RunPython(take_out, put_aside_again),
    ]
