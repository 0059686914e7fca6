"""Background questions in a browser: asked openly, sent as a cell that may be coarser than what was answered."""

import json

import pytest
from django.contrib.auth.models import User

from collector.designs.selectors import get_design
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Version
from surveys.opening.services import open_survey
from tests.browser.panel import PHONE
from tests.browser.visit import Visit
from tests.factories import background
from tests.tools.browser import IMAGES
from tests.tools.capture import Capture


@pytest.fixture
def version(alice: User) -> Version:
    """Three questions, the first with a long list; of 800 responses the last answers are too fine to be kept."""
    questions = (background.YEAR, background.AGE, background.DEGREE)
    return open_survey(write_survey(background.definition(*questions, expected=800), team=home_team(alice)))


def about(visit: Visit, number: int, label: str) -> None:
    question = visit.page.locator(f"#background-{number}")
    if question.locator("select").count():
        question.locator("select").select_option(label=label)
    else:
        question.get_by_text(label, exact=True).click()


def picture(visit: Visit, name: str) -> None:
    if IMAGES:
        visit.page.screenshot(path=f"{IMAGES}/background-{name}.png", full_page=True)


def test_cell_is_sent_and_review_says_how(visit: Visit, site: Capture, version: Version) -> None:
    visit.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    visit.open().stage("questions")
    about(visit, 1, "2014")
    about(visit, 2, "30–44")
    about(visit, 3, "None")
    visit.choose(1, "Yes").choose(2, "Low")
    picture(visit, "questions")
    visit.press("Review your answers").stage("review")
    picture(visit, "review")
    rows = visit.page.locator("[data-part=review-list] li").all_inner_texts()
    visit.press("Send").stage("sent")
    (post,) = site.posts()
    design = get_design(version.design_id)
    cell = design.background.keys.index(json.loads(post.body)["stratum"])
    answers = (4, 1, 0)
    assert cell == design.background.cell_of(answers)
    print(design.background.label(cell, "en"), rows)
