"""Reports wait in a table of their own until they are in the totals; in both, rows lie in the order of their keys.

They are kept aside while the tables are made, in both directions.
"""

from importlib import import_module

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Length
from django.db.models.lookups import Exact

from collector.database.tables import ByKey
from collector.database.triggers import allow_again, refuse

before = import_module("collector.migrations.0005_sealed_rehearsals")
TABLES = {"waitingreport": "collector_waitingreport", "report": "collector_report"}
TO_BYTES = {"sqlite": "candor_bytes({})", "postgresql": "decode({}, 'hex')"}
TO_HEX = {"sqlite": "lower(hex({}))", "postgresql": "encode({}, 'hex')"}

PUT_ASIDE = """
CREATE TABLE collector_aside AS
SELECT design.number AS design_id, stratum, mode, {nonce} AS nonce, report, CASE folding WHEN 2 THEN 1 ELSE 0 END AS folded
FROM collector_report JOIN collector_frozendesign AS design ON design.digest = collector_report.design_id
"""
TAKE_OUT = """
INSERT INTO {table} (design_id, stratum, mode, nonce, report)
SELECT design_id, stratum, mode, nonce, report FROM collector_aside WHERE folded = {folded} ORDER BY design_id, nonce
"""
PUT_ASIDE_AGAIN = """
CREATE TABLE collector_aside AS
SELECT design_id, stratum, mode, nonce, report, 1 AS folded FROM collector_report
UNION ALL SELECT design_id, stratum, mode, nonce, report, 0 AS folded FROM collector_waitingreport
"""
TAKE_OUT_AGAIN = """
INSERT INTO collector_report (nonce, design_id, stratum, report, mode, folding)
SELECT {nonce}, design.digest, stratum, report, mode, 2 * folded
FROM collector_aside JOIN collector_frozendesign AS design ON design.number = collector_aside.design_id
"""
FORGET = "DROP TABLE collector_aside"


def put_aside(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    vendor = editor.connection.vendor
    if vendor == "sqlite":
        editor.connection.ensure_connection()
        editor.connection.connection.create_function("candor_bytes", 1, bytes.fromhex)
    editor.execute(PUT_ASIDE.format(nonce=TO_BYTES[vendor].format("nonce")))


def take_out(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    for name, table in TABLES.items():
        editor.execute(TAKE_OUT.format(table=table, folded=int(name == "report")))
    editor.execute(FORGET)


def put_aside_again(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(PUT_ASIDE_AGAIN)


def take_out_again(_: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(TAKE_OUT_AGAIN.format(nonce=TO_HEX[editor.connection.vendor].format("nonce")))
    editor.execute(FORGET)


MODES = [
    (0, "randomised by the respondent's browser"),
    (1, "randomised by the respondent, with a coin or a die"),
    (2, "randomised with a coin or a die on paper, entered by the researcher"),
    (3, "of a simulated respondent; a trigger lets it into rehearsals alone, and nothing else into them"),
]
RANDOM = "random; from the respondent's browser, or from us for a coin and for paper"


def table(name: str, *, indexes: list[models.Index]) -> ByKey:
    design = models.ForeignKey(
        "collector.frozendesign",
        on_delete=django.db.models.deletion.PROTECT,
        to_field="number",
        db_index=False,
        related_name="+",
    )
    return ByKey(
        migrations.CreateModel(
            name=name,
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "design_id", "nonce", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("design", design),
                ("stratum", models.PositiveSmallIntegerField(help_text="index of the group in the design")),
                ("mode", models.PositiveSmallIntegerField(choices=MODES, default=0)),
                ("nonce", models.BinaryField(max_length=16, help_text=RANDOM)),
                ("report", models.BinaryField()),
            ],
            options={
                "abstract": False,
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("mode__in", [0, 1, 2, 3])), name=f"{name.lower()}_mode_known"
                    ),
                    models.CheckConstraint(
                        condition=Exact(Length("nonce"), 16), name=f"{name.lower()}_nonce_of_16_bytes"
                    ),
                ],
                "indexes": indexes,
            },
        )
    )


def refusals(name: str) -> list[migrations.RunPython]:
    columns = ("design_id", "nonce", "stratum", "mode", "report")
    return [
        refuse(
            f"{name}_is_frozen",
            table=TABLES[name],
            act="UPDATE",
            when=" OR ".join(f"NEW.{column} IS DISTINCT FROM OLD.{column}" for column in columns),
            message="a stored report cannot be changed",
        ),
        refuse(
            f"{name}_in_its_world",
            table=TABLES[name],
            act="INSERT",
            when="(NEW.mode = 3) IS DISTINCT FROM "
            "(SELECT rehearsal FROM collector_frozendesign WHERE number = NEW.design_id)",
            message="simulated reports belong to rehearsals, and no others do",
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [("collector", "0007_design_number")]
    operations = [
        allow_again(before.SEALED),
        allow_again(before.FROZEN[3]),
        migrations.RunPython(put_aside, take_out_again),
        migrations.DeleteModel("Report"),
        table("WaitingReport", indexes=[]),
        table(
            "Report",
            indexes=[
                models.Index(condition=models.Q(("mode__gt", 0)), fields=["design", "mode"], name="report_from_a_coin")
            ],
        ),
        migrations.RunPython(take_out, put_aside_again),
        *refusals("waitingreport"),
        *refusals("report"),
    ]
