"""Batches of invitations, the hashes of those that were not used, and of the signed tokens that were.

Rows of the two large tables lie by their keys. On PostgreSQL a row of a used invitation, whose stamp is the report's
too, goes as soon as there is a vacuum, and no statistics hold examples (see 0010 and 0011).
"""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Length
from django.db.models.lookups import Exact

from collector.database.tables import ByKey

SETTINGS = (
    "ALTER TABLE collector_invitation ALTER COLUMN hash SET STATISTICS 0",
    "ALTER TABLE collector_usedtoken ALTER COLUMN hash SET STATISTICS 0",
    "ALTER TABLE collector_invitation SET (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)",
)


def forget_what_was_used(_: Any, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        for statement in SETTINGS:
            editor.execute(statement)


def key(*fields: str) -> models.CompositePrimaryKey:
    return models.CompositePrimaryKey(*fields, blank=True, editable=False, primary_key=True, serialize=False)


def design(**more: bool) -> models.ForeignKey:
    return models.ForeignKey(
        "collector.frozendesign",
        on_delete=django.db.models.deletion.PROTECT,
        to_field="number",
        db_index=False,
        related_name="+",
        **more,
    )


def of_32_bytes(name: str) -> dict[str, list[models.CheckConstraint]]:
    condition = Exact(Length("hash"), 32)
    return {"constraints": [models.CheckConstraint(condition=condition, name=f"{name}_hash_of_32_bytes")]}


class Migration(migrations.Migration):
    dependencies = [("collector", "0013_store_in_one_statement")]
    operations = [
        migrations.CreateModel(
            name="Batch",
            fields=[
                ("pk", key("design_id", "number")),
                ("design", design()),
                ("number", models.PositiveIntegerField(help_text="within the design, from 1")),
                (
                    "stratum",
                    models.PositiveSmallIntegerField(
                        help_text="index of the group that all its reports are of; empty where each may be of any",
                        null=True,
                    ),
                ),
                ("count", models.PositiveIntegerField(help_text="how many were made")),
                ("kind", models.CharField(help_text="how they were handed out", max_length=16)),
                ("made_on", models.DateField()),
                ("withdrawn_on", models.DateField(help_text="when those that were not used were withdrawn", null=True)),
            ],
        ),
        ByKey(
            migrations.CreateModel(
                name="Invitation",
                fields=[
                    ("pk", key("design_id", "hash")),
                    ("design", design()),
                    ("batch", models.PositiveIntegerField(help_text="the number of its batch")),
                    ("hash", models.BinaryField(help_text="SHA-256 of the code", max_length=32)),
                ],
                options=of_32_bytes("invitation"),
            )
        ),
        ByKey(
            migrations.CreateModel(
                name="UsedToken",
                fields=[
                    ("pk", key("design_id", "hash")),
                    ("design", design(db_constraint=False)),
                    ("hash", models.BinaryField(help_text="SHA-256 of what was signed", max_length=32)),
                ],
                options=of_32_bytes("usedtoken"),
            )
        ),
        migrations.RunPython(forget_what_was_used, migrations.RunPython.noop),
    ]
