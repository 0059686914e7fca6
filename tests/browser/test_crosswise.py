"""A survey by the crosswise model, answered in a browser and estimated; by birthdays where there is no script."""

import json
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext

from collector.models import Report, WaitingReport
from estimator.base.mechanisms import crosswise
from surveys.accounts.teams import home_team
from surveys.definition.definitions import load
from surveys.lifecycle.services import write_survey
from surveys.models import Version
from surveys.opening.services import open_survey
from tests.browser.launching import without_javascript
from tests.browser.visit import Visit, new_visit
from tests.tools.browser import PATIENCE
from tests.tools.capture import Capture

SURVEY = f"""
slug: bribes
title: Bribes
items:
  - {{key: paid, wording: Have you paid a bribe?, channel: {crosswise.ENTRY.example}}}
"""


@pytest.fixture
def bribes(site: Capture, alice: User) -> Version:
    return open_survey(write_survey(load(SURVEY), team=home_team(alice)))


@pytest.fixture
def page_of(bribes: Version, site: Capture, context: BrowserContext) -> Iterator[Visit]:
    visit = new_visit(site, "/s/bribes/", context)
    yield visit
    assert visit.faults == []


def test_crosswise_page_shows_odds_and_sends_one_symbol(page_of: Visit, site: Capture) -> None:
    page_of.open().stage("questions").unfold("The odds")
    assert "about 25 send" in page_of.said("odds")
    page_of.choose(1, "Yes").press("Review your answers").stage("review").press("Send").stage("sent")
    assert json.loads(site.posts()[-1].body)["report"] in ("00", "01")
    stored = WaitingReport.objects.get()
    assert (len(stored.report), stored.mode) == (1, Report.Mode.BROWSER)


@pytest.mark.long
def test_crosswise_without_script_uses_birthdays(bribes: Version, browser: Browser, site: Capture) -> None:
    context = without_javascript(browser)
    context.set_default_timeout(PATIENCE)
    visit = new_visit(site, "/s/bribes/coin/", context)
    page = visit.open().page
    assert "And was your mother born from April to June?" in page.inner_text("main")
    page.get_by_label("Yes to both questions, or no to both", exact=True).check()
    page.get_by_role("button", name="Check your marks").click()
    page.get_by_role("button", name="Send my marks").click()
    page.get_by_role("heading", name="Thank you. Your marks have arrived.").wait_for()
    stored = WaitingReport.objects.get()
    assert (bytes(stored.report), stored.mode) == (b"\x01", Report.Mode.COIN)
    context.close()
    assert visit.faults == []
