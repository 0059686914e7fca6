"""A survey answered by ear and by keyboard alone: each key is chosen by what Orca said, nothing is looked at."""

import pytest
from django.contrib.auth.models import User

from collector.models import WaitingReport
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Version
from surveys.opening.services import open_survey
from tests.browser.visit import Visit
from tests.factories import translations
from tests.factories.translations import text
from tests.tools.capture import Capture
from tests.tools.orca import Orca

pytestmark = pytest.mark.long


@pytest.fixture
def version(alice: User) -> Version:
    """The campus survey in every language."""
    return open_survey(write_survey(translations.definition(*translations.CODES), team=home_team(alice)))


def words_of(visit: Visit, selector: str) -> str:
    """The words of a part of the page in its language, which a person knows when she hears them."""
    return (visit.page.locator(selector).first.text_content() or "").strip()


def choose(reader: Orca, question: str, choice: str) -> None:
    """Go on with Tab until the question is heard, then to the choice, and choose it."""
    said = reader.press_until("Tab", lambda said: question in said)
    if choice not in said:
        reader.press_until("r", lambda said: choice in said)
    reader.press("space")


@pytest.mark.parametrize("code", translations.CODES)
def test_survey_is_answered_by_ear_and_keyboard(visit: Visit, site: Capture, reader: Orca, code: str) -> None:
    visit.url += "" if code == "en" else f"{code}/"
    visit.open().stage("questions")
    review, send = words_of(visit, "[data-part=review-button]"), words_of(visit, "[data-part=send-button]")
    title = words_of(visit, "#sent-title")
    assert text("Have you cheated?", code) in reader.read_all()
    choose(reader, text("Which year are you in?", code), text("First year", code))
    choose(reader, text("Have you cheated?", code), text("Yes", code))
    choose(reader, text("How do you feel?", code), text("Low", code))
    reader.press_until("Tab", lambda said: review in said)
    reader.press("Return")
    read = reader.read_all()
    for answer in ("First year", "Yes", "Low"):
        assert text(answer, code) in read, "she hears what she is about to send"
    reader.press_until("Tab", lambda said: send in said)
    said = " ".join(reader.press("Return"))
    assert title in said or title in reader.said_until(title)
    assert len(site.posts()) == WaitingReport.objects.count() == 1
