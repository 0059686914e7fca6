"""What the page weighs on its way to a browser, with everything that it loads."""

import json
from typing import Any

import pytest

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Version
from surveys.opening.services import open_survey
from tests.browser.visit import new_visit
from tests.factories import payloads
from tests.factories.appearance import ENDING, LOOK
from tests.factories.surveys import open_document
from tests.tools.capture import Capture

TRANSFERRED = 100_000
"""Bytes over the wire, headers too."""
PLAIN = 256_000
"""250 KiB before compression: what a device has to read must not grow unseen behind it."""


pytestmark = pytest.mark.engines("chromium", because="what is transferred is measured by its protocol")


@pytest.fixture
def thirty(alice: Any, transactional_db: None) -> Version:
    """A survey of thirty questions."""
    first = payloads.definition()["items"][0]
    channel = {"name": "forced_response", "truth": "1/10", "yes": "1/2"}
    wording = "Question {} of thirty: have you ever done what a question of a usual length asks about?"
    items = [
        first | {"key": f"q{number}", "wording": {"en": wording.format(number)}, "channel": channel}
        for number in range(1, 31)
    ]
    return open_survey(
        write_survey(payloads.definition(slug="thirty", items=items), team=home_team(alice)), reason="It is a test."
    )


@pytest.fixture
def thirty_looked(alice: Any, thirty: Version) -> Version:
    """The same in colours of its own, with a way back to a panel."""
    return open_document(json.loads(thirty.design.document) | {"slug": "panel", "look": LOOK, "ending": ENDING}, alice)


@pytest.fixture
def thirty_again(alice: Any, thirty: Version) -> Version:
    """The same by invitation, remembered from wave to wave, in colours of its own."""
    ways = {"slug": "again", "invitations": {"kind": "secret"}, "waves": {"repeats": "remember", "spent": "3/1"}}
    ending = {name: ENDING[name] for name in ("text", "link")}
    return open_document(json.loads(thirty.design.document) | ways | {"look": LOOK, "ending": ending}, alice)


def weigh(context: Any, site: Capture, address: str) -> dict[str, int]:
    visit = new_visit(site, address, context)
    weighed = {"plain": 0, "transferred": 0, "files": 0}
    encodings = set()

    def answered(event: dict[str, Any]) -> None:
        if event["response"]["url"].endswith((".js", ".css")):
            headers = {name.lower(): value for name, value in event["response"]["headers"].items()}
            encodings.add(headers.get("content-encoding"))

    def arrived(event: dict[str, Any]) -> None:
        weighed["plain"] += event["dataLength"]

    def finished(event: dict[str, Any]) -> None:
        weighed["transferred"] += int(event["encodedDataLength"])
        weighed["files"] += 1

    browser = context.new_cdp_session(visit.page)
    browser.on("Network.responseReceived", answered)
    browser.on("Network.dataReceived", arrived)
    browser.on("Network.loadingFinished", finished)
    browser.send("Network.enable")
    visit.open().stage("questions")
    visit.page.evaluate("fetch('design.json').then((response) => response.text())")
    visit.page.wait_for_load_state("networkidle")
    assert visit.page.locator("[data-part=question]").count() == 30
    assert weighed["files"] >= len({request.target for request in site.requests if "/client/" in request.target})
    assert encodings == {"br"}, "every script and style sheet is compressed by Brotli"
    return weighed


def test_page_weight_thirty_questions(context: Any, site: Capture, thirty: Version) -> None:
    weighed = weigh(context, site, "/s/thirty/")
    assert weighed["transferred"] < TRANSFERRED, weighed
    assert weighed["plain"] < PLAIN, weighed


@pytest.mark.long
def test_page_weight_look_and_panel(context: Any, site: Capture, thirty_looked: Version) -> None:
    weighed = weigh(context, site, "/s/panel/")
    assert weighed["transferred"] < TRANSFERRED, weighed


@pytest.mark.long
def test_page_weight_invitation_and_waves(context: Any, site: Capture, thirty_again: Version) -> None:
    weighed = weigh(context, site, "/s/again/")
    assert weighed["transferred"] < TRANSFERRED, weighed
