"""Consent statements and the screening question: stages before the questions, of which nothing is sent."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.accessibility import SCREENS, faults
from tests.browser.respondent.conftest import Memory
from tests.browser.visit import STORED, Visit, came_back, targets
from tests.factories import kinds, payloads
from tests.tools.capture import Capture
from tests.tools.gate import few

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database

STATEMENTS = [{"en": "I am at least 18 years old."}, {"en": "I have read the text above."}]
SCREENING = {
    "wording": {"en": "Do you live in Berlin?"},
    "choices": [{"en": "Yes, all year"}, {"en": "Sometimes"}, {"en": "No"}],
    "ends": [2],
    "text": {"en": "This study is about Berlin.\nThank you for your interest."},
}


@pytest.fixture(params=few(["one page", "sections"]))
def document(request: pytest.FixtureRequest) -> dict[str, Any]:
    made = payloads.document() if request.param == "one page" else kinds.document(consent={"en": "Leave at any time."})
    return made | {"consent_statements": STATEMENTS, "screening": SCREENING}


@pytest.fixture
def silent(visit: Visit, site: Capture) -> Iterator[Visit]:
    """A visit after whose loading nothing may be asked of the site."""
    visit.open().stage("consent")
    before = targets(site), visit.page.evaluate(STORED)
    yield visit
    visit.page.wait_for_function("history.state === null || document.documentElement.dataset.now !== 'cleared'")
    left = visit.page.evaluate(STORED)
    assert (targets(site), left | {"state": None}) == before, "what is ticked or chosen is neither sent nor stored"
    assert left["state"] in {None, "ahead"}


def agree(visit: Visit) -> Visit:
    for statement in STATEMENTS:
        visit.page.get_by_text(statement["en"], exact=True).click()
    return visit.press("I agree").stage("screening")


def screen(visit: Visit, label: str) -> Visit:
    visit.page.locator("[data-part=screening]").get_by_text(label, exact=True).click()
    return visit.press_part("screening-next")


def test_consent_demands_every_statement(silent: Visit) -> None:
    silent.press("I agree")
    assert "Tick every statement" in silent.said("statements")
    silent.page.get_by_text(STATEMENTS[0]["en"], exact=True).click()
    silent.press("I agree").stage("consent")
    assert silent.page.evaluate("document.activeElement.closest('label').textContent") == STATEMENTS[1]["en"]
    silent.page.get_by_text(STATEMENTS[1]["en"], exact=True).click()
    silent.press("I agree").stage("screening")


def test_consent_declined_ends_without_request_and_back_returns(silent: Visit) -> None:
    silent.press("I do not agree").stage("declined")
    assert silent.page.get_by_text("Nobody learns that you did not agree").is_visible()
    silent.press_part("declined-back").stage("consent")
    agree(silent)


def test_screening_answer_that_ends_shows_its_text(silent: Visit) -> None:
    agree(silent).press_part("screening-next")
    assert "Choose one of these" in silent.said("screening")
    screen(silent, "No").stage("screened")
    text = silent.page.locator("[data-part=screened-text]")
    assert text.text_content() == SCREENING["text"]["en"]  # type: ignore[index]
    assert text.evaluate("text => getComputedStyle(text).whiteSpace") == "pre-line", "its lines are shown as written"
    silent.press_part("screened-back").stage("screening")
    screen(silent, "Sometimes").stage("questions")


def test_back_leads_from_questions_to_consent(silent: Visit) -> None:
    screen(agree(silent), "Sometimes").stage("questions")
    silent.press_part("previous-button").stage("screening")
    silent.press_part("screening-back").stage("consent")
    assert silent.checked() == len(STATEMENTS) + 1, "the ticks and the answer are still there"


def test_screened_out_after_answering_wipes_answers(silent: Visit) -> None:
    screen(agree(silent), "Sometimes").stage("questions")
    silent.choose(1, "Yes").press_part("previous-button")
    screen(silent, "No").stage("screened").press_part("screened-back")
    screen(silent, "Sometimes").stage("questions")
    assert silent.question(1).locator("input:checked").count() == 0


def test_clearing_the_screen_forgets_ticks_and_answer(silent: Visit) -> None:
    screen(agree(silent), "No").stage("screened").press("Clear this screen").stage("cleared")
    assert silent.checked() == 0


def test_browsers_back_leads_one_stage_back(silent: Visit) -> None:
    screen(agree(silent), "No").stage("screened")
    for stage in ("screening", "consent"):
        silent.page.wait_for_function("history.state === 'ahead'")
        silent.back().stage(stage)
    assert silent.checked() == len(STATEMENTS) + 1


@pytest.mark.long
@pytest.mark.parametrize("document", ["one page"], indirect=True)
def test_history_is_the_same_for_every_screening_answer(visit: Visit) -> None:
    found = []
    for label in ("Yes, all year", "Sometimes", "No"):
        visit.page.goto("about:blank")
        length = visit.page.evaluate("history.length")
        screen(agree(visit.open().stage("consent")), label).stage("screened" if label == "No" else "questions")
        found.append(
            (visit.page.evaluate("history.length") - length, *visit.page.evaluate("[history.state, location.href]"))
        )
    assert found == [(2, "ahead", visit.url)] * 3


@pytest.mark.parametrize("label", few(["No", "Sometimes"]))
def test_page_left_and_found_again_begins_anew(visit: Visit, site: Capture, label: str) -> None:
    screen(agree(visit.open().stage("consent")), label).stage("screened" if label == "No" else "questions")
    came_back(visit, site)
    visit.stage("consent")
    assert visit.checked() == 0


@pytest.mark.parametrize("document", ["one page"], indirect=True)
def test_leaving_from_screening_with_marked_answers_asks(visit: Visit) -> None:
    screen(agree(visit.open().stage("consent")), "Sometimes").stage("questions")
    visit.choose(1, "Yes").press_part("previous-button").stage("screening")
    visit.leaves = False
    with visit.page.expect_event("dialog"):
        visit.page.evaluate("location.reload()")
    visit.leaves = True
    screen(visit, "No").stage("screened").page.reload()
    visit.stage("consent")
    assert visit.asked == ["beforeunload"], "no answer is left on the end page"


@pytest.mark.parametrize("document", ["one page"], indirect=True)
def test_report_is_that_of_a_survey_without_entry(visit: Visit, site: Capture, memory: Memory) -> None:
    screen(agree(visit.open().stage("consent")), "Yes, all year").stage("questions")
    visit.answer("Yes", "Low").send().stage("sent")
    (post,) = site.posts()
    assert set(json.loads(post.body)) == {"design", "nonce", "stratum", "report"}
    assert [*memory.stored.values()] == [post.body]


@pytest.mark.parametrize("document", ["one page"], indirect=True)
@pytest.mark.parametrize(
    ("width", "scheme"),
    few(SCREENS),
)
def test_entry_fits_the_screen_without_barriers(visit: Visit, width: int, scheme: Any) -> None:
    visit.page.set_viewport_size({"width": width, "height": 800})
    visit.page.emulate_media(color_scheme=scheme)
    visit.open().stage("consent")
    for stage in ("consent", "screening", "screened"):
        assert visit.stage(stage).page.evaluate("document.documentElement.scrollWidth") <= width
        assert faults(visit.page) == []
        {"consent": lambda: agree(visit), "screening": lambda: screen(visit, "No")}.get(stage, lambda: None)()
