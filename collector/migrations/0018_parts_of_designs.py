"""A design may be split into parts, each with a number of its own; which design a part is of never changes."""

from importlib import import_module

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import OperationalError, migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from collector.database.triggers import allow_again, refuse

numbered = import_module("collector.migrations.0007_design_number")

PART_IS_FROZEN = refuse(
    "design_is_frozen",
    table="collector_frozendesign",
    act="UPDATE",
    when="NEW.digest IS DISTINCT FROM OLD.digest OR NEW.document IS DISTINCT FROM OLD.document "
    "OR NEW.opened_on IS DISTINCT FROM OLD.opened_on OR NEW.number IS DISTINCT FROM OLD.number "
    "OR NEW.part_of_id IS DISTINCT FROM OLD.part_of_id",
    message="a frozen design cannot be changed",
)


def require_none(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    split = apps.get_model("collector", "FrozenDesign").objects.filter(part_of__isnull=False)
    if count := split.values("part_of").distinct().count():
        raise OperationalError(f"{count} surveys are split into parts, which earlier versions do not know.")


class Migration(migrations.Migration):
    dependencies = [("collector", "0017_totals_by_number")]
    operations = [
        allow_again(numbered.FROZEN_WITH_ITS_NUMBER),
        migrations.AddField(
            model_name="frozendesign",
            name="part_of",
            field=models.ForeignKey(
                help_text="the design of which this row is a further part; see collector/designs/parts.py",
                null=True,
                db_index=False,
                db_constraint=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="parts",
                to="collector.frozendesign",
            ),
        ),
        migrations.AddIndex(
            model_name="frozendesign",
            index=models.Index(
                condition=models.Q(("part_of__isnull", False)), fields=["part_of"], name="parts_of_a_design"
            ),
        ),
        PART_IS_FROZEN,
        migrations.RunPython(migrations.RunPython.noop, require_none),
    ]
