"""A design has a small number, with which a row of a report names it.

SQLite gives a table a field by writing the table anew, which drops its triggers: so they are dropped first, with the one
that looks at the table, and made again last, in both directions.
"""

from importlib import import_module

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from collector.database.triggers import allow_again, refuse

before = import_module("collector.migrations.0005_sealed_rehearsals")
IS_FROZEN, STAYS_CLOSED, STAYS, _ = before.FROZEN
FROZEN_WITH_ITS_NUMBER = refuse(
    "design_is_frozen",
    table="collector_frozendesign",
    act="UPDATE",
    when="NEW.digest IS DISTINCT FROM OLD.digest OR NEW.document IS DISTINCT FROM OLD.document "
    "OR NEW.opened_on IS DISTINCT FROM OLD.opened_on OR NEW.number IS DISTINCT FROM OLD.number",
    message="a frozen design cannot be changed",
)


def give_numbers(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    designs = apps.get_model("collector", "FrozenDesign").objects
    for number, digest in enumerate(designs.order_by("opened_on", "digest").values_list("digest", flat=True), start=1):
        designs.filter(digest=digest).update(number=number)


class Migration(migrations.Migration):
    dependencies = [("collector", "0006_daily_count")]
    operations = [
        *(allow_again(refusal) for refusal in (before.SEALED, IS_FROZEN, STAYS_CLOSED, STAYS)),
        migrations.AddField("frozendesign", "number", models.PositiveIntegerField(null=True)),
        migrations.RunPython(give_numbers, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="frozendesign",
            name="number",
            field=models.PositiveIntegerField(
                unique=True, help_text="what a row of a report says in place of the digest: 4 bytes for 64"
            ),
        ),
        FROZEN_WITH_ITS_NUMBER,
        STAYS_CLOSED,
        STAYS,
        before.SEALED,
    ]
