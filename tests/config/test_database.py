"""Which database an installation uses is one variable; a wrong one is refused without repeating a password."""

import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.database import database


def test_database_default_is_sqlite_file(tmp_path: Path) -> None:
    assert database("", tmp_path)["NAME"] == tmp_path / "candor.sqlite3"


def test_database_url_selects_postgresql(tmp_path: Path) -> None:
    found = database("postgresql://ada:secret@db.example.org:5433/candor?sslmode=require", tmp_path)
    assert (found["HOST"], found["PORT"], found["NAME"], found["USER"]) == ("db.example.org", 5433, "candor", "ada")
    assert found["OPTIONS"]["sslmode"] == "require"


def test_database_postgresql_without_driver_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ImproperlyConfigured, match=r"psycopg is not installed here\. .* requirements-servers\.txt"):
        database("postgresql://ada:secret@db.example.org/candor", tmp_path)
    assert database("", tmp_path)


@pytest.mark.parametrize("url", ["mysql://ada:secret@host/db", "postgresql:secret@", "secret", "sqlite:///secret.db"])
def test_database_invalid_url_is_rejected_without_password(url: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL") as refusal:
        database(url, tmp_path)
    assert "secret" not in str(refusal.value)
