"""The bundle of an analysis: its script computes every number again, and finds those that were changed."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from collector.designs import Design
from collector.designs.checks import KEY
from estimator.analyses import exports, services
from estimator.exports.analysis_bundle import zip_file
from estimator.exports.analysis_tables import tables_of
from estimator.models import Analysis
from tests.factories import background
from tests.factories.background import done
from tests.factories.runs import run_of
from tests.tools.analysis_script import differing
from tests.tools.bundles import unpack_bundle
from tests.tools.gate import few

pytestmark = pytest.mark.django_db
Kind = Analysis.Kind
REGION, AGE, GENDER = "where_do_you_live", "how_old_are_you", "what_is_your_gender"
BOTH = {f"predictor-{REGION}": "yes", f"predictor-{AGE}": "yes"}
QUARTERS = {f"share-{REGION}-{k}": "25" for k in range(1, 5)}
CENSUS = "\n".join(f"{region},{age},{10 * region + age}" for region in range(1, 5) for age in range(1, 5))
TOGETHER = "\n".join(
    f"{REGION},{region},{AGE},{age},{10 * region + 50}" for region in range(1, 5) for age in range(1, 5)
)
AREAS = {"outcome": "cheated", "area": REGION, f"predictor-{AGE}": "yes"}
ASKED: list[tuple[Analysis.Kind, dict[str, str]]] = [
    (Kind.COMPARISON, {"quantity": "cheated:1", "against": f"pairs:{REGION}"}),
    (Kind.COMPARISON, {"quantity": "tired:mean", "against": f"{AGE}=2", "confidence": "0.9"}),
    (Kind.WEIGHTING, {"item": "mood", **QUARTERS}),
    (Kind.WEIGHTING, {"item": "tired", "method": "logit", "largest": "4", **QUARTERS}),
    (Kind.WEIGHTING, {"item": "cheated", "table": TOGETHER}),
    (Kind.CROSS_TABLE, {"rows": "cheated", "columns": "mood"}),
    (Kind.CROSS_TABLE, {"rows": "cheated", "columns": "drinks:1"}),
    (Kind.CROSS_TABLE, {"rows": "cheated", "columns": "tired"}),
    (Kind.CROSS_TABLE, {"rows": REGION, "columns": "mood"}),
    (Kind.CROSS_TABLE, {"rows": f"{AGE}:steps", "columns": "cheated"}),
    (Kind.CROSS_TABLE, {"rows": f"{AGE}:steps", "columns": "tired", "confidence": "0.9"}),
    (Kind.SCORES, {"item-cheated": "yes", "item-drinks:0": "yes", "item-drinks:1": "yes"}),
    (Kind.REGRESSION, {"outcome": "cheated", **BOTH}),
    (Kind.REGRESSION, {"outcome": "cheated", "model": "probit", **BOTH}),
    (Kind.REGRESSION, {"outcome": "cheated", f"interaction-{REGION}+{AGE}": "yes"}),
    (
        Kind.REGRESSION,
        {"outcome": "cheated", f"interaction-{REGION}+{AGE}": "yes", f"interaction-{REGION}+{GENDER}": "yes"},
    ),
    (Kind.REGRESSION, {"outcome": "cheated", "prior": "yes", **BOTH}),
    (Kind.REGRESSION, {"outcome": "cheated", "prior": "yes", "model": "cloglog", f"predictor-{AGE}": "steps"}),
    (Kind.REGRESSION, {"outcome": "mood", "prior": "yes", **BOTH}),
    (Kind.REGRESSION, {"outcome": "mood", "prior": "yes", "model": "ordinal", **BOTH}),
    (Kind.REGRESSION, {"outcome": "mood", f"predictor-{AGE}": "yes"}),
    (Kind.REGRESSION, {"outcome": "mood", "model": "ordinal", **BOTH}),
    (Kind.REGRESSION, {"outcome": "mood:2", f"predictor-{AGE}": "yes"}),
    (Kind.REGRESSION, {"outcome": "tired:mean", **BOTH}),
    (Kind.REGRESSION, {"outcome": "cheated", "answer": "mood", f"predictor-{AGE}": "yes"}),
    (Kind.REGRESSION, {"outcome": "cheated", "answer": "mood", f"predictor-{AGE}": "steps"}),
    (Kind.REGRESSION, {"outcome": "cheated", "answer": "mood", "prior": "yes", f"predictor-{AGE}": "yes"}),
    (Kind.REGRESSION, {"outcome": "drinks:1", "answer": "mood", f"interaction-{REGION}+{AGE}": "yes"}),
    (Kind.REGRESSION, {"outcome": "cheated", "answer": "mood", "model": "probit", **BOTH}),
    (Kind.REGRESSION, {"outcome": "drinks:1", "answer": "cheated", "model": "cloglog"}),
    (Kind.REGRESSION, {"outcome": "tired:mean", "answer": "mood", f"predictor-{AGE}": "yes"}),
    (Kind.REGRESSION, {"outcome": "tired:mean", "answer": "cheated"}),
    (Kind.REGRESSION, {"outcome": "cheated", "answer": "tired", "answer-2": "mood"}),
    (Kind.REGRESSION, {"outcome": "drinks:1", "answer": "mood", "answer-2": "cheated", f"predictor-{AGE}": "yes"}),
    (Kind.REGRESSION, {"outcome": "tired:mean", "answer": "cheated", "answer-2": "mood", f"predictor-{AGE}": "yes"}),
    (Kind.REGRESSION, {"outcome": "cheated", "answer": "drinks:1", f"predictor-{AGE}": "yes"}),
    (Kind.REGRESSION, {"outcome": "tired:mean", "answer": "drinks:0", "answer-2": "cheated"}),
    (Kind.REGRESSION, {"outcome": "cheated", "answer": "mood", "modifier": AGE, f"predictor-{REGION}": "yes"}),
    (Kind.REGRESSION, {"outcome": "tired:mean", "answer": "cheated", "answer-2": "mood", "modifier": AGE}),
    (Kind.REGRESSION, {"outcome": "cheated", f"predictor-{REGION}": "yes", f"predictor-{AGE}": "steps"}),
    (Kind.REGRESSION, {"outcome": "mood", f"predictor-{REGION}": "steps", f"predictor-{AGE}": "steps"}),
    (Kind.REGRESSION, {"outcome": "mood", "model": "ordinal", f"predictor-{AGE}": "steps"}),
    (Kind.REGRESSION, {"outcome": "tired:mean", f"predictor-{AGE}": "steps"}),
    (Kind.AREAS, {"outcome": "cheated", "area": REGION}),
    (Kind.AREAS, {"outcome": "drinks:1", "area": REGION, f"predictor-{AGE}": "yes", "table": CENSUS}),
]


@pytest.fixture
def design() -> Design:
    return background.of_four_kinds()


@pytest.mark.parametrize(
    ("kind", "fields"),
    few(ASKED, slice(None, None, 4)),
    ids=lambda one: str(one)[:90],
)
def test_script_computes_every_number(
    design: Design, tmp_path: Path, kind: Analysis.Kind, fields: dict[str, str]
) -> None:
    found = done(kind, design, **fields)
    assert len([row for row in found.result["rows"] if row["estimate"] is not None]) >= 2
    assert differing(found, tmp_path) == 0


@pytest.mark.parametrize(
    ("rows", "columns"),
    few(
        [("cheated", "drinks:1"), ("cheated", "mood"), ("cheated", "mood:2"), (AGE, "mood"), (f"{AGE}:steps", "tired")]
    ),
)
def test_script_computes_weighted_cross_tables(design: Design, tmp_path: Path, rows: str, columns: str) -> None:
    weights = done(Kind.WEIGHTING, design, item="cheated", **QUARTERS)
    found = done(Kind.CROSS_TABLE, design, rows=rows, columns=columns, weights=weights.key)
    assert {row["weights"] for row in found.result["rows"]} == {"entered"}
    assert found.result["independence"]["test"] == "wald"
    assert differing(found, tmp_path) == 0


@pytest.mark.parametrize("quantity", few(["cheated:1", "mood:0", "drinks:1", "tired:mean"]))
def test_script_computes_weighted_comparisons(design: Design, tmp_path: Path, quantity: str) -> None:
    weights = done(Kind.WEIGHTING, design, item="cheated", **QUARTERS)
    for against in (f"pairs:{AGE}", f"{REGION}=1"):
        found = done(Kind.COMPARISON, design, quantity=quantity, against=against, weights=weights.key)
        assert len([row for row in found.result["rows"] if row["quantity"] == "difference"]) >= 3
        assert {row["weights"] for row in found.result["rows"]} == {"entered"}
        assert differing(found, tmp_path) == 0


@pytest.mark.long
def test_script_uses_weights_that_were_found(design: Design, tmp_path: Path) -> None:
    weights = done(Kind.WEIGHTING, design, item="cheated", **QUARTERS)
    for outcome in ("cheated", "mood", "tired:mean"):
        found = done(Kind.REGRESSION, design, outcome=outcome, weights=weights.key, **BOTH)
        assert found.result["rows"][0]["weights"] == "entered"
        assert differing(found, tmp_path) == 0
    for outcome in ("cheated", "mood"):
        found = done(Kind.REGRESSION, design, outcome=outcome, weights=weights.key, prior="yes", **BOTH)
        assert differing(found, tmp_path) == 0
    for outcome in ("cheated", "tired:mean"):
        found = done(Kind.REGRESSION, design, outcome=outcome, weights=weights.key, answer="mood", **BOTH)
        assert found.result["rows"][0]["weights"] == "entered"
        assert differing(found, tmp_path) == 0


def test_script_finds_a_changed_number(design: Design, tmp_path: Path) -> None:
    found = done(Kind.REGRESSION, design, outcome="cheated", **BOTH)
    found.result["rows"][2]["low"] += 1e-5
    assert differing(found, tmp_path) == 1
    found.inputs["totals"][0][0][0] += 40
    assert differing(found, tmp_path) > 20


def test_bundle_is_enough_by_itself(design: Design, tmp_path: Path) -> None:
    """Unpacked into an empty folder, where no Candor is: every number is computed, every file is as it was packed."""
    found = done(Kind.REGRESSION, design, outcome="cheated", **BOTH)
    packed = zip_file(found)
    assert zip_file(found) == packed
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        "README.txt", "SHA256SUMS", "analysis.csv", "analysis.json", "analysis.py", "areas.py", "cells.py",
        "counts.py", "cross_tables.py", "models.py",
        "randomized_response", "analysis.R", "regression.R", "tables",
    }  # fmt: skip
    for line in (tmp_path / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    assert (tmp_path / "analysis.csv").read_bytes() == exports.csv_file(found)
    said = subprocess.run(
        [sys.executable, "analysis.py"], cwd=tmp_path, capture_output=True, text=True, env={"PATH": ""}, check=True
    )
    assert said.stdout.endswith(f"analysis.json: {len(found.result['rows'])} rows, 0 numbers differ.\n")
    document = json.loads((tmp_path / "analysis.json").read_text(encoding="utf-8"))
    document["result"]["rows"][0]["estimate"] += 0.001
    (tmp_path / "analysis.json").write_text(json.dumps(document), encoding="utf-8")
    changed = subprocess.run(
        [sys.executable, "analysis.py"], cwd=tmp_path, capture_output=True, text=True, env={"PATH": ""}, check=False
    )
    assert (changed.returncode, "1 numbers differ." in changed.stdout) == (1, True)


IN_R: list[tuple[Analysis.Kind, dict[str, str], set[str], set[str]]] = [
    (Kind.COMPARISON, ASKED[0][1], {"shares.R", "weights.R", "formulas.R", "estimates.R"},
     {"settings", "counts", "channel", "groups"}),
    (Kind.WEIGHTING, ASKED[2][1], {"shares.R", "weights.R", "formulas.R", "estimates.R"},
     {"settings", "counts", "channel", "sizes", "margins", "means"}),
    (Kind.CROSS_TABLE, {"rows": f"{AGE}:steps", "columns": "tired"},
     {"cross-table.R", "association.R", "weights.R", "formulas.R"},
     {"settings", "pairs", "inside", "first", "second", "places", "values"}),
    (Kind.SCORES, {"item-cheated": "yes", "item-drinks:0": "yes"}, {"scores.R", "association.R", "formulas.R"},
     {"settings", "patterns", "items", "channel-1", "channel-2"}),
    (Kind.AREAS, {"outcome": "cheated", "area": REGION}, {"areas.R"}, {"settings", "responses", "census", "channel"}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "fields", "scripts", "tables"), few(IN_R), ids=[kind.value for kind, *_ in IN_R])
def test_bundle_has_what_r_needs(
    design: Design, kind: Analysis.Kind, fields: dict[str, str], scripts: set[str], tables: set[str]
) -> None:
    with zipfile.ZipFile(io.BytesIO(zip_file(done(kind, design, **fields)))) as archive:
        names = set(archive.namelist())
        readme = archive.read("README.txt").decode()
    assert {name for name in names if name.endswith(".R")} == scripts | {"analysis.R"}
    assert {name for name in names if name.startswith("tables/")} == {f"tables/{name}.csv" for name in tables}
    assert "Rscript analysis.R" in readme


def test_bundle_without_estimates_has_nothing_for_r(design: Design) -> None:
    found = done(Kind.AREAS, design, outcome="cheated", area=REGION)
    for row in found.result["rows"]:
        row["estimate"] = None
    with zipfile.ZipFile(io.BytesIO(zip_file(found))) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".R") or name.startswith("tables/")]
        assert "Rscript" not in archive.read("README.txt").decode()


@pytest.mark.long
def test_columns_of_tables_have_names_that_no_background_question_can_have(design: Design) -> None:
    """A background question “Weight” has the key `weight`."""
    for kind, fields in ((Kind.REGRESSION, {"outcome": "cheated", "answer": "mood", **BOTH}), (Kind.AREAS, AREAS)):
        (first, *_) = tables_of(done(kind, design, **fields))["tables/responses.csv"].decode().splitlines()
        others = set(first.split(",")) - {REGION, AGE}
        assert len(others) > 1
        assert not any(map(KEY.fullmatch, others))


@pytest.mark.long
def test_tables_of_small_areas_have_the_census(design: Design) -> None:
    table = f"{REGION},{AGE},people\n1,2,30\n2,4,12\n"
    asked = {"outcome": "cheated", "area": REGION, f"predictor-{AGE}": "yes", "table": table}
    tables = {
        name: content.decode().splitlines() for name, content in tables_of(done(Kind.AREAS, design, **asked)).items()
    }
    assert tables["tables/census.csv"] == [f"{REGION},{AGE},People", "1,2,30.0", "2,4,12.0"]
    head, *lines = tables["tables/responses.csv"]
    assert head == f"{REGION},{AGE},Report,Count"
    assert {line.split(",")[2] for line in lines} == {"0", "1"}


def test_margins_for_r_are_those_of_the_weights(design: Design) -> None:
    found = done(Kind.WEIGHTING, design, item="cheated", **QUARTERS)
    tables = tables_of(found)
    means = dict(line.split(",") for line in tables["tables/means.csv"].decode().splitlines())
    assert means == {f"{REGION}={answer}": "0.25" for answer in range(1, 5)}
    head, *lines = tables["tables/margins.csv"].decode().splitlines()
    assert head.split(",") == list(means)
    sizes = tables["tables/sizes.csv"].decode().splitlines()[1:]
    counted = [line for line, size in zip(lines, sizes, strict=True) if size != "0"]
    assert all(sum(map(float, line.split(","))) == pytest.approx(1) for line in counted)


def test_bundle_holds_no_result_of_its_own(design: Design) -> None:
    """The inputs are those of the snapshot, and the result follows from them."""
    found = done(Kind.COMPARISON, design, quantity="cheated:1", against=f"pairs:{AGE}")
    document = json.loads(exports.json_file(found))
    again = services.result_of(found.kind, document["parameters"], design, document["inputs"])
    assert again == document["result"]


@pytest.mark.long
def test_bundle_of_the_run_has_the_analyses_that_the_report_shows(design: Design, tmp_path: Path) -> None:
    shown, hidden = (done(Kind.CROSS_TABLE, design, rows="cheated", columns=token) for token in ("mood", "drinks:1"))
    services.keep(shown, name="Moods", published=True)
    unpack_bundle(run_of(design), tmp_path)
    names = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json"))
    assert [name for name in names if name.startswith("analyses/")] == [f"analyses/{shown.key[:12]}.json"]
    assert hidden.key[:12] not in "".join(names)
    said = subprocess.run(
        [sys.executable, "analysis.py"],
        cwd=tmp_path, capture_output=True, text=True, env={"PATH": ""}, check=True,
    )  # fmt: skip
    assert "0 numbers differ." in said.stdout
