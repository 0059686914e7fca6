import json

from django.db import migrations, models

FEWEST = 10
"""Reports of a group of which numbers were kept by themselves, before this version merged smaller ones with others."""

QUEUED = {"state": "queued", "progress": 0, "tries": 0, "lease": "", "lease_until": None, "finished_at": None}


def groups_of_earlier_runs(apps, schema_editor):
    """Note of what groups their totals are; have those computed anew that tell of a group of few."""
    Run, Estimate, Export = (apps.get_model("estimator", name) for name in ("Run", "Estimate", "Export"))
    designs = {}
    for run in Run.objects.filter(state="done").exclude(tallies=[]).iterator(chunk_size=1):
        groups = kept(design_of(apps, designs, run.design_id), [sum(row) for row in run.tallies[0]])
        if groups is None:
            Estimate.objects.filter(run=run.pk).delete()
            Export.objects.filter(run=run.pk).delete()  # their files belong to nothing then, and are swept
            Run.objects.filter(pk=run.pk).update(**QUEUED, tallies=[], groups=[])
        else:
            Run.objects.filter(pk=run.pk).update(groups=groups)


def groups_of_earlier_analyses(apps, schema_editor):
    Analysis = apps.get_model("estimator", "Analysis")
    designs = {}
    for analysis in Analysis.objects.filter(state="done").iterator(chunk_size=1):
        inputs = analysis.inputs
        if "versions" in inputs:
            of = zip(analysis.parameters["designs"], inputs["versions"], strict=True)
            groups = [kept(design_of(apps, designs, one), [sum(row) for row in tables[0]]) for one, tables in of]
        else:
            sizes = [sum(map(sum, of_group)) for of_group in inputs["pairs"]] if "pairs" in inputs else None
            sizes = sizes or [sum(of_group[0]) for of_group in inputs["totals"]]
            groups = kept(design_of(apps, designs, analysis.design_id), sizes)
        if groups is None or None in groups:
            Analysis.objects.filter(pk=analysis.pk).update(**QUEUED, inputs={}, result={})
        else:
            Analysis.objects.filter(pk=analysis.pk).update(inputs={**inputs, "groups": groups})


def design_of(apps, designs, digest):
    if digest not in designs:
        found = apps.get_model("collector", "FrozenDesign").objects.get(digest=digest)
        designs[digest] = json.loads(found.document)
    return designs[digest]


def kept(design, sizes):
    """For each row of totals its groups; None where a row is of few reports of real people."""
    if not design["rehearsal"] and sum(sizes) < FEWEST:
        return None
    groups = max(1, len(design["strata"]["groups"]))
    if len(sizes) < groups:
        return [list(range(groups))]
    return [[group] for group in range(groups)] if groups == 1 or design["rehearsal"] or min(sizes) >= FEWEST else None


class Migration(migrations.Migration):

    dependencies = [
        ('estimator', '0009_group_sizes'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='groups',
            field=models.JSONField(default=list, help_text='for each row of the totals the indices of the groups in the design that it holds'),
        ),
        migrations.AlterField(
            model_name='estimate',
            name='stratum',
            field=models.PositiveSmallIntegerField(help_text='index of the group, the number of groups for those told together; empty for all', null=True),
        ),
        migrations.AlterField(
            model_name='run',
            name='tallies',
            field=models.JSONField(default=list, help_text='the totals as they are released: by symbol of a report, row of `groups` and value'),
        ),
        migrations.RunPython(groups_of_earlier_runs, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(groups_of_earlier_analyses, migrations.RunPython.noop, elidable=True),
    ]
