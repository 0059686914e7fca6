"""Reports say whether a browser or a coin randomised them, and that is frozen too.

SQLite gives a table a constraint by writing the table anew, which drops its triggers: so the trigger is dropped first
and made again last, in both directions.
"""

from django.db import migrations, models

TRIGGER = """
CREATE TRIGGER report_is_frozen BEFORE UPDATE ON collector_report
WHEN NEW.nonce IS NOT OLD.nonce OR NEW.design_id IS NOT OLD.design_id
  OR NEW.stratum IS NOT OLD.stratum OR NEW.report IS NOT OLD.report{more}
BEGIN SELECT RAISE(ABORT, 'a stored report cannot be changed'); END;
"""
BEFORE = TRIGGER.format(more="")
AFTER = TRIGGER.format(more=" OR NEW.mode IS NOT OLD.mode")
DROP = "DROP TRIGGER report_is_frozen;"


class Migration(migrations.Migration):
    dependencies = [("collector", "0002_frozen_means_frozen")]
    operations = [
        migrations.RunSQL(DROP, BEFORE),
        migrations.AddField(
            model_name="report",
            name="mode",
            field=models.PositiveSmallIntegerField(
                choices=[
                    (0, "randomised by the respondent's browser"),
                    (1, "randomised by the respondent, with a coin or a die"),
                ],
                default=0,
            ),
        ),
        migrations.AlterField(
            model_name="report",
            name="nonce",
            field=models.CharField(
                help_text="random; from the respondent's browser, or from us for a coin",
                max_length=32,
                primary_key=True,
                serialize=False,
            ),
        ),
        migrations.AddIndex(
            model_name="report",
            index=models.Index(condition=models.Q(("mode", 1)), fields=["design"], name="report_from_a_coin"),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(condition=models.Q(("mode__in", [0, 1])), name="report_mode_known"),
        ),
        migrations.RunSQL(AFTER, DROP),
    ]
