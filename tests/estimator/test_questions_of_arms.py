"""Questions that some versions of the page ask instead of others: what is counted of whom, and what is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from estimator.analyses.quantities import AnalysisError
from estimator.analyses.requests import parameters
from estimator.base.protection import epsilon_of_design, total_ratio
from estimator.exports.formats import FORMATS
from estimator.models import Analysis, Run
from estimator.reports import report as reports
from estimator.runs import results
from estimator.runs.results import NOTHING_KNOWN
from tests.factories import background
from tests.factories.background import done
from tests.factories.runs import run_of
from tests.tools.bundles import run_rebuild, unpack_bundle

pytestmark = pytest.mark.django_db


def run(cheated: float, crosswise: float, **changes: int) -> Run:
    return run_of(background.in_versions(cheated, crosswise, **changes))


def test_privacy_loss_is_that_of_the_version_that_tells_the_most() -> None:
    # Forced response: 3 (1/2 true, half of the rest yes); crosswise with 1/4: 3; mood: 4.
    assert total_ratio(background.of_versions()) == 12
    assert epsilon_of_design(background.of_versions()) == pytest.approx(np.log(12))


def test_each_question_is_estimated_of_those_who_were_asked_it() -> None:
    read = results.read(run(0.4, 0.2))
    first, second, mood = (item.cells for item in read.items)
    everyone = {item.key: item.shares[0].estimate for item in read.items}
    assert [item.versions for item in read.items] == [(1,), (2,), (1, 2)]
    assert everyone["cheated"].n + everyone["cheated-crosswise"].n == everyone["mood"].n == 4000
    assert everyone["cheated"].low < 0.4 < everyone["cheated"].high
    assert everyone["cheated-crosswise"].low < 0.2 < everyone["cheated-crosswise"].high
    by_group = {cell.group_key: cell.estimate for cell in first if cell.estimate.choice == 1}
    assert by_group["arm=2"].n == 0
    assert by_group["arm=2"].constrained is None
    assert by_group["arm=1"].constrained == everyone["cheated"].constrained
    asked = [group for group in by_group if group not in ("", "arm=1", "arm=2")]
    assert sum(by_group[group].n for group in asked) == everyone["cheated"].n
    assert len(second) == len(first) == 2 * len(by_group)
    assert len(mood) == 3 * len(by_group)


def test_question_of_some_versions_says_when_it_is_estimated() -> None:
    """Before the closing nothing is told by version, and that is no lack of responses."""
    built = reports.build(run_of(background.in_versions(0.4, 0.2, closed=False), final=False))
    first, second, mood = built.blocks
    for block in (first, second):
        assert (
            block.headline.line.missing == "Estimated once the survey is closed: only some versions of the page ask it"
        )
    assert not mood.headline.line.missing


def test_versions_are_compared_by_what_each_asks() -> None:
    (check,) = reports.build(run(0.5, 0.2)).protection
    assert check.sentences[0].startswith("“Have you cheated? · Yes”: with “Two statements” the estimate is ")
    assert check.sentences[0].endswith("percentage points lower than with “One question”, more than chance explains.")
    assert not any("Did you ever cheat" in one for one in check.sentences)


def test_questions_of_different_versions_cannot_be_crossed() -> None:
    design = background.of_versions()
    for kind, fields in (
        (Analysis.Kind.CROSS_TABLE, {"rows": "cheated", "columns": "cheated-crosswise"}),
        (Analysis.Kind.SCORES, {"item-cheated": "on", "item-cheated-crosswise": "on"}),
        (Analysis.Kind.REGRESSION, {"outcome": "cheated", "answer": "cheated-crosswise"}),
    ):
        with pytest.raises(AnalysisError, match="nobody was asked all of them"):
            parameters(kind, fields, [design])
    with pytest.raises(AnalysisError, match="“Version of this page” cannot be a predictor"):
        parameters(Analysis.Kind.REGRESSION, {"outcome": "cheated", "predictor-arm": "on"}, [design])


def test_analyses_are_made_of_those_who_were_asked() -> None:
    made = background.in_versions(0.4, 0.2)
    asked = run_of(made).estimates.filter(position=0, stratum=None).first().n
    job = next(question.key for question in made.background.asked)
    crossed = done(Analysis.Kind.CROSS_TABLE, made, rows="cheated", columns="mood").result
    assert crossed["rows"][0]["n"] == asked
    regressed = done(Analysis.Kind.REGRESSION, made, outcome="cheated", **{f"predictor-{job}": "on"})
    assert regressed.result["rows"]
    counted = done(Analysis.Kind.SCORES, made, **{"item-cheated": "on", "item-mood:2": "on"}).result
    assert counted["rows"][0]["n"] == asked


@pytest.mark.long
def test_bundle_states_which_version_asks_what_and_rebuilds(tmp_path: Path) -> None:
    folder = unpack_bundle(run(0.4, 0.2), tmp_path)
    items = (folder / "tables/items.csv").read_text(encoding="utf-8").splitlines()
    assert items[0].endswith(",versions")
    assert [row.rpartition(",")[2] for row in items[1:]] == ["1", "2", "1|2"]
    assert (folder / "tables/odds.csv").read_text(encoding="utf-8").splitlines()[-1].endswith(",12")
    done = run_rebuild(folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_single_responses_are_empty_where_the_version_did_not_ask(tmp_path: Path) -> None:
    found = run(0.4, 0.2, n=1500)
    table = {name: _written(found, name, tmp_path) for name in ("reports-csv", "reports-parquet", "reports-sav")}
    csv, parquet = pd.read_csv(table["reports-csv"]), pd.read_parquet(table["reports-parquet"])
    first, other = (f"randomised_{key}" for key in ("cheated", "cheated_crosswise"))
    for frame in (csv, parquet, pyreadstat.read_sav(table["reports-sav"])[0]):
        names = [name for name in frame.columns if name in (first, other)]
        assert len(names) == 2
        assert (frame[first].isna() ^ frame[other].isna()).all(), "each person was asked one of the two"
    estimates = found.estimates.filter(stratum=None, choice=1)
    assert int(csv[first].notna().sum()) == estimates.get(position=0).n
    assert int(csv[first].sum()) == estimates.get(position=0).sent


def _written(found: Run, name: str, folder: Path) -> Path:
    path = folder / f"{name}{FORMATS[name].suffix}"
    with path.open("wb") as file:
        FORMATS[name].write(found, NOTHING_KNOWN, file, lambda part: None)
    return path
