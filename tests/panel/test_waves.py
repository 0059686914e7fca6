"""The page of waves: the ledger in numbers, in a picture and in words, and opening again from it."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from collector.designs.selectors import get_design
from surveys.accounts.teams import home_team
from surveys.definition.ceilings import with_reason
from surveys.lifecycle import selectors, services
from surveys.models import Survey, Version
from surveys.opening.services import open_survey, open_wave
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.panel.pages import html_of, look, marks, outcome, press
from tests.tools.html import words

pytestmark = pytest.mark.django_db
REASON = "The same people agreed to be asked again."


@pytest.fixture
def closed(version: Version) -> Survey:
    store_report(payloads.body(get_design(version.design_id)))
    services.close_survey(version.survey)
    return version.survey


def page(client: Client) -> str:
    answer = client.get(reverse("panel:waves", args=["campus"]))
    assert answer.status_code == 200
    return answer.content.decode()


def sums(html: str) -> list[str]:
    """What the bars of the picture say."""
    return re.findall(r'<tspan class="ledger-sum">([^<]*)', html)


def digest_shown(client: Client) -> str:
    return re.findall(r'name="digest" value="([0-9a-f]{64})"', page(client))[0]


@pytest.mark.long
def test_waves_page_reopens_the_confirmed_design(closed: Survey, her: Client) -> None:
    assert "Open again" in look(her)
    said = words(page(her))
    assert "one person, all answers, all waves so far" in said
    for number in ("2.49", "4.97", "2 such waves", "8.00"):
        assert number in said
    assert "What opening freezes" in said
    assert "1. Have you cheated?" in said
    assert outcome(her, "waves", "campus", digest="", opens="now") == "422"
    assert outcome(her, "waves", "campus", digest="0" * 64, opens="now", reason=REASON) == "error"
    digest = digest_shown(her)
    answer = her.post(reverse("panel:waves", args=["campus"]), {"digest": digest, "opens": "now"})
    assert (answer.status_code, list(answer.context["form"].errors)) == (422, ["reason"])
    confirmed = selectors.wave_to_open(closed)[0]
    assert outcome(her, "waves", "campus", digest=digest, opens="now", reason=REASON) == "success"
    assert confirmed.digest == digest
    assert closed.versions.all()[0].design_id == with_reason(confirmed, REASON).digest
    assert "Wave 2 Responses: fewer than 10" in look(her)
    assert outcome(her, "waves", "campus", digest=digest, opens="now", reason=REASON) == "success"
    assert closed.versions.count() == 2, "a double press is one press"
    assert outcome(her, "waves", "campus", digest="0" * 64, opens="now", reason=REASON) == "error"


def test_waves_page_wave_above_ceiling_is_announced(closed: Survey, her: Client) -> None:
    for _ in range(2):
        store_report(payloads.body(get_design(open_wave(closed, reason=REASON).design_id)))
        services.close_survey(closed)
    html = page(her)
    said = words(html)
    assert (len(marks(html, "missing")), 'name="digest"' in html) == (1, False)
    assert "epsilon 9.9396, 7.4547 of it" in said
    assert sums(html) == ["2.49", "4.97", "7.46", "9.94"]
    assert "Ceiling: 8.00." in said, "the picture in words"
    assert "9.9396" in press(her, "waves", "campus", digest="0" * 64, opens="now")


def test_waves_page_scheduled_and_cancelled(closed: Survey, her: Client) -> None:
    ahead = f"{timezone.now() + timedelta(hours=5):%Y-%m-%dT%H:%M}"
    terms = {"digest": digest_shown(her), "opens": "later", "opens_at": ahead, "reason": REASON}
    assert outcome(her, "waves", "campus", **terms) == "success"
    for name in ("waves", "survey", "opening"):
        assert set(marks(html_of(her, name, "campus"), "due")) == {"wave"}
    assert outcome(her, "call-off", "campus") == "success"
    assert "off" in marks(html_of(her, "opening", "campus"), "state")


def test_waves_page_draft_shows_cost_of_first_opening(survey: Survey, her: Client) -> None:
    said = words(page(her))
    assert (said.count("2.49") > 1, "3 such waves" in said) == (True, True)


def test_waves_page_remembered_answers_count_in_full(alice: User, her: Client) -> None:
    """Two answers and ln 3: 2.1973 at most for ever, and 3.2959 as the fourth wave opens."""
    definition = payloads.definition(repeats="remember", items=payloads.definition()["items"][:1])
    survey = services.write_survey(definition, team=home_team(alice))
    for number in range(3):
        version = open_wave(survey) if number else open_survey(survey)
        store_report(payloads.body(get_design(version.design_id)))
        services.close_survey(survey)
    html = page(her)
    assert sums(html) == ["1.10", "1.10 to 2.20", "1.10 to 2.20", "1.10 to 3.30"]
    assert ("0.00 to 1.10" in words(html), "More than 100" in words(html)) == (True, True)
    assert "Devices remember their tickets" in words(html)
