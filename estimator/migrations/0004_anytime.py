"""Runs say whether their intervals hold at every look (none made so far does), and the worker says that it is there."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('estimator', '0003_measures'),
    ]

    operations = [
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seen_at', models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name='run',
            name='anytime',
            field=models.BooleanField(default=False, help_text='whether its intervals hold however often one looks: so they are made until closing'),
        ),
    ]
