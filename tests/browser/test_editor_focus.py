"""Where the editor's focus goes, for those who work by keys: never back to the beginning of the page."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from tests.browser.editing import opened
from tests.factories import payloads


@pytest.fixture
def editor(panel_page: Page, alice: User) -> Page:
    write_survey(payloads.definition(), team=home_team(alice))
    return opened(panel_page, alice)


@pytest.mark.long
def test_focus_stays_in_the_card_after_acts_by_keys(editor: Page) -> None:
    card = editor.locator("article.editor-card")
    editor.get_by_role("button", name="Duplicate").press("Enter")
    editor.get_by_role("heading", name="Question 2").wait_for()
    expect(card).to_be_focused()
    editor.get_by_role("button", name="Delete", exact=True).press("Enter")
    expect(editor.locator("[aria-live=polite]").first).to_have_text("Question 2 is deleted.")
    expect(card).to_be_focused()
    editor.get_by_role("button", name="1 Have you cheated?").press("Enter")
    editor.get_by_role("heading", name="Question 1").wait_for()
    expect(card).to_be_focused()
    editor.keyboard.press("Tab")
    expect(editor.get_by_label("Kind of question")).to_be_focused()
    editor.get_by_role("button", name="+ Section").press("Enter")
    editor.get_by_role("button", name="Delete section").press("Enter")
    editor.get_by_role("heading", name="Survey", exact=True).wait_for()
    expect(card).to_be_focused()


@pytest.mark.long
def test_focus_goes_back_to_what_opened_a_dialog_or_list(editor: Page) -> None:
    versions = editor.get_by_role("button", name="Versions")
    versions.press("Enter")
    editor.get_by_role("dialog").wait_for()
    editor.keyboard.press("Escape")
    expect(editor.get_by_role("dialog")).to_have_count(0)
    expect(versions).to_be_focused()
    add = editor.get_by_role("button", name="+ Add question")
    add.press("Enter")
    editor.locator(".editor-kind").first.focus()
    editor.keyboard.press("Escape")
    expect(editor.locator(".editor-kind")).to_have_count(0)
    expect(add).to_be_focused()


@pytest.mark.long
def test_problem_of_a_share_is_said_at_its_field(editor: Page) -> None:
    editor.get_by_role("button", name="Title, introduction, languages").click()
    share = editor.get_by_label("Known share of group 1")
    editor.get_by_label("Known share of group 2").fill("0,3")
    share.fill("x")
    said = editor.locator(".editor-card .candor-fault")
    expect(said).to_contain_text("'x'")
    editor.get_by_label("Title").focus()
    editor.locator(".editor-problems li button").first.click()
    expect(share).to_be_focused()
    share.fill("60 %")
    expect(said).to_contain_text("9/10")
    editor.locator(".editor-problems li button", has_text="9/10").click()
    expect(editor.get_by_role("button", name="+ Add group")).to_be_focused()
