"""A real browser in front of the real site, with a recorder of raw bytes between them."""

import os
import socket
from collections.abc import Generator, Iterator
from contextlib import suppress

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from surveys.models import Version
from tests.browser.launching import launched
from tests.browser.panel import DESKTOP
from tests.browser.visit import Visit, new_visit
from tests.factories import kinds
from tests.factories.surveys import open_document
from tests.tools import running
from tests.tools.browser import PATIENCE
from tests.tools.capture import Capture, capturing, forward_to
from tests.tools.webkit import Undriven

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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With another engine: the tests of the respondent's page, but for those that are marked for other engines."""
    engine = config.getoption("engine")
    left = [item for item in items if engine != "chromium" and not wanted(item, engine)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def wanted(item: pytest.Item, engine: str) -> bool:
    marked = item.get_closest_marker("engines")
    return "respondents_context" in getattr(item, "fixturenames", ()) and (marked is None or engine in marked.args)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, object, object]:
    return (yield from skipping())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    return (yield from skipping())


def skipping() -> Generator[None, object, object]:
    """Skip what Firefox or WebKit cannot be driven to do, by its name. In Chromium nothing is skipped."""
    try:
        return (yield)
    except Undriven as missing:
        pytest.skip(f"not with this engine's driver: {missing}")


@pytest.fixture(scope="session")
def engine(pytestconfig: pytest.Config) -> str:
    """The engine of the browsers: `--engine`."""
    return str(pytestconfig.getoption("engine"))


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright, engine: str) -> Iterator[Browser]:
    """Of Chromium the headless shell, where there is one: a page in it takes half the processor's time."""
    with launched(playwright, engine, whole=False) as browser:
        yield browser


@pytest.fixture(scope="session")
def whole_browser(playwright: Playwright, engine: str) -> Iterator[Browser]:
    """The browser that people have, for what the shell lacks: the back-forward cache, error pages, blocked storage."""
    with launched(playwright, engine) as browser:
        yield browser


@pytest.fixture
def needed_browser(browser: Browser, engine: str, request: pytest.FixtureRequest) -> Browser:
    """The whole browser for a test that is marked so, else the shell."""
    marked = engine == "chromium" and request.node.get_closest_marker("whole_browser")
    found: Browser = request.getfixturevalue("whole_browser") if marked else browser
    return found


@pytest.fixture(scope="session")
def kept_contexts() -> dict[Browser, BrowserContext]:
    """What `respondents_context` has made; each ends with its browser."""
    return {}


@pytest.fixture
def respondents_context(
    needed_browser: Browser, engine: str, kept_contexts: dict[Browser, BrowserContext]
) -> Iterator[BrowserContext]:
    """One context of Chromium for all visits: its blank page keeps a renderer alive, which costs more to start.

    Other engines have no command that clears one, so each test has its own.
    """
    kept = kept_contexts if engine == "chromium" else {}
    if needed_browser not in kept:
        context = kept[needed_browser] = needed_browser.new_context()
        context.set_default_timeout(PATIENCE)
        if engine == "chromium":
            context.new_page()
    yield kept[needed_browser]
    if engine != "chromium":
        kept[needed_browser].close()


@pytest.fixture
def context(respondents_context: BrowserContext, engine: str) -> Iterator[BrowserContext]:
    """As good as new: no page, no cookie; and what a page keeps is kept by origin, which each test has its own of."""
    yield respondents_context
    if engine == "chromium":
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
