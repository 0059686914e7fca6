"""Reports and files of a survey with background questions: estimates by each answer, rows by cells of ten."""

import io
from pathlib import Path

import numpy as np
import pytest

from collector.designs import FEWEST_IN_GROUP
from collector.designs.services import freeze_design
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.runs import results
from estimator.runs.results import NOTHING_KNOWN
from randomized_response import load_bundle
from surveys.rendering import results_page
from tests.factories import background, simulation
from tests.factories.runs import run_of
from tests.tools.bundles import run_rebuild, unpack_bundle

YES = (0.1, 0.2, 0.4, 0.6, 0.3)
"""How many of each region, and of those who do not tell theirs, have cheated."""


@pytest.fixture
def run(db: None) -> Run:
    """2,000 responses, of whom more have cheated the further down their region stands."""
    design = freeze_design(
        background.design(background.REGION, background.AGE, background.GENDER, expected=2000).document
    )
    random = np.random.default_rng(5)
    shares = ((0.38, 0.285, 0.19, 0.095, 0.05), (0.2375,) * 4 + (0.05,), (0.4655, 0.4655, 0.019, 0.05))
    told = np.stack([random.choice(len(one), size=2000, p=one) for one in shares], axis=1)
    cells = np.array([design.background.cell_of(answers) for answers in told.tolist()])
    cheated = (random.random(2000) < np.array(YES)[told[:, 0]]).astype(np.int64)
    people = simulation.People(cells, {"cheated": cheated, "mood": random.choice(3, size=2000)})
    simulation.store(design, people, simulation.symbols(design, people, random))
    return run_of(design, published=True)


def test_estimates_by_region_hold_the_truth(run: Run) -> None:
    read = results.read(run)
    cells = {cell.group: cell.estimate for cell in read.items[0].shares}
    for label, share in zip(("North", "South", "East", "West"), YES, strict=False):
        found = cells[f"Where do you live? {label}"]
        assert found.noise_low <= share <= found.noise_high
    assert min(estimate.n for estimate in cells.values()) >= FEWEST_IN_GROUP


def test_each_format_is_written(run: Run) -> None:
    for name, one in FORMATS.items():
        out = io.BytesIO()
        one.write(run, NOTHING_KNOWN, out, lambda part: None)
        assert out.getvalue(), name


def test_results_page_names_each_answer(run: Run) -> None:
    page = results_page.rendered(run.key, "en").decode()
    assert "Where do you live? West" in page
    assert "What is your gender? Woman" in page


def test_library_reads_groups_and_cells(run: Run, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(FORMATS["json"].whole(run))
    found = load_bundle(tmp_path / "report.json")
    told = results.read(run).items[0].shares[1].estimate
    assert (found.strata["where_do_you_live=1"], told.n) == (
        "Where do you live? North",
        found.items["cheated"].counts["where_do_you_live=1"].sum(),
    )
    assert found.items["cheated"].estimate("where_do_you_live=1").constrained[1] == pytest.approx(told.constrained)
    assert sum(found.items["cheated"].counts[key].sum() for key in found.cells) == 2000
    assert found.cells["c0001"] == {
        "where_do_you_live": ("North",),
        "how_old_are_you": ("18–29",),
        "what_is_your_gender": ("Woman",),
    }


def test_bundle_rebuilds_every_number(run: Run, tmp_path: Path) -> None:
    done = run_rebuild(unpack_bundle(run, tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
