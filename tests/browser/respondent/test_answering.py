"""Somebody answers the survey, and what the page makes of it."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.respondent.conftest import Memory
from tests.browser.visit import Visit, targets
from tests.tools.capture import Capture, capturing

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database


@pytest.mark.long
def test_group_link_ticks_group_and_sends_nothing(visit: Visit, site: Capture, memory: Memory) -> None:
    visit.open(f"#{memory.design.digest}&group=y2").stage("questions")
    group = visit.question(0)
    assert group.get_by_label("Later").is_checked()
    assert "Sent openly, without a ticket" in group.inner_text()
    visit.choose(1, "Yes").choose(2, "Low").press("Review your answers")
    assert visit.page.locator(".answer-choice").first.inner_text() == "Later"
    assert site.posts() == []
    visit.press("Back to the questions").choose(0, "First year").send().stage("sent")
    (post,) = site.posts()
    assert json.loads(post.body)["stratum"] == "y1", "whoever is in another group says so"


def test_group_link_unknown_group_is_refused(visit: Visit, memory: Memory) -> None:
    visit.open(f"#{memory.design.digest}&group=y3").stage("refused")


def test_request_headers_have_origin_and_no_cookie(visit: Visit, site: Capture) -> None:
    visit.open().stage("questions").answer("No", "Well").send().stage("sent")
    (post,) = site.posts()
    assert post.header("Origin") == site.url
    assert post.header("Content-Type") == "application/json"
    assert post.header("Sec-Fetch-Site") == "same-origin"
    assert post.header("Cookie") is None
    assert post.header("Referer") is None


def test_send_by_keyboard_alone(visit: Visit, site: Capture) -> None:
    page = visit.open().stage("questions").page
    page.locator("#group input").first.focus()
    for question, keys in (("group", "Space"), ("question-1", "Space ArrowDown"), ("question-2", "ArrowUp ArrowUp")):
        tab_to(page, f"document.activeElement.matches('#{question} input')")
        for key in keys.split():
            page.keyboard.press(key)
    tab_to(page, "document.activeElement.dataset.part == 'review-button'", most=2)
    page.keyboard.press("Enter")
    visit.stage("review")
    assert page.evaluate("document.activeElement.id") == "review-title"
    assert page.locator(".answer-choice").all_inner_texts() == ["First year", "Yes", "So-so"]
    tab_to(page, "document.activeElement.dataset.part == 'send-button'")
    page.keyboard.press("Space")
    visit.stage("sent")
    assert len(site.posts()) == 1


def tab_to(page: Page, condition: str, *, most: int = 10) -> None:
    """Press Tab until the focus is there; a question is one stop, so the way is short."""
    for _ in range(most):
        if page.evaluate(condition):
            return
        page.keyboard.press("Tab")
    assert page.evaluate(condition)


def test_question_is_one_radio_group_whose_focus_alone_has_a_name(visit: Visit) -> None:
    visit.open().stage("questions")
    question = visit.question(2)
    inputs = question.locator("input")
    question.get_by_text("Well", exact=True).click()
    question.get_by_text("Low", exact=True).click()
    assert [box.is_checked() for box in inputs.all()] == [False, False, True]
    inputs.nth(2).press("ArrowRight")
    assert [box.is_checked() for box in inputs.all()] == [True, False, False]
    assert [box.get_attribute("tabindex") for box in inputs.all()] == ["0", "-1", "-1"]
    assert inputs.evaluate_all("boxes => boxes.map(box => box.name + box.id)") == ["focused", "", ""]
    visit.question(1).locator("input").first.focus()
    assert inputs.evaluate_all("boxes => boxes.map(box => box.name + box.id)") == ["", "", ""]
    group = visit.page.get_by_role("radiogroup", name=re.compile("How do you feel")).get_by_role("radio")
    assert group.count() == 3


@pytest.fixture
def new_site(memory: Memory) -> Iterator[Capture]:
    """On a port from which the browser has no script yet."""
    with capturing(memory.respond) as site:
        yield site


def test_page_makes_no_request_between_load_and_send(visit: Visit, new_site: Capture, address: str) -> None:
    site, visit.url = new_site, new_site.url + address
    page = visit.open().stage("questions").page
    page.wait_for_load_state("networkidle")
    loaded = targets(site)
    assert all(
        target == address or target.startswith(("/static/surveys/", "/static/estimator/tokens.")) for target in loaded
    )
    for summary in page.locator("summary").all():
        summary.evaluate("element => element.click()")
    for _ in range(2):
        for label in page.locator("label").all():
            label.hover()
            label.click()
    page.keyboard.press("Enter")
    visit.press("Review your answers").press("Back to the questions").press("Review your answers")
    page.locator(".answers button").first.click()
    page.evaluate("window.dispatchEvent(new Event('beforeunload'))")
    page.wait_for_timeout(300)
    assert targets(site) == loaded
    assert page.url == visit.url


def test_missing_answers_are_named_and_nothing_is_sent(visit: Visit, site: Capture) -> None:
    visit.open().stage("questions").choose(1, "Yes").press("Review your answers")
    assert visit.said("missing") == "2 questions have no answer yet."
    assert visit.question(2).locator("[data-part=error]").inner_text() == "Choose one of these."
    assert visit.page.evaluate("document.activeElement.closest('fieldset').id") == "group"
    visit.choose(0, "Later").choose(2, "Well")
    assert not visit.question(2).locator("[data-part=error]").is_visible()
    visit.press("Review your answers").stage("review")
    assert site.posts() == []


def test_answer_can_be_changed_until_send(visit: Visit) -> None:
    page = visit.open().stage("questions").answer("Yes", "Low").press("Review your answers").stage("review").page
    page.get_by_role("button", name=re.compile("Change the answer to: Have you")).click()
    visit.choose(1, "No").press("Review your answers")
    assert page.locator(".answer-choice").all_inner_texts() == ["First year", "No", "Low"]


def test_link_with_digest_is_accepted(visit: Visit, memory: Memory) -> None:
    visit.open(f"#{memory.design.digest}").stage("questions")
    visit.unfold("Check this page")
    assert visit.said("check-digest") == memory.design.digest
    assert visit.said("check-link") == "It is the same as the fingerprint in your link."
