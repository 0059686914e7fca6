from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('surveys', '0032_logo'),
    ]

    operations = [
        migrations.AddField(
            model_name='item',
            name='keep_last',
            field=models.BooleanField(default=False),
        ),
    ]
