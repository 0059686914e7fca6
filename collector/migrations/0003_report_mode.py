"""Reports say whether a browser or a coin randomised them, and that is frozen too.

SQLite gives a table a constraint by writing the table anew, which drops its triggers: so the trigger is dropped first
and made again last, in both directions.
"""

from django.db import migrations, models

from collector.database.triggers import allow_again, refuse

SAME = (
    "NEW.nonce IS DISTINCT FROM OLD.nonce OR NEW.design_id IS DISTINCT FROM OLD.design_id "
    "OR NEW.stratum IS DISTINCT FROM OLD.stratum OR NEW.report IS DISTINCT FROM OLD.report"
)


def frozen(when: str) -> migrations.RunPython:
    message = "a stored report cannot be changed"
    return refuse("report_is_frozen", table="collector_report", act="UPDATE", when=when, message=message)


class Migration(migrations.Migration):
    dependencies = [("collector", "0002_frozen_means_frozen")]
    operations = [
        allow_again(frozen(SAME)),
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
        frozen(f"{SAME} OR NEW.mode IS DISTINCT FROM OLD.mode"),
    ]
