"""Reports and files of a survey with background questions: estimates by each answer, rows by cells of ten."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest
from django.template.loader import render_to_string

from collector.designs import FEWEST_IN_GROUP
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports import question_blocks
from estimator.runs import results
from estimator.runs.results import NOTHING_KNOWN
from randomized_response import load_bundle
from surveys.rendering import results_page
from tests.factories import background
from tests.factories.runs import run_of
from tests.tools.bundles import run_rebuild, unpack_bundle

FORMAT = question_blocks.NumberFormat("95 %")


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


def test_table_names_each_answer_under_its_question(run: Run) -> None:
    block = question_blocks.block(results.read(run).items[0], 0, FORMAT)
    table = render_to_string("estimator/_table.html", {"table": block.parts[0].main, "block": block})
    heads = re.findall(r'<th scope="(row|rowgroup)".*?>(.*?)</th>', table)
    assert heads[:3] == [("row", "All respondents"), ("rowgroup", "Where do you live?"), ("row", "North")]
    assert heads[heads.index(("rowgroup", "What is your gender?")) + 1] == ("row", "Woman")
    assert table.count("<tbody>") == table.count("</tbody>") == 4


def test_chart_has_a_heading_for_each_question(run: Run) -> None:
    yes, mood = (question_blocks.block(item, 0, FORMAT).parts[0] for item in results.read(run).items)
    questions = ["Where do you live?", "How old are you?", "What is your gender?"]
    assert [row.heading for row in yes.overall.rows if row.heading] == questions
    assert yes.overall.rows[1].label == "North"
    assert mood.by_group is not None
    headings = [row.heading for row in mood.by_group.rows if row.heading]
    assert headings[:4] == [*(f"Well – {question}" for question in questions), f"So-so – {questions[0]}"]
    assert mood.groups is not None
    alone = [row[0] for row in mood.groups.rows if len(row) == 1]
    assert [(cell.text, cell.kind, cell.span) for cell in alone] == [
        (question, "heading", len(mood.groups.columns)) for question in questions
    ]


def test_chart_of_many_groups_is_folded(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    mood = question_blocks.block(results.read(run).items[1], 0, FORMAT)
    page = {"block": mood, "level": 3, "words": {"group_chart": "Chart by group"}}
    assert "Chart by group" not in render_to_string("estimator/_block.html", page)
    chart = mood.parts[0].by_group
    assert chart is not None
    monkeypatch.setattr(question_blocks, "MOST_ROWS_OPEN", len(chart.rows) - 1)
    folded = render_to_string("estimator/_block.html", page)
    assert re.search(r"<details>\s*<summary>Chart by group</summary>\s*<figure>.*</figure>\s*</details>", folded, re.S)


@pytest.mark.parametrize(("n", "shown"), [(0, False), (12, True)])
def test_group_that_prefers_not_to_say_is_shown_if_somebody_is_in_it(run: Run, n: int, shown: bool) -> None:
    """A simulation tells of every group, those of nobody too."""
    item = results.read(run).items[0]
    cell = next(cell for cell in item.cells if cell.answer == "West" and cell.estimate.choice == 1)
    silent = replace(cell, answer="No answer", withheld=True)
    silent.estimate.n = n
    block = question_blocks.block(replace(item, cells=(*item.cells, silent)), 0, FORMAT)
    assert ("No answer" in [row.label for row in block.parts[0].overall.rows]) == shown


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
