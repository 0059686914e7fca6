"""R alone computes the numbers of regressions again from their bundles; part of `make audit-files`, as it needs R."""

import io
import os
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

from collector.designs.selectors import get_design
from estimator.analyses import services
from estimator.exports.analysis_bundle import zip_file
from estimator.models import Analysis
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, write_survey
from surveys.opening.services import open_survey
from tests.factories import background, three_groups
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
    {"outcome": "cheated", "answer": "mood", f"predictor-{AGE}": "steps"},
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


def test_r_computes_weighted_regressions_and_finds_changes(tmp_path: Path) -> None:
    design = background.of_four_kinds()
    shares = {f"share-{REGION}-{k}": "25" for k in range(1, 5)}
    weights = done(Kind.WEIGHTING, design, item="cheated", **shares)
    for outcome in ("tired:mean", "cheated", "mood"):
        prior = {"prior": "yes"} if outcome == "mood" else {}
        found = done(Kind.REGRESSION, design, outcome=outcome, weights=weights.key, **prior, **BOTH)
        said = computed(found, tmp_path / outcome)
        assert (said.returncode, said.stderr) == (0, ""), said.stdout
    of_answer = done(Kind.REGRESSION, design, outcome="cheated", answer="mood", weights=weights.key, **BOTH)
    said = computed(of_answer, tmp_path / "answer")
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
