"""Reports and files of a survey with background questions: estimates by each answer, rows by cells of ten."""

import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest

from collector.designs import FEWEST_IN_GROUP
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.runs import results
from estimator.runs.results import NOTHING_KNOWN
from randomized_response import load_bundle
from surveys.rendering import results_page
from tests.factories import background
from tests.factories.runs import run_of
from tests.tools.bundles import run_rebuild, unpack_bundle


@pytest.fixture
def run(db: None) -> Run:
    return run_of(background.answered(), published=True)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Run, str], Path]:
    """Writes a format of a run to a file."""

    def write(run: Run, name: str) -> Path:
        path = tmp_path / name
        with path.open("wb") as out:
            FORMATS[name].write(run, NOTHING_KNOWN, out, lambda part: None)
        return path

    return write


def test_estimates_by_region_hold_the_truth(run: Run) -> None:
    read = results.read(run)
    cells = {cell.group: cell.estimate for cell in read.items[0].shares}
    for label, share in zip(("North", "South", "East", "West"), background.YES, strict=False):
        found = cells[f"Where do you live? {label}"]
        assert found.noise_low <= share <= found.noise_high
    assert min(estimate.n for estimate in cells.values()) >= FEWEST_IN_GROUP


@pytest.mark.long
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


def test_rows_have_a_column_for_each_question(run: Run, written: Callable[[Run, str], Path]) -> None:
    """In every program the same: the place of an answer where it is told by itself, else 0; `stratum` has the rest."""
    read = results.read(run)
    told = {group.key: int(read.items[0].totals[0][list(group.rows)].sum()) for group in read.partition.groups}
    tables = {name: written(run, name) for name in ("reports-csv", "reports-parquet", "reports-sav", "reports-dta")}
    frames = {
        "csv": pd.read_csv(tables["reports-csv"]),
        "parquet": pq.read_table(tables["reports-parquet"]).to_pandas(),
        "sav": pyreadstat.read_sav(tables["reports-sav"])[0],
        "dta": pyreadstat.read_dta(tables["reports-dta"])[0],
    }
    for frame in frames.values():
        assert list(frame.columns[:4]) == ["stratum", "where_do_you_live", "how_old_are_you", "what_is_your_gender"]
        for key, n in told.items():
            question, answer = key.split("=")
            assert (frame[question] == int(answer)).sum() == n
    assert (frames["csv"]["what_is_your_gender"] == 0).sum() > 0
    codebook = FORMATS["codebook"].whole(run).decode()
    assert "not told by itself" in codebook
    assert b'name="what_is_your_gender"' in FORMATS["ddi"].whole(run)
