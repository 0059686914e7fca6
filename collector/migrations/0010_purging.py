"""Reports may be purged; and PostgreSQL keeps no examples of them in its statistics, where they would outlive a purge."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

STATISTICS = "ALTER TABLE {} ALTER COLUMN {} SET STATISTICS {}"


def set_statistics(editor: BaseDatabaseSchemaEditor, target: int) -> None:
    if editor.connection.vendor == "postgresql":
        for table in ("collector_report", "collector_waitingreport"):
            for column in ("nonce", "report"):
                editor.execute(STATISTICS.format(table, column, target))


def keep_no_examples(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    set_statistics(editor, 0)


def keep_examples(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    set_statistics(editor, -1)


class Migration(migrations.Migration):

    dependencies = [
        ('collector', '0009_tally_parts'),
    ]

    operations = [
        migrations.AddField(
            model_name='frozendesign',
            name='coin_reports',
            field=models.PositiveBigIntegerField(help_text='of the purged reports, those with a coin or a die, sent or on paper', null=True),
        ),
        migrations.AddField(
            model_name='frozendesign',
            name='purged_on',
            field=models.DateField(help_text='since when its reports are deleted, all or some', null=True),
        ),
        migrations.AddField(
            model_name='frozendesign',
            name='rewritten_on',
            field=models.DateField(help_text='when its reports were last written anew after closing', null=True),
        ),
        migrations.AddField(
            model_name='frozendesign',
            name='sheets',
            field=models.PositiveBigIntegerField(help_text='of the purged reports, those on paper', null=True),
        ),
        migrations.RunPython(keep_no_examples, keep_examples),
    ]
