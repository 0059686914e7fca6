from hashlib import sha256

from django.db import migrations, models


def digest_pages(apps, schema_editor):
    """What was published until now is what is stored."""
    Page = apps.get_model('surveys', 'Page')
    for page in Page.objects.only('content').iterator(chunk_size=20):
        Page.objects.filter(pk=page.pk).update(digest=sha256(bytes(page.content)).hexdigest())


class Migration(migrations.Migration):

    dependencies = [
        ('surveys', '0017_blind'),
    ]

    operations = [
        migrations.AddField(
            model_name='page',
            name='digest',
            field=models.CharField(default='', help_text='SHA-256 of the content as it was published, 64 hex digits', max_length=64),
            preserve_default=False,
        ),
        migrations.RunPython(digest_pages, migrations.RunPython.noop),
    ]
