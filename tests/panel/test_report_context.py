"""A report of a second wave tells of the first, and how long reports are kept, whichever way it is taken."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from collector.designs.selectors import get_design
from estimator.base import jobs
from estimator.models import Export, Run
from estimator.runs import services as estimator
from surveys.lifecycle import services
from surveys.maintenance.retention import set_retention
from surveys.models import Survey, Version
from surveys.opening.services import open_wave
from surveys.tasks import execute_export
from tests.factories.runs import fill
from tests.tools.api import Program
from tests.tools.gate import few

pytestmark = pytest.mark.django_db
TOLD = ("Change from earlier waves", "Responses are deleted 30 days after closing")


@pytest.fixture
def second(version: Version) -> Run:
    """The published run of the second wave of a survey whose reports are kept for 30 days."""
    survey = version.survey
    fill(get_design(version.design_id))
    estimator.execute(services.close_survey(survey).pk)
    fill(get_design(open_wave(survey, reason="They agreed to be asked again.").design_id))
    set_retention(survey, 30)
    run = estimator.execute(services.close_survey(survey).pk)
    services.publish_run(run, published=True)
    return run


def said(page: bytes) -> list[str]:
    text = page.decode()
    return [words for words in TOLD if words in text]


@pytest.mark.parametrize("place", few(["/panel/run", "/reports"]))
def test_report_page_and_files_have_context(second: Run, her: Client, place: str) -> None:
    at = f"{place}/{second.key}/"
    assert said(her.get(at).content) == list(TOLD)
    assert said(her.get(f"{at}report.html").content) == list(TOLD)
    assert her.get(f"{at}report.json").json()["changes"]


def test_report_export_has_context(
    second: Run, alice: User, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CANDOR_EXPORTS = tmp_path / "exports"
    monkeypatch.setattr(jobs, "wake", lambda task, job_id: None)
    hers = Program(alice)
    made = hers.post(f"runs/{second.key}/exports/", {"format": "html"})
    execute_export(Export.objects.get(key=made["key"]).pk)
    taken: Any = hers("GET", f"exports/{made['key']}/file/")
    assert said(b"".join(taken.streaming_content)) == list(TOLD)


def test_report_command_has_context(second: Run, tmp_path: Path) -> None:
    call_command("export_report", "campus", "--format", "html", "--output", tmp_path / "report.html")
    assert said((tmp_path / "report.html").read_bytes()) == list(TOLD)
    call_command("export_report", "campus", "--format", "json", "--output", tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["changes"]


def test_report_context_is_current_after_rename(second: Run) -> None:
    """A closed survey that is revised can be given another name, which its designs do not know."""
    survey = Version.objects.get(design=second.design_id).survey
    set_retention(survey, None)
    Survey.objects.filter(pk=survey.pk).update(slug="renamed")
    page = Client().get(f"/reports/{second.key}/").content
    assert said(page) == ["Change from earlier waves"]
    assert b"Responses are kept indefinitely." in page
