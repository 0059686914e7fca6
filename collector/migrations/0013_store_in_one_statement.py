"""PostgreSQL stores a batch of reports by a function of its own: one way there and back in place of six."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from collector.database.statements import read_sql

def create(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute(read_sql("store_v1.postgresql"))


def drop(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP FUNCTION collector_store")


class Migration(migrations.Migration):
    dependencies = [("collector", "0012_set_aside_reports")]
    operations = [migrations.RunPython(create, drop)]
