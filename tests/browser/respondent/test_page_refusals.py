"""When anything is wrong, the page says in words what, and not a byte of an answer leaves."""

import copy
import gzip
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from playwright.sync_api import Browser

from collector.designs import Design
from surveys.rendering.pages import render_page
from tests.browser.respondent.conftest import Memory
from tests.browser.visit import Visit, failing, new_visit, replacing, tampering, without_encoding
from tests.factories import payloads
from tests.tools.capture import Capture, Request, Response, capturing
from tests.tools.gate import few

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database

PRESS_EVERYTHING = """() => {
    document.querySelectorAll("input, summary, label, button").forEach((element) => element.click());
    document.querySelectorAll("fieldset").forEach((element) => { element.disabled = false; });
    document.querySelectorAll("[hidden]").forEach((element) => { element.hidden = false; });
    document.querySelectorAll("input, button").forEach((element) => element.click());
    document.querySelectorAll("input, button").forEach((element) => element.click());
}"""
"""Also what is disabled or hidden: a visitor with a debugger, or a later mistake in the page."""


def refused(visit: Visit, site: Capture, words: str, *, fragment: str = "") -> None:
    page = visit.open(fragment).stage("refused").page
    assert words in visit.said("refusal-reason")
    assert page.locator("[data-part=form]:disabled").count() == 1
    assert page.locator("input:visible, [data-part=send-button]:visible").count() == 0
    sends_nothing(visit, site)


def sends_nothing(visit: Visit, site: Capture) -> None:
    visit.page.evaluate(PRESS_EVERYTHING)
    visit.page.wait_for_timeout(200)
    assert all(request.method == "GET" and request.body == b"" for request in site.requests)
    assert all("?" not in request.target for request in site.requests)
    visit.faults.clear()


@pytest.mark.parametrize(
    ("script", "words"),
    few(
        [
            ("Object.defineProperty(window, 'crypto', { value: undefined })", "cannot work out fingerprints"),
            ("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })", "cannot work out fingerprints"),
            ("Crypto.prototype.getRandomValues = undefined", "no good source of random numbers"),
            (
                "Crypto.prototype.getRandomValues = () => { throw new Error('quota'); }",
                "no good source of random numbers",
            ),
            ("Crypto.prototype.getRandomValues = (array) => array.fill(0)", "the same random number again and again"),
            ("Crypto.prototype.getRandomValues = (array) => array", "the same random number again and again"),
            ("Crypto.prototype.getRandomValues = (array) => array.fill(7)", "the same random number again and again"),
            ("BigInt = undefined", "Something went wrong"),
            ("Object.defineProperty(window, 'isSecureContext', { value: false })", "secure connection (https)"),
        ]
    ),
)
def test_missing_browser_feature_is_refused(visit: Visit, site: Capture, script: str, words: str) -> None:
    visit.before_load(script)
    refused(visit, site, words)


@pytest.mark.engines("chromium", because="a name can be made to lead to this machine")
def test_plain_http_is_refused(visit: Visit, site: Capture) -> None:
    visit.url = visit.url.replace("127.0.0.1", "plain.test")
    refused(visit, site, "This page did not come over a secure connection (https).")


@pytest.mark.parametrize(
    ("fragment", "words"),
    few(
        [
            ("#" + "0" * 64, "Your link is for another survey"),
            ("#0123", "Your link is damaged"),
            ("#question-1", "Your link is damaged"),
        ]
    ),
)
def test_link_with_wrong_digest_is_refused(visit: Visit, site: Capture, fragment: str, words: str) -> None:
    refused(visit, site, words, fragment=fragment)


def test_link_changed_in_the_same_tab_is_checked(visit: Visit, site: Capture, memory: Memory) -> None:
    page = visit.open(f"#{memory.design.digest}").stage("questions").answer("Yes", "Low").page
    page.evaluate("location.hash = '0'.repeat(64)")
    visit.stage("refused")
    assert visit.checked() == 0
    page.evaluate(f"location.hash = '{memory.design.digest}'")
    visit.stage("questions")
    assert visit.checked() == 0
    page.evaluate("location.hash = '0'.repeat(64)")
    visit.stage("refused")
    sends_nothing(visit, site)


def two_bad_rows(document: dict[str, Any]) -> None:
    document["items"][0]["channel"]["weights"] = [[3, 1], [1, 4]]


def a_naked_table(document: dict[str, Any]) -> None:
    document["items"][1]["channel"]["weights"] = [[4, 0, 0], [0, 4, 0], [0, 0, 4]]


def too_much_in_total(document: dict[str, Any]) -> None:
    document["items"][0]["channel"]["weights"] = [[999, 1], [1, 999]]


def another_format(document: dict[str, Any]) -> None:
    document["format"] = 2


def unequal_groups(document: dict[str, Any]) -> None:
    document["strata"]["groups"][0]["key"] = "year1"


@pytest.mark.parametrize(
    ("change", "words"),
    few(
        [
            (two_bad_rows, "The tickets of question 1 are wrong: row 1 must sum to 4 like row 0"),
            (a_naked_table, "protect you too little"),
            (too_much_in_total, "more than 2,980 to 1"),
            (another_format, "its format must be 1"),
            (unequal_groups, "its group keys differ in length"),
        ]
    ),
)
def test_design_that_should_not_open_is_refused(
    visit: Visit, site: Capture, address: str, change: Callable[[dict[str, Any]], None], words: str
) -> None:
    document = copy.deepcopy(payloads.document())
    change(document)
    page = render_page(Design.of(document))
    site.respond = tampering(site.respond, replacing(address, lambda _: page))
    refused(visit, site, words)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    few(
        [
            (b'"weights":[[3,1]', b'"weights":[[4,0]', "The survey’s document was changed"),
            (b"<span>Yes</span>", b"<span>Nein</span>", "The page does not fit its survey: a choice"),
            (
                b"Have you cheated?</span>",
                b"Have you never cheated?</span>",
                "The page does not fit its survey: a question",
            ),
            (b"<span>First year</span>", b"<span>Later</span>", "The page does not fit its survey: a group"),
            (b'<input type="radio"', b'<input name="answer" type="radio"', "is incomplete"),
        ]
    ),
)
def test_page_changed_on_the_way_is_refused(
    visit: Visit, site: Capture, address: str, old: bytes, new: bytes, words: str
) -> None:
    site.respond = tampering(site.respond, replacing(address, lambda page: page.replace(old, new)))
    refused(visit, site, words)


def test_design_and_digest_changed_differ_from_link(visit: Visit, site: Capture, memory: Memory) -> None:
    document = payloads.document(title={"en": "Campus, changed"})
    page = render_page(Design.of(document))
    site.respond = tampering(site.respond, replacing(memory.page, lambda _: page))
    refused(visit, site, "Your link is for another survey", fragment=f"#{memory.design.digest}")


MODULES = ("page", "random", "transport")
"""The first module, one at the end of the imports, one in between."""


@pytest.mark.parametrize(
    ("module", "fault"),
    few([(module, fault) for module in MODULES for fault in ("was changed", "answers 503", "is missing")]),
)
def test_script_missing_or_changed_sends_nothing(visit: Visit, memory: Memory, module: str, fault: str) -> None:
    def change(request: Request, response: Response) -> Response:
        if f"/client/{module}." not in request.target:
            return response
        if fault == "was changed":
            return Response(200, gzip.decompress(response.body) + b"\n", without_encoding(response.headers))
        return Response(503 if fault == "answers 503" else 404)

    with capturing(tampering(memory.respond, change)) as site:  # where the browser has no script from before
        visit.url = site.url + memory.page
        page = visit.open().page
        page.get_by_text("the page did not start, and you cannot send anything").wait_for()
        assert page.locator("[data-part=form]:disabled").count() == 1
        sends_nothing(visit, site)


def test_without_javascript_nothing_is_sent(browser: Browser, site: Capture, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        visit = new_visit(site, address, context).open()
        assert "JavaScript is off" in visit.page.locator("main").inner_text()
        for label in visit.page.locator("label:visible").all():
            label.click(force=True)
        for button in visit.page.locator("button:visible").all():
            button.click(force=True)
        visit.page.keyboard.press("Enter")
        assert visit.checked() == 0
        assert all(request.method == "GET" and "?" not in request.target for request in site.requests)
    finally:
        context.close()


@pytest.mark.parametrize("shift", [pytest.param(-40, marks=pytest.mark.long), 40], ids=["long ago", "far ahead"])
def test_wrong_clock_changes_nothing(browser: Browser, site: Capture, memory: Memory, shift: int) -> None:
    """The page reads no clock: what it shows and sends is right whatever the device takes the date for."""
    context = browser.new_context()  # which has the clock for all its pages
    visit = new_visit(site, memory.page, context)
    visit.page.clock.set_fixed_time(datetime(2026, 1, 1) + timedelta(days=365 * shift))
    visit.open(f"#{memory.design.digest}").stage("questions")
    year = visit.page.evaluate("new Date().getFullYear()")
    assert abs(year - 2026 - shift) <= 1, "the clock is as it was; this test would be empty"
    site.respond = failing(site.respond, Response(503))
    visit.excused = "Failed to load resource"
    visit.answer("Yes", "Low").send().stage("sent")
    assert len({post.body for post in site.posts()}) == 1
    (body,) = map(json.loads, memory.stored.values())
    assert (body["design"], body["stratum"]) == (memory.design.digest, "y1")
    assert visit.unfold("Show what was sent").said("sent-receipt") == sha256(site.posts()[0].body).hexdigest()
    assert visit.faults == []
    context.close()
