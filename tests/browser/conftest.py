"""A real browser in front of the real site, with a recorder of raw bytes between them."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, expect, sync_playwright

from surveys.models import Version
from tests.browser.panel import DESKTOP
from tests.browser.visit import Visit, new_visit
from tests.factories import kinds
from tests.factories.surveys import open_document
from tests.tools import running
from tests.tools.browser import FLAGS, PATIENCE, find_browser, find_shell
from tests.tools.capture import Capture, capturing, forward_to

# playwright's own event loop runs in this thread; Django would take every query of a test for one from async code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

expect.set_options(timeout=PATIENCE)


@pytest.fixture
def every_kind(site: Capture, alice: User, context: BrowserContext) -> Iterator[Visit]:
    """A visit to a survey with every kind of question, in two sections; not opened yet."""
    open_document(kinds.document(), alice)
    visit = new_visit(site, "/s/kinds/", context)
    yield visit
    assert visit.faults == []


@pytest.fixture(scope="session")
def chromium() -> Iterator[BrowserType]:
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def browser(chromium: BrowserType) -> Iterator[Browser]:
    """The headless shell, where there is one: a page in it takes half the processor's time."""
    with launched(chromium, find_shell()) as browser:
        yield browser


@pytest.fixture(scope="session")
def whole_browser(chromium: BrowserType) -> Iterator[Browser]:
    """The browser that people have, for what the shell lacks: the back-forward cache, error pages, blocked storage."""
    with launched(chromium, find_browser()) as browser:
        yield browser


@contextmanager
def launched(chromium: BrowserType, path: str | None) -> Iterator[Browser]:
    if path is None:
        pytest.fail("there is no Chromium; run bin/install-browser", pytrace=False)
    # Playwright switches the back-forward cache off; with it off, a test of what it restores would be empty.
    ignored = ["--disable-back-forward-cache"]
    # A name that is not loopback, so that the browser takes plain HTTP for what it is; and pages that share a
    # process, because most would start one for a second.
    args = [*FLAGS, "--renderer-process-limit=1", "--host-resolver-rules=MAP plain.test 127.0.0.1"]
    browser = chromium.launch(executable_path=path, args=args, ignore_default_args=ignored)
    yield browser
    browser.close()


@pytest.fixture
def needed_browser(browser: Browser, request: pytest.FixtureRequest) -> Browser:
    """The whole browser for a test that is marked so, else the shell."""
    marked = request.node.get_closest_marker("whole_browser")
    found: Browser = request.getfixturevalue("whole_browser") if marked else browser
    return found


@pytest.fixture(scope="session")
def kept_contexts() -> dict[Browser, BrowserContext]:
    """What `respondents_context` has made; each ends with its browser."""
    return {}


@pytest.fixture
def respondents_context(needed_browser: Browser, kept_contexts: dict[Browser, BrowserContext]) -> BrowserContext:
    """One context of a browser for all visits: its blank page keeps a renderer alive, which costs more to start."""
    if needed_browser not in kept_contexts:
        context = kept_contexts[needed_browser] = needed_browser.new_context()
        context.set_default_timeout(PATIENCE)
        context.new_page()
    return kept_contexts[needed_browser]


@pytest.fixture
def context(respondents_context: BrowserContext) -> Iterator[BrowserContext]:
    """As good as new: no page, no cookie; and what a page keeps is kept by origin, which each test has its own of."""
    yield respondents_context
    clear(respondents_context)


def clear(context: BrowserContext) -> None:
    """Leave nothing but the blank page."""
    for page in context.pages[1:]:
        page.close()
    context.set_offline(False)
    context.clear_permissions()
    context.clear_cookies()


@pytest.fixture(scope="session")
def site_port() -> int:
    """The running site's port in all tests of this process, below those that a system gives to connections."""
    for number in range(1_000):
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", 20_000 + (97 * os.getpid() + number) % 10_000))
            return int(probe.getsockname()[1])
    pytest.fail("no port is free")


@pytest.fixture
def running_site(transactional_db: None, site_port: int) -> Iterator[str]:
    with running.running_site(site_port) as url:
        yield url


@pytest.fixture(scope="session")
def panel_context(browser: Browser, site_port: int) -> Iterator[BrowserContext]:
    """One context for all pages at the running site, for the same reason."""
    context = browser.new_context(base_url=f"http://127.0.0.1:{site_port}", viewport=DESKTOP)
    context.set_default_timeout(PATIENCE)
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def panel_page(panel_context: BrowserContext, running_site: str) -> Iterator[Page]:
    """A page at the running site as in a new browser: nobody is signed in, nothing is kept.

    But for the static files: all else is sent with `no-store`, and what has a hash for a name never changes.
    """
    yield panel_context.new_page()
    session = panel_context.new_cdp_session(panel_context.pages[0])
    session.send("Storage.clearDataForOrigin", {"origin": running_site, "storageTypes": "all"})
    session.detach()
    clear(panel_context)


@pytest.fixture
def site(running_site: str, version: Version) -> Iterator[Capture]:
    """The running site with one open survey, and the record of every byte that reached it."""
    with capturing(forward_to(running_site)) as capture:
        yield capture


@pytest.fixture
def address(version: Version) -> str:
    return f"/s/{version.survey.slug}/"


@pytest.fixture
def visit(site: Capture, address: str, context: BrowserContext) -> Iterator[Visit]:
    """A visit to the survey's page, not opened yet. A word in the console fails the test, unless it says `faults`."""
    visit = new_visit(site, address, context)
    yield visit
    assert visit.faults == []


@pytest.fixture
def page(panel_page: Page) -> Iterator[Page]:
    """A page whose console must stay silent: a blocked style or script would speak there."""
    faults = list[str]()
    panel_page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
    panel_page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    yield panel_page
    panel_page.close()
    assert faults == []
