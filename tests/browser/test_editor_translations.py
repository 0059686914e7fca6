"""The table of translations in the editor: the texts of a long draft by pages, and those that are missing."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from tests.browser.editing import WIDE, definition, opened, wait_until_saved
from tests.factories import payloads

QUESTIONS, OPTIONS = 8, 30


@pytest.fixture
def table(panel_page: Page, alice: User) -> Page:
    """That of a draft with a title, eight questions of thirty options and each last option, none in German."""
    item = payloads.definition()["items"][0] | {
        "kind": "one_choice",
        "choices": [{"en": f"Option {number}"} for number in range(OPTIONS)],
        "channel": {"name": "k_ary", "truth": "1/40"},
        "prefer_not": {"en": "Prefer not to say"},
    }
    items = [item | {"key": f"q{number}", "wording": {"en": f"Which, {number}?"}} for number in range(QUESTIONS)]
    draft = {"languages": ["en"], "title": {"en": "A long draft"}, "items": items}
    write_survey(payloads.definition(**draft), team=home_team(alice))
    panel_page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    opened(panel_page, alice)
    panel_page.get_by_role("button", name="Title, introduction, languages").click()
    panel_page.get_by_label("Deutsch").check()
    panel_page.get_by_role("button", name="Translate", exact=True).click()
    return panel_page


@pytest.mark.long
def test_translations_of_a_long_draft_are_turned_by_pages(table: Page) -> None:
    pages = table.get_by_label(re.compile("^Texts"))
    fields = table.locator(".editor-texts textarea")
    expect(fields).to_have_count(100)
    table.get_by_role("button", name="Next texts").click()
    expect(pages).to_be_focused()
    expect(pages.locator("option:checked")).to_have_text("101–200: Question 3, option 30")
    pages.select_option(index=2)
    expect(table.get_by_role("button", name="Next texts")).to_be_hidden()
    shown = fields.count()
    assert 0 < shown < 100
    fields.last.fill("Keine Angabe")
    wait_until_saved(table)
    assert definition()["items"][-1]["prefer_not"]["de"] == "Keine Angabe"


@pytest.mark.long
def test_translation_that_is_written_stays_among_the_missing(table: Page) -> None:
    table.get_by_label("Title in Deutsch").fill("Ein langer Entwurf")
    table.get_by_label("Only what is missing").check()
    expect(table.get_by_label("Title in Deutsch")).to_be_hidden()
    table.get_by_label("Question 1 in Deutsch", exact=True).click()
    table.keyboard.type("Was?")
    expect(table.get_by_label("Question 1 in Deutsch", exact=True)).to_have_value("Was?")
    table.get_by_label("Only what is missing").uncheck()
    table.get_by_label("Only what is missing").check()
    expect(table.get_by_label("Question 1 in Deutsch", exact=True)).to_be_hidden()
