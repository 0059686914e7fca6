"""`expect` for the locators of both: playwright's own, and WebKit's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect as playwright_expect

from tests.tools.webkit.locators import Locator, Words


def expect(locator: Any) -> Any:
    """What should become true of a locator, as playwright names it."""
    return Expected(locator) if isinstance(locator, Locator) else playwright_expect(locator)


class Expected:
    def __init__(self, locator: Locator) -> None:
        self.locator = locator

    def _becomes(self, look: Callable[[], bool], what: str) -> None:
        self.locator.page.until(look, bool, f"{self.locator} is not {what}")

    def to_be_visible(self) -> None:
        self.locator.wait_for()

    def to_be_hidden(self) -> None:
        self.locator.wait_for(state="hidden")

    def to_be_disabled(self) -> None:
        self._becomes(self.locator.is_disabled, "disabled")

    def to_be_checked(self) -> None:
        self._becomes(self.locator.is_checked, "checked")

    def not_to_be_checked(self) -> None:
        self._becomes(lambda: not self.locator.is_checked(), "unchecked")

    def to_be_focused(self) -> None:
        self._becomes(lambda: self.locator.evaluate("element => element === document.activeElement"), "focused")

    def to_have_count(self, count: int) -> None:
        self._becomes(lambda: self.locator.count() == count, f"there {count} times")

    def to_have_attribute(self, name: str, value: str) -> None:
        self._becomes(lambda: self.locator.get_attribute(name) == value, f"of {name} {value}")

    def to_have_text(self, text: Words | list[str]) -> None:
        if isinstance(text, list):
            said = self.locator.all_text_contents
            self._becomes(lambda: [" ".join(one.split()) for one in said()] == text, f"saying {text!r}")
        else:
            self._becomes(lambda: says(self.locator, text, whole=True), f"saying {text!r}")

    def to_contain_text(self, text: Words) -> None:
        self._becomes(lambda: says(self.locator, text, whole=False), f"saying {text!r}")


def says(locator: Locator, text: Words, *, whole: bool) -> bool:
    said = " ".join(locator.text_content().split())
    if isinstance(text, re.Pattern):
        return bool(text.search(said))
    wanted = " ".join(text.split())
    return said == wanted if whole else wanted in said
