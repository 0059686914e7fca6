"""The bundle of a run: what is in it, its bytes, and that a reader with nothing else computes the same numbers."""

import csv
import hashlib
import importlib.util
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from jsonschema import Draft7Validator

from collector.designs import Design
from collector.designs.services import freeze_design
from estimator.base.cells import ExportError
from estimator.base.languages import LANGUAGES
from estimator.exports import bundle
from estimator.exports.formats import FORMATS, Format
from estimator.models import Run
from estimator.runs import services
from estimator.runs.results import NOTHING_KNOWN, ReportContext
from tests.factories import payloads
from tests.factories.runs import fill, run_of
from tests.factories.simulation import every_kind_in_groups
from tests.tools.bundles import run_rebuild, unpack_bundle
from tests.tools.gate import few

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(design: Design) -> Run:
    """A yes/no question and one choice of three, of two groups; 90 reports."""
    fill(design)
    return run_of(design)


def packed(run: Run, name: str = "bundle", told: Callable[[float], None] = lambda part: None) -> bytes:
    out = io.BytesIO()
    FORMATS[name].write(run, NOTHING_KNOWN, out, told)
    return out.getvalue()


@pytest.mark.long
@pytest.mark.parametrize(
    "shares",
    [
        pytest.param((None, None), id="groups"),
        pytest.param(("2/5", "3/5"), id="weighted groups"),
    ],
)
def test_bundle_rebuild_computes_every_number(shares: tuple[str | None, ...], tmp_path: Path) -> None:
    """Of a survey that takes reports, and of the same after closing."""
    design = every_kind_in_groups(*shares)
    for final in (False, True):
        folder = unpack_bundle(run_of(design, final=final), tmp_path / f"{final}")
        done = run_rebuild(folder, "--write", "out.csv")
        assert (done.returncode, done.stderr) == (0, "")
        assert "No difference above 1e-09 in 105 estimates" in done.stdout
        with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
            written = list(csv.DictReader(file))
        estimates = json.loads((folder / "report.json").read_text(encoding="utf-8"))["estimates"]
        computed, stated = ([float(row["estimate"]) for row in rows] for rows in (written, estimates))
        assert computed == pytest.approx(stated, rel=0, abs=1e-9)
        assert {row["interval_holds"] for row in written} == {"one_look" if final else "every_look"}


def test_bundle_rebuild_ten_reports_per_group(design: Design, tmp_path: Path) -> None:
    """The fewest that are told by group."""
    fill(design, count=20, first=10)
    done = run_rebuild(unpack_bundle(run_of(design), tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "No difference above 1e-09 in 15 estimates" in done.stdout


def test_bundle_rebuild_uses_bundled_library(run: Run, tmp_path: Path) -> None:
    folder = unpack_bundle(run, tmp_path)
    (folder / "randomized_response" / "__init__.py").write_text("raise ImportError('this one')")
    done = run_rebuild(folder)
    assert done.returncode == 1
    assert "this one" in done.stderr


@pytest.fixture
def script(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script of an unpacked bundle, in this process."""
    folder = unpack_bundle(run, tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", ["rebuild.py"])
    spec = importlib.util.spec_from_file_location("rebuild_of_a_bundle", folder / "rebuild.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tally(document: dict[str, Any]) -> None:
    document["tallies"][0]["counts"][0] += 1


def estimate(document: dict[str, Any]) -> None:
    document["estimates"][1]["estimate"] += 2e-9


def high(document: dict[str, Any]) -> None:
    document["estimates"][-1]["noise_high"] -= 2e-9


def flag(document: dict[str, Any]) -> None:
    document["estimates"][0]["flags"] = ["too_few_reports"]


def gone(document: dict[str, Any]) -> None:
    del document["estimates"][3]


def bound(document: dict[str, Any]) -> None:
    document["poisoning"][0]["largest_shift"] += 2e-9


def odds(document: dict[str, Any]) -> None:
    document["privacy"]["odds_total"] = "11"


@pytest.mark.parametrize(
    "change", few([tally, estimate, high, flag, gone, bound, odds]), ids=lambda change: change.__name__
)
def test_bundle_rebuild_finds_changed_json(
    script: Any, change: Callable[[dict[str, Any]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where whoever changed it wrote the list of digests anew."""
    assert script.main() == 0
    path = script.HERE / "report.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    (script.HERE / "SHA256SUMS").write_text("")
    capsys.readouterr()
    assert script.main() == 1
    said = capsys.readouterr().err
    assert {"bound": "poisoning", "odds": "privacy"}.get(change.__name__, "report.json") in said
    assert ("the tallies have the digest" in said) is (change is tally)


def test_bundle_rebuild_finds_changed_csv(script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = script.HERE / "estimates.csv"
    sheet = path.read_text(encoding="utf-8-sig")
    number = sheet.splitlines()[1].split(",")[10]
    path.write_text(sheet.replace(f",{number},", f",{float(number) + 2e-9},", 1), encoding="utf-8-sig")
    assert script.main() == 1
    said = capsys.readouterr().err
    assert "estimates.csv: cheated, share, 0, : estimate" in said
    assert "estimates.csv: it is not the file that SHA256SUMS names" in said


def test_bundle_rebuild_rejects_another_design(script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = script.HERE / "report.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"version": 1', '"version": 2'), encoding="utf-8")
    assert script.main() == 1
    assert "cannot be read: the design in" in capsys.readouterr().err


def test_bundle_holds_and_describes_every_format(run: Run) -> None:
    with ZipFile(io.BytesIO(packed(run))) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    assert list(held) == sorted(held)
    formats = [one for one in FORMATS.values() if one.suffix != ".zip" and not one.microdata]
    own = {"README.txt", "CITATION.cff", "SHA256SUMS", "design.json", *bundle.SCRIPTS}
    translated = sum(one.translated for one in formats) * (len(LANGUAGES) - 1)
    assert len({name for name in held if "/" not in name} - own) == len(formats) + translated
    for one in formats:
        assert one.whole(run) in held.values(), one.name
    assert '<html lang="de"' in held["report-de.html"].decode()
    readme = held["README.txt"].decode()
    for name in held:
        assert f"\n{name} " in readme or name == "README.txt" or name.startswith("randomized_response/"), name
    assert "$" not in readme
    assert hashlib.sha256(held["design.json"]).hexdigest() == run.design_id
    lines = dict(reversed(line.split("  ", 1)) for line in held.pop("SHA256SUMS").decode().splitlines())
    assert lines == {name: hashlib.sha256(content).hexdigest() for name, content in held.items()}


@pytest.mark.long
def test_bundle_same_state_gives_same_bytes(run: Run) -> None:
    first = packed(run)
    services.publish(run, published=True)
    assert packed(Run.objects.get(pk=run.pk)) == first


@pytest.mark.long
def test_bundle_progress_rises_and_stop_leaves_no_file(run: Run, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(bundle.tempfile, "tempdir", str(tmp_path))
    told: list[float] = []
    packed(run, told=told.append)
    assert told == sorted(told)
    assert (told[0] > 0, told[-1]) == (True, 1.0)

    def stop(part: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        packed(run, told=stop)
    assert list(tmp_path.iterdir()) == []


def refusing(run: Run, context: ReportContext, out: Any, watch: Any) -> None:
    raise ExportError("Its names are too long.")


@pytest.mark.long
def test_bundle_failed_format_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, "odd", Format("odd", ".odd", "text/plain", "An odd file", refusing))
    with ZipFile(io.BytesIO(packed(run))) as archive:
        assert "report.odd" not in archive.namelist()
        assert "An odd file: left out. Its names are too long." in archive.read("README.txt").decode()


@pytest.mark.long
def test_bundle_missing_package_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with ZipFile(io.BytesIO(packed(run))) as archive:
        assert {"report.sav", "report.dta"}.isdisjoint(archive.namelist())
        assert "report.parquet" in archive.namelist()
        assert "left out. pyreadstat is not installed here." in archive.read("README.txt").decode()


def test_bundle_with_too_few_reports_raises(run: Run) -> None:
    assert FORMATS["bundle-with-reports"].microdata
    with pytest.raises(ExportError, match="from 100 responses on"):
        packed(run, "bundle-with-reports")


TEXT = {"type": "string", "minLength": 1}
ENTITIES = {"type": "array", "minItems": 1, "items": {"required": ["name"], "properties": {"name": TEXT}}}
CITATION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["authors", "cff-version", "message", "title"],
    "properties": {
        "cff-version": {"const": "1.2.0"},
        "message": TEXT,
        "title": TEXT,
        "type": {"enum": ["dataset", "software"]},
        "authors": ENTITIES,
        "version": TEXT,
        "date-released": {"type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])$"},
        "keywords": {"type": "array", "minItems": 1, "uniqueItems": True, "items": TEXT},
        "identifiers": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {
                "additionalProperties": False,
                "required": ["type", "value"],
                "properties": {"type": {"const": "other"}, "value": TEXT, "description": TEXT},
            },
        },
        "references": {
            "type": "array",
            "minItems": 1,
            "items": {
                "additionalProperties": False,
                "required": ["authors", "title", "type"],
                "properties": {
                    "type": {"enum": ["software"]},
                    "title": TEXT,
                    "authors": ENTITIES,
                    "version": TEXT,
                    "license": {"const": "MIT"},
                    "notes": TEXT,
                },
            },
        },
    },
}
"""What the schema of CFF 1.2.0 says of the keys that are used (citation-file-format.github.io)."""


@pytest.mark.long
def test_bundle_with_reports_has_valid_citation() -> None:
    design = freeze_design(payloads.document(title={"en": "=استبيان 🙂"}))
    fill(design, count=120)
    run = run_of(design)
    with ZipFile(io.BytesIO(packed(run, "bundle-with-reports"))) as archive:
        text, reports = archive.read("CITATION.cff").decode(), archive.read("reports.csv")
    assert reports == FORMATS["reports-csv"].whole(run)
    found = yaml.load(text, yaml.BaseLoader)  # every value as text, as the schema's authors ask for dates
    assert list(Draft7Validator(CITATION).iter_errors(found)) == []
    assert found["title"] == "=استبيان 🙂: estimate report"
    assert found["identifiers"][0]["value"] == f"sha256:{run.design_id}"


def test_bundle_holds_library_licence() -> None:
    assert (bundle.BUNDLED / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
