"""Triggers that reject changes in the database itself, also in raw SQL, for SQLite and PostgreSQL."""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from collector.database.statements import read_sql


def refuse(name: str, *, table: str, act: str, when: str, message: str) -> migrations.RunPython:
    """Return a migration that makes INSERT, UPDATE or DELETE fail with an IntegrityError where `when` holds.

    `when` is SQL about OLD and NEW; it compares with IS DISTINCT FROM, which SQLite writes as IS NOT. For an INSERT it
    may look at other rows.
    """

    def create(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
        parts = {"name": name, "table": table, "act": act, "message": message}
        if editor.connection.vendor == "sqlite":
            editor.execute(read_sql("refuse.sqlite").format(when=when.replace("IS DISTINCT FROM", "IS NOT"), **parts))
        else:
            # A condition that looks at other rows stands in the function: PostgreSQL takes it there alone.
            file = "refuse_insert.postgresql" if act == "INSERT" else "refuse.postgresql"
            editor.execute(read_sql(file).format(when=when, **parts))

    def drop(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "sqlite":
            editor.execute(f"DROP TRIGGER {name}")
        else:
            editor.execute(f"DROP TRIGGER {name} ON {table}; DROP FUNCTION {name}()")

    return migrations.RunPython(create, drop)


def allow_again(refusal: migrations.RunPython) -> migrations.RunPython:
    """Drop the trigger of a refusal; reversed, create it again."""
    assert refusal.reverse_code is not None
    return migrations.RunPython(refusal.reverse_code, refusal.code)
