"""The files of `collector/database/sql/`: each runs on its database, and migrations execute what they always did."""

import hashlib
import json
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations import RunPython

from collector.database.statements import SQL, execute_rows, read_sql, read_statements
from collector.database.triggers import allow_again, refuse
from collector.designs import Design
from collector.designs.services import close_design
from collector.models import FrozenDesign

ROOT = Path(__file__).parents[2]
EXECUTED = json.loads((Path(__file__).parent / "migrated_sql.json").read_text())
"""SHA-256 of what each migration executed forwards and backwards before its SQL came to stand in files (4447504)."""

VALUES = {
    "find_designs": "text", "write": (1, 0, 0, b"n" * 16, b"\0"), "find_stored": (1, b"n" * 16, 1),
    "find_invitations": (1, b"h" * 32), "use_invitations": (1, b"h" * 32), "use_tokens": (1, b"h" * 32),
    "take_back": (1, b"n" * 16),
}  # fmt: skip


@pytest.mark.parametrize("vendor", ["sqlite", "postgresql"])
def test_migrations_execute_unchanged_sql(vendor: str) -> None:
    found = {}
    for path in sorted(ROOT.glob("[cs]*/migrations/0*.py")):
        said = executed(f"{path.parts[-3]}.migrations.{path.stem}", vendor)
        if said:
            found[f"{path.parts[-3]}.{path.stem[:4]}"] = hashlib.sha256("\n;\n".join(said).encode()).hexdigest()
    assert {name: found.get(name) for name in EXECUTED[vendor]} == EXECUTED[vendor]


def executed(module: str, vendor: str) -> list[str]:
    """What its refusals execute, and its functions that only create a function of the database."""
    texts: list[str] = []
    editor = SimpleNamespace(connection=SimpleNamespace(vendor=vendor), execute=lambda sql: texts.append(sql.strip()))
    for operation in import_module(module).Migration.operations:
        if isinstance(operation, RunPython) and (
            operation.code.__module__ == refuse.__module__ or "read_sql" in operation.code.__code__.co_names
        ):
            operation.code(None, editor)
            operation.reverse_code(None, editor)
    return texts


def test_sql_files_are_named_after_database() -> None:
    names = [path.name.split(".") for path in SQL.iterdir()]
    assert {(*name[1:],) for name in names} == {("sqlite", "sql"), ("postgresql", "sql")}


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no functions of its own")
def test_sql_functions_are_created_on_postgresql() -> None:
    with connection.cursor() as cursor, transaction.atomic():
        for name in ("store_v1.postgresql", "store_cluster_v2.postgresql", "store_v2.postgresql"):
            cursor.execute("DROP FUNCTION collector_store")
            cursor.execute(read_sql(name).replace("{copy}", "collector_frozendesign"))


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL has one function in place of them")
def test_sql_statements_run_on_sqlite(design: Design) -> None:
    statements = read_statements("store.sqlite")
    assert statements.keys() == VALUES.keys()
    with connection.cursor() as cursor:
        for name, sql in statements.items():
            values = VALUES[name]
            row = values if isinstance(values, tuple) else (values,)
            execute_rows(cursor, sql, [row, row])


@pytest.mark.django_db
@pytest.mark.parametrize("act", ["INSERT", "UPDATE", "DELETE"])
def test_sql_trigger_rejects_matching_row(act: str, design: Design) -> None:
    row = "OLD" if act == "DELETE" else "NEW"
    refusal = refuse(
        "never_seven", table="collector_frozendesign", act=act, when=f"{row}.sheets = 7", message="seven is refused"
    )
    acts = {
        "INSERT": lambda: FrozenDesign.objects.create(digest="7" * 64, number=7, document={}, sheets=7),
        "UPDATE": lambda: FrozenDesign.objects.update(sheets=7),
        "DELETE": lambda: FrozenDesign.objects.filter(sheets=7).delete(),
    }
    if act == "DELETE":
        close_design(design.digest)
        FrozenDesign.objects.update(sheets=7)
    with connection.cursor() as cursor:
        editor = SimpleNamespace(connection=connection, execute=cursor.execute)
        refusal.code(None, editor)
        with pytest.raises(IntegrityError, match="seven is refused"), transaction.atomic():
            acts[act]()
        allow_again(refusal).code(None, editor)
    acts["UPDATE"]()
