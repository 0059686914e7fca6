"""The help pages in a real browser, under the panel's policy and without any other host."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import faults as inaccessible
from tests.browser.panel import PHONE
from tests.tools.help_site import built
from tests.tools.help_tasks import TASKS


@pytest.fixture
def page(panel_page: Page) -> Iterator[Page]:
    """A page in whose console nothing may be said, and that asks this site alone."""
    page, faults, hosts = panel_page, list[str](), set[str | None]()
    page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
    built()
    yield page
    page.close()
    assert faults == []
    assert hosts == {"127.0.0.1"}


@pytest.mark.long
def test_help_search_finds_a_page(page: Page) -> None:
    page.goto("/panel/help/")
    page.get_by_role("textbox", name="Search").fill("webhook")
    found = page.locator(".md-search-result__link").first
    expect(found).to_have_attribute("href", re.compile("/panel/help/how-to/webhooks.html"))
    found.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Webhooks")


@pytest.mark.long
def test_help_keeps_chosen_colours(page: Page) -> None:
    page.goto("/panel/help/")
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", "default")
    page.locator("label[title='Use dark colours']").click()
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.goto("/panel/help/how-to/analyse.html")
    expect(body).to_have_attribute("data-md-color-scheme", "slate")


@pytest.mark.long
@pytest.mark.parametrize("address", ["how-to/analyse.html", "how-to/export.html", "how-to/publish-and-archive.html"])
def test_help_page_is_accessible_on_a_phone(page: Page, address: str) -> None:
    """With one program, with several and with none."""
    page.set_viewport_size(PHONE)
    page.goto(f"/panel/help/{address}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert "\n".join(inaccessible(page)) == ""


@pytest.mark.long
def test_help_search_finds_what_new_users_want(page: Page) -> None:
    """The page that answers is among the first five that the search lists."""
    page.goto("/panel/help/")
    box = page.get_by_role("textbox", name="Search")
    search_is_loaded(page)
    missed = []
    for task in TASKS:
        box.fill(task.search)
        box.press("End")  # the theme looks at what is typed as a key goes up
        found = page.locator(f".md-search-result__item:nth-child(-n+5) a[href*='/help/{task.page}.html']").first
        try:
            expect(found).to_be_attached(timeout=10_000)
        except AssertionError:
            missed.append(task.wish)
    assert missed == []


def search_is_loaded(page: Page) -> None:
    """Wait for the first thing found: on a busy machine the list of all words takes seconds to load."""
    page.get_by_role("textbox", name="Search").fill("survey")
    expect(page.locator(".md-search-result__item").first).to_be_attached()
