"""Simulated reports are marked, and the database keeps them and real ones apart.

SQLite gives a table a constraint or a generated column by writing the table anew, which drops its triggers: so they are
dropped first and made again last, in both directions.
"""

from django.db import migrations, models
from django.db.models import F, Func, Q, Value

OF_DESIGNS = """
CREATE TRIGGER design_is_frozen BEFORE UPDATE ON collector_frozendesign
WHEN NEW.digest IS NOT OLD.digest OR NEW.document IS NOT OLD.document OR NEW.opened_on IS NOT OLD.opened_on
BEGIN SELECT RAISE(ABORT, 'a frozen design cannot be changed'); END;

CREATE TRIGGER design_stays_closed BEFORE UPDATE ON collector_frozendesign
WHEN OLD.closed_on IS NOT NULL AND NEW.closed_on IS NOT OLD.closed_on
BEGIN SELECT RAISE(ABORT, 'a closed design cannot be opened again'); END;

CREATE TRIGGER open_design_stays BEFORE DELETE ON collector_frozendesign
WHEN OLD.closed_on IS NULL
BEGIN SELECT RAISE(ABORT, 'an open design cannot be deleted'); END;
"""
OF_REPORTS = """
CREATE TRIGGER report_is_frozen BEFORE UPDATE ON collector_report
WHEN NEW.nonce IS NOT OLD.nonce OR NEW.design_id IS NOT OLD.design_id OR NEW.mode IS NOT OLD.mode
  OR NEW.stratum IS NOT OLD.stratum OR NEW.report IS NOT OLD.report
BEGIN SELECT RAISE(ABORT, 'a stored report cannot be changed'); END;
"""
SEALED = """
CREATE TRIGGER report_in_its_world BEFORE INSERT ON collector_report
WHEN (NEW.mode = 3) IS NOT (SELECT rehearsal FROM collector_frozendesign WHERE digest = NEW.design_id)
BEGIN SELECT RAISE(ABORT, 'simulated reports belong to rehearsals, and no others do'); END;
"""
BEFORE = OF_DESIGNS + OF_REPORTS
AFTER = BEFORE + SEALED
DROP = """
DROP TRIGGER design_is_frozen;
DROP TRIGGER design_stays_closed;
DROP TRIGGER open_design_stays;
DROP TRIGGER report_is_frozen;
"""
MARK = """
UPDATE collector_report SET mode = 3
WHERE design_id IN (SELECT digest FROM collector_frozendesign WHERE rehearsal);
"""
UNMARK = "UPDATE collector_report SET mode = 0 WHERE mode = 3;"


class Migration(migrations.Migration):
    dependencies = [("collector", "0004_paper_mode")]
    operations = [
        migrations.RunSQL(DROP, BEFORE),
        migrations.AddField(
            model_name="frozendesign",
            name="rehearsal",
            field=models.GeneratedField(
                db_persist=True,
                expression=Func(F("document"), Value("$.rehearsal"), function="json_extract"),
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
        migrations.RunSQL(AFTER, DROP + "DROP TRIGGER report_in_its_world;"),
    ]
