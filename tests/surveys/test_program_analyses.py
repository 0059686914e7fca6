"""Analyses by programs: the API and the command line ask as the page does, and give the same numbers."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from collector.designs.selectors import get_design
from collector.designs.services import close_design
from estimator.analyses import services
from estimator.models import Analysis
from surveys.models import AuditEntry, Version
from tests.factories.runs import fill
from tests.tools.api import Program
from tests.tools.gate import few

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda job_id: None)


@pytest.fixture
def hers(alice: User) -> Program:
    return Program(alice)


@pytest.fixture
def answered(version: Version) -> Version:
    design = get_design(version.design_id)
    fill(design, count=400, first=200)
    close_design(design.digest)
    return version


def command(*words: Any) -> dict[str, Any]:
    out = io.StringIO()
    call_command("analyse", *words, "--json", stdout=out)
    return json.loads(out.getvalue())


ASKED = {"kind": "cross-table", "parameters": {"rows": "cheated", "columns": "mood"}}


def test_api_analysis_from_request_to_numbers(hers: Program, answered: Version) -> None:
    made = hers.post("surveys/campus/analyses/", ASKED)
    assert (made["kind"], made["state"]) == ("cross-table", "queued")
    refused = hers.refused(409, "GET", f"analyses/{made['key']}/result/")
    assert refused["detail"] == "The analysis is queued; its numbers are there when it is done."
    services.execute(Analysis.objects.get().pk)
    assert hers.get(f"analyses/{made['key']}/")["state"] == "done"
    found = hers.get(f"analyses/{made['key']}/result/")
    assert found["analysis"]["key"] == made["key"]
    shares = [row["estimate"] for row in found["rows"] if row["quantity"] == "joint_share"]
    assert sum(shares) == pytest.approx(1)
    assert [one["key"] for one in hers.get("surveys/campus/analyses/")["results"]] == [made["key"]]
    acts = AuditEntry.objects.order_by("pk").values_list("act", flat=True)
    assert list(acts)[-2:] == ["requested an analysis", "exported"]


@pytest.mark.parametrize(
    ("body", "field", "words"),
    few(
        [
            ({"kind": "magic", "parameters": {}}, "kind", "magic"),
            ({"kind": "cross-table"}, "parameters", "required"),
            (
                {"kind": "cross-table", "parameters": {"rows": "cheated"}},
                "parameters",
                "Choose a question of this survey.",
            ),
            (
                {"kind": "cross-table", "parameters": {"row": "cheated", "columns": "mood"}},
                "parameters",
                "The analysis has no field 'row'; there are: rows, columns, group, confidence, name.",
            ),
            (
                {"kind": "cross-table", "parameters": {"rows": "cheated", "columns": "mood", "confidence": "95"}},
                "parameters",
                "Choose a confidence of 90, 95 or 99 %.",
            ),
            ({"kind": "regression", "parameters": {"outcome": 1, "reference": {}}}, "parameters", ""),
        ]
    ),
)
def test_api_analysis_that_cannot_be_is_refused(
    hers: Program, answered: Version, body: dict[str, Any], field: str, words: str
) -> None:
    refused = hers.refused(422, "POST", "surveys/campus/analyses/", body)
    assert refused["errors"][0]["field"].startswith(field)
    assert words in refused["errors"][0]["message"]
    assert not Analysis.objects.exists()


def test_api_analysis_needs_an_opened_survey(hers: Program, survey: Any) -> None:
    refused = hers.refused(409, "POST", "surveys/campus/analyses/", ASKED)
    assert refused["detail"] == "There is nothing to analyse: this survey was never opened."


def test_command_gives_the_numbers_of_the_api(hers: Program, answered: Version, tmp_path: Path) -> None:
    told = command("campus", "cross-table", "rows=cheated", "columns=mood")
    analysis = Analysis.objects.get()
    assert (told["analysis"], told["reports"]) == (analysis.key, 400)
    assert told["rows"] == hers.get(f"analyses/{analysis.key}/result/")["rows"]
    output = tmp_path / "analysis.csv"
    again = command("campus", "cross-table", "rows=cheated", "columns=mood", "--output", output)
    with output.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["analysis"] for row in rows} == {again["analysis"]}
    assert [float(row["estimate"] or "nan") for row in rows] == pytest.approx(
        [float("nan") if row["estimate"] is None else row["estimate"] for row in told["rows"]], nan_ok=True
    )


@pytest.mark.parametrize(
    ("words", "fault"),
    few(
        [
            (["missing", "comparison"], "There is no survey 'missing'"),
            (["campus", "cross-table", "cheated"], "A parameter must be NAME=VALUE; got 'cheated'."),
            (["campus", "cross-table", "row=cheated"], "The analysis has no field 'row'"),
            (["campus", "cross-table", "rows=no", "columns=mood"], "Choose a question of this survey."),
        ]
    ),
)
def test_command_errors_are_one_sentence(answered: Version, words: list[str], fault: str) -> None:
    with pytest.raises(CommandError) as caught:
        command(*words)
    assert fault in str(caught.value)
