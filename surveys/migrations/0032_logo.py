from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('surveys', '0031_beside_questions'),
    ]

    operations = [
        migrations.AddField(
            model_name='survey',
            name='logo',
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
