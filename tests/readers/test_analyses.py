"""R alone computes the numbers of analyses again from their bundles; part of `make audit-files`, as it needs R."""

import io
import os
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.designs.services import close_design, freeze_design
from estimator.analyses import services
from estimator.exports.analysis_bundle import zip_file
from estimator.models import Analysis
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, write_survey
from surveys.opening.services import open_survey
from tests.factories import background, kinds, simulation, three_groups
from tests.factories.background import done

pytestmark = pytest.mark.django_db
Kind = Analysis.Kind
REGION, AGE, GENDER = "where_do_you_live", "how_old_are_you", "what_is_your_gender"
BOTH = {f"predictor-{REGION}": "yes", f"predictor-{AGE}": "yes"}
ASKED = [
    {"outcome": "cheated", **BOTH},
    {"outcome": "cheated", "model": "probit", **BOTH},
    {"outcome": "cheated", "model": "cloglog", **BOTH},
    {"outcome": "cheated", f"interaction-{REGION}+{AGE}": "yes"},
    {"outcome": "cheated", f"interaction-{REGION}+{AGE}": "yes", f"interaction-{AGE}+{GENDER}": "yes"},
    {"outcome": "cheated", "prior": "yes", **BOTH},
    {"outcome": "drinks:1", **BOTH},
    {"outcome": "mood", f"predictor-{AGE}": "yes"},
    {"outcome": "mood", "model": "ordinal", **BOTH},
    {"outcome": "tired:mean", **BOTH},
    {"outcome": "tired:mean", f"interaction-{REGION}+{AGE}": "yes"},
    {"outcome": "cheated", "answer": "mood", f"predictor-{AGE}": "yes"},
    {"outcome": "drinks:1", "answer": "cheated"},
    {"outcome": "cheated", "answer": "mood", "prior": "yes", f"predictor-{AGE}": "yes"},
    {"outcome": "drinks:1", "answer": "cheated", f"interaction-{REGION}+{AGE}": "yes"},
    {"outcome": "cheated", "answer": "mood", f"predictor-{AGE}": "steps"},
    {"outcome": "cheated", "answer": "mood", "model": "probit", f"predictor-{AGE}": "yes"},
    {"outcome": "drinks:1", "answer": "cheated", "model": "cloglog", "prior": "yes"},
    {"outcome": "tired:mean", "answer": "mood", f"predictor-{AGE}": "yes"},
    {"outcome": "drinks:1", "answer": "mood", "answer-2": "cheated", "prior": "yes"},
    {"outcome": "tired:mean", "answer": "cheated", "answer-2": "mood", f"predictor-{AGE}": "yes"},
    {"outcome": "tired:mean", "answer": "cheated", f"interaction-{REGION}+{AGE}": "yes"},
    {"outcome": "cheated", "answer": "drinks:1", "answer-2": "mood", f"predictor-{AGE}": "yes"},
    {"outcome": "cheated", "answer": "mood", "modifier": AGE, f"predictor-{REGION}": "yes"},
    {"outcome": "drinks:1", "answer": "cheated", "modifier": AGE, "prior": "yes"},
    {"outcome": "cheated", "answer": "mood", "model": "probit", f"interaction-{REGION}+{AGE}": "yes", "modifier": AGE},
    {"outcome": "tired:mean", "answer": "cheated", "answer-2": "mood", "modifier": AGE},
    {"outcome": "cheated", f"predictor-{REGION}": "yes", f"predictor-{AGE}": "steps"},
    {"outcome": "cheated", "prior": "yes", f"predictor-{REGION}": "steps"},
    {"outcome": "mood", f"predictor-{REGION}": "steps", f"predictor-{AGE}": "yes"},
    {"outcome": "mood", "model": "ordinal", f"predictor-{AGE}": "steps"},
    {"outcome": "tired:mean", f"predictor-{AGE}": "steps"},
    {"outcome": "cheated", "prior": "yes", "model": "probit", f"predictor-{AGE}": "yes"},
    {"outcome": "mood", "prior": "yes", f"predictor-{AGE}": "yes"},
    {"outcome": "mood", "prior": "yes", "model": "ordinal", **BOTH},
]


def computed(analysis: Analysis, folder: Path) -> subprocess.CompletedProcess[str]:
    """In the plainest locale, as a reader's server may have it."""
    with zipfile.ZipFile(io.BytesIO(zip_file(analysis))) as archive:
        archive.extractall(folder)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    return subprocess.run(
        ["Rscript", "--vanilla", "analysis.R"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("fields", ASKED, ids=str)
def test_r_computes_regressions_on_background_questions(tmp_path: Path, fields: dict[str, str]) -> None:
    found = done(Kind.REGRESSION, background.of_four_kinds(), **fields)
    numbers = sum(row["estimate"] is not None for row in found.result["rows"])
    said = computed(found, tmp_path)
    assert said.stdout.endswith(f"{numbers} rows compared, 0 numbers differ, 0 rows were not computed.\n"), said.stdout
    assert (said.returncode, said.stderr) == (0, "")


SHARES = {f"share-{REGION}-{k}": "25" for k in range(1, 5)}
TOGETHER = "\n".join(
    f"{REGION},{region},{AGE},{age},{10 * region + 50}" for region in range(1, 5) for age in range(1, 5)
)
CENSUS = "\n".join(f"{age},{region},{10 * region + 50}" for region in range(1, 5) for age in range(1, 5))
OTHERS: list[tuple[Analysis.Kind, dict[str, str]]] = [
    (Kind.COMPARISON, {"quantity": "cheated:1", "against": f"pairs:{REGION}"}),
    (Kind.COMPARISON, {"quantity": "mood:2", "against": f"{AGE}=1"}),
    (Kind.COMPARISON, {"quantity": "drinks:1", "against": f"pairs:{AGE}", "confidence": "0.99"}),
    (Kind.COMPARISON, {"quantity": "tired:mean", "against": f"{AGE}=2", "confidence": "0.9"}),
    (Kind.WEIGHTING, {"item": "mood", **SHARES}),
    (Kind.WEIGHTING, {"item": "tired", "method": "logit", "largest": "4", **SHARES}),
    (Kind.WEIGHTING, {"item": "drinks", "method": "linear", "largest": "3", **SHARES}),
    (Kind.WEIGHTING, {"item": "cheated", "table": TOGETHER}),
    (Kind.CROSS_TABLE, {"rows": "cheated", "columns": "mood"}),
    (Kind.CROSS_TABLE, {"rows": "cheated", "columns": "drinks:1"}),
    (Kind.CROSS_TABLE, {"rows": "mood", "columns": "tired"}),
    (Kind.SCORES, {"item-cheated": "yes", "item-drinks:0": "yes", "item-drinks:1": "yes"}),
    (Kind.SCORES, {"item-cheated": "yes", "item-mood:2": "yes", "confidence": "0.9"}),
    (Kind.CROSS_TABLE, {"rows": REGION, "columns": "mood"}),
    (Kind.CROSS_TABLE, {"rows": f"{AGE}:steps", "columns": "cheated"}),
    (Kind.CROSS_TABLE, {"rows": f"{AGE}:steps", "columns": "tired", "confidence": "0.9"}),
    (Kind.AREAS, {"outcome": "cheated", "area": REGION}),
    (Kind.AREAS, {"outcome": "drinks:1", "area": AGE, f"predictor-{REGION}": "yes", "table": CENSUS}),
    (Kind.AREAS, {"outcome": "mood:2", "area": REGION, f"predictor-{GENDER}": "yes", "confidence": "0.9"}),
]


@pytest.mark.parametrize(("kind", "fields"), OTHERS, ids=str)
def test_r_computes_other_analyses(tmp_path: Path, kind: Analysis.Kind, fields: dict[str, str]) -> None:
    found = done(kind, background.of_four_kinds(), **fields)
    numbers = sum(row["estimate"] is not None for row in found.result["rows"])
    said = computed(found, tmp_path)
    assert said.stdout.endswith(f"{numbers} rows compared, 0 numbers differ, 0 rows were not computed.\n"), said.stdout
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Kind.COMPARISON, {"quantity": "cheated:1", "against": f"pairs:{AGE}"}),
        (Kind.COMPARISON, {"quantity": "drinks:1", "against": f"{AGE}=1"}),
        (Kind.COMPARISON, {"quantity": "tired:mean", "against": f"pairs:{REGION}"}),
        (Kind.CROSS_TABLE, {"rows": "cheated", "columns": "mood"}),
        (Kind.CROSS_TABLE, {"rows": f"{AGE}:steps", "columns": "tired"}),
    ],
    ids=str,
)
def test_r_computes_with_weights(tmp_path: Path, kind: Analysis.Kind, fields: dict[str, str]) -> None:
    design = background.of_four_kinds()
    weights = done(Kind.WEIGHTING, design, item="cheated", **SHARES)
    said = computed(done(kind, design, weights=weights.key, **fields), tmp_path)
    assert (said.returncode, said.stderr) == (0, ""), said.stdout


def test_r_computes_weighted_regressions_and_finds_changes(tmp_path: Path) -> None:
    design = background.of_four_kinds()
    weights = done(Kind.WEIGHTING, design, item="cheated", **SHARES)
    for outcome in ("tired:mean", "cheated", "mood"):
        prior = {"prior": "yes"} if outcome == "mood" else {}
        found = done(Kind.REGRESSION, design, outcome=outcome, weights=weights.key, **prior, **BOTH)
        said = computed(found, tmp_path / outcome)
        assert (said.returncode, said.stderr) == (0, ""), said.stdout
    for outcome in ("cheated", "tired:mean"):
        of_answer = done(Kind.REGRESSION, design, outcome=outcome, answer="mood", weights=weights.key, **BOTH)
        said = computed(of_answer, tmp_path / f"answer {outcome}")
        assert (said.returncode, said.stderr) == (0, ""), said.stdout
    found.result["rows"][0]["estimate"] += 0.001
    assert "1 numbers differ" in computed(found, tmp_path / "changed").stdout


def test_r_computes_regressions_on_groups(tmp_path: Path, alice, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    survey = write_survey(three_groups.definition(), team=home_team(alice))
    design = get_design(open_survey(survey).design_id)
    three_groups.answer(design, np.random.default_rng(1), n=900)
    close_survey(survey)
    found = services.execute(services.request(Kind.REGRESSION, {"outcome": "cheated", "reference": "y2"}, [design]).pk)
    said = computed(found, tmp_path)
    assert (said.returncode, said.stderr) == (0, ""), said.stdout


def test_r_computes_who_follows_a_coin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda number: None)
    design = background.tossed()
    for number, fields in enumerate(({}, {"prior": "yes"})):
        asked = {"outcome": "cheated:coin", "predictor-what_is_your_highest_degree": "yes", **fields}
        said = computed(done(Kind.REGRESSION, design, **asked), tmp_path / str(number))
        assert (said.returncode, said.stderr) == (0, ""), said.stdout


def of_every_kind() -> Design:
    """A closed survey of three groups and every kind of question over 900 simulated people."""
    made = freeze_design(kinds.document(strata=three_groups.groups()))
    random = np.random.default_rng(2)
    who = simulation.people(made, 900, random)
    simulation.store(made, who, simulation.symbols(made, who, random))
    close_design(made.digest)
    return made


KNOWN = {"share-y1": "20", "share-y2": "30", "share-y3": "50"}
IN_GROUPS: list[tuple[Analysis.Kind, dict[str, str]]] = [
    *((Kind.COMPARISON, {"quantity": token, "against": "pairs"}) for token in ("smokes:1", "substance:2", "mood:0")),
    *((Kind.COMPARISON, {"quantity": f"{key}:mean", "against": "y2"}) for key in ("mood", "worry", "drinks", "hours")),
    *((Kind.WEIGHTING, {"item": key, **KNOWN}) for key in ("smokes", "often", "substance", "place", "habits", "mood")),
    *((Kind.WEIGHTING, {"item": key, **KNOWN}) for key in ("worry", "drinks", "hours")),
    (Kind.CROSS_TABLE, {"rows": "smokes", "columns": "substance:2", "group": "y1"}),
    (Kind.CROSS_TABLE, {"rows": "often", "columns": "mood"}),
    (Kind.CROSS_TABLE, {"rows": "habits:0", "columns": "habits:4"}),
    (Kind.SCORES, {"item-smokes": "yes", "item-habits:1": "yes", "item-substance:2": "yes", "item-place:3": "yes"}),
]


def test_r_computes_analyses_of_every_kind_of_question(tmp_path: Path) -> None:
    made = of_every_kind()
    for number, (kind, fields) in enumerate(IN_GROUPS):
        found = done(kind, made, **fields)
        said = computed(found, tmp_path / str(number))
        assert (said.returncode, said.stderr) == (0, ""), f"{kind} {fields}\n{said.stdout}"
        compared = sum(row["estimate"] is not None for row in found.result["rows"])
        assert f"{compared} rows compared, 0 numbers differ" in said.stdout


def three_versions(groups: dict[str, object], monkeypatch: pytest.MonkeyPatch, **changes: object) -> list[Design]:
    """Versions of one survey with 500 responses each, the newest first."""
    monkeypatch.setattr(services, "wake", lambda number: None)
    found = list[Design]()
    for version in (1, 2, 3):
        document = kinds.document(strata=groups, version=version, **changes)
        made, random = freeze_design(document), np.random.default_rng(version)
        who = simulation.people(made, 500, random)
        simulation.store(made, who, simulation.symbols(made, who, random))
        close_design(made.digest)
        found.insert(0, made)
    return found


def check_changes(versions: list[Design], folder: Path, fields: dict[str, str]) -> None:
    analysis = services.execute(services.request(Kind.VERSIONS, fields, versions).pk)
    said = computed(analysis, folder)
    assert (said.returncode, said.stderr) == (0, ""), said.stdout
    assert "5 rows compared, 0 numbers differ" in said.stdout
    assert said.stdout.count("narrowest_standard_error") == 2


@pytest.mark.parametrize("shares", [(None, None, None), ("1/5", "3/10", "1/2")], ids=["all alike", "weighted groups"])
def test_r_computes_changes_between_versions(
    tmp_path: Path, shares: tuple[str | None, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = three_groups.groups()
    for group, share in zip(groups["groups"], shares, strict=True):
        group["share"] = share
    versions = three_versions(groups, monkeypatch)
    for token in ("smokes:1", "substance:2", "mood:mean", "hours:mean"):
        check_changes(versions, tmp_path / token, {"quantity": token})


@pytest.mark.parametrize("repeats", [None, "fresh", "remember"])
def test_r_computes_changes_with_people_who_returned(
    tmp_path: Path, repeats: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = {"wording": {"en": ""}, "groups": []}
    waves = {} if repeats is None else {"waves": {"repeats": repeats, "spent": "1/1"}}
    versions = three_versions(groups, monkeypatch, **waves)
    for token in ("smokes:1", "substance:2", "mood:mean", "mood:1", "hours:mean", "habits:1", "place:3"):
        fields = {"quantity": token, "returned": "400", "returned_first": "150"}
        check_changes(versions, tmp_path / token, fields)
