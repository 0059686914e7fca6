"""The page before anybody answers: what it says, what it weighs, what it may do, how it fits a screen."""

from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.management import demo
from surveys.models import Version
from surveys.opening.services import open_survey
from tests.browser.visit import Visit, new_visit, targets
from tests.tools.browser import IMAGES
from tests.tools.capture import Capture
from tests.tools.gate import few

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


def test_page_has_policy_and_no_cookies(visit: Visit) -> None:
    headers = visit.page.context.request.get(visit.url).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert "set-cookie" not in headers
    assert visit.page.context.cookies() == []


def test_page_same_bytes_for_everyone(browser: Browser, site: Capture, address: str) -> None:
    digests = set()
    for language, agent in (("de-DE", "one"), ("ar", "two"), ("en-GB", "three")):
        context = browser.new_context(locale=language, user_agent=agent)
        context.add_cookies([{"name": "sessionid", "value": agent, "url": site.url}])
        body = context.request.get(site.url + address).body()
        digests.add(sha256(body).hexdigest())
        context.close()
    seen = {(request.header("User-Agent"), request.header("Accept-Language")) for request in site.requests}
    assert len(seen) == 3, "the browsers were different ones"
    assert len(digests) == 1


@pytest.mark.engines("chromium", "webkit", because="a form that a policy refuses is no exception")
def test_policy_blocks_markup_and_outside_requests(visit: Visit, site: Capture) -> None:
    page = visit.open().stage("questions").page
    with pytest.raises(Exception, match="TrustedHTML"):
        page.evaluate("document.body.innerHTML = '<b>x</b>'")
    site.forget()
    page.evaluate("""() => {
        const form = document.createElement('form');
        form.action = '/elsewhere';
        document.body.append(form);
        form.submit();
        fetch('http://127.0.0.1:9/').catch(() => {});
        new Image().src = 'http://127.0.0.1:9/';
    }""")
    page.wait_for_timeout(200)
    assert targets(site) == []
    visit.faults.clear()


def test_promise_and_numbers_equal_the_channel(visit: Visit) -> None:
    page = visit.open().stage("questions").page
    words = visit.page.locator(".promise").inner_text().split()
    assert " ".join(words[:12]) == "Your true answer stays on this device. We receive a randomised answer."
    assert len(words) <= 60
    assert visit.said("tickets-said") == (
        "Your device has drawn one of 4 tickets: 2 send your answer, 1 always “Yes”, 1 always “No”. This is question 1."
    )
    assert page.locator("[data-part=tickets-drawn] .ticket-own").count() == 2
    assert page.locator("[data-part=tickets-drawn] .ticket-word").all_text_contents() == ["Yes", "No"]
    visit.unfold("The odds")
    assert (
        "Of 100 people whose true answer is “Yes”, about 75 send “Yes”. Of 100 whose true answer is “No”, "
        "about 25 send “Yes” too." in visit.said("odds")
    )
    assert [array.locator(".person-sends").count() for array in page.locator(".opening .icon-array").all()] == [75, 25]
    visit.unfold("In total")
    assert "The factor is at most 4. So a guess at 1 to 1 becomes 4 to 1" in visit.said("sum-one")
    assert "For all 2 questions together" in visit.said("sum-all")
    assert "the factor is at most 12" in visit.said("sum-all")
    visit.unfold("For experts")
    assert "the total privacy loss (epsilon) is 2.49" in visit.said("experts")
    visit.question(2).locator("summary").click()
    visit.question(2).locator(".tickets").wait_for()
    assert "one of 6 tickets for this question: 4 send your answer, 2 send another." in (
        visit.question(2).locator("[data-part=question-odds]").inner_text()
    )


def test_page_hides_tickets_before_send(visit: Visit) -> None:
    """Visits with different tickets look the same to the last character, but for the practice ticket."""
    seen = set()
    for _ in range(6):
        page = visit.open().stage("questions").page
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        page.wait_for_timeout(50)
        shown = page.locator(".open-ticket, [data-part=practice-said]")
        shown.evaluate_all("parts => parts.forEach((part) => part.remove())")
        seen.add(page.locator("body").inner_html())
    assert len(seen) == 1


@pytest.mark.long
def test_page_fits_screen_and_targets_are_large(visit: Visit) -> None:
    page = visit.open().stage("questions").page
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    for width in (320, 360, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        sizes = page.locator("label:visible, button:visible, summary:visible").evaluate_all(
            "elements => elements.map((element) => element.getBoundingClientRect().height)"
        )
        assert min(sizes) >= 44


@pytest.mark.long
def test_focus_is_visible(visit: Visit) -> None:
    page = visit.open().stage("questions").page
    for selector in ("summary", "#group label", "[data-part=review-button]"):
        element = page.locator(selector).first
        page.keyboard.press("Tab")  # the browser shows a focus to those who use the keyboard
        (element.locator("input") if "label" in selector else element).focus()
        assert element.evaluate("element => getComputedStyle(element).outlineStyle") == "solid", selector


@pytest.fixture
def demo_version(alice: object, transactional_db: None) -> Version:
    return open_survey(write_survey(demo.definition(demo.OPEN), team=home_team(alice)))


@pytest.mark.parametrize(
    ("name", "width", "scheme", "language"),
    few(
        [
            ("phone", 360, "light", ""),
            ("phone-dark", 360, "dark", ""),
            ("desktop", 1280, "light", ""),
            ("desktop-dark", 1280, "dark", ""),
            ("arabic-phone", 360, "light", "ar/"),
            ("arabic-desktop-dark", 1280, "dark", "ar/"),
        ]
    ),
)
def test_the_demo_survey_from_first_look_to_receipt(
    browser: Browser,
    site: Capture,
    demo_version: Version,
    tmp_path: Path,
    name: str,
    width: int,
    scheme: str,
    language: str,
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        reduced_motion="reduce",
        device_scale_factor=2 if width < 500 else 1,
    )
    visit = new_visit(site, f"/s/{demo_version.survey.slug}/{language}", context).open().stage("questions")
    target = Path(IMAGES) if IMAGES else tmp_path

    def picture(stage: str) -> None:
        visit.page.screenshot(path=target / f"respondent-{name}-{stage}.png")

    picture("1-opening")
    for number in range(1, 5):
        visit.question(number).locator("label").nth(number % 2).click()
    visit.question(1).locator("summary").click()
    visit.question(1).scroll_into_view_if_needed()
    picture("2-question")
    visit.press_part("review-button").stage("review")
    picture("3-review")
    visit.press_part("send-button").stage("sent").page.locator("[data-stage=sent] summary").click()
    picture("4-receipt")
    assert visit.faults == []
    context.close()
