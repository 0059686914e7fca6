"""PostgreSQL's function that stores reports uses up their invitations, in the same transaction.

Where no report comes with one it does nothing more than before.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from collector.database.statements import read_sql



def replace(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP FUNCTION collector_store")
        editor.execute(read_sql("store_v2.postgresql"))


def put_back(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP FUNCTION collector_store")
        editor.execute(read_sql("store_v1.postgresql"))


class Migration(migrations.Migration):
    dependencies = [("collector", "0014_invitations")]
    operations = [migrations.RunPython(replace, put_back)]
