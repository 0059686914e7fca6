"""The page about the API, and the page of access tokens, in a real browser; axe finds nothing."""

import os

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from tests.browser.accessibility import CLEAN, COLOURS, THEME, UNCHECKED, faults, on_every_screen
from tests.browser.panel import sign_in


@pytest.fixture
def page(panel_page: Page) -> Page:
    """Its console may say that an answer was a refusal."""
    return panel_page


@pytest.mark.long
def test_token_is_made_and_api_page_opens(page: Page, alice: User) -> None:
    said = list[str]()
    page.on("console", lambda message: said.append(message.text))
    sign_in(page, alice)
    page.goto("/panel/account/")
    page.get_by_role("link", name="Tokens", exact=True).click()
    page.get_by_label("Purpose").fill("the nightly job")
    page.get_by_role("button", name="Create the token").click()
    assert page.get_by_label("The new token").input_value().startswith("candor_")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    look(page, "tokens")
    page.get_by_role("main").get_by_role("link", name="API").click()
    page.get_by_role("heading", name="Life cycle").wait_for()
    page.get_by_text("/api/v1/surveys/{slug}/open/").focus()
    page.locator("#surveys_open_create > summary").press("Enter")
    page.locator("#surveys_open_create").get_by_role("link", name="OpeningBody").wait_for()
    page.set_viewport_size({"width": 360, "height": 800})
    page.emulate_media(color_scheme="dark")
    assert faults(page, without=COLOURS) == []
    assert faults(page, only=COLOURS, within=UNCHECKED) == [], (
        "its colours in the light are those of the report, which is looked at in both"
    )
    look(page, "api")
    assert said == [], "nothing is refused by the page's own policy"


def look(page: Page, name: str) -> None:
    if folder := os.environ.get("LOOK"):
        for width, scheme in ((390, "dark"), (1280, "light")):
            page.set_viewport_size({"width": width, "height": 1000})
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=f"{folder}/{name}-{width}.png")
