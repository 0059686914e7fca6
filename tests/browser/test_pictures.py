"""Pictures for the documentation of pages that no other test of a browser comes by (`make pictures`)."""

from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from collector.designs.selectors import get_design
from estimator.analyses import services as analyses
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, write_survey
from surveys.opening.services import open_survey, open_wave
from surveys.outreach import invitations
from tests.browser.panel import sign_in
from tests.factories import payloads, three_groups
from tests.factories.reports import store_report
from tests.tools.browser import IMAGES

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("transactional_db")]
WAVES = (0.2, 0.25, 0.22, 0.36)
"""The true share of Yes in each wave."""


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "wake", lambda analysis_id: None)
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(IMAGES) if IMAGES else tmp_path


def test_picture_of_privacy_loss_over_waves(page: Page, alice: User, folder: Path) -> None:
    definition = payloads.definition(repeats="remember", items=payloads.definition()["items"][:1])
    survey = write_survey(definition, team=home_team(alice))
    for number in range(3):
        version = open_wave(survey, reason="The waves are compared.") if number else open_survey(survey)
        store_report(payloads.body(get_design(version.design_id)))
        close_survey(survey)
    sign_in(page, alice)
    page.goto("/panel/survey/campus/waves/")
    page.locator("section[aria-labelledby=ledger-head]").screenshot(path=folder / "ledger.png")


def test_picture_of_change_between_waves(page: Page, alice: User, folder: Path) -> None:
    definition = three_groups.definition()
    survey = write_survey(definition | {"items": definition["items"][:1]}, team=home_team(alice))
    designs = []
    for number, yes in enumerate(WAVES):
        version = open_wave(survey, reason="The waves are compared.") if number else open_survey(survey)
        designs.insert(0, get_design(version.design_id))
        three_groups.answer(designs[0], np.random.default_rng(number), n=6000, yes=(yes,) * 3)
        close_survey(survey)
    found = analyses.execute(analyses.request("versions", {"quantity": "cheated:1"}, designs).pk)
    sign_in(page, alice)
    page.goto(f"/panel/analysis/{found.key}/")
    page.locator("section[aria-labelledby=analysis-found]").screenshot(path=folder / "change.png")


def test_picture_of_invitations(page: Page, alice: User, folder: Path) -> None:
    survey = write_survey(payloads.definition(invitations="secret"), team=home_team(alice))
    open_survey(survey)
    survey.refresh_from_db()
    for count, kind in ((2500, "csv"), (40, "cards")):
        invitations.make(survey, count, kind=kind, by=None)
    sign_in(page, alice)
    page.goto("/panel/survey/campus/invitations/")
    page.locator("main.candor").screenshot(path=folder / "panel-invitations.png")
