"""A person's own ledger: noted by a click alone, on this device alone, read and erased at /spent/."""

import json

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, Page

from surveys.models import Version
from tests.browser.accessibility import on_every_screen
from tests.browser.visit import KEPT, Visit, failing, new_visit
from tests.factories.surveys import open_document
from tests.factories.translations import document
from tests.tools.capture import Capture, Response
from tests.tools.webkit import expect

STORED = "JSON.stringify({ ...localStorage })"
NUMBER = "ab" * 32


def cost(slug: str, version: int, **changes: object) -> dict[str, str]:
    noted = {"title": slug.title(), "slug": slug, "version": version, "day": "2026-11-21", "least": 1.1, "most": 1.1}
    return {f"candor-spent-{slug}-{version}": json.dumps(noted | changes)}


@pytest.fixture
def device(site: Capture, context: BrowserContext) -> Page:
    """A device on which two surveys are noted, one of them in two waves, and a number is kept."""
    page = context.new_page()
    page.goto(f"{site.url}/spent/")
    kept = cost("sports", 1) | cost("sports", 2, least=0) | cost("campus", 1, title="Campus & <b>more</b>")
    kept |= {"candor-secret-sports": NUMBER, "candor-report-x": "on its way"}
    page.evaluate("kept => Object.entries(kept).forEach(([name, text]) => localStorage.setItem(name, text))", kept)
    site.forget()
    page.reload()
    page.wait_for_selector("html[data-now=shown]")
    return page


@pytest.mark.long
def test_own_ledger_is_written_only_by_click(visit: Visit, site: Capture) -> None:
    page = visit.open().stage("questions").answer("Yes", "Low").send().stage("sent").page
    assert page.evaluate("localStorage.length") == 0
    sent = len(site.requests)
    visit.press("Add to my record").says("note-said", "Added.")
    assert len(site.requests) == sent, "nobody is told"
    ((name, text),) = json.loads(page.evaluate(STORED)).items()
    noted = json.loads(text)
    assert (name, noted.pop("day") > "2026") == ("candor-spent-campus-1", True)
    assert noted == {"title": "Campus", "slug": "campus", "version": 1, "least": 2.49, "most": 2.49}
    page.get_by_role("link", name="My survey record").click()
    page.wait_for_selector("html[data-now=shown]")
    assert page.url == f"{site.url}/spent/"
    expect(page.locator("[data-part=rows] tr")).to_have_text(
        ["Campus1" + json.loads(text)["day"] + "at most 13 to 1Delete"]
    )
    page.get_by_role("button", name="Delete Campus, wave 1").click()
    expect(page.locator("[data-part=nothing]")).to_be_visible()
    assert page.evaluate(STORED) == "{}"


@pytest.mark.long
def test_own_ledger_is_shown_and_erased_on_device(device: Page, site: Capture) -> None:
    expect(device.locator("[data-part=total]")).to_have_text(
        "All this together can change the odds of a guess about you by a factor of at most 28."
    )
    expect(device.locator("[data-part=epsilon]")).to_be_hidden()
    device.locator("summary").click()
    expect(device.locator("[data-part=epsilon]")).to_have_text(
        "The total privacy loss (epsilon) is between 2.2 and 3.3."
    )
    assert device.locator("[data-part=rows] th").all_inner_texts() == ["Campus & <b>more</b>", "Sports", "Sports"]
    assert device.locator("rect").count() == 3
    for screen, found in on_every_screen(device):
        assert found == [], screen
    device.set_viewport_size({"width": 320, "height": 800})
    assert device.evaluate("document.documentElement.scrollWidth") <= 320
    device.get_by_role("button", name="Delete the number of Sports").click()
    assert "candor-secret-sports" not in device.evaluate(STORED)
    expect(device.locator("[data-part=said]")).to_have_text("Deleted.")
    device.get_by_role("button", name="Delete all of this from the device").click()
    assert device.evaluate(STORED) == '{"candor-report-x":"on its way"}'
    assert {request.method for request in site.requests} == {"GET"}


@pytest.mark.long
def test_own_ledger_secret_is_erased_on_survey_page(site: Capture, alice: User, context: BrowserContext) -> None:
    open_document(document("en") | {"slug": "again", "waves": {"repeats": "remember", "spent": "9/1"}}, alice)
    visit = new_visit(site, "/s/again/", context)
    page = visit.open().stage("questions").page
    assert visit.said("waves-odds").endswith("at most 9. With this time, it is at most 108.")
    visit.says("number-said", "This device has no number yet.")
    visit.answer("Yes", "Low").send().stage("sent")
    visit.press("Add to my record").says("note-said", "Added.")
    assert json.loads(page.evaluate("localStorage['candor-spent-again-1']"))["least"] == 2.49, "it had no number before"
    assert page.evaluate("localStorage['candor-secret-again']") is not None
    visit.open().stage("questions").says("number-said", "This device has your number from last time.")
    visit.press("Delete the number now").says("number-said", "The number is deleted.")
    assert page.evaluate("localStorage['candor-secret-again'] ?? null") is None
    expect(page.locator("[data-part=keep-number]")).not_to_be_checked()
    for screen, found in on_every_screen(page):
        assert found == [], screen


@pytest.mark.long
def test_own_ledger_discards_report_of_closed_survey(visit: Visit, site: Capture, version: Version) -> None:
    """The page of a closed survey has no script that could take it away."""
    visit.excused = "Failed to load resource"
    site.respond = failing(site.respond, Response(410))
    visit.open().stage("questions").answer("Yes", "Low").send().stage("failed")
    page = visit.page
    page.goto(f"{site.url}/spent/")
    page.wait_for_selector("html[data-now=shown]")
    expect(page.locator("[data-part=waiting-list] span")).to_have_text(
        f"For the survey with the fingerprint {version.design_id}"
    )
    page.set_viewport_size({"width": 320, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("button", name=f"Delete the one for the survey with the fingerprint {version.design_id}").click()
    expect(page.locator("[data-part=waiting]")).to_be_hidden()
    assert page.evaluate(KEPT) == {}
    visit.open().stage("questions")
    assert len(site.posts()) == 1
