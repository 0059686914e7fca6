"""The look and the end of a survey in the editor: chosen, seen beside at once, and a weak contrast said."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.accounts.teams import home_team
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.panel import sign_in
from tests.factories import payloads
from tests.factories.appearance import COMPLETION, ENDING, LOOK
from tests.tools.browser import IMAGES


@pytest.fixture
def editor(page: Page, alice: User) -> Page:
    """The editor at the texts of the survey, with its look and its end unfolded."""
    write_survey(payloads.definition(), team=home_team(alice))
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, alice)
    page.goto("/panel/survey/campus/edit/")
    page.get_by_role("button", name="Title, introduction, languages").click()
    for fold in ("Look", "End of the survey, completion codes"):
        page.locator("summary").get_by_text(fold, exact=True).click()
    return page


def expect_background(page: Page, colour: str) -> None:
    """Of the preview, whose page may be on its way still."""
    shown = page.frame_locator(".editor-screen iframe:not([data-coming])").locator("body")
    expect(shown).to_have_css("background-color", colour)


def picture(page: Page, name: str) -> None:
    if IMAGES:
        page.screenshot(path=Path(IMAGES) / f"editor-{name}.png")


def write(page: Page) -> None:
    """Choose every colour and write all that can stand at the end."""
    for name, colour in LOOK.items():
        if name != "font":
            page.locator(f'[data-path="look/{name}"]').fill(colour)
    page.get_by_label("Typeface").select_option("Serif")
    for path, words in {
        "ending/text": ENDING["text"]["en"],
        "ending/link/label": ENDING["link"]["label"]["en"],
        "ending/link/address": ENDING["link"]["address"],
        "ending/completion/code": COMPLETION["code"],
        "ending/completion/address": COMPLETION["address"],
        "ending/completion/carry": "survey_code=id",
    }.items():
        page.locator(f'[data-path="{path}"]').fill(words)


@pytest.mark.long
def test_look_and_ending_are_written_saved_and_previewed(editor: Page) -> None:
    write(editor)
    expect(editor.locator(".editor-status")).to_contain_text("Saved")
    expect(editor.locator("iframe[data-coming]")).to_have_count(0)
    written = selectors.definition_of(Survey.objects.get())
    assert (written["look"], written["ending"]) == (LOOK, ENDING)
    preview = editor.frame_locator(".editor-screen iframe:not([data-coming])")
    expect(preview.get_by_role("link", name="Go back to uni.sona-systems.com")).to_be_visible()
    expect_background(editor, "rgb(251, 243, 234)")
    picture(editor, "look-light")
    editor.get_by_role("button", name="Dark").click()
    expect_background(editor, "rgb(27, 17, 24)")
    picture(editor, "look-dark")
    assert dict(on_every_screen(editor, excused=THEME)) == CLEAN


@pytest.mark.long
def test_weak_contrast_is_a_problem_that_leads_to_its_field(editor: Page) -> None:
    editor.locator('[data-path="look/accent"]').fill("#ffcc00")
    problem = editor.get_by_role("button", name="4.5:1")
    problem.wait_for()
    expect(problem).to_contain_text("#856a00 would do")
    expect(editor.locator(".editor-colours p")).to_contain_text("#856a00 would do")
    picture(editor, "look-weak")
    editor.locator('[data-path="ending/text"]').focus()
    problem.click()
    expect(editor.locator('[data-path="look/accent"]')).to_be_focused()
