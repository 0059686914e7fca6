"""An analysis in a real browser: asked for by keyboard, waited for, read, and asked again; axe finds nothing in it."""

import re

import numpy as np
import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from collector.designs.selectors import get_design
from estimator.analyses import services as analyses
from estimator.models import Analysis
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Survey
from surveys.opening.services import open_survey
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.panel import PHONE, fits, sign_in
from tests.factories import three_groups

LONG = "Those who have been here for a long time and are still writing, whatever it is that they are writing"


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyses, "wake", lambda analysis_id: None)
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)


@pytest.fixture
def survey(alice: User, transactional_db: None) -> Survey:
    definition = three_groups.definition()
    definition["strata"]["groups"][2]["label"]["en"] = LONG
    found = write_survey(definition, team=home_team(alice))
    version = open_survey(found)
    three_groups.answer(get_design(version.design_id), np.random.default_rng(3))
    return found


@pytest.mark.long
def test_analysis_by_keyboard_requested_and_repeated(page: Page, alice: User, survey: Survey) -> None:
    sign_in(page, alice)
    page.goto("/panel/survey/campus/")
    page.get_by_role("navigation", name="Steps").get_by_role("link", name="Analyse").press("Enter")
    page.get_by_role("navigation", name="Kinds of analysis").get_by_role("link", name="Cross two").press("Enter")
    page.get_by_label("First question").press("Tab")
    expect(page.get_by_label("Second question")).to_be_focused()
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    page.get_by_role("button", name="Run the analysis").press("Enter")
    expect(page.locator("[aria-live=polite]")).to_have_text("Waiting for a worker.")
    page.get_by_role("progressbar", name="Computing").wait_for()
    analyses.execute(Analysis.objects.get().pk)
    # The page looks after it by itself, and shows what came out.
    expect(page.locator(".quote").first).to_contain_text("are associated, more than chance explains")
    picture = page.get_by_role("img", name="Among those of each answer to the first question").locator("visible=true")
    expect(picture).to_have_count(1)
    page.get_by_role("button", name="Run again").press("Enter")
    page.wait_for_url(re.compile("/panel/analysis/"))
    analyses.execute(Analysis.objects.first().pk)  # type: ignore[union-attr]
    expect(page.get_by_text("every number is identical")).to_be_visible()


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(
            {"kind": "comparison", "quantity": "cheated:1", "against": "pairs"}, marks=pytest.mark.long, id="comparison"
        ),
        pytest.param({"kind": "regression", "outcome": "cheated", "reference": "y1"}, id="regression"),
    ],
)
def test_axe_analysis_page_and_width(page: Page, alice: User, survey: Survey, said: dict[str, str]) -> None:
    design = get_design(survey.versions.get().design_id)
    found = analyses.execute(analyses.request(said["kind"], said, [design]).pk)
    sign_in(page, alice)
    page.goto(f"/panel/analysis/{found.key}/")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    assert fits(page)
    page.set_viewport_size(PHONE)
    assert fits(page)
    page.goto("/panel/survey/campus/analyse/?kind=weighting")
    assert fits(page)
