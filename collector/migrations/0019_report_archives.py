"""Reports of a closed design may be in a file in place of rows: which file, and how far the move is."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import OperationalError, migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def require_none(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    if count := apps.get_model("collector", "ReportArchive").objects.count():
        raise OperationalError(
            f"Reports of closed surveys are in files ({count}), which earlier versions do not know. Put them back "
            "first: manage.py archive_reports SLUG --back."
        )


class Migration(migrations.Migration):

    dependencies = [
        ('collector', '0018_parts_of_designs'),
    ]

    operations = [
        migrations.CreateModel(
            name='ReportArchive',
            fields=[
                ('design', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='archive', serialize=False, to='collector.frozendesign')),
                ('state', models.CharField(choices=[('writing', 'the file is written and compared; the rows are read'), ('clearing', 'the file is read; the rows are deleted'), ('archived', 'the file is read; there are no rows'), ('returning', 'the file is read; the rows are put back'), ('discarded', 'the file is to be deleted; the rows are read, or purged')], default='writing', max_length=9)),
                ('name', models.CharField(help_text='of the file', max_length=100)),
                ('size', models.PositiveBigIntegerField(default=0, help_text='of the file, in bytes')),
                ('sha256', models.CharField(default='', help_text='of the file', max_length=64)),
                ('content', models.CharField(default='', help_text="SHA-256 of the reports by nonce, as a backup's member has them", max_length=64)),
                ('reports', models.PositiveBigIntegerField(default=0)),
                ('coin_reports', models.PositiveBigIntegerField(default=0, help_text='of these, those with a coin or a die, sent or on paper')),
                ('sheets', models.PositiveBigIntegerField(default=0, help_text='of these, those on paper')),
                ('archived_on', models.DateField(help_text="when the file took the rows' place", null=True)),
            ],
        ),
        migrations.RunPython(migrations.RunPython.noop, require_none),
    ]
