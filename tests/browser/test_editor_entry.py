"""Consent statements and the screening question in the survey editor, and what respondents see of them."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.browser.editing import WIDE, definition, frame, opened, picture, wait_until_saved
from tests.factories import payloads


@pytest.fixture(autouse=True)
def draft(alice: User) -> Survey:
    return write_survey(payloads.definition(), team=home_team(alice))


@pytest.fixture
def editor(panel_page: Page, alice: User) -> Page:
    panel_page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    page = opened(panel_page, alice)
    page.locator("[data-of=survey]").click()
    return page


@pytest.mark.long
def test_statements_are_written_and_shown_first(editor: Page) -> None:
    editor.get_by_text("Consent to tick before the first question").click()
    for number, words in enumerate(("I am at least 18.", "I have read this."), start=1):
        editor.get_by_role("button", name="+ Add statement").click()
        editor.get_by_label(f"Statement {number}", exact=True).fill(words)
    expect(frame(editor).get_by_text("I have read this.", exact=True)).to_be_visible()
    picture(editor, "statements")
    wait_until_saved(editor)
    assert definition()["consent_statements"] == [{"en": "I am at least 18."}, {"en": "I have read this."}]
    for _ in range(2):
        editor.get_by_role("button", name="Delete: Statement 1").click()
    wait_until_saved(editor)
    editor.wait_for_timeout(500)
    wait_until_saved(editor)
    assert "consent_statements" not in definition()


@pytest.mark.long
def test_screening_answer_that_ends_stays_marked_after_deletion(editor: Page) -> None:
    editor.get_by_text("Screening question", exact=True).click()
    editor.get_by_role("button", name="+ Add screening question").click()
    editor.get_by_label("Question", exact=True).fill("Do you study here?")
    editor.get_by_role("button", name="+ Add answer").click()
    for number, words in enumerate(("Yes", "Perhaps", "No"), start=1):
        editor.get_by_label(f"Answer {number}", exact=True).fill(words)
    boxes = editor.get_by_label("ends the survey")
    boxes.nth(1).uncheck()
    boxes.nth(2).check()
    editor.get_by_label("Text of the end page").fill("This survey is for students.")
    editor.get_by_role("button", name="Delete: Answer 2").click()
    expect(frame(editor).get_by_text("Do you study here?", exact=True)).to_be_visible()
    picture(editor, "screening")
    wait_until_saved(editor)
    assert definition()["screening"] == {
        "wording": {"en": "Do you study here?"},
        "choices": [{"en": "Yes"}, {"en": "No"}],
        "ends": [1],
        "text": {"en": "This survey is for students."},
    }
    editor.locator('[data-of^="item:"]').first.click()
    expect(frame(editor).locator("#question-1")).to_be_visible()
