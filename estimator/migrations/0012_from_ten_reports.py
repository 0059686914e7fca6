from django.db import migrations

QUEUED = {"state": "queued", "progress": 0, "tries": 0, "lease": "", "lease_until": None, "finished_at": None}


def runs_of_few(apps, schema_editor):
    """Have runs of 10 to 29 reports computed anew: earlier versions gave no numbers of them."""
    Run, Estimate, Export = (apps.get_model("estimator", name) for name in ("Run", "Estimate", "Export"))
    few = Run.objects.filter(state="done", reports__range=(10, 29))
    Estimate.objects.filter(run__in=few).delete()
    Export.objects.filter(run__in=few).delete()  # their files belong to nothing then, and are swept
    few.update(**QUEUED, tallies=[], groups=[])


class Migration(migrations.Migration):

    dependencies = [
        ('estimator', '0011_simple_random'),
    ]

    operations = [
        migrations.RunPython(runs_of_few, migrations.RunPython.noop, elidable=True),
    ]
