"""The page Export in a browser: files appear by themselves, what is ticked stays ticked, and axe finds nothing."""

from pathlib import Path
from typing import Any, BinaryIO

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from collector.designs.selectors import get_design
from estimator.base import jobs as leases
from estimator.base.cells import Watch
from estimator.exports.formats import FORMATS, Format
from estimator.models import Export, Run
from estimator.runs.results import ReportContext
from surveys.lifecycle.exports import execute_export
from surveys.models import Delivery, Survey, Version
from surveys.outreach.webhooks import services as webhooks
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.panel import sign_in
from tests.factories.runs import fill, run_of

ADDRESS = "/panel/survey/campus/export/"


@pytest.fixture
def run(version: Version, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(leases, "wake", lambda task, job_id: None)
    design = get_design(version.design_id)
    fill(design)
    return run_of(design)


@pytest.fixture
def page(panel_page: Page, settings: Any, tmp_path: Path) -> Page:
    settings.CANDOR_EXPORTS = tmp_path / "exports"
    return panel_page


@pytest.mark.long
def test_export_page_from_tick_to_download(
    page: Page, alice: User, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(run: Run, context: ReportContext, out: BinaryIO, watch: Watch) -> None:
        raise OSError(28, "")

    monkeypatch.setitem(FORMATS, "full", Format("full", ".x", "text/x", "For a disk that is full", fail, about="None."))
    sign_in(page, alice)
    page.goto(ADDRESS)
    for label in ("Estimates as CSV", "The whole report as JSON", "For a disk that is full"):
        page.get_by_role("checkbox", name=label).check()
    page.get_by_role("button", name="Export files").press("Enter")
    expect(page.get_by_text("Waiting for a worker")).to_have_count(3)
    page.get_by_role("checkbox", name="Estimates as CSV").check()
    first = Export.objects.get(format="json")
    Export.objects.filter(pk=first.pk).update(state="running", progress=40)
    expect(page.get_by_text("40 % written")).to_be_visible()
    Export.objects.filter(pk=first.pk).update(state="queued")
    execute_export(first.pk)
    execute_export(Export.objects.get(format="full").pk)
    expect(page.get_by_role("link", name="Download")).to_have_count(1)
    expect(page.get_by_text("No space left on device")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Estimates as CSV")).to_be_checked()
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == f"campus-1-{run.key[:8]}.json"
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The export is cancelled.")).to_be_visible()
    assert set(Export.objects.values_list("format", flat=True)) == {"json", "full"}


@pytest.mark.long
def test_axe_webhooks_page(page: Page, alice: User, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = Survey.objects.get()
    hook, _ = webhooks.add(survey, "https://example.org/hooks/candor?token=" + "a" * 60, ["closed", "reached"], [500])
    for state in ({"state": "done", "status": 200}, {"state": "failed", "attempts": 14, "fault": "It answered 500."}):
        Delivery.objects.filter(pk=webhooks.send_test(hook).pk).update(**state)
    sign_in(page, alice)
    page.goto("/panel/survey/campus/webhooks/")
    page.get_by_label("Address").fill("http://example.org/")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_text("The address must begin with https://")).to_be_visible()
    page.get_by_label("Address").fill("https://example.org/")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_label("Secret that signs the messages")).to_be_visible()
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
