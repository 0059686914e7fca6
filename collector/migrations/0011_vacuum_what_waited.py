"""On PostgreSQL a row that waited stays where it was written until a vacuum: it comes by as soon as there is one.

The usual threshold, 50 rows and a fifth of the table, would leave the first reports of a survey lying in the order in
which they came.
"""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SETTINGS = {"autovacuum_vacuum_threshold": "0", "autovacuum_vacuum_scale_factor": "0"}


def set_them(_: Any, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        said = ", ".join(f"{name} = {value}" for name, value in SETTINGS.items())
        editor.execute(f"ALTER TABLE collector_waitingreport SET ({said})")


def reset_them(_: Any, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute(f"ALTER TABLE collector_waitingreport RESET ({', '.join(SETTINGS)})")


class Migration(migrations.Migration):
    dependencies = [("collector", "0010_purging")]
    operations = [migrations.RunPython(set_them, reset_them)]
