"""Row order in tables: on SQLite by key, with no record of the order of arrival."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation


class ByKey(Operation):
    """A migration operation on a table of reports; the resulting table stores its rows by key.

    An ordinary table of SQLite numbers its rows as they come, and keeps these numbers also where it is written anew.
    One without them is asked for by two words, which Django leaves out, and not only as it makes a table: a changed
    field or a new constraint writes the whole table anew. So every operation that changes such a table stands in here.
    PostgreSQL has no such tables.
    """

    def __init__(self, operation: Operation) -> None:
        self.operation = operation

    def state_forwards(self, app_label: str, state: Any) -> None:
        self.operation.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        with _rows_by_key(schema_editor):
            self.operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        with _rows_by_key(schema_editor):
            self.operation.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"{self.operation.describe()}, its rows by their key"


@contextmanager
def _rows_by_key(editor: BaseDatabaseSchemaEditor) -> Iterator[None]:
    usual = editor.sql_create_table
    if editor.connection.vendor == "sqlite":
        editor.sql_create_table = f"{usual} WITHOUT ROWID"
    try:
        yield
    finally:
        editor.sql_create_table = usual
