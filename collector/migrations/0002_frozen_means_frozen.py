"""What is frozen is frozen in the database: raw SQL cannot change a design or a stored report either."""

from django.db import migrations

from collector.database.triggers import refuse

DESIGN = "collector_frozendesign"


class Migration(migrations.Migration):
    dependencies = [("collector", "0001_initial")]
    operations = [
        refuse(
            "design_is_frozen",
            table=DESIGN,
            act="UPDATE",
            when="NEW.digest IS DISTINCT FROM OLD.digest OR NEW.document IS DISTINCT FROM OLD.document "
            "OR NEW.opened_on IS DISTINCT FROM OLD.opened_on",
            message="a frozen design cannot be changed",
        ),
        refuse(
            "design_stays_closed",
            table=DESIGN,
            act="UPDATE",
            when="OLD.closed_on IS NOT NULL AND NEW.closed_on IS DISTINCT FROM OLD.closed_on",
            message="a closed design cannot be opened again",
        ),
        refuse(
            "open_design_stays",
            table=DESIGN,
            act="DELETE",
            when="OLD.closed_on IS NULL",
            message="an open design cannot be deleted",
        ),
        refuse(
            "report_is_frozen",
            table="collector_report",
            act="UPDATE",
            when="NEW.nonce IS DISTINCT FROM OLD.nonce OR NEW.design_id IS DISTINCT FROM OLD.design_id "
            "OR NEW.stratum IS DISTINCT FROM OLD.stratum OR NEW.report IS DISTINCT FROM OLD.report",
            message="a stored report cannot be changed",
        ),
    ]
