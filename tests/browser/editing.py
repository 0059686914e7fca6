"""The survey editor in a browser: how it is opened, what it saved, what its preview shows."""

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from playwright.sync_api import FrameLocator, Page, expect

from surveys.lifecycle import selectors
from surveys.models import Survey
from tests.browser.panel import sign_in
from tests.tools.browser import IMAGES

WIDE = {"width": 1440, "height": 900}


def opened(page: Page, user: User) -> Page:
    """The editor of the survey campus, at its first question."""
    sign_in(page, user)
    page.goto("/panel/survey/campus/edit/")
    page.get_by_role("heading", name="Question 1").wait_for()
    return page


def picture(page: Page, name: str) -> None:
    if IMAGES:
        page.screenshot(path=Path(IMAGES) / f"editor-{name}.png")


def definition() -> Any:
    return selectors.definition_of(Survey.objects.get())


def wait_until_saved(page: Page) -> None:
    expect(page.locator(".editor-status")).to_contain_text("Saved")


def frame(page: Page) -> FrameLocator:
    return page.frame_locator(".editor-screen iframe:not([data-coming])")
