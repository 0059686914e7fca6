import json

import django.db.models.deletion
from django.db import migrations, models


def move_pages(apps, schema_editor):
    """What is stored stays byte for byte; it was rendered in the survey's own language, the first."""
    Version = apps.get_model('surveys', 'Version')
    Page = apps.get_model('surveys', 'Page')
    for version in Version.objects.select_related('design').iterator(chunk_size=20):
        language = json.loads(version.design.document)['languages'][0]
        for kind, content in (('answer', version.page), ('coin', version.coin_page)):
            if content:
                Page.objects.create(version=version, language=language, kind=kind, content=content)


def move_back(apps, schema_editor):
    Page = apps.get_model('surveys', 'Page')
    for page in Page.objects.select_related('version__design').iterator(chunk_size=20):
        if page.language == json.loads(page.version.design.document)['languages'][0]:
            setattr(page.version, {'answer': 'page', 'coin': 'coin_page'}[page.kind], page.content)
            page.version.save()


class Migration(migrations.Migration):

    dependencies = [
        ('collector', '0002_frozen_means_frozen'),
        ('surveys', '0002_coin_page'),
    ]

    operations = [
        migrations.CreateModel(
            name='Page',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('language', models.CharField(help_text="one of the design's languages", max_length=35)),
                ('kind', models.CharField(choices=[('answer', "the respondent's page"), ('coin', 'the own-coin page, where a device has every table')], max_length=8)),
                ('content', models.BinaryField()),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pages', to='surveys.version')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('version', 'language', 'kind'), name='page_once')],
            },
        ),
        # Only on the way back does the column need something to hold until the pages are moved.
        migrations.AlterField(
            model_name='version',
            name='page',
            field=models.BinaryField(default=b'', help_text="the respondent's page"),
        ),
        migrations.RunPython(move_pages, move_back),
        migrations.RemoveField(model_name='version', name='coin_page'),
        migrations.RemoveField(model_name='version', name='page'),
    ]
