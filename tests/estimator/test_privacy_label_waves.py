"""The privacy label of a survey that was opened before: this wave, and all of them, from the design alone."""

import io
import json

import jsonschema
import pytest
from openpyxl import load_workbook

from collector.designs.services import freeze_design
from estimator.base.languages import activated
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports import report
from tests.factories import payloads
from tests.factories.runs import fill, run_of
from tests.tools.schemas import REPORT_SCHEMA

pytestmark = pytest.mark.django_db


def run_after(repeats: str, spent: str) -> Run:
    design = freeze_design(payloads.document(version=2, waves={"repeats": repeats, "spent": spent}))
    fill(design)
    return run_of(design)


def facts(run: Run) -> dict[str, str]:
    return {fact.title: fact.text for fact in report.build(run).label_facts}


def test_json_export_states_privacy_loss_of_all_waves() -> None:
    document = json.loads(FORMATS["json"].whole(run_after("fresh", "12/1")))
    jsonschema.validate(document, REPORT_SCHEMA)
    label = document["privacy"]
    assert (label["unit"], label["odds_total"]) == ("one person, all answers in this wave", "12")
    assert label["waves"] == {
        "repeats": "fresh",
        "unit": "one person, all answers, all waves so far",
        "epsilon_before": pytest.approx(2.4849066),
        "odds_before": "12",
        "epsilon_together": pytest.approx(4.9698133),
        "odds_together": "144",
    }


def test_report_page_states_privacy_loss_of_all_waves() -> None:
    run = run_after("fresh", "12/1")
    said = facts(run)
    assert said["Unit of privacy"] == "One person, all answers: in this wave, and in all waves so far."
    assert "all responses of one person in this wave together change the odds" in said["Total"], "144 in all waves"
    assert "at most epsilon 2.49, and 4.97 with this wave" in said["All waves"]
    assert "by a factor of at most 144. Each wave is randomised anew." in said["All waves"]
    assert report.build(run).in_all_waves == "in all waves so far: at most 4.97"
    with activated("de"):
        assert "Alle ihre bisher gesendeten Antworten zusammen" in facts(run)["Alle Wellen"]
        assert report.build(run).in_all_waves == "in allen Wellen bisher: höchstens 4,97"


def test_report_page_remembering_first_wave_has_no_sum() -> None:
    run = run_after("remember", "1/1")
    assert facts(run)["All waves"].startswith("Devices remember their tickets: an unchanged answer")
    assert report.build(run).in_all_waves == ""


def test_xlsx_export_states_privacy_loss_of_all_waves() -> None:
    sheet = load_workbook(io.BytesIO(FORMATS["xlsx"].whole(run_after("fresh", "12/1")))).worksheets[0]
    said = {row[0]: row[1] for row in sheet.iter_rows(values_only=True)}
    assert said["epsilon of all waves so far, at most"] == pytest.approx(4.9698133)
