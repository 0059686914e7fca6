from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("estimator", "0010_groups_of_ten")]

    operations = [
        migrations.AddField(
            model_name="disclosure",
            name="simple_random",
            field=models.BooleanField(
                default=False, help_text="whether it is declared that all had the same chance and each was drawn alone"
            ),
        ),
    ]
