"""Reports are counted by day as they are folded; those of before are one count from opening to closing, or until now."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Sum
from django.utils import timezone


def count_what_is_folded(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    design, tally, daily = (apps.get_model("collector", name) for name in ("FrozenDesign", "Tally", "DailyCount"))
    # Every report has one symbol at the first position.
    folded = tally.objects.filter(position=0).values_list("design_id").annotate(Sum("count"))
    for digest, count in folded:
        opened, closed = design.objects.values_list("opened_on", "closed_on").get(digest=digest)
        last_day = max(opened, closed or timezone.now().date())
        daily.objects.create(design_id=digest, first_day=opened, last_day=last_day, count=count)


class Migration(migrations.Migration):
    dependencies = [("collector", "0005_sealed_rehearsals")]
    operations = [
        migrations.CreateModel(
            name="DailyCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first_day", models.DateField(help_text="UTC, as the next")),
                ("last_day", models.DateField()),
                ("count", models.PositiveBigIntegerField()),
                (
                    "design",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="daily_counts",
                        to="collector.frozendesign",
                    ),
                ),
            ],
            options={
                "ordering": ["first_day"],
                "constraints": [
                    models.UniqueConstraint(fields=("design", "first_day"), name="daily_count_once"),
                    models.CheckConstraint(
                        condition=models.Q(("last_day__gte", models.F("first_day"))), name="daily_count_in_order"
                    ),
                ],
            },
        ),
        migrations.RunPython(count_what_is_folded, migrations.RunPython.noop),
    ]
