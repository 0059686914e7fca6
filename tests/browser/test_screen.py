"""The page Screen in a browser: nothing for axe to find, and no wider than a phone."""

import numpy as np
import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from collector.designs.selectors import get_design
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.definition import templates
from surveys.lifecycle.services import close_survey, write_survey
from surveys.opening.services import open_survey
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.panel import sign_in
from tests.factories import simulation
from tests.tools.browser import IMAGES


@pytest.mark.long
def test_axe_screen_of_a_class(page: Page, alice: User, transactional_db: None) -> None:
    template = templates.find("classroom")
    assert template is not None
    survey = write_survey(template.definition, team=home_team(alice))
    design = get_design(open_survey(survey).design_id)
    source = np.random.default_rng(5)
    born = (source.random(80) < 120 / 365).astype(np.int64)
    who = simulation.People(np.zeros(80, dtype=np.int64), {"born_early": born})
    simulation.store(design, who, simulation.symbols(design, who, source))
    close_survey(survey, by=alice)
    estimator.run_now(design.digest)
    sign_in(page, alice)
    page.goto("/panel/survey/classroom/watch/")
    page.get_by_role("link", name="Show on a screen").click()
    expect(page.get_by_role("heading", name="And what is known")).to_be_visible()
    expect(page.get_by_role("img", name="Five minutes in class")).to_be_visible()
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    if IMAGES:
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=f"{IMAGES}/screen-{width}.png", full_page=True)
