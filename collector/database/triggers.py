"""What the database itself refuses, also in raw SQL: triggers, written once for SQLite and for PostgreSQL."""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SQLITE = "CREATE TRIGGER {name} BEFORE {act} ON {table} WHEN {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"
POSTGRESQL = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TRIGGER {name} BEFORE {act} ON {table} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {name}()
"""
POSTGRESQL_LOOKING = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
IF {when} THEN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END IF;
RETURN NEW;
END $$;
CREATE TRIGGER {name} BEFORE {act} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()
"""
"""For a condition that looks at other rows, which PostgreSQL takes in a function alone."""


def refuse(name: str, *, table: str, act: str, when: str, message: str) -> migrations.RunPython:
    """Have the database refuse an act, INSERT, UPDATE or DELETE, on rows for which `when` holds: an IntegrityError.

    `when` is SQL about OLD and NEW; it compares with IS DISTINCT FROM, which SQLite writes as IS NOT. For an INSERT it
    may look at other rows.
    """

    def create(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
        parts = {"name": name, "table": table, "act": act, "message": message}
        if editor.connection.vendor == "sqlite":
            editor.execute(SQLITE.format(when=when.replace("IS DISTINCT FROM", "IS NOT"), **parts))
        else:
            words = POSTGRESQL_LOOKING if act == "INSERT" else POSTGRESQL
            editor.execute(words.format(when=when, **parts))

    def drop(apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "sqlite":
            editor.execute(f"DROP TRIGGER {name}")
        else:
            editor.execute(f"DROP TRIGGER {name} ON {table}; DROP FUNCTION {name}()")

    return migrations.RunPython(create, drop)


def allow_again(refusal: migrations.RunPython) -> migrations.RunPython:
    """Take a refusal back; reversed, it is made again."""
    assert refusal.reverse_code is not None
    return migrations.RunPython(refusal.reverse_code, refusal.code)
