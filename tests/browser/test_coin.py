"""The own-coin page in a real browser with JavaScript switched off: from the page to the stored report."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from collector.models import Report, WaitingReport
from surveys.lifecycle.services import close_survey
from surveys.models import Survey, Version
from tests.browser.accessibility import faults
from tests.browser.launching import without_javascript
from tests.browser.visit import Visit, new_visit, targets
from tests.tools.browser import PATIENCE
from tests.tools.capture import Capture, Request

VIOLATIONS = "document.addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective))"


@pytest.fixture
def without_script(needed_browser: Browser, site: Capture, address: str) -> Iterator[Visit]:
    """A visit without JavaScript. A word in the console, a violated policy among them, fails the test."""
    context = without_javascript(needed_browser)
    context.set_default_timeout(PATIENCE)
    visit = new_visit(site, f"{address}coin/", context)
    yield visit
    context.close()
    assert visit.faults == []


def mark(visit: Visit, *labels: str) -> None:
    for label in labels:
        visit.page.get_by_label(label, exact=True).check()


def look_and_send(page: Page) -> None:
    page.get_by_role("button", name="Check your marks").click()
    page.get_by_role("button", name="Send my marks").click()


def test_coin_page_stores_the_report(without_script: Visit, site: Capture, version: Version) -> None:
    page = without_script.open().page
    mark(without_script, "Later", "Yes", "Low")
    look_and_send(page)
    page.get_by_role("heading", name="Thank you. Your marks have arrived.").wait_for()
    report = WaitingReport.objects.get()
    assert (report.stratum, bytes(report.report), report.mode) == (1, b"\x01\x02", Report.Mode.COIN)
    page.reload()
    page.goto(without_script.url)
    page.get_by_role("button", name="Check your marks").wait_for()
    assert WaitingReport.objects.count() == 1, "loading the last page or the first one again sends nothing"
    first, second = site.posts()
    assert [first.target, second.target] == ["/s/campus/coin/", "/s/campus/coin/send/"]
    assert first.body == f"design={version.design_id}&stratum=y2&item-1=1&item-2=2".encode()
    nonce = f"&nonce={report.nonce.hex()}".encode()
    assert second.body == first.body.replace(b"&stratum", nonce + b"&stratum")
    assert dict(first.headers)["Origin"] == dict(second.headers)["Origin"] == site.url
    assert not {name.lower() for request in site.requests for name, _ in request.headers} & {"cookie"}
    assert not [target for target in targets(site) if ".js" in target or "?" in target]


@pytest.mark.long
@pytest.mark.whole_browser("its error page")
def test_coin_send_repeated_stores_one_report(without_script: Visit, site: Capture) -> None:
    page = without_script.open().page
    mark(without_script, "Later", "Yes", "Low")
    page.get_by_role("button", name="Check your marks").click()
    respond = site.respond

    def lose_the_answer(request: Request) -> None:
        site.respond = respond
        respond(request)

    site.respond = lose_the_answer
    without_script.excused = "Failed to load resource"
    page.get_by_role("button", name="Send my marks").click()
    thanks = page.get_by_role("heading", name="Thank you. Your marks have arrived.")
    # Chromium sends again by itself, but only where it had used the connection before; else it shows its own page,
    # which is empty where no script may run.
    its_own = page.locator("body.neterror")
    thanks.or_(its_own).wait_for(state="attached")
    if its_own.count():
        page.reload()
    thanks.wait_for()
    sent = [post for post in site.posts() if post.target.endswith("/send/")]
    assert len({post.body for post in sent}) == 1
    assert len(sent) >= 2, "it was sent twice"
    assert WaitingReport.objects.count() == 1


@pytest.mark.long
def test_coin_marks_can_be_completed_and_corrected(without_script: Visit, site: Capture) -> None:
    page = without_script.open().page
    mark(without_script, "Later", "Yes")
    page.get_by_role("button", name="Check your marks").click()
    assert page.locator("[name=item-2]:invalid").count() == 3
    mark(without_script, "Low")
    page.get_by_role("button", name="Check your marks").click()
    page.get_by_role("heading", name="Your marks, ready to send").wait_for()
    assert len(site.posts()) == 1, "the browser sent nothing while a mark was missing"
    assert page.locator("input:checked").count() == 3
    mark(without_script, "No")
    page.get_by_role("button", name="Send my marks").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    assert bytes(WaitingReport.objects.get().report) == b"\x00\x02"


@pytest.mark.long
def test_coin_page_works_over_plain_http(without_script: Visit, settings: Any) -> None:
    """The page that draws tickets refuses there. Somebody on the way may change the words, but not toss for her."""
    settings.ALLOWED_HOSTS = ["plain.test"]
    without_script.url = without_script.url.replace("127.0.0.1", "plain.test")
    page = without_script.open().page
    mark(without_script, "First year", "Yes", "Low")
    look_and_send(page)
    page.get_by_role("heading", name="Thank you").wait_for()
    assert WaitingReport.objects.get().mode == Report.Mode.COIN
    assert all("Cross-Origin-Opener-Policy" in fault for fault in without_script.faults)
    without_script.faults.clear()


def test_coin_survey_closed_meanwhile_stores_nothing(without_script: Visit, survey: Survey) -> None:
    page = without_script.open().page
    mark(without_script, "First year", "Yes", "Low")
    survey.refresh_from_db()
    close_survey(survey)
    page.get_by_role("button", name="Check your marks").click()
    page.get_by_role("heading", name="This survey is closed").wait_for()
    assert not WaitingReport.objects.exists()
    assert [fault for fault in without_script.faults if "410" in fault] == without_script.faults
    without_script.faults.clear()


@pytest.mark.long
def test_coin_page_with_javascript_violates_no_policy(visit: Visit) -> None:
    visit.url += "coin/"
    visit.page.add_init_script(VIOLATIONS)
    page = visit.open().page
    assert page.evaluate("document.scripts.length") == 0
    mark(visit, "First year", "Yes", "Low")
    look_and_send(page)
    page.get_by_role("heading", name="Thank you").wait_for()
    assert WaitingReport.objects.count() == 1
    assert page.evaluate("document.cookie + localStorage.length + sessionStorage.length") == "00"


def test_coin_page_is_linked_fits_screens_and_paper(without_script: Visit) -> None:
    without_script.url = without_script.url.removesuffix("coin/")
    page = without_script.open().page
    page.locator("a[href$='/coin/']:visible").click()
    page.get_by_role("button", name="Check your marks").wait_for()
    for width in (320, 360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        edges = page.locator("main *:visible").evaluate_all(
            "elements => elements.map((element) => element.getBoundingClientRect())"
            ".filter((box) => box.width).flatMap((box) => [box.left, box.right])"
        )
        assert min(edges) >= 0
        assert max(edges) <= width
    page.emulate_media(media="print")
    assert page.get_by_role("button").filter(visible=True).count() == 0
    assert page.locator("input[type=radio]:visible").count() == 7
    assert page.get_by_text("Two heads:").is_visible()


@pytest.mark.long
def test_axe_coin_pages(browser: Browser, site: Capture, address: str) -> None:
    context = browser.new_context(bypass_csp=True)  # axe is a script
    for path in ("coin/", "coin/sent/"):
        page = new_visit(site, address + path, context).open().page
        for fold in page.locator("summary").all():
            fold.click()
        assert faults_by_scheme(page) == []
    page = new_visit(site, f"{address}coin/", context).open().page
    for label in ("First year", "Yes", "Low"):
        page.get_by_label(label, exact=True).check()
    page.get_by_role("button", name="Check your marks").click()
    assert faults_by_scheme(page) == []
    context.close()


def faults_by_scheme(page: Page) -> list[str]:
    """In light colours and in dark ones."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.evaluate("Promise.all(document.getAnimations().map((animation) => animation.finished))")
        found += faults(page)
    return found
