"""The database of an older commit (tests/storage/upgrade) is brought up to date and rolled back to what it was."""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

OLD = Path(__file__).parent / "upgrade"
ROOT = Path(__file__).parents[2]
SIGNER = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))["signer"]
KEYS = {"collector_dailycount", "collector_tally"}
"""Tables that are filled anew, so their rows get other keys."""

LEFT = {"django_content_type", "auth_permission", "sqlite_sequence"}
"""Tables that Django fills for each model, and never empties."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "candor.sqlite3").write_bytes(gzip.decompress((OLD / "database.sqlite3.gz").read_bytes()))
    return tmp_path


def manage(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    own = {"CANDOR_DATA": str(folder), "DATABASE_URL": "", "REDIS_URL": "", "DJANGO_SETTINGS_MODULE": "config.settings"}
    env = os.environ | own | {"SECRET_KEY": "the secret key of the old installation"}
    command = [sys.executable, "-W", "ignore", "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def contents(folder: Path) -> dict[str, list[str]]:
    """The statements that made the tables, indexes and triggers, and the rows of each table.

    In whatever order columns are: SQLite makes a table anew for one that changes, and Django may put it elsewhere.
    """
    with sqlite3.connect(folder / "candor.sqlite3") as database:
        made = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        found = {"": sorted(repr((kind, name, parts(sql) if kind == "table" else sql)) for kind, name, sql in made)}
        for name in sorted({name for kind, name, _ in made if kind == "table"} - LEFT):
            columns = sorted(column for _, column, *_ in database.execute(f'PRAGMA table_info("{name}")'))
            listed = ", ".join(f'"{column}"' for column in columns if column != "id" or name not in KEYS)
            rows = database.execute(f'SELECT {listed} FROM "{name}"').fetchall()
            found[name] = sorted(map(repr, rows))
    return found


def parts(sql: str) -> list[str]:
    """The columns and constraints of a statement that makes a table, sorted."""
    found, depth = [""], 0
    for letter in sql[sql.index("(") + 1 : sql.rindex(")")]:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return sorted(part.strip() for part in found)


@pytest.mark.long
def test_roll_back_after_migrate_leaves_the_older_database(folder: Path) -> None:
    before = contents(folder)
    assert manage(folder, "migrate").returncode == 0
    assert contents(folder) != before
    done = manage(folder, "roll_back", str(OLD / "backup.zip"), "--signed-by", SIGNER, "--json")
    assert done.returncode == 0, done.stderr
    names = json.loads(done.stdout)["reversed"]
    assert {"collector.0017_totals_by_number", "surveys.0020_backups"} <= set(names)
    assert all(f"Reversed {name}." in done.stderr for name in names)
    assert contents(folder) == before
    done = manage(folder, "roll_back", str(OLD / "backup.zip"), "--signed-by", SIGNER, "--json")
    assert json.loads(done.stdout) == {"reversed": []}


@pytest.mark.long
def test_roll_back_refuses_backups_of_another_signer(folder: Path) -> None:
    assert manage(folder, "migrate").returncode == 0
    before = contents(folder)
    done = manage(folder, "roll_back", str(OLD / "backup.zip"), "--signed-by", "-".join(["0000"] * 8))
    assert done.returncode == 1
    assert "signed by the installation" in done.stderr
    assert contents(folder) == before


@pytest.mark.long
def test_roll_back_stops_where_data_has_no_place_in_the_older_version(folder: Path) -> None:
    assert manage(folder, "migrate").returncode == 0
    with sqlite3.connect(folder / "candor.sqlite3") as database:
        (digest,) = database.execute("SELECT digest FROM collector_frozendesign LIMIT 1").fetchone()
        columns = [row[1] for row in database.execute("PRAGMA table_info(collector_frozendesign)")]
        values = {"digest": "'p' || substr(digest, 2)", "number": "99", "part_of_id": "digest"}
        chosen = ", ".join(values.get(name, name) for name in columns)
        database.execute(
            f"INSERT INTO collector_frozendesign ({', '.join(columns)}) "
            f"SELECT {chosen} FROM collector_frozendesign WHERE digest = ?",
            [digest],
        )
    done = manage(folder, "roll_back", str(OLD / "backup.zip"), "--signed-by", SIGNER)
    assert done.returncode == 1
    assert "collector.0018_parts_of_designs cannot be reversed: 1 surveys are split into parts" in done.stderr
    assert manage(folder, "migrate", "--check").returncode == 1
    assert manage(folder, "migrate").returncode == 0
