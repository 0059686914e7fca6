"""A blind invitation from end to end: fetched with a code, the browser closed, answered later by link or file."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page

from collector.invitations import hash_of, new_code
from surveys.blind import codes, keys
from surveys.models import Version
from surveys.people.teams import home_team
from surveys.services import open_survey, write_survey
from tests import payloads
from tests.tools import blind as client
from tests.tools.capture import Capture, capturing, forward_to


@pytest.fixture
def opened(alice: User, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Version:
    monkeypatch.setattr(keys.rsa, "generate_private_key", lambda **_: client.ready()[0])
    return open_survey(write_survey(payloads.definition(invitations="blind"), team=home_team(alice)))


@pytest.fixture
def held(opened: Version) -> list[str]:
    made = [new_code() for _ in range(10)]
    codes.add(opened.design_id, [hash_of(code) for code in made], kind="file")
    return made


@pytest.fixture
def site(running_site: str, opened: Version) -> Iterator[Capture]:
    with capturing(forward_to(running_site)) as capture:
        yield capture


def fetch_page(context: BrowserContext, site: Capture, fragment: str) -> tuple[Page, list[str]]:
    page, faults = context.new_page(), list[str]()
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{site.url}/s/campus/token/{fragment}")
    return page, faults


def test_look(site: Capture, opened: Version, held: list[str], browser: Browser) -> None:
    for name, width, scheme in (
        ("phone", 390, "light"),
        ("dark", 390, "dark"),
        ("wide", 1280, "light"),
        ("widedark", 1280, "dark"),
    ):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page, faults = fetch_page(context, site, f"#{opened.design_id}&code={held.pop()}")
        page.wait_for_selector("html[data-now=code]")
        page.screenshot(path=f"/tmp/blindpkg/{name}-1.png", full_page=True)
        page.get_by_role("button", name="Fetch it").click()
        page.wait_for_selector("html[data-now=fetched]", timeout=8000)
        page.screenshot(path=f"/tmp/blindpkg/{name}-2.png", full_page=True)
        print(faults)
        context.close()
