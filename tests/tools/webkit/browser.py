"""A browser, its windows and their pages."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from selenium import webdriver
from selenium.common.exceptions import JavascriptException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from urllib3.exceptions import HTTPError

from config.processes import free_port
from tests.tools.browser import PATIENCE
from tests.tools.webkit.locators import KEYS, Driven, Finding, Locator, Undriven, until

T = TypeVar("T")

SWAP = 0.3
"""Seconds from a page's address to the page."""

HEARING = """
    if (!window.heard) {
        const heard = window.heard = [];
        for (const kind of ["debug", "error", "info", "log", "warn"]) {
            const say = console[kind];
            console[kind] = (...words) => { heard.push([kind, words.join(" ")]); say.apply(console, words); };
        }
        addEventListener("error", ({ message }) => heard.push(["error", message]));
        addEventListener("unhandledrejection", ({ reason }) => heard.push(["error", String(reason)]));
        document.addEventListener("securitypolicyviolation", ({ blockedURI }) => heard.push(["error", blockedURI]));
    }
"""
"""What a page says in the console, from the first look at it to the last: the driver has no way to hear it."""


class Browser(Driven):
    """The engine: each context is a browser of its own, as WebDriver knows no other way to begin anew."""

    def __init__(self, driver: str, path: str, display: str) -> None:
        self.driver, self.path, self.display = driver, path, display
        self.browser_type = SimpleNamespace(name="webkit")
        self.contexts: list[Context] = []
        self.version = ""
        """Known from the first context on."""

    def new_context(self, *, viewport: dict[str, int] | None = None, locale: str = "en", **others: object) -> Context:
        if others:
            raise Undriven(f"a context with {', '.join(others)}")
        context = Context(self, viewport or {"width": 1280, "height": 720}, locale)
        self.contexts.append(context)
        return context

    def close(self) -> None:
        for context in [*self.contexts]:
            context.close()


class Context(Driven):
    """One browser with nothing on it."""

    def __init__(self, browser: Browser, viewport: dict[str, int], locale: str) -> None:
        self.browser = browser
        self.patience = PATIENCE / 1000
        self.listeners: list[Callable[[Any], None]] = []
        environment = {"DISPLAY": browser.display, "LANGUAGE": locale, "LANG": f"{locale}.UTF-8", "PATH": "/usr/bin"}
        environment |= {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "HOME": "/nonexistent"}
        self.process, self.driver = session(browser, environment)
        browser.version = self.driver.capabilities["browserVersion"]
        self.driver.set_window_size(viewport["width"], viewport["height"])
        self.driver.set_page_load_timeout(self.patience)
        self.driver.set_script_timeout(self.patience)
        self.pages: list[Page] = []
        self.first: str | None = self.driver.current_window_handle
        self.shown = self.first

    def new_page(self) -> Page:
        if self.first:
            handle, self.first = self.first, None
        else:
            self.driver.switch_to.new_window("tab")
            handle = self.shown = self.driver.current_window_handle
        page = Page(self, handle)
        self.pages.append(page)
        return page

    def show(self, handle: str) -> None:
        if self.shown != handle:
            self.driver.switch_to.window(handle)
            self.shown = handle

    def set_default_timeout(self, milliseconds: float) -> None:
        self.patience = milliseconds / 1000

    def close(self) -> None:
        if self in self.browser.contexts:
            self.browser.contexts.remove(self)
            end(self.process)


class Page(Driven, Finding):
    """One window."""

    def __init__(self, context: Context, handle: str) -> None:
        self.page, self.context, self.handle = self, context, handle
        self.keyboard = Keyboard(self)
        self.closed = False

    @property
    def driver(self) -> webdriver.Remote:
        self.context.show(self.handle)
        return self.context.driver

    @property
    def url(self) -> str:
        return str(self.driver.current_url)

    def until(self, look: Callable[[], T], enough: Callable[[T], bool], otherwise: str) -> T:
        return until(look, enough, otherwise, self.context.patience)

    def run(self, script: str, *arguments: object) -> Any:
        """Run the body of a function in the page and wait for what it returns."""
        body = f"{HEARING} const value = (function () {{\n{script}\n}}).apply(null, arguments);"
        given = self.driver.execute_script(f"{body} return {{ value, heard: heard.splice(0) }};", *arguments)
        for kind, text in given["heard"]:
            for listener in [*self.context.listeners]:
                listener(SimpleNamespace(type=kind, text=text))
        return given.get("value")

    def evaluate(self, expression: str, argument: object = None) -> Any:
        """What an expression gives, or a function of the argument."""
        script = f"""
            const [argument, done] = arguments;
            Promise.resolve().then(() => {{
                const value = (\n{expression}\n);
                return typeof value === "function" ? value(argument) : value;
            }}).then((value) => done({{ value }}), (error) => done({{ error: String(error) }}));
        """
        try:
            given = self.driver.execute_async_script(script, argument)
        except JavascriptException as error:
            if "Unexpected" not in str(error.msg):
                raise
            return self.run(expression)  # statements, which are no expression
        assert "error" not in given, given["error"]
        return given.get("value")

    def on(self, event: str, listener: Callable[..., None]) -> None:
        """Listen to the console, where errors of a page are too. Dialogs are the driver's to answer."""
        if event == "console":
            self.context.listeners.append(listener)

    def remove_listener(self, event: str, listener: Callable[..., None]) -> None:
        if listener in self.context.listeners:
            self.context.listeners.remove(listener)

    def goto(self, url: str) -> None:
        """By the page itself: the driver loses one that is left for another group of windows (COOP)."""
        before = self.url
        if before == "about:blank":
            self.driver.get(url)
            return
        self.run("window.left = true; setTimeout((url) => location.assign(url), 0, arguments[0])", url)
        if "#" not in url or before.partition("#")[0] != url.partition("#")[0]:
            self.arrive()

    def arrive(self) -> None:
        """Wait for the page that follows the one marked as left."""
        arrived = "return window.left !== true && document.readyState === 'complete'"
        self.until(lambda: self.run(arrived), bool, "the next page did not load")

    def reload(self) -> None:
        self.driver.refresh()

    def bring_to_front(self) -> None:
        self.context.show(self.handle)

    def content(self) -> str:
        return str(self.driver.page_source)

    def set_viewport_size(self, size: dict[str, int]) -> None:
        """The window's width and height, in CSS pixels of the page within."""
        frame = self.run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self.driver.set_window_size(size["width"] + frame[0], size["height"] + frame[1])
        width = self.run("return innerWidth")
        if width != size["width"]:
            raise Undriven(f"a window {size['width']} pixels wide ({width} is the least)")

    def screenshot(self, *, path: Path | str) -> None:
        self.driver.save_screenshot(str(path))

    def wait_for_selector(self, css: str) -> None:
        self.locator(css).first.wait_for()

    def wait_for_function(self, expression: str, *, arg: object = None) -> None:
        self.until(lambda: self.evaluate(expression, arg), bool, f"{expression} did not come true")

    def wait_for_url(self, url: str | re.Pattern[str], wait_until: str = "load") -> None:
        def there(now: str) -> bool:
            return bool(url.search(now)) if isinstance(url, re.Pattern) else fnmatch(now, url.replace("?", "[?]"))

        self.until(lambda: self.url, there, f"{url} was not reached")
        time.sleep(SWAP)  # a script that meets the change of pages never ends
        self.wait_for_function("document.readyState === 'complete'")

    def wait_for_load_state(self, state: str = "load") -> None:
        self.wait_for_function("document.readyState === 'complete'")
        self.wait_for_timeout(300)

    def wait_for_timeout(self, milliseconds: float) -> None:
        self.evaluate("(time) => new Promise((resolve) => setTimeout(resolve, time))", milliseconds)

    def inner_text(self, css: str) -> str:
        return self.locator(css).inner_text()

    def fill(self, css: str, text: str) -> None:
        self.locator(css).fill(text)

    def is_closed(self) -> bool:
        return self.closed

    def close(self, *, run_before_unload: bool = False) -> None:
        if run_before_unload:
            raise Undriven("a page that closes and asks")
        if self.closed:
            return
        self.closed = True
        self.context.pages.remove(self)
        if self.context.pages:
            self.driver.close()
            self.context.shown = None
        else:
            self.context.close()


Session = tuple[subprocess.Popen[bytes], webdriver.Remote]


def session(browser: Browser, environment: dict[str, str], attempts: int = 3) -> Session:
    """A driver and its browser. One in some hundred does not come up, so it is begun anew."""
    port = free_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([browser.driver, f"--port={port}"], env=environment, start_new_session=True, **quiet)
    options = webdriver.WebKitGTKOptions()
    options.binary_location = browser.path
    options.add_argument("--automation")
    client = ClientConfig(f"http://127.0.0.1:{port}", timeout=PATIENCE // 3000)
    try:
        until(lambda: listens(port), bool, "the driver does not listen", PATIENCE / 1000)
        return process, webdriver.Remote(RemoteConnection(client_config=client), options=options)
    except (AssertionError, HTTPError, WebDriverException):
        end(process)
        if attempts == 1:
            raise
        return session(browser, environment, attempts - 1)


def end(process: subprocess.Popen[bytes]) -> None:
    """Not by the driver: a page that asks whether to leave would hold it up."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(20)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Keyboard:
    """Keys that go to where the focus is."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, keys: str) -> None:
        *held, key = keys.split("+")
        actions = ActionChains(self.page.driver, duration=0)
        for name in held:
            actions.key_down(KEYS[name])
        actions.send_keys(KEYS.get(key, key))
        for name in reversed(held):
            actions.key_up(KEYS[name])
        actions.perform()

    def type(self, text: str) -> None:
        ActionChains(self.page.driver, duration=0).send_keys(text).perform()


__all__ = ["Browser", "Context", "Locator", "Page"]
