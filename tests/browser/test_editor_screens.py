"""The head of the editor and what stands around it, on wide and on narrow screens."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.accounts.teams import home_team
from surveys.definition.changes import Change
from surveys.lifecycle import drafts
from surveys.lifecycle.services import write_survey
from tests.browser.editing import opened
from tests.browser.panel import DESKTOP, PHONE, fits
from tests.factories import payloads

LINE = 56
"""Pixels of one line with its space, where a title stands above the time of saving."""


@pytest.fixture
def editor(panel_page: Page, alice: User) -> Page:
    """A survey in two languages with a long title, above its budget: as much in the head as there ever is."""
    title = {"en": "What students of our university think of examinations, and do in them"}
    survey = write_survey(payloads.definition(title=title, privacy_budget="1"), team=home_team(alice))
    drafts.save_changes(survey, [Change(("languages",), ["en"], ["en", "de"])])
    return opened(panel_page, alice)


def tall(page: Page, name: str) -> float:
    box: Any = page.locator(name).bounding_box()
    return float(box["height"])


@pytest.mark.long
def test_editor_head_is_two_lines_on_a_desktop(editor: Page) -> None:
    editor.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    editor.get_by_role("button", name="Fit to budget").wait_for()
    editor.get_by_label("Language of the texts").select_option("de")
    assert tall(editor, ".candor-way") + tall(editor, ".editor-head") < 2 * LINE
    assert fits(editor)


@pytest.mark.long
def test_editor_head_is_three_lines_on_a_phone(editor: Page) -> None:
    editor.set_viewport_size(PHONE)  # type: ignore[arg-type]
    editor.get_by_role("button", name="Fit to budget").wait_for()
    assert tall(editor, ".candor-way") + tall(editor, ".editor-head") < 3 * LINE
    assert fits(editor)
    for name in ("Translate", "Versions"):
        button = editor.get_by_role("button", name=name, exact=True)
        button.focus()
        expect(button).to_be_in_viewport(ratio=0.5)
    questions = editor.get_by_role("button", name="Questions", exact=True)
    editor.locator(".editor-problems").scroll_into_view_if_needed()
    expect(questions).to_be_in_viewport(ratio=1)
    questions.click()
    expect(editor.get_by_role("button", name="+ Add question")).to_be_visible()
