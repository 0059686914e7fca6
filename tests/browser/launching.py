"""Browsers of three engines: Chromium and Firefox by playwright, WebKit by WebDriver (tests/tools/webkit)."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TypeVar, cast

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright

from tests.tools import webkit
from tests.tools.browser import FLAGS, MISSING, find_browser, find_firefox, find_shell, find_webkit

T = TypeVar("T")


@contextmanager
def launched(
    playwright: Playwright, engine: str, *, whole: bool = True, heard: Mapping[str, str] | None = None
) -> Iterator[Browser]:
    """A browser of this engine; of Chromium the headless shell, if there is one, unless the whole one is needed.

    `heard`: the environment in which a screen reader hears it (tests/tools/orca.py), for Firefox.
    """
    with ExitStack() as stack:
        if engine == "webkit":
            driver, path = found(find_webkit(), engine)
            screen = stack.enter_context(display())
            # It has what our tests use of a browser, under the same names.
            browser = cast(Browser, webkit.Browser(driver, path, screen))
        elif engine == "firefox":
            path = found(find_firefox(), engine)
            # Where the focus goes is looked at; how smoothly the page follows is not.
            told = {"general.smoothScroll": False} | ({"accessibility.force_disabled": -1} if heard else {})
            browser = playwright.firefox.launch(
                channel="moz-firefox",
                executable_path=path,
                firefox_user_prefs=told,
                headless=heard is None,
                env=dict(heard) if heard else None,
            )
        else:
            browser = chromium(playwright, found(find_browser() if whole else find_shell(), engine))
        stack.callback(browser.close)
        yield browser


def found(path: T | None, engine: str) -> T:
    if path is None:
        pytest.fail(MISSING.format(engine=engine), pytrace=False)
    return path


def chromium(playwright: Playwright, path: str) -> Browser:
    # Playwright switches the back-forward cache off; with it off, a test of what it restores would be empty.
    ignored = ["--disable-back-forward-cache"]
    # A name that is not loopback, so that the browser takes plain HTTP for what it is; and pages that share a
    # process, because most would start one for a second.
    args = [*FLAGS, "--renderer-process-limit=1", "--host-resolver-rules=MAP plain.test 127.0.0.1"]
    return playwright.chromium.launch(executable_path=path, args=args, ignore_default_args=ignored)


def without_javascript(browser: Browser) -> BrowserContext:
    """A context that runs no script."""
    if browser.browser_type.name != "chromium":
        raise webkit.Undriven("a context without JavaScript")
    return browser.new_context(java_script_enabled=False)


@contextmanager
def display() -> Iterator[str]:
    """A screen in memory, for a browser that knows no headless mode."""
    reading, writing = os.pipe()
    screen = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
    with subprocess.Popen(screen, pass_fds=[writing], stderr=subprocess.DEVNULL) as process:
        os.close(writing)
        try:
            with os.fdopen(reading) as given:
                yield f":{given.readline().strip()}"
        finally:
            process.terminate()
