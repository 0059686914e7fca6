"""Whoever looks before and after one answer sees the same: the attack of two estimates around a single arrival."""

from typing import Any

import pytest
from django.test import Client

from collector.designs import Design, selectors
from collector.reports import folding
from collector.reports import selectors as reports
from estimator import tasks
from estimator.analyses import services as analyses
from estimator.exports.formats import FORMATS
from estimator.runs import services as estimator
from surveys.lifecycle import closing
from surveys.models import Version
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.factories.runs import fill

pytestmark = pytest.mark.django_db
SURVEY = "/api/v1/surveys/campus/"
MOVED_BY_RUNS = ("candor_worker_seen_seconds", "candor_jobs", "candor_database_bytes")


@pytest.fixture
def opened(version: Version) -> Design:
    """Of 90 reports 70 are counted: ten more of each group wait."""
    design = selectors.get_design(version.design_id)
    fill(design)
    tasks.fold_waiting()
    return design


def told(design: Design, her: Client, settings: Any) -> dict[str, Any]:
    """What a viewer, a program and an operator are told now, with an estimate that is asked for just then."""
    settings.CANDOR_METRICS_TOKEN = "a token"
    tasks.fold_waiting()
    run = estimator.run_now(design.digest)
    asked = {"rows": "cheated", "columns": "mood", "group": ""}
    analysis = analyses.execute(analyses.request("cross-table", asked, [design]).pk)
    metrics = her.get("/metrics", headers={"Authorization": "Bearer a token"}).content.decode().splitlines()
    return {
        "watch": {name: her.get(f"{SURVEY}watch/").json()["words"][name] for name in ("reports", "waiting", "lacking")},
        "survey": her.get(SURVEY).json()["reports"],
        "versions": [one["reports"] for one in her.get(f"{SURVEY}versions/").json()["results"]],
        "estimates": list(run.estimates.order_by("position", "stratum", "measure", "choice").values_list("sent", "n")),
        "run": (run.reports, run.tallies, run.input_digest, run.snapshot_at),
        "csv": FORMATS["csv"].whole(run),
        "analysis": (analysis.reports, analysis.result, analysis.snapshot_at),
        "metrics": [line for line in metrics if not line.startswith(("#", *MOVED_BY_RUNS))],
        "days": [(day.first_day, day.last_day, day.count) for day in reports.daily_counts(design.digest)],
    }


def test_counts_one_response_changes_nothing_shown(opened: Design, her: Client, settings: Any) -> None:
    before = told(opened, her, settings)
    assert before["survey"] == before["versions"][0] == 70
    assert before["watch"]["reports"] == "70"
    assert (before["run"][3].hour, before["run"][3].minute, before["run"][3].second) == (0, 0, 0)
    for number in range(5):
        store_report(payloads.body(opened, stratum="y2", report="0101"))
        assert told(opened, her, settings) == before, number


@pytest.mark.long
def test_closing_that_is_undone_shows_nothing(version: Version, opened: Design, her: Client, settings: Any) -> None:
    """Else two closings around one response, each undone, would tell it."""
    before = told(opened, her, settings)
    for number in range(2):
        store_report(payloads.body(opened, stratum="y2", report="0101"))
        closing.begin_closing(version.survey)
        shown = told(opened, her, settings)
        assert {key for key in shown if shown[key] != before[key]} == set(), number
        closing.undo_closing(version.survey)
        assert told(opened, her, settings) == before, number


def test_counts_of_a_group_rise_in_steps_of_ten(opened: Design, her: Client) -> None:
    for _ in range(9):
        store_report(payloads.body(opened, stratum="y1"))
        folding.fold(opened.digest)
        assert her.get(SURVEY).json()["reports"] == 70
    store_report(payloads.body(opened, stratum="y1"))
    folding.fold(opened.digest)
    assert her.get(SURVEY).json()["reports"] == 80


def test_watch_page_says_counts_are_in_steps(version: Version, her: Client) -> None:
    design = selectors.get_design(version.design_id)
    fill(design, count=19, first=19)
    tasks.fold_waiting()
    page = " ".join(her.get("/panel/survey/campus/watch/").content.decode().split())
    assert "fewer than 10" in page
    assert "counted so far, in steps of 10" in page
    assert "fewer than 10" in her.get("/panel/surveys/survey/").content.decode()
