"""Names and words as long as they may be: no page of the panel has to be scrolled sideways for them."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.lifecycle.tags import set_tags
from surveys.models import Survey
from surveys.opening.services import open_survey
from tests.browser.panel import DESKTOP, PHONE, fits, sign_in
from tests.factories import payloads

WORD = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz"
WIDER = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent.trim())"
PAGES = ("", "edit/", "open/", "share/", "watch/", "preview/", "plan/", "waves/")


@pytest.fixture
def long_words(alice: User) -> list[Survey]:
    """A draft and an open survey: a link, a title, a tag, a wording and options without a place to break."""
    made = []
    for number in (1, 2):
        definition = payloads.definition(slug=f"{'x' * 62}-{number}", title={"en": WORD})
        for item in definition["items"]:
            item["wording"] = {"en": WORD}
        definition["items"][1]["choices"][0] = {"en": WORD}
        made.append(write_survey(definition, team=home_team(alice)))
        set_tags(made[-1], WORD[:40], by=alice)
    open_survey(made[1], by=alice)
    return made


@pytest.mark.long
def test_long_words_fit_on_a_phone_and_a_desktop(page: Page, alice: User, long_words: list[Survey]) -> None:
    sign_in(page, alice)
    pages = [f"/panel/survey/{survey.slug}/{path}" for survey in long_words for path in PAGES]
    wide = []
    for path in ("/panel/surveys/survey/", *pages):
        if path.endswith("edit/") and long_words[1].slug in path:
            continue
        page.goto(path)
        for size in (PHONE, DESKTOP):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            if not fits(page):
                wide.append((path.split("/")[-2], size["width"]))
    assert wide == []
    page.goto(f"/s/{long_words[1].slug}/")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert page.locator("main legend.question-name, main h1, main .choice").evaluate_all(WIDER) == []
