"""A survey in its own colours on every screen, and what a panel's link brings along, which the device alone carries."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.opening.services import open_survey
from tests.browser.accessibility import on_every_screen
from tests.browser.visit import KEPT, Visit, failing, new_visit
from tests.factories import translations
from tests.factories.appearance import COMPLETION, LOOK, looked
from tests.system.installation import wait_until
from tests.tools.browser import IMAGES
from tests.tools.capture import DROP, Capture
from tests.tools.gate import few

CANARY = "canary5f7a"
CAME_WITH = f"?PROLIFIC_PID={CANARY}&id=7007-{CANARY}"

STORED = """() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])"""

COLOURS_OF = """() => {
    const styleOf = (one) => getComputedStyle(document.querySelector(one));
    const styles = ["body", "[data-stage=sent] a.button", "h1"].map(styleOf);
    return [styles[0].backgroundColor, styles[1].backgroundColor, styles[2].fontFamily];
}"""


@pytest.fixture
def panel_visit(site: Capture, alice: User, context: BrowserContext) -> Iterator[Visit]:
    """A visit of somebody whom a panel sent."""
    open_survey(write_survey(looked(slug="looked", languages=["en"]), team=home_team(alice)))
    visit = new_visit(site, f"/s/looked/{CAME_WITH}", context)
    yield visit
    assert visit.faults == []


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[place : place + 2], 16)) for place in (1, 3, 5))})"


def picture(visit: Visit, stage: str, screen: str) -> None:
    if IMAGES:
        visit.page.screenshot(path=Path(IMAGES) / f"look-{stage}-{screen.replace(' ', '-')}.png", full_page=True)


@pytest.mark.long
@pytest.mark.engines("chromium", because="media can be emulated")
def test_look_is_worn_and_can_be_read_on_every_screen(panel_visit: Visit) -> None:
    panel_visit.open().stage("questions").choose(1, "Yes")
    for screen, found in on_every_screen(panel_visit.page):
        assert found == [], screen
        picture(panel_visit, "questions", screen)
    panel_visit.answer("Yes", "Low").send().stage("sent")
    for screen, found in on_every_screen(panel_visit.page):
        end = "_dark" if screen.endswith("dark") else ""
        background, button, font = panel_visit.page.evaluate(COLOURS_OF)
        assert (background, button) == (rgb(LOOK[f"background{end}"]), rgb(LOOK[f"accent{end}"]))
        assert font.startswith("ui-serif")
        assert found == [], screen
        picture(panel_visit, "sent", screen)


def kept(visit: Visit) -> str:
    """What the device keeps of this site, but for its own history of addresses."""
    return str(visit.page.evaluate(STORED)) + str(visit.page.evaluate(KEPT))


def test_entry_parameters_reach_the_panel_and_nothing_else(
    panel_visit: Visit, site: Capture, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither a request after the first, nor what the device, a log or the database keeps has what the link brought."""
    respond = site.respond
    site.respond = failing(respond, *[DROP] * 20)
    panel_visit.excused = "ERR_EMPTY_RESPONSE"
    panel_visit.open().stage("questions").answer("Yes", "Low").send().stage("sending")
    wait_until(lambda: "report" in kept(panel_visit), 30)  # the stage is shown first, then the report is kept
    while_waiting = kept(panel_visit)
    site.respond = respond
    # Instead of the button, which is gone once a retry of the page's own came first.
    panel_visit.page.evaluate("window.dispatchEvent(new Event('online'))")
    panel_visit.stage("sent")
    link = panel_visit.page.get_by_role("link", name="Go back to uni.sona-systems.com")
    assert link.get_attribute("href") == f"{COMPLETION['address']}&survey_code=7007-{CANARY}"
    assert CANARY not in while_waiting + kept(panel_visit) + caplog.text
    first, *others = [request.head + request.body for request in site.requests]
    assert CANARY.encode() in first
    assert len(others) > 3
    assert [request for request in others if CANARY.encode() in request] == []
    rows = [row for model in apps.get_models() for row in model._default_manager.values()]
    assert any("looked" in str(row) for row in rows)
    assert [row for row in rows if CANARY in str(row)] == []


CARRIED = """async ([address, carry, search]) => {
    const { carried } = await import(document.querySelector("script[src*='/client/completion']").src);
    return carried(address, carry, search);
}"""


@pytest.mark.parametrize(
    ("search", "added"),
    few(
        [
            ("?id=7", "&code=7"),
            ("?z=3&y=2&id=1", "&code=1&other=2"),
            *((search, "") for search in ("", "?", "?mine=1", "?id=", "?id=%3Cb%3E", "?id=a%26b%3Dc", "?id=a%20b")),
            (f"?id={'1' * 201}", ""),
        ]
    ),
)
def test_entry_parameter_that_is_missing_or_no_word_is_left_out(panel_visit: Visit, search: str, added: str) -> None:
    carry = {"code": "id", "other": "y"}
    address = "https://panel.example/end?a=1"
    panel_visit.open().stage("questions")
    assert panel_visit.page.evaluate(CARRIED, [address, carry, search]) == address + added
    has_it = f"{address}&code=0"
    assert panel_visit.page.evaluate(CARRIED, [has_it, carry, "?id=5"]) == f"{address}&code=5", "replaced, not doubled"


def test_entry_parameters_go_along_to_another_language(site: Capture, alice: User, context: BrowserContext) -> None:
    definition = translations.definition("en", "de") | {"slug": "both", "ending": {"completion": COMPLETION}}
    open_survey(write_survey(definition, team=home_team(alice)))
    visit = new_visit(site, f"/s/both/{CAME_WITH}", context).open().stage("questions")
    visit.page.get_by_role("link", name="Deutsch").click()
    visit.page.wait_for_url("**/s/both/de/*")
    visit.stage("questions")
    href = visit.page.locator("[data-part=completion]").get_attribute("href")
    assert href == f"{COMPLETION['address']}&survey_code=7007-{CANARY}"
    assert visit.faults == []
