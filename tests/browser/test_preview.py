"""Writing a survey with the page beside it: the preview follows, rows move by button and by drag, nothing is sent."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import FrameLocator, Page

from collector.models import WaitingReport
from surveys.accounts.teams import home_team
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from tests.browser.panel import DESKTOP, fits, sign_in
from tests.factories import payloads

WIDE = {"width": 1600, "height": 1000}


@pytest.fixture
def faults() -> list[str]:
    return []


@pytest.fixture
def page(panel_page: Page, faults: list[str]) -> Iterator[Page]:
    """A page whose console, and whose preview's, must stay silent."""
    page = panel_page
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    yield page
    page.close()
    assert faults == []


def shown(page: Page) -> FrameLocator:
    return page.frame_locator("#candor-preview iframe:not([data-coming])")


def keys(page: Page) -> list[str]:
    rows = page.locator("#items-data > .form-group:not(.empty-form):visible").all()
    written = [row.locator("[name$='-key']") for row in rows]
    return [
        field.input_value() if field.count() else row.get_attribute("data-key") or ""
        for row, field in zip(rows, written, strict=True)
    ]


@pytest.mark.long
def test_preview_beside_form_follows_it(page: Page, alice: User, survey: Survey) -> None:
    sign_in(page, alice)
    page.goto(f"/panel/surveys/survey/{survey.pk}/change/")
    shown(page).get_by_text("Nothing is stored, and nothing can be sent").first.wait_for()
    page.get_by_role("button", name="Have you cheated?").click()
    page.locator("#id_items-0-wording").fill("Have you ever cheated?")
    assert page.get_by_role("button", name="Have you ever cheated?").get_attribute("aria-expanded") == "true"
    shown(page).get_by_text("Have you ever cheated?").first.wait_for()
    page.locator("#id_items-0-truth").fill("5/4")
    shown(page).get_by_text("truth must be greater than 0 and less than 1; got 5/4").wait_for()
    page.locator("#id_items-0-truth").fill("1/2")
    preview = shown(page)
    preview.get_by_text("First year", exact=True).click()
    preview.locator("#question-1").get_by_text("Yes", exact=True).click()
    preview.get_by_text("Low", exact=True).click()
    preview.get_by_role("button", name="Review your answers").click()
    assert preview.get_by_role("button", name="Send").is_disabled()
    page.get_by_role("button", name="Close").click()
    assert not page.locator("#candor-preview").is_visible()
    assert selectors.definition_of(Survey.objects.get()) == payloads.definition()
    assert not WaitingReport.objects.exists()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Preview", exact=True).click()
    assert fits(page)


@pytest.mark.long
def test_questions_are_moved_and_duplicated(page: Page, alice: User, survey: Survey) -> None:
    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    sign_in(page, alice)
    page.goto(f"/panel/surveys/survey/{survey.pk}/change/")
    page.get_by_role("button", name="Move down: 1, cheated").focus()
    page.keyboard.press("Enter")
    assert keys(page) == ["mood", "cheated"]
    page.locator("[data-announce]", has_text="cheated is now number 2 of 2.").wait_for(state="attached")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Move down: 2, cheated"
    page.get_by_role("button", name="Duplicate: 1, mood").click()
    page.locator("[data-announce]", has_text="mood_2 is a copy of mood").wait_for(state="attached")
    assert keys(page) == ["mood", "mood_2", "cheated"]
    handle = page.locator("#items-data .form-group:not(.empty-form) .candor-row-handle").nth(2)
    handle.hover()
    page.mouse.down()
    box = handle.bounding_box() or {}
    page.mouse.move(
        box["x"] + 20, box["y"] + 20, steps=5
    )  # a drag begins where the mouse moves, not where a page is scrolled
    for _ in range(2):
        page.locator("#items-data > .form-group").first.hover(position={"x": 200, "y": 5}, force=True)
    page.mouse.up()
    assert keys(page) == ["cheated", "mood", "mood_2"]
    page.get_by_text("Add a question").click()
    page.locator("#id_items-3-key").fill("gone")
    page.get_by_role("button", name="Delete: 4, gone").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Ready to open.").wait_for()
    items = selectors.definition_of(Survey.objects.get())["items"]
    assert [item["key"] for item in items] == ["cheated", "mood", "mood_2"]
    assert items[2] == items[1] | {"key": "mood_2"}


@pytest.mark.long
def test_return_key_saves_and_line_folds(page: Page, alice: User, survey: Survey, faults: list[str]) -> None:
    """Where the fields cannot be fetched it is said; the return key in a field presses no line's button."""
    sign_in(page, alice)
    page.goto(f"/panel/surveys/survey/{survey.pk}/change/")
    line = page.get_by_role("button", name="Have you cheated?")
    page.route("**/question/**", lambda route: route.abort())
    line.press("Enter")
    page.get_by_text("The fields could not be loaded.").wait_for()
    page.unroute("**/question/**")
    wording = page.locator("#id_items-0-wording")
    line.press("Enter")
    wording.fill("Once?")
    page.get_by_role("button", name="Once?").press("Enter")
    assert not wording.is_visible()
    page.get_by_label("Title").press("Enter")
    page.get_by_text("Ready to open.").wait_for()
    assert selectors.definition_of(Survey.objects.get())["items"][0]["wording"] == {"en": "Once?"}
    assert [one for one in faults if "ERR_FAILED" not in one] == []
    faults.clear()


def test_preview_of_saved_draft_opens(page: Page, alice: User) -> None:
    write_survey(payloads.definition(slug="draft"), team=home_team(alice))
    sign_in(page, alice)
    page.goto("/panel/survey/draft/")
    page.get_by_role("link", name="Preview").click()
    page.frame_locator("iframe").get_by_text("How do you feel?").first.wait_for()
