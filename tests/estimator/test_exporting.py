"""The files of a run: every column, every digit, the same bytes, no formula."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from collector.designs import Design
from collector.designs.services import freeze_design
from estimator.exports.estimates import COLUMNS
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.runs import services
from randomized_response import estimate_proportions, forced_response
from tests.factories import payloads
from tests.factories.runs import fill, fill_open, know, run_of

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(design: Design) -> Run:
    fill(design)
    return run_of(design)


def sheet(run: Run) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(FORMATS["csv"].whole(run).decode("utf-8-sig"), newline="")))


def test_csv_export_columns_are_complete_and_documented(run: Run) -> None:
    rows = sheet(run)
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == (2 + 3) * 3
    documented = (ROOT / "docs/reference/report.md").read_text(encoding="utf-8")
    assert [name for name in COLUMNS if f"| `{name}` |" not in documented] == []


def test_csv_export_keeps_every_digit(run: Run) -> None:
    row = next(row for row in sheet(run) if (row["item"], row["choice"], row["stratum"]) == ("cheated", "1", ""))
    known = estimate_proportions([30, 60], forced_response(truth="1/2"))
    assert (int(row["n"]), int(row["sent"])) == (90, 60)
    assert float(row["estimate_unclipped"]) == known.unbiased[1]
    assert float(row["estimate"]) == known.constrained[1]
    assert (float(row["low"]), float(row["high"])) == (known.low[1], known.high[1])
    assert (float(row["noise_low"]), float(row["noise_high"])) == (known.noise_low[1], known.noise_high[1])
    assert float(row["standard_error"]) == known.standard_error[1]
    assert float(row["noise_standard_error"]) == known.noise_standard_error[1]
    assert float(row["direct_question_n"]) == known.direct_question_n[1]
    assert (row["truth_probability"], row["confidence"]) == ("1/2", "0.95")
    assert (row["interval_method"], row["design"]) == ("feldman_cousins", run.design_id)
    assert row["snapshot_at"] == run.snapshot_at.isoformat()  # type: ignore[union-attr]


def test_csv_export_too_few_reports_gives_empty_cells(design: Design) -> None:
    fill(design, count=9, first=9)
    row = sheet(run_of(design))[0]
    numbers = ("estimate", "estimate_unclipped", "standard_error", "low", "high", "noise_low", "direct_question_n")
    assert [row[name] for name in numbers] == [""] * len(numbers)
    assert (row["n"], row["flags"], row["interval_method"]) == ("0", "too_few_reports", "none")


def test_csv_export_ten_reports_have_estimates(design: Design) -> None:
    fill(design, count=90, first=80)
    row = next(row for row in sheet(run_of(design)) if row["stratum"] == "y2")
    assert (row["n"], row["flags"]) == ("10", "")
    assert float(row["noise_high"]) - float(row["noise_low"]) > 0.5


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_csv_export_quotes_formulas(db: None, text: str) -> None:
    document = payloads.document()
    document["items"][0]["wording"] = document["items"][0]["choices"][1] = {"en": text}
    document["strata"]["groups"][0]["label"] = {"en": text}
    design = freeze_design(document)
    fill(design, count=40, first=20)
    rows = sheet(run_of(design))
    cell = next(row for row in rows if row["choice"] == "1" and row["stratum"] == "y1")
    assert cell["wording"] == cell["choice_label"] == cell["stratum_label"] == f"'{text}"


def test_export_same_run_gives_same_bytes(run: Run) -> None:
    first = FORMATS["csv"].whole(run), FORMATS["json"].whole(run)
    services.publish(run, published=True)
    again = Run.objects.get(pk=run.pk)
    assert (FORMATS["csv"].whole(again), FORMATS["json"].whole(again)) == first


def test_json_export_holds_data_for_recomputation(run: Run, design: Design) -> None:
    document: dict[str, Any] = json.loads(FORMATS["json"].whole(run))
    assert Design.of(document["design"]).digest == document["design_digest"] == design.digest
    assert document["run"]["input_digest"] == run.input_digest
    assert [set(row) for row in document["estimates"]] == [set(COLUMNS)] * 15
    assert document["tallies"] == [
        {"item": "cheated", "stratum": "y1", "symbol": 0, "counts": [20, 40]},
        {"item": "cheated", "stratum": "y2", "symbol": 0, "counts": [10, 20]},
        {"item": "mood", "stratum": "y1", "symbol": 0, "counts": [20, 20, 20]},
        {"item": "mood", "stratum": "y2", "symbol": 0, "counts": [10, 10, 10]},
    ]


def test_json_export_holds_privacy_label_and_bounds(run: Run) -> None:
    document = json.loads(FORMATS["json"].whole(run))
    label = document["privacy"]
    assert (label["model"], label["unit"]) == ("local", "one person, all answers")
    assert (label["odds_total"], [item["odds"] for item in label["items"]]) == ("12", ["3", "4"])
    assert label["items"][0]["weights"] == [[3, 1], [1, 3]]
    bounds = {(bound["item"], bound["false_share"]): bound for bound in document["poisoning"]}
    shift = pytest.approx(5 / 90 / 0.5)
    assert bounds["cheated", 0.05] == {
        "item": "cheated", "measure": "share", "n": 90, "false_share": 0.05, "false_reports": 5, "largest_shift": shift,
    }  # fmt: skip


def test_csv_export_rehearsal_has_known_truth(run: Run, design: Design) -> None:
    know(design, {(0, 1, None): 36})
    rows = {(row["item"], row["choice"], row["stratum"]): row["known_truth"] for row in sheet(run)}
    assert rows["cheated", "1", ""] == "0.4"
    assert rows["cheated", "0", ""] == ""


def test_export_states_whether_intervals_hold_at_every_look(design: Design) -> None:
    fill_open(design)
    watched, final = run_of(design, final=False), run_of(design)
    assert [{row["interval_holds"] for row in sheet(run)} for run in (watched, final)] == [{"every_look"}, {"one_look"}]
    assert [json.loads(FORMATS["json"].whole(run))["run"]["interval_holds"] for run in (watched, final)] == [
        "every_look",
        "one_look",
    ]
    assert {row["interval_method"] for row in sheet(watched)} == {"beta_binomial_mixture"}
    assert {row["noise_interval_method"] for row in sheet(watched)} == {"normal_mixture"}


def test_report_page_open_survey_states_interval_validity(design: Design, client: Client) -> None:
    fill(design)
    for final in (False, True):
        page = client.get(f"/reports/{run_of(design, published=True, final=final).key}/").content.decode()
        assert ("valid however often you look" in page) is not final
        assert ("confidence sequence" in page) is not final
