"""What the page weighs on its way to a browser, with everything that it loads."""

from typing import Any

import pytest

from surveys.models import Version
from surveys.people.teams import home_team
from surveys.services import open_survey, write_survey
from tests import payloads
from tests.browser.conftest import new_visit
from tests.tools.capture import Capture

TRANSFERRED = 100_000
"""Bytes over the wire, headers too."""
PLAIN = 235_000
"""Bytes before compression: what a device has to read must not grow unseen behind it."""


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
    return open_survey(write_survey(payloads.definition(slug="thirty", items=items), team=home_team(alice)))


def test_a_page_of_thirty_questions_with_everything(context: Any, site: Capture, thirty: Version) -> None:
    visit = new_visit(site, "/s/thirty/", context)
    weighed = {"plain": 0, "transferred": 0, "files": 0}

    def arrived(event: dict[str, Any]) -> None:
        weighed["plain"] += event["dataLength"]

    def finished(event: dict[str, Any]) -> None:
        weighed["transferred"] += int(event["encodedDataLength"])
        weighed["files"] += 1

    browser = context.new_cdp_session(visit.page)
    browser.on("Network.dataReceived", arrived)
    browser.on("Network.loadingFinished", finished)
    browser.send("Network.enable")
    visit.open().stage("questions")
    visit.page.evaluate("fetch('design.json').then((response) => response.text())")
    visit.page.wait_for_load_state("networkidle")
    assert visit.page.locator("[data-part=question]").count() == 30
    assert weighed["files"] >= len({request.target for request in site.requests if "/client/" in request.target})
    assert weighed["transferred"] < TRANSFERRED, weighed
    assert weighed["plain"] < PLAIN, weighed
    assert weighed["transferred"] < weighed["plain"], "nothing was compressed"
