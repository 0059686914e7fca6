"""The browser's Back, leaving, and what the tab's history holds: one step back, a question, and never an answer."""

import json
from typing import Any

import pytest

from tests.browser.visit import Visit, came_back
from tests.factories import payloads
from tests.tools.capture import Capture
from tests.tools.gate import few
from tests.tools.webkit import expect

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database

RECORDED = """
for (const name of ["pushState", "replaceState"]) {
    const own = history[name];
    history[name] = (...given) => { (window.recorded ??= []).push([name, ...given]); own.apply(history, given); };
}"""


@pytest.fixture
def document() -> dict[str, Any]:
    """Two sections; in the second one question is asked of those alone who answer Yes in the first."""
    frozen = payloads.document()
    frozen["sections"] = [
        {"key": key, "title": {"en": key.title()}, "introduction": {"en": ""}} for key in ("first", "second")
    ]
    cheated, mood = frozen["items"]
    cheated["section"], mood["section"] = "first", "second"
    mood |= {"asked_if": {"item": "cheated", "answers": [1]}, "unasked": 0}
    return frozen


def begun(visit: Visit, answer: str = "Yes") -> Visit:
    return visit.open().stage("questions").choose(0, "First year").choose(1, answer)


def reviewed(visit: Visit) -> Visit:
    return begun(visit).press("Next").choose(2, "Low").press("Review your answers").stage("review")


def at_entry(visit: Visit, state: str | None) -> Visit:
    """Wait until the tab is at the entry with that state."""
    visit.page.wait_for_function("state => history.state === state", arg=state)
    return visit


def test_back_leads_one_stage_back_with_answers(visit: Visit) -> None:
    reviewed(visit).back().stage("questions")
    expect(visit.question(2)).to_be_visible()
    expect(visit.page.locator("[data-part=review-button]")).to_be_focused()
    assert visit.checked() == 3
    at_entry(visit, "ahead").back()
    expect(visit.question(1)).to_be_visible()
    expect(visit.question(2)).to_be_hidden()
    assert visit.checked() == 3
    at_entry(visit, None).press("Review your answers").stage("review")
    assert visit.page.locator(".answer-choice").all_inner_texts() == ["First year", "Yes", "Low"]
    assert visit.asked == []


@pytest.mark.long
def test_back_by_button_then_by_browser_wastes_no_press(visit: Visit, site: Capture) -> None:
    visit.page.goto(f"{site.url}/healthz")
    at_entry(reviewed(visit), "ahead").press("Back to the questions").press("Back")
    at_entry(visit, None)
    visit.leaves = False
    with visit.page.expect_event("dialog"):
        visit.back()
    visit.page.evaluate("history.forward()")
    at_entry(visit, None).press("Next")
    expect(visit.question(2)).to_be_visible()
    visit.leaves = True


def test_many_presses_at_once_lose_no_answer(visit: Visit) -> None:
    visit.leaves = False
    reviewed(visit).page.evaluate("for (let i = 0; i < 5; i += 1) { history.back(); }")
    visit.page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 200))")
    visit.stage("questions")
    assert visit.checked() == 3
    visit.send().stage("sent")
    visit.leaves = True


@pytest.mark.parametrize("how", few(["location.reload()", "history.back()", "location.assign('/healthz')"]))
def test_leaving_with_marked_answers_asks_once(visit: Visit, site: Capture, how: str) -> None:
    visit.page.goto(f"{site.url}/healthz")
    begun(visit).leaves = False
    with visit.page.expect_event("dialog") as shown:
        visit.page.evaluate(how)
    assert shown.value.type == "beforeunload"
    assert visit.checked() == 2, "who stays has lost nothing"
    assert visit.asked == ["beforeunload"]
    visit.leaves = True


def test_leaving_without_answers_does_not_ask(visit: Visit) -> None:
    visit.open().stage("questions").choose(0, "First year")
    visit.page.reload()
    begun(visit.stage("questions")).press("Clear this screen").stage("cleared")
    visit.page.reload()
    visit.stage("questions")
    assert visit.asked == []


def test_leaving_after_send_does_not_ask_and_takes_one_press(visit: Visit, site: Capture) -> None:
    visit.page.goto(f"{site.url}/healthz")
    at_entry(reviewed(visit).press("Send").stage("sent"), None)
    visit.back().left_for("/healthz")
    assert visit.asked == []


@pytest.mark.long
def test_reload_in_review_begins_anew(visit: Visit, site: Capture) -> None:
    visit.page.goto(f"{site.url}/healthz")
    reviewed(visit).page.reload()
    at_entry(visit.stage("questions"), None)
    assert visit.checked() == 0
    assert visit.page.locator(".answers").inner_html() == ""
    visit.back().left_for("/healthz")


@pytest.mark.long
@pytest.mark.whole_browser("the back-forward cache")
def test_return_to_review_begins_anew(visit: Visit, site: Capture) -> None:
    came_back(reviewed(visit), site)
    at_entry(visit.stage("questions"), None)
    assert visit.checked() == 0
    assert visit.page.locator(".answers").inner_html() == ""
    begun(visit, "No").press("Review your answers").stage("review")


@pytest.mark.whole_browser("a tab whose history no other test filled")
def test_history_is_the_same_for_every_answer(visit: Visit) -> None:
    """One entry more, with a constant word, at the same address: however many stages there were."""
    found = []
    visit.before_load(RECORDED)
    for answer in ("Yes", "No"):
        visit.page.goto("about:blank")
        length = visit.page.evaluate("history.length")
        begun(visit, answer)
        for _ in range(2):
            if answer == "Yes":
                visit.press("Next").choose(2, "Low")
            visit.press("Review your answers").stage("review")
            at_entry(visit, "ahead").back().stage("questions")
            if answer == "Yes":
                at_entry(visit, "ahead").press("Back")
            at_entry(visit, None)
        recorded = visit.page.evaluate("recorded")
        assert {json.dumps(one) for one in recorded} == {'["pushState", "ahead", ""]'}
        found.append((visit.page.evaluate("history.length") - length, visit.page.url))
    assert found == [(2, visit.url)] * 2


@pytest.mark.long
def test_device_that_noted_the_survey_says_so(visit: Visit) -> None:
    said = visit.open().stage("questions").page.locator("[data-part=noted-before]")
    expect(said).to_be_hidden()
    reviewed(visit).press("Send").stage("sent").press("Add to my record").says("note-said", "Added.")
    visit.open().stage("questions")
    day = json.loads(visit.page.evaluate("localStorage['candor-spent-campus-1']"))["day"]
    expect(said).to_contain_text(f"Someone answered this survey on this device on {day}, says your record.")
    reviewed(visit)
    expect(said).to_be_visible()
    visit.press("Send").stage("sent")
    expect(said).to_be_hidden()


@pytest.mark.parametrize("noted", few(["", "{", "null", '{"day": "<b>"}', '{"day": 7}']))
def test_note_of_no_page_of_ours_is_not_said(visit: Visit, noted: str) -> None:
    visit.open().stage("questions").page.evaluate("text => localStorage.setItem('candor-spent-campus-1', text)", noted)
    visit.open().stage("questions")
    expect(visit.page.locator("[data-part=noted-before]")).to_be_hidden()
