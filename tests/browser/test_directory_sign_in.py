"""Signing in by the institution's directory in a browser: the form, what it says of a wrong password, the way in."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.tools.browser import IMAGES
from tests.tools.slapd import PASSWORD, directory_server


@pytest.fixture
def page(panel_page: Page, settings: Any) -> Iterator[Page]:
    """Of an installation that is told of a directory. Its console may say that an answer was a refusal."""
    with directory_server() as server:
        settings.CANDOR_LDAP, settings.CANDOR_INSTITUTION_NAME = server.setting, "Analytical University"
        yield panel_page


@pytest.mark.long
def test_researcher_signs_in_by_the_directory(page: Page) -> None:
    page.goto("/panel/teams/")
    page.get_by_role("link", name="Sign in at Analytical University").click()
    page.get_by_label("User name there").fill("grace")
    page.get_by_label("Password there").fill("guessed")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("The user name or the password is wrong")
    expect(page.get_by_label("User name there")).to_have_value("grace")
    expect(page.get_by_label("Password there")).to_have_value("")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    if IMAGES:
        page.screenshot(path=f"{IMAGES}/sign-in-directory.png", full_page=True)
    page.get_by_label("Password there").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    asked_for = page.locator("main").get_by_role("heading", name="Teams", exact=True)
    expect(asked_for).to_be_visible()
