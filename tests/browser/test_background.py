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
from tests.tools.capture import Capture, Request


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


def sent(visit: Visit, site: Capture, *labels: str) -> Request:
    """A visit that answers the background questions so and sends; the request."""
    visit.open().stage("questions")
    for number, label in enumerate(labels, start=1):
        if label:
            about(visit, number, label)
    visit.choose(1, "Yes").choose(2, "Low").send().stage("sent")
    return site.posts()[-1]


def test_answers_of_one_cell_are_sent_alike(visit: Visit, site: Capture, version: Version) -> None:
    """Nothing finer than the cell leaves the page: bodies of one length, one stratum for all answers that it takes."""
    pooled = [("2014", "30–44", degree) for degree in ("None", "University", "")]
    answers = (*pooled, ("2020", "", ""), ("", "", ""))
    posts = [sent(visit, site, *labels) for labels in answers]
    strata = [json.loads(post.body)["stratum"] for post in posts]
    assert strata[0] == strata[1] == strata[2]
    assert len(set(strata)) == 3
    assert len({len(post.body) for post in posts}) == 1
    design = get_design(version.design_id)
    assert strata[-1] == design.silent_stratum
    words = [choice["en"] for question in design.background.questions[1:] for choice in question.choices]
    for request in site.requests:
        assert not any(word in (request.body or b"").decode(errors="replace") + request.target for word in words)


@pytest.mark.long
def test_receipt_and_later_visits_tell_what_was_sent(visit: Visit, site: Capture, version: Version) -> None:
    sent(visit, site, "2014", "30–44", "None")
    visit.unfold("Show what was sent")
    assert "Sent openly, without a ticket: 2014 · 30–44" in visit.said("sent-list")
    visit.open().stage("questions")
    assert visit.page.locator("[data-part=background] :checked").count() == 1, "only the empty choice of the list"
    assert visit.page.locator("[data-part=background] input:checked").count() == 0


def test_keyboard_alone_answers_them(visit: Visit, site: Capture) -> None:
    visit.open().stage("questions")
    visit.page.locator("#background-1 select").focus()
    visit.page.keyboard.type("2019")
    visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Space")
    visit.page.keyboard.press("ArrowDown")
    assert visit.page.locator("#background-2 label", has_text="30–44").locator("input").is_checked()
