"""Totals are kept in parts, so that several workers can add to those of one design."""

from collections import defaultdict

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def one_part(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Back to one row for each cell: the first has the sum, the others go."""
    tallies = apps.get_model("collector", "Tally").objects
    rows = defaultdict(list)
    for row in tallies.order_by("part").iterator():
        rows[row.design_id, row.stratum, row.position, row.symbol].append(row)
    for first, *others in rows.values():
        if others:
            tallies.filter(pk=first.pk).update(count=first.count + sum(other.count for other in others))
            tallies.filter(pk__in=[other.pk for other in others]).delete()


class Migration(migrations.Migration):
    dependencies = [("collector", "0008_waiting_reports")]
    operations = [
        migrations.RemoveConstraint(model_name="tally", name="tally_once"),
        migrations.AddField("tally", "part", models.PositiveSmallIntegerField(default=0)),
        migrations.RunPython(migrations.RunPython.noop, one_part),
        migrations.AddConstraint(
            model_name="tally",
            constraint=models.UniqueConstraint(
                fields=("design", "part", "stratum", "position", "symbol"), name="tally_once"
            ),
        ),
    ]
