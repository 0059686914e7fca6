"""What respondents find at a closed survey's link, and the survey in a frame of another site, in a real browser."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page

from collector.designs.selectors import get_design
from collector.reports import selectors as reports
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle import services
from surveys.models import Version
from surveys.opening.services import open_survey
from tests.browser.accessibility import CLEAN, on_every_screen
from tests.browser.panel import PHONE, fits
from tests.factories import translations
from tests.factories.runs import fill
from tests.system.installation import wait_until
from tests.tools.browser import FLAGS, IMAGES, PATIENCE, find_browser

NAMED, OTHER = "https://named.test", "https://other.test"


@pytest.fixture
def page(panel_page: Page) -> Page:
    panel_page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    return panel_page


@pytest.mark.long
@pytest.mark.parametrize("path", ["/s/campus/", "/s/campus/ar/"])
def test_axe_results_page_in_both_directions(
    page: Page, alice: User, path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)
    survey = services.write_survey(translations.definition("en", "ar"), team=home_team(alice))
    version = open_survey(survey)
    fill(get_design(version.design_id), first=70)
    services.show_results(version.survey, shown=True)
    estimator.execute(services.close_survey(version.survey).pk)
    page.goto(path)
    assert page.locator("svg.picture:visible").count() == 2
    page.screenshot(path=(Path(IMAGES) if IMAGES and path == "/s/campus/" else tmp_path) / "results-phone.png")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert fits(page)
    assert dict(on_every_screen(page)) == CLEAN


@pytest.fixture
def ordinary(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A page of a browser as people run it: playwright's own flags deny storage to frames of other sites."""
    profile = tmp_path / "profile"
    found = profile / "DevToolsActivePort"
    # An empty page: attaching to the one for new tabs, which is still being made, can take for ever.
    command = [str(find_browser()), *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: found.exists() and found.read_text(), 30)
            port = found.read_text().split()[0]
            connected = browser.browser_type.connect_over_cdp(f"http://127.0.0.1:{port}")
            connected.contexts[0].set_default_timeout(PATIENCE)
            yield connected.contexts[0].new_page()
            connected.close()
        finally:
            process.kill()


def embedded(page: Page, version: Version, running_site: str) -> list[str]:
    """Embed the survey and prepare both sites that show it; what the console says from now on."""
    services.embed_survey(version.survey, [NAMED])
    link = f"{running_site}/s/campus/#{version.design_id}"
    frame = f'<!doctype html><title>x</title><iframe src="{link}" height="900"></iframe>'
    for site in (NAMED, OTHER):
        page.route(f"{site}/**", lambda route: route.fulfill(content_type="text/html", body=frame))
    # Real sites have real addresses; of the test's own server the browser would ask first.
    page.context.grant_permissions(["local-network-access"])
    said = list[str]()
    page.on("console", lambda message: said.append(message.text))
    return said


@pytest.mark.long
def test_frame_only_named_site_can_embed_survey(ordinary: Page, version: Version, running_site: str) -> None:
    """Within the frame all checks of the page hold, and a report goes where it always goes."""
    said = embedded(ordinary, version, running_site)
    ordinary.goto(f"{OTHER}/")
    ordinary.wait_for_load_state("networkidle")
    assert any("frame-ancestors" in line for line in said), said
    said.clear()
    ordinary.goto(f"{NAMED}/")
    inside = ordinary.frame_locator("iframe")
    inside.locator("html[data-now=questions]").wait_for()
    for place, label in (("#group", "Later"), ("#question-1", "Yes"), ("#question-2", "Low")):
        inside.locator(place).get_by_text(label, exact=True).click()
    inside.get_by_role("button", name="Review your answers").click()
    inside.get_by_role("button", name="Send", exact=True).click()
    inside.locator("html[data-now=sent]").wait_for()
    assert reports.received_count(version.design_id) == 1
    assert said == []


@pytest.mark.long
@pytest.mark.engines("chromium", because="storage is denied to frames of other sites")
@pytest.mark.whole_browser("storage that is blocked in frames")
def test_frame_without_storage_is_refused(context: BrowserContext, version: Version, running_site: str) -> None:
    """As in a browser that denies storage to frames of other sites."""
    page = context.new_page()
    said = embedded(page, version, running_site)
    page.goto(f"{NAMED}/")
    inside = page.frame_locator("iframe")
    inside.locator("html[data-now=refused]").wait_for()
    assert inside.get_by_text("This browser lets the page keep nothing.").first.is_visible()
    assert reports.received_count(version.design_id) == 0
    assert said == []
