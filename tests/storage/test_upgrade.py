"""An installation of an older commit (tests/storage/upgrade) is upgraded, restored and rebuilt to the same numbers."""

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from collector.models import FrozenDesign
from surveys.maintenance import backup
from tests.storage import whole

OLD = Path(__file__).parent / "upgrade"
ROOT = Path(__file__).parents[2]
DECIMAL = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")
EXPECTED: dict[str, Any] = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the old database holds after `migrate`, read by a process of its own."""
    folder = tmp_path_factory.mktemp("old")
    (folder / "candor.sqlite3").write_bytes(gzip.decompress((OLD / "database.sqlite3.gz").read_bytes()))
    bundle = folder / "bundle.zip"
    env = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    env |= {"CANDOR_DATA": str(folder), "SECRET_KEY": "the secret key of the old installation"}
    command = [sys.executable, "-m", "tests.storage.whole", "upgrade", EXPECTED["bundle_of"], bundle]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout) | {"bundle": bundle}


@pytest.mark.long
def test_upgraded_database_has_same_state(upgraded: Any) -> None:
    assert_same_state(upgraded["told"])


def assert_same_state(told: dict[str, Any]) -> None:
    """All to the last bit, but the estimates made anew: a sum's last bit depends on the processor's instructions."""
    (state, words, numbers), (old, old_words, old_numbers) = split_estimates(told), split_estimates(EXPECTED["told"])
    assert (state, words) == (old, old_words)
    assert numbers == pytest.approx(old_numbers, rel=1e-13)


def split_estimates(told: dict[str, Any]) -> tuple[dict[str, Any], list[str], list[float]]:
    """The state without the estimates made anew, their texts without decimal numbers, and those numbers."""
    designs = {key: {**design, "estimates": None} for key, design in told["designs"].items()}
    rows = [row for _, design in sorted(told["designs"].items()) for row in design["estimates"]]
    words = [DECIMAL.sub("", row) for row in rows]
    return told | {"designs": designs}, words, [float(number) for row in rows for number in DECIMAL.findall(row)]


NEWER = ("half_width", "verdict")
"""Columns of estimates that the older commit did not have; they are the last ones."""


@pytest.mark.long
def test_upgraded_database_exports_same_csv(upgraded: Any) -> None:
    for key, files in EXPECTED["exports"].items():
        made = upgraded["exports"][key]["csv"]
        assert made.partition("\r\n")[0].split(",")[-len(NEWER) :] == list(NEWER)
        assert rows_of_estimates(made) == rows_of_estimates(files["csv"])
    assert len(upgraded["exports"]) == len(EXPECTED["exports"]) == 4


@pytest.mark.long
def test_upgraded_database_exports_same_json(upgraded: Any) -> None:
    for key, files in EXPECTED["exports"].items():
        assert numbers_of_report(upgraded["exports"][key]["json"]) == numbers_of_report(files["json"])


def rows_of_estimates(text: str) -> list[dict[str, str]]:
    """The rows without the columns that are newer."""
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    return [{name: value for name, value in row.items() if name not in NEWER} for row in rows]


def numbers_of_report(text: str) -> Any:
    """A report's document without newer columns, and without the sentences in it."""
    document = json.loads(text)
    for row in document["estimates"]:
        for name in NEWER:
            row.pop(name, None)
    for part in (
        document,
        document["privacy"],
        document["privacy"].get("waves", {}),
        document.get("participation", {}),
    ):
        for name in ("note", "stored", "unit"):
            part.pop(name, None)
    return document


@pytest.mark.long
def test_upgraded_database_makes_same_bundle(upgraded: Any) -> None:
    assert data_of(upgraded["bundle"]) == data_of(OLD / "bundle.zip")


@pytest.mark.django_db(transaction=True)
def test_old_backup_restores_same_state() -> None:
    FrozenDesign.objects.filter(closed_on=None).update(closed_on=date(2026, 1, 1))
    call_command("flush", interactive=False, verbosity=0)
    backup.restore(OLD / "backup.zip", signed_by=EXPECTED["signer"])
    assert_same_state(json.loads(json.dumps(whole.told())))


def test_old_bundle_rebuilds_same_numbers(tmp_path: Path) -> None:
    with zipfile.ZipFile(OLD / "bundle.zip") as archive:
        archive.extractall(tmp_path)
    (script,) = tmp_path.rglob("rebuild.py")
    done = subprocess.run([sys.executable, script], cwd=script.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def data_of(bundle: Path) -> dict[str, Any]:
    """The members of a bundle that hold the survey's numbers; the others are the program's own or made to be read."""
    with zipfile.ZipFile(io.BytesIO(bundle.read_bytes())) as archive:
        names = [name for name in archive.namelist() if name.endswith((".csv", ".json"))]
        found: dict[str, Any] = {name: archive.read(name) for name in names}
    for name, read in (("estimates.csv", rows_of_estimates), ("report.json", numbers_of_report)):
        (place,) = (one for one in names if one.rpartition("/")[2] == name)
        found[place] = read(found[place].decode())
    return found
