"""A design by invitation that a restore closed may be opened again, and no other: the database itself keeps to it."""

from importlib import import_module

from django.db import migrations, models

from collector.database.triggers import allow_again, refuse

sealed = import_module("collector.migrations.0005_sealed_rehearsals")

REOPENED = (
    "OLD.restored_on IS NOT NULL AND OLD.purged_on IS NULL AND NEW.closed_on IS NULL AND NEW.restored_on IS NULL"
)
CLOSED_BY_A_RESTORE = "OLD.closed_on IS NULL AND NEW.closed_on IS NOT NULL AND NEW.restored_on IS NOT NULL"


class Migration(migrations.Migration):
    dependencies = [("collector", "0015_one_invitation_one_report")]
    operations = [
        allow_again(sealed.FROZEN[1]),
        migrations.AddField(
            model_name="frozendesign",
            name="restored_on",
            field=models.DateField(
                help_text="when a restore closed it, as it is by invitation; empty again once it is reopened", null=True
            ),
        ),
        refuse(
            "design_stays_closed",
            table="collector_frozendesign",
            act="UPDATE",
            when="(OLD.closed_on IS NOT NULL AND NEW.closed_on IS DISTINCT FROM OLD.closed_on "
            f"OR NEW.restored_on IS DISTINCT FROM OLD.restored_on) AND NOT ({REOPENED}) AND NOT ({CLOSED_BY_A_RESTORE})",
            message="a closed design cannot be opened again",
        ),
    ]
