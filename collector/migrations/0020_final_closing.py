"""A closing may be undone until it is final; from then on the database itself keeps the design closed."""

from importlib import import_module

from django.apps.registry import Apps
from django.db import OperationalError, migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F

from collector.database.triggers import allow_again, refuse

reopened = import_module("collector.migrations.0016_closed_by_a_restore")

REOPENED = f"{reopened.REOPENED} AND NEW.final_on IS NULL"
FINAL_BY_A_RESTORE = "OLD.final_on IS NULL AND NEW.final_on IS NOT NULL AND NEW.restored_on IS NOT NULL"

STAYS_CLOSED = refuse(
    "design_stays_closed",
    table="collector_frozendesign",
    act="UPDATE",
    when="NEW.final_on IS NOT NULL AND NEW.closed_on IS NULL OR "
    "(OLD.final_on IS NOT NULL AND (NEW.final_on IS DISTINCT FROM OLD.final_on "
    "OR NEW.closed_on IS DISTINCT FROM OLD.closed_on) OR NEW.restored_on IS DISTINCT FROM OLD.restored_on) "
    f"AND NOT ({REOPENED}) AND NOT ({FINAL_BY_A_RESTORE})",
    message="a closed design cannot be opened again",
)


def final(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    closed = apps.get_model("collector", "FrozenDesign").objects.filter(closed_on__isnull=False)
    closed.update(final_on=F("closed_on"))


def require_final(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    designs = apps.get_model("collector", "FrozenDesign").objects
    if count := designs.filter(closed_on__isnull=False, final_on=None, part_of=None).count():
        raise OperationalError(
            f"The closing of {count} surveys can still be undone, which earlier versions do not know. It is final "
            "within an hour, or at once by manage.py close_survey SLUG --now."
        )


class Migration(migrations.Migration):
    dependencies = [("collector", "0019_report_archives")]
    operations = [
        migrations.AddField(
            model_name="frozendesign",
            name="final_on",
            field=models.DateField(
                help_text="since when its closing is final; until then it may be opened again, and stays in steps",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="frozendesign",
            name="closed_on",
            field=models.DateField(default=None, help_text="since when it takes no reports", null=True),
        ),
        migrations.RunPython(final, require_final),
        allow_again(reopened.Migration.operations[-1]),
        STAYS_CLOSED,
    ]

