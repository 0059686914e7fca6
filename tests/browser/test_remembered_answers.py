"""A survey that remembers, in a browser: two waves on one device."""

import json
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.opening.services import open_survey
from tests.browser.visit import Visit, new_tab, new_visit
from tests.factories import payloads
from tests.tools.capture import Capture

KEPT = "Object.entries(localStorage).map(([name, text]) => [name, text.length])"
CHOOSE = """labels => labels.forEach((label, i) => {
    const choices = [...document.querySelectorAll(`#question-${i + 1} label`)];
    choices.find((choice) => choice.innerText.trim() === label).click();
})"""
LARGER = {"name": "k_ary", "truth": "1/10"}


@pytest.fixture
def wave(site: Capture, alice: User, context: BrowserContext) -> Iterator[Visit]:
    """Twenty nearly even questions: two reports that are drawn anew are the same once in a million."""
    first, last = payloads.definition()["items"]
    items = [first | {"key": f"q{number}", "channel": LARGER} for number in range(19)] + [last | {"channel": LARGER}]
    definition = payloads.definition(slug="waves", repeats="remember", items=items)
    open_survey(write_survey(definition, team=home_team(alice)), reason="It is a test.")
    visit = new_visit(site, "/s/waves/", context)
    yield visit
    assert visit.faults == []


def sent(visit: Visit, site: Capture, last: str = "Low") -> str:
    """The report of a visit."""
    visit.to_front().open().stage("questions").choose(0, "First year")
    visit.page.evaluate(CHOOSE, [*["Yes"] * 19, last])
    visit.press("Review your answers").stage("review")
    visit.page.locator("[data-part=send-button]").evaluate("button => { button.click(); button.click(); }")
    visit.stage("sent").press("Clear this screen").stage("cleared")
    return json.loads(site.posts()[-1].body)["report"]


@pytest.mark.long
def test_remembered_answer_is_the_same_in_next_wave(wave: Visit, site: Capture) -> None:
    assert wave.open().stage("questions").page.evaluate(KEPT) == [], "nothing is written at load"
    first = sent(wave, site)
    assert wave.page.evaluate(KEPT) == [["candor-secret-waves", 64]]
    again = sent(new_tab(wave), site)
    assert again == first
    bodies = [json.loads(post.body) for post in site.posts()]
    assert len(bodies) == 2, "a double click sends once"
    assert len({body["nonce"] for body in bodies}) == 2
    changed = sent(new_tab(wave), site, "Well")
    assert changed[:38] == first[:38], "only the draw of the answer that changed is another"
    other = new_tab(wave)
    other.open().page.evaluate("localStorage.removeItem('candor-secret-waves')")
    assert sent(other, site)[:38] != first[:38]
