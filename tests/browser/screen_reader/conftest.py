"""Orca hears Firefox: both on a screen in memory, for all tests of a process."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from tests.browser.launching import launched
from tests.tools.orca import Orca, find_orca, orca


@pytest.fixture(scope="session")
def reader() -> Iterator[Orca]:
    if find_orca() is None:
        pytest.fail("there is no screen reader; run bin/install-programs firefox orca", pytrace=False)
    with orca() as running:
        yield running


@pytest.fixture(scope="session")
def engine() -> str:
    return "firefox"


@pytest.fixture(scope="session")
def browser(playwright: Playwright, reader: Orca) -> Iterator[Browser]:
    with launched(playwright, "firefox", heard=reader.environment) as browser:
        yield browser
