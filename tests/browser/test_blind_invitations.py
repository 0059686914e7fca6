"""A blind invitation from end to end: fetched with a code, the browser closed, answered later by link or file."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page

from collector.invitations.codes import hash_of, new_code
from collector.models import UsedToken, WaitingReport
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import SigningKey, Version
from surveys.opening.services import open_survey
from surveys.outreach import fetch_codes
from surveys.respondent import tokens
from tests.browser.accessibility import THEME, faults, on_every_screen
from tests.browser.states import UNFOLD
from tests.factories import payloads
from tests.tools import blind as client
from tests.tools.browser import IMAGES, PATIENCE
from tests.tools.capture import Capture, Request, Responder, Response, capturing, forward_to
from tests.tools.webkit import expect

"""A folder: the pictures of the documentation are written there (`CANDOR_TEST_IMAGES=docs/images`)."""


@pytest.fixture
def opened(alice: User, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Version:
    monkeypatch.setattr(
        "cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key", lambda **_: client.ready()[0]
    )
    return open_survey(write_survey(payloads.definition(invitations="blind"), team=home_team(alice)))


@pytest.fixture
def held(opened: Version) -> list[str]:
    made = [new_code() for _ in range(10)]
    fetch_codes.add(opened.design_id, [hash_of(code) for code in made], kind="file")
    return made


@pytest.fixture
def site(running_site: str, opened: Version) -> Iterator[Capture]:
    with capturing(forward_to(running_site)) as capture:
        yield capture


@dataclass
class Fetching:
    """Somebody's visit to the page that fetches, in a browser of her own."""

    context: BrowserContext
    site: Capture
    faults: list[str] = field(default_factory=list)

    def open(self, fragment: str, path: str = "token/") -> Page:
        page = self.context.new_page()
        page.on("console", lambda message: self.faults.append(message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.goto(f"{self.site.url}/s/campus/{path}{fragment}")
        return page

    def fetch(self, fragment: str) -> Page:
        page = self.open(fragment)
        stage(page, "code")
        page.get_by_role("button", name="Get invitation").click()
        stage(page, "fetched")
        return page


@pytest.fixture
def visitor(browser: Browser, site: Capture) -> Iterator[Callable[[], Fetching]]:
    """Each call is another browser; a word in the console of one fails the test."""
    made: list[Fetching] = []

    def visit() -> Fetching:
        context = browser.new_context(accept_downloads=True)
        context.set_default_timeout(PATIENCE)
        made.append(Fetching(context, site))
        return made[-1]

    yield visit
    for one in made:
        one.context.close()
    assert [one.faults for one in made] == [[] for _ in made]


def stage(page: Page, name: str) -> None:
    page.wait_for_selector(f"html[data-now={name}]")


def send(page: Page) -> None:
    """Answer and send."""
    stage(page, "questions")
    for place, choice in (("#group", "First year"), ("#question-1", "No"), ("#question-2", "Well")):
        page.locator(place).get_by_text(choice, exact=True).click()
    page.get_by_role("button", name="Review your answers").click()
    page.get_by_role("button", name="Send", exact=True).click()


def stored() -> tuple[int, int]:
    return WaitingReport.objects.count(), UsedToken.objects.count()


def storage_of(page: Page) -> list[str]:
    return list(page.evaluate("Object.keys(localStorage)"))


@pytest.mark.long
def test_token_fetched_by_code_is_used_by_link_and_file(
    opened: Version, held: list[str], visitor: Callable[[], Fetching], site: Capture, tmp_path: Path
) -> None:
    first, second = visitor(), visitor()
    page = first.fetch(f"#{opened.design_id}&code={held[0]}")
    assert held[0] not in page.url
    link = page.locator("[data-part=link]").input_value()
    assert len(storage_of(page)) == 1, "until it is saved, it can be fetched again"
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("[data-part=done]")).to_have_text("Copied. Paste it where only you can find it.")
    assert page.evaluate("navigator.clipboard.readText()") == link
    assert storage_of(page) == []
    typed = second.open("")
    stage(typed, "code")
    typed.get_by_label("Your code").fill(held[1].upper())
    typed.keyboard.press("Enter")
    stage(typed, "fetched")
    with typed.expect_download() as download:
        typed.get_by_role("button", name="Save as file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert storage_of(typed) == []
    first.context.close()
    second.context.close()

    sent = [request.body.decode() for request in site.requests if request.method == "POST"]
    assert [set(json.loads(body)) for body in sent] == [{"design", "code", "blinded"}] * 2
    token = link.rpartition("&invitation=")[2]
    assert "Cookie" not in str([request.headers for request in site.requests if "/s/" in request.target])

    later = visitor().context.new_page()
    later.goto(link)
    send(later)
    stage(later, "sent")
    assert stored() == (1, 1)
    from_file = visitor().context.new_page()
    from_file.goto(file.as_uri())
    from_file.get_by_role("link", name="Answer the survey").click()
    send(from_file)
    stage(from_file, "sent")
    assert stored() == (2, 2)
    assert token not in "".join(sent), "what fetched it never had it"

    again = visitor().context.new_page()
    again.goto(link)
    send(again)
    stage(again, "failed")
    assert "cannot use your invitation here" in again.locator("main").inner_text()
    assert stored() == (2, 2)


@pytest.mark.long
def test_token_lost_reply_is_requested_again(
    opened: Version, held: list[str], visitor: Callable[[], Fetching], site: Capture
) -> None:
    through, lost = site.respond, list[int]()

    def losing(request: Request) -> Response | None:
        answer = through(request)
        if request.target.endswith("/token/sign") and len(lost) < 2:
            lost.append(1)
            return None
        return answer

    site.respond = losing
    somebody = visitor()
    page = somebody.open(f"#{opened.design_id}&code={held[0]}")
    stage(page, "code")
    page.get_by_role("button", name="Get invitation").click()
    expect(page.locator("[data-part=error]")).to_contain_text("No reply from the server.")
    page.close()
    page = somebody.open(f"#{opened.design_id}&code={held[0]}")
    stage(page, "code")
    page.get_by_role("button", name="Get invitation").click()
    expect(page.locator("[data-part=error]")).to_contain_text("No reply from the server.")
    page.get_by_role("button", name="Get invitation").click()
    stage(page, "fetched")
    asked = {json.loads(request.body)["blinded"] for request in site.requests if request.target.endswith("/token/sign")}
    assert len(asked) == 1
    assert SigningKey.objects.get().issued == 1
    somebody.faults.clear()  # the browser names each connection that broke


CHANGES = (
    (b'data-digest="', b'data-digest="0', "was changed"),
    (b"modulus&quot;:&quot;", b"modulus&quot;:&quot;0", "was changed"),
    (b"", b"", "another survey, or someone changed this survey"),
)
"""What is replaced in the page, by what, and why it refuses; without a change the link is for another survey."""


@pytest.mark.long
def test_token_page_changed_design_fetches_nothing(
    opened: Version, held: list[str], visitor: Callable[[], Fetching], site: Capture
) -> None:
    through, somebody = site.respond, visitor()
    for old, new, reason in CHANGES:
        site.respond = replacing_page(through, old, new)
        digest = opened.design_id if old else "0" * 64
        page = somebody.open(f"#{digest}&code={held[0]}")
        stage(page, "refused")
        expect(page.locator("[data-part=refusal-reason]")).to_contain_text(reason)
    assert [request for request in site.requests if request.method == "POST"] == []


def replacing_page(through: Responder, old: bytes, new: bytes) -> Responder:
    """The site, with a change in the page that fetches."""

    def changed(request: Request) -> Response | None:
        answer = through(request)
        if answer is None or not request.target.endswith("/token/"):
            return answer
        body = gzip.decompress(answer.body) if answer.body[:2] == b"\x1f\x8b" else answer.body
        headers = tuple((name, value) for name, value in answer.headers if name.lower() != "content-encoding")
        assert old in body, "the change must hit something"
        return replace(answer, headers=headers, body=body.replace(old, new) if old else body)

    return changed


def test_token_page_plain_http_is_refused(
    opened: Version, visitor: Callable[[], Fetching], site: Capture, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["plain.test"]
    somebody = visitor()
    page = somebody.context.new_page()
    page.goto(site.url.replace("127.0.0.1", "plain.test") + "/s/campus/token/")
    stage(page, "refused")
    expect(page.locator("[data-part=refusal-reason]")).to_contain_text("https")


@pytest.mark.long
def test_axe_token_page_and_width(opened: Version, held: list[str], visitor: Callable[[], Fetching]) -> None:
    page = visitor().open(f"#{opened.design_id}")
    stage(page, "code")
    page.get_by_role("button", name="Get invitation").click()
    expect(page.locator("[data-part=error]")).to_contain_text("This code is not complete")
    expect(page.get_by_label("Your code")).to_be_focused()
    page.evaluate(UNFOLD)
    for number in range(2):
        for screen, found in on_every_screen(page):
            assert (screen, found) == (screen, [])
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), screen
        if not number:
            page.get_by_label("Your code").fill(held[0])
            page.get_by_role("button", name="Get invitation").click()
            stage(page, "fetched")
    if IMAGES:
        page.set_viewport_size({"width": 390, "height": 800})
        page.emulate_media(color_scheme="light")
        page.screenshot(path=Path(IMAGES) / "token-phone-fetched.png")


@pytest.mark.long
def test_token_by_account_is_requested_without_cookie(
    opened: Version, visitor: Callable[[], Fetching], site: Capture, alice: User, settings: Any
) -> None:
    """The account gets a code; the request that is signed has no cookie that is read, and the code is in no address."""
    settings.CANDOR_URL = site.url
    tokens.let_accounts_fetch(opened.survey, allowed=True)
    page = visitor().context.new_page()
    page.goto(f"{site.url}/panel/fetch/campus/")
    page.fill("input[name=username]", alice.username)
    page.fill("input[name=password]", "a long passphrase")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Get my code").click()
    page.get_by_role("link", name="Continue").wait_for()
    assert faults(page, excused=THEME) == []
    page.get_by_role("link", name="Continue").click()
    stage(page, "code")
    code = page.get_by_label("Your code").input_value().replace(" ", "")
    page.get_by_role("button", name="Get invitation").click()
    stage(page, "fetched")
    (asked,) = [request for request in site.requests if request.target.endswith("/token/sign")]
    assert asked.header("Cookie") is None
    assert code in asked.body.decode()
    assert code not in "".join(request.target for request in site.requests)
