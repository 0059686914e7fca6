"""The researcher's way through the panel in a real browser: from the sign-in link to the exported file."""

import csv
import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from collector.designs import Design, selectors
from estimator.exports.formats import FORMATS
from estimator.runs import selectors as estimates
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.models import Survey, Version
from tests.browser.panel import DESKTOP, PHONE, fits, follow_sign_in_link, sign_in
from tests.factories.runs import fill, run_of
from tests.tools.browser import IMAGES


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)


@pytest.fixture
def design(version: Version) -> Design:
    """alice's open survey, with reports."""
    design = selectors.get_design(version.design_id)
    fill(design)
    return design


def test_panel_from_sign_in_link_to_csv(page: Page, alice: User, design: Design, tmp_path: Path) -> None:
    run = run_of(design)
    follow_sign_in_link(page, alice)
    page.get_by_role("link", name="Campus", exact=True).click()
    assert "90 respondents" in page.locator(".quote").first.inner_text()
    page.get_by_role("link", name="Charts and tables").click()
    page.locator("#results").wait_for()
    assert page.locator("svg.picture.wide:visible").count() + page.locator("svg.picture.narrow:visible").count() == 3
    page.go_back()
    with page.expect_download() as download:
        page.get_by_role("link", name="estimates.csv").click()
    download.value.save_as(tmp_path / "estimates.csv")
    assert (tmp_path / "estimates.csv").read_bytes() == FORMATS["csv"].whole(run)
    sheet = io.StringIO((tmp_path / "estimates.csv").read_text("utf-8-sig"), newline="")
    assert len(list(csv.DictReader(sheet))) == 15


@pytest.mark.long
def test_watch_page_updates_without_reload(page: Page, alice: User, design: Design) -> None:
    """New estimates replace what is shown: nobody pressed anything, and focus, scroll and open details stay."""
    fill(design, count=20, first=10)  # these wait for the next step
    sign_in(page, alice)
    page.goto("/panel/survey/campus/")
    page.get_by_role("button", name="Estimate now").click()
    page.get_by_text("On demand: waiting for a worker").wait_for()
    assert page.locator(".quote").count() == 0
    finish(design)
    page.locator(".quote").first.wait_for()
    assert page.locator("progress").count() == 0
    assert page.locator("[data-said]").inner_text() == "New estimates. Finished, from 90 responses."
    page.evaluate("window.stays = document.querySelector('.quote')")
    page.locator("summary", has_text="Sentences by group").first.click()
    page.locator(".candor-results .table-frame").first.focus()
    page.evaluate("scrollTo(0, 300)")
    fill(design, count=30)
    estimator.request_run(design.digest)
    finish(design)
    page.get_by_text("Responses: 120, counted").wait_for()
    assert "120 respondents" in page.locator(".quote").first.inner_text()
    assert page.evaluate("window.stays === document.querySelector('.quote')"), "nothing flashed"
    assert page.evaluate("document.activeElement === document.querySelector('.candor-results .table-frame')")
    assert page.evaluate("scrollY") == 300
    assert page.locator("details[open]").count() == 1


def finish(design: Design) -> None:
    run = estimates.last_run(design.digest)
    assert run is not None
    estimator.execute(run.pk)


@pytest.mark.long
def test_opening_page_shows_design_and_leads_to_link(page: Page, alice: User, survey: Survey, tmp_path: Path) -> None:
    pictures = Path(IMAGES) if IMAGES else tmp_path
    sign_in(page, alice)
    page.goto("/panel/survey/campus/")
    page.get_by_role("link", name="Open …").click()
    page.wait_for_url("**/open/")  # the page before has the same words
    page.locator("summary", has_text="Have you cheated?").click()
    assert page.get_by_role("region", name="that send each response: Have you cheated?").is_visible()
    page.screenshot(path=pictures / "panel-open.png")
    page.get_by_role("button", name="Open version 1").click()
    page.get_by_text("Respondents can answer.").wait_for()
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN
    link = page.get_by_label("Link for respondents").input_value()
    assert link.endswith(f"/s/campus/#{survey.versions.get().design_id}")
    assert page.get_by_role("img", name="QR code of the link to Campus").is_visible()
    page.screenshot(path=pictures / "panel-share.png")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == link


@pytest.mark.long
def test_survey_form_writes_a_survey(page: Page, alice: User) -> None:
    sign_in(page, alice)
    page.goto("/panel/surveys/survey/")
    page.get_by_role("link", name="New survey").last.click()
    page.get_by_role("link", name="Use the plain form, without JavaScript").click()
    page.get_by_label("Title").press_sequentially("A new one")
    assert page.get_by_label("Link name (URL)").input_value() == "a-new-one"
    page.locator("#id_items-0-key").fill("first")
    page.locator("#id_items-0-wording").fill("Is it so?")
    page.get_by_text("Add a question").click()
    page.locator("#id_items-1-key").fill("second")
    page.locator("#id_items-1-wording").fill("And this?")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Ready to open.").wait_for()
    assert list(Survey.objects.get().items.values_list("key", flat=True)) == ["first", "second"]


@pytest.mark.long
def test_long_title_fits_a_phone_and_a_desktop(page: Page, alice: User, design: Design) -> None:
    """That every page fits is found where axe looks at it."""
    run = run_of(design, published=True)
    title = {"en": "Wirtschaftswissenschaftliche" * 4}
    draft = Survey.objects.create(slug="draft", team=home_team(alice), languages=["en"], title=title)
    sign_in(page, alice)
    for path in (
        "/panel/surveys/survey/",
        f"/panel/survey/{draft.slug}/",
        f"/panel/survey/{draft.slug}/open/",
        f"/panel/surveys/survey/{draft.pk}/change/",
        f"/panel/run/{run.key}/",
    ):
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 200
        for size in (PHONE, DESKTOP):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            assert fits(page), f"{path} is wider than {size['width']} px"
