"""Elements of a page, found anew at each use."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    JavascriptException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

if TYPE_CHECKING:
    from tests.tools.webkit.browser import Page

FINDING = (Path(__file__).parent / "finding.js").read_text()
PAUSE = 0.02
"""Seconds between two looks at a page."""

UNREADY = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    JavascriptException,
    StaleElementReferenceException,
)

LEAVING = "(element) => element.matches('a[href]') && element.pathname !== location.pathname"

KEYS = {
    **{f"Arrow{way}": getattr(Keys, f"ARROW_{way.upper()}") for way in ("Left", "Right", "Up", "Down")},
    "Backspace": Keys.BACKSPACE,
    "Control": Keys.CONTROL,
    "End": Keys.END,
    "Enter": Keys.ENTER,
    "Escape": Keys.ESCAPE,
    "Home": Keys.HOME,
    "Shift": Keys.SHIFT,
    "Space": " ",
    "Tab": Keys.TAB,
}

Words = str | re.Pattern[str]


class Undriven(Exception):
    """What Chromium can be driven to do and another engine cannot, by a name. Tests that need it are skipped, and say
    so."""


class Driven:
    """Part of a browser, without all that playwright knows of it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise Undriven(f"{type(self).__name__.lower()}.{name}")


def wanted(text: Words, exact: bool = False) -> dict[str, Any]:
    if isinstance(text, re.Pattern):
        return {"pattern": text.pattern, "flags": "i" if text.flags & re.IGNORECASE else ""}
    return {"text": " ".join(text.split()), "exact": exact}


class Finding:
    """What finds elements: a page, or the elements of a locator."""

    page: Page
    steps: tuple[dict[str, Any], ...] = ()

    def _then(self, **step: Any) -> Locator:
        return Locator(self.page, (*self.steps, step))

    def locator(self, css: str, has_text: Words | None = None) -> Locator:
        found = self._then(by="visible") if css == "visible=true" else self._then(by="css", css=css)
        return found if has_text is None else found._then(by="holding", wanted=wanted(has_text))

    def get_by_text(self, text: Words, *, exact: bool = False) -> Locator:
        return self._then(by="text", wanted=wanted(text, exact))

    def get_by_label(self, text: Words, *, exact: bool = False) -> Locator:
        return self._then(by="label", wanted=wanted(text, exact))

    def get_by_role(self, role: str, *, name: Words | None = None, exact: bool = False) -> Locator:
        return self._then(by="role", role=role, wanted=None if name is None else wanted(name, exact))


class Locator(Driven, Finding):
    """The elements at the end of some steps."""

    def __init__(self, page: Page, steps: tuple[dict[str, Any], ...]) -> None:
        self.page, self.steps = page, steps

    def __repr__(self) -> str:
        return f"Locator({self.steps})"

    @property
    def first(self) -> Locator:
        return self.nth(0)

    @property
    def last(self) -> Locator:
        return self.nth(-1)

    def nth(self, index: int) -> Locator:
        return self._then(by="nth", index=index)

    def all(self) -> list[Locator]:
        return [self.nth(index) for index in range(self.count())]

    def filter(self, *, has_text: Words) -> Locator:
        return self._then(by="holding", wanted=wanted(has_text))

    def evaluate_all(self, function: str, argument: object = None) -> Any:
        """What a function of all elements gives."""
        return self.page.run(
            f"{FINDING}\nreturn ({function})(find(arguments[0]), arguments[1])", list(self.steps), argument
        )

    def evaluate(self, function: str, argument: object = None) -> Any:
        """What a function of the one element gives, once it is there."""
        self._elements(lambda found: len(found) == 1)
        return self.evaluate_all(f"([element], argument) => ({function})(element, argument)", argument)

    def _elements(self, enough: Callable[[list[WebElement]], bool]) -> list[WebElement]:
        return self.page.until(
            lambda: self.evaluate_all("found => found"), enough, f"{self} did not become what was waited for"
        )

    def _do(self, action: Callable[[WebElement], object]) -> None:
        """Act on the one element as soon as it lets itself be acted on."""

        def acted() -> bool:
            found = self.evaluate_all("found => found")
            assert len(found) < 2, f"{self} stands for {len(found)} elements"
            if found:
                # The driver's own scrolling goes as smoothly as the page's style says, and does not wait for it.
                self.page.run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", found[0])
                action(found[0])
            return bool(found)

        self.page.until(acted, bool, f"{self} cannot be used")

    def count(self) -> int:
        return int(self.evaluate_all("found => found.length"))

    def is_visible(self) -> bool:
        return bool(self.evaluate_all("found => found.some(visible)"))

    def is_hidden(self) -> bool:
        return not self.is_visible()

    def is_checked(self) -> bool:
        return bool(self.evaluate("element => element.checked"))

    def is_disabled(self) -> bool:
        return bool(self.evaluate("element => element.matches(':disabled')"))

    def inner_text(self) -> str:
        """Without the line breaks at its ends, which this engine alone counts."""
        return str(self.evaluate("element => element.innerText")).strip("\n")

    def inner_html(self) -> str:
        return str(self.evaluate("element => element.innerHTML"))

    def text_content(self) -> str:
        return str(self.evaluate("element => element.textContent"))

    def input_value(self) -> str:
        return str(self.evaluate("element => element.value"))

    def get_attribute(self, name: str) -> str | None:
        value: str | None = self.evaluate("(element, name) => element.getAttribute(name)", name)
        return value

    def bounding_box(self) -> dict[str, float]:
        box: dict[str, float] = self.evaluate(
            "element => { const { x, y, width, height } = element.getBoundingClientRect();"
            " return { x, y, width, height }; }"
        )
        return box

    def all_inner_texts(self) -> list[str]:
        texts = self.evaluate_all("found => found.map((element) => element.innerText)")
        return [text.strip("\n") for text in texts]

    def all_text_contents(self) -> list[str]:
        return list(self.evaluate_all("found => found.map((element) => element.textContent)"))

    def wait_for(self, *, state: str = "visible") -> None:
        looks = {"visible": self.is_visible, "hidden": self.is_hidden, "attached": self.count}
        self.page.until(looks[state], bool, f"{self} is not {state}")

    def click(self, **others: object) -> None:
        if others:
            raise Undriven(f"a click with {', '.join(others)}")
        leaves = f"found => {{ window.left = found.some({LEAVING}); return window.left; }}"
        left = self.count() == 1 and self.evaluate_all(leaves)
        self._do(lambda element: element.click())
        if left:
            self.page.arrive()

    def dblclick(self) -> None:
        self._do(lambda element: ActionChains(self.page.driver, duration=0).double_click(element).perform())

    def press_sequentially(self, text: str) -> None:
        self._do(lambda element: element.send_keys(text))

    def hover(self) -> None:
        self._do(lambda element: ActionChains(self.page.driver, duration=0).move_to_element(element).perform())

    def check(self) -> None:
        self._do(lambda element: None if element.is_selected() else element.click())

    def focus(self) -> None:
        self.evaluate("element => element.focus()")

    def press(self, key: str) -> None:
        self.focus()
        self.page.keyboard.press(key)

    def fill(self, text: str) -> None:
        def typed(element: WebElement) -> None:
            element.clear()
            if text:
                element.send_keys(text)

        self._do(typed)

    def select_option(self, value: str | None = None, *, label: str | None = None) -> None:
        def chosen(element: WebElement) -> None:
            if label is None:
                Select(element).select_by_value(str(value))
            else:
                Select(element).select_by_visible_text(label)

        self._do(chosen)


T = TypeVar("T")


def until(look: Callable[[], T], enough: Callable[[T], bool], otherwise: str, patience: float) -> T:
    """Look again and again until it is enough; an error of the driver's counts as not yet."""
    end = time.monotonic() + patience
    last: object = None
    while True:
        try:
            if enough(found := look()):
                return found
            last = found
        except UNREADY as error:
            last = error
        except WebDriverException as error:
            if "frame" not in str(error.msg) and "navigat" not in str(error.msg):
                raise
            last = error
        if time.monotonic() > end:
            raise AssertionError(f"{otherwise}; last: {last}")
        time.sleep(PAUSE)
