"""Nothing leads from a person to a report: the tables themselves say so, as the database describes them."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.contenttypes.fields import GenericForeignKey
from django.db import connection, models

from collector.models import FrozenDesign, Report, SetAsideReport, WaitingReport
from surveys.maintenance.tables import LEFT_OUT

pytestmark = pytest.mark.django_db

REPORTS = (Report._meta.db_table, WaitingReport._meta.db_table, SetAsideReport._meta.db_table)
COLUMNS = {"design_id", "nonce", "stratum", "mode", "report"}
HASHES_OF_THEIR_OWN = ("collector_invitation", "collector_usedtoken", "surveys_fetchcode")
"""Tables with a column of that name, each of random codes that are in none of the others."""

NUMBERS_AND_BYTES = {"integer", "smallint", "blob", "bytea", "smallint unsigned", "integer unsigned"}
KEEPING = Path(__file__).parents[2] / "docs" / "reference" / "stored-data.md"


def columns(table: str) -> dict[str, str]:
    """Names and kinds, as the database says them."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"SELECT name, lower(type) FROM pragma_table_xinfo('{table}')")
        else:
            asked = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = %s"
            cursor.execute(asked, [table])
        return dict(cursor.fetchall())


def tables() -> list[str]:
    return connection.introspection.table_names()


@pytest.mark.parametrize("table", REPORTS)
def test_report_table_has_no_time_id_or_address(table: str) -> None:
    """Five columns, none of which the database fills in by itself."""
    kinds = columns(table)
    assert set(kinds) == COLUMNS
    assert set(kinds.values()) <= NUMBERS_AND_BYTES
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"SELECT count(*) FROM pragma_table_info('{table}') WHERE dflt_value IS NOT NULL")
            assert cursor.fetchone() == (0,)
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
            assert "WITHOUT ROWID" in cursor.fetchone()[0]
            cursor.execute("SELECT count(*) FROM sqlite_sequence WHERE name = %s", [table])
        else:
            asked = "SELECT count(*) FROM information_schema.columns WHERE table_name = %s"
            cursor.execute(f"{asked} AND (column_default IS NOT NULL OR is_identity = 'YES')", [table])
        assert cursor.fetchone() == (0,)


@pytest.mark.parametrize("table", REPORTS)
def test_report_table_references_its_design_only(table: str) -> None:
    with connection.cursor() as cursor:
        relations = connection.introspection.get_relations(cursor, table)
        assert relations == {"design_id": ("number", FrozenDesign._meta.db_table)}
        for other in tables():
            pointed = connection.introspection.get_relations(cursor, other)
            assert table not in [target for _, target in pointed.values()], other


def test_report_columns_are_in_no_other_table() -> None:
    """Not by name, and no generic relation, which has no foreign key, can name one: its keys are not numbers."""
    for table in set(tables()) - set(REPORTS):
        assert not columns(table).keys() & (COLUMNS - {"design_id", "stratum"}), table
    generic = [
        (model._meta.label, field.name)
        for model in apps.get_models()
        for field in model._meta.private_fields
        if isinstance(field, GenericForeignKey)
    ]
    assert generic == []


@pytest.mark.parametrize(
    ("table", "held"),
    [("collector_invitation", {"design_id", "batch", "hash"}), ("collector_usedtoken", {"design_id", "hash"})],
)
def test_invitation_tables_reference_no_person_or_report(table: str, held: set[str]) -> None:
    """No time, no number of its own, no address; it points at its design at most, and nothing points at it."""
    kinds = columns(table)
    assert set(kinds) == held
    assert set(kinds.values()) <= NUMBERS_AND_BYTES
    with connection.cursor() as cursor:
        pointed = connection.introspection.get_relations(cursor, table)
        assert pointed.items() <= {("design_id", ("number", FrozenDesign._meta.db_table))}
        for other in set(tables()) - {table}:
            relations = connection.introspection.get_relations(cursor, other)
            assert table not in [target for _, target in relations.values()], other
            shared = columns(other).keys() & (held - {"design_id"})
            assert not shared or other in HASHES_OF_THEIR_OWN, (other, shared)
        if connection.vendor == "sqlite":
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
            assert "WITHOUT ROWID" in cursor.fetchone()[0]


def test_triggers_copy_no_report() -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute(
                "SELECT c.relname, p.prosrc FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
                "JOIN pg_proc p ON p.oid = t.tgfoid WHERE NOT t.tgisinternal"
            )
        written = [sql for table, sql in cursor.fetchall() if table in REPORTS]
    assert len(written) == 4
    for sql in written:
        assert not re.search(r"\b(INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM)\b", sql, re.IGNORECASE)


def test_collector_tables_have_no_time_finer_than_days() -> None:
    for model in (FrozenDesign, *(apps.get_model("collector", name) for name in ("Tally", "DailyCount", "Batch"))):
        for field in model._meta.local_fields:
            assert not isinstance(field, models.DateTimeField | models.TimeField | models.GenericIPAddressField), field


def test_docs_keeping_names_every_table() -> None:
    """It is what a court would get: a table that is not on it fails here."""
    written = KEEPING.read_text(encoding="utf-8")
    unnamed = [
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if f"`{model._meta.db_table}`" not in written and not model._meta.label.startswith("axes.")
    ]
    assert unnamed == []
    named = set(re.findall(r"`([a-z_]+_[a-z_]+)`", written.partition("## Tables")[2].partition("\n## ")[0]))
    assert named <= {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    assert {"estimator.Worker", "sessions.Session"} <= LEFT_OUT
    assert "collector.WaitingReport" not in LEFT_OUT, "what waits for the next step is in a backup"
