"""Simulated reports are marked, and the database keeps them and real ones apart.

SQLite gives a table a constraint or a generated column by writing the table anew, which drops its triggers: so they are
dropped first and made again last, in both directions.
"""

from django.db import migrations, models
from django.db.models import F, Q

from collector.models import SaysRehearsal
from collector.database.triggers import allow_again, refuse

DESIGN, REPORT = "collector_frozendesign", "collector_report"

FROZEN = [
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
        table=REPORT,
        act="UPDATE",
        when="NEW.nonce IS DISTINCT FROM OLD.nonce OR NEW.design_id IS DISTINCT FROM OLD.design_id "
        "OR NEW.mode IS DISTINCT FROM OLD.mode OR NEW.stratum IS DISTINCT FROM OLD.stratum "
        "OR NEW.report IS DISTINCT FROM OLD.report",
        message="a stored report cannot be changed",
    ),
]
SEALED = refuse(
    "report_in_its_world",
    table=REPORT,
    act="INSERT",
    when="(NEW.mode = 3) IS DISTINCT FROM (SELECT rehearsal FROM collector_frozendesign WHERE digest = NEW.design_id)",
    message="simulated reports belong to rehearsals, and no others do",
)
MARK = "UPDATE collector_report SET mode = 3 WHERE design_id IN (SELECT digest FROM collector_frozendesign WHERE rehearsal)"
UNMARK = "UPDATE collector_report SET mode = 0 WHERE mode = 3"


class Migration(migrations.Migration):
    dependencies = [("collector", "0004_paper_mode")]
    operations = [
        *(allow_again(refusal) for refusal in FROZEN),
        migrations.AddField(
            model_name="frozendesign",
            name="rehearsal",
            field=models.GeneratedField(
                db_persist=True,
                expression=SaysRehearsal(F("document")),
                help_text="whether its respondents are simulated, as the document says it",
                output_field=models.BooleanField(),
            ),
        ),
        migrations.RemoveConstraint(model_name="report", name="report_mode_known"),
        migrations.AlterField(
            model_name="report",
            name="mode",
            field=models.PositiveSmallIntegerField(
                choices=[
                    (0, "randomised by the respondent's browser"),
                    (1, "randomised by the respondent, with a coin or a die"),
                    (2, "randomised with a coin or a die on paper, entered by the researcher"),
                    (3, "of a simulated respondent; a trigger lets it into rehearsals alone, and nothing else into them"),
                ],
                default=0,
            ),
        ),
        migrations.RunSQL(migrations.RunSQL.noop, UNMARK),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(condition=Q(mode__in=[0, 1, 2, 3]), name="report_mode_known"),
        ),
        migrations.RunSQL(MARK, migrations.RunSQL.noop),
        *FROZEN,
        SEALED,
    ]
