"""A place for reports that a disk or a hand has changed so that their design cannot produce them."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Length
from django.db.models.lookups import Exact

from collector.database.tables import ByKey

MODES = [
    (0, "randomised by the respondent's browser"),
    (1, "randomised by the respondent, with a coin or a die"),
    (2, "randomised with a coin or a die on paper, entered by the researcher"),
    (3, "of a simulated respondent; a trigger lets it into rehearsals alone, and nothing else into them"),
]
RANDOM = "random; from the respondent's browser, or from us for a coin and for paper"


def keep_no_examples(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """PostgreSQL's statistics would hold reports that are purged."""
    if editor.connection.vendor == "postgresql":
        for column in ("nonce", "report"):
            editor.execute(f"ALTER TABLE collector_setasidereport ALTER COLUMN {column} SET STATISTICS 0")


class Migration(migrations.Migration):
    dependencies = [("collector", "0011_vacuum_what_waited")]
    operations = [
        ByKey(
            migrations.CreateModel(
                name="SetAsideReport",
                fields=[
                    (
                        "pk",
                        models.CompositePrimaryKey(
                            "design_id", "nonce", blank=True, editable=False, primary_key=True, serialize=False
                        ),
                    ),
                    (
                        "design",
                        models.ForeignKey(
                            "collector.frozendesign",
                            on_delete=django.db.models.deletion.PROTECT,
                            to_field="number",
                            db_index=False,
                            related_name="+",
                        ),
                    ),
                    ("stratum", models.PositiveSmallIntegerField(help_text="index of the group in the design")),
                    ("mode", models.PositiveSmallIntegerField(choices=MODES, default=0)),
                    ("nonce", models.BinaryField(max_length=16, help_text=RANDOM)),
                    ("report", models.BinaryField()),
                ],
                options={
                    "abstract": False,
                    "constraints": [
                        models.CheckConstraint(
                            condition=models.Q(("mode__in", [0, 1, 2, 3])), name="setasidereport_mode_known"
                        ),
                        models.CheckConstraint(
                            condition=Exact(Length("nonce"), 16), name="setasidereport_nonce_of_16_bytes"
                        ),
                    ],
                },
            )
        ),
        migrations.RunPython(keep_no_examples, migrations.RunPython.noop),
    ]
