"""The checklist before opening: what is missing is named, with a link to its place, and keeps nothing from opening."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from surveys.accounts.teams import home_team
from surveys.lifecycle import selectors, services
from surveys.models import Survey
from surveys.opening.services import open_survey
from surveys.planning.checklist import checklist, missing_from
from surveys.planning.rehearsals import services as rehearsals
from tests.factories import payloads
from tests.factories.about import ABOUT, helped

pytestmark = pytest.mark.django_db

EVERY = ["introduction", "consent", "sender", "contact", "data_protection", "help_line", "simulation", "precision"]


def lacking(survey: Survey, expected: int = 100_000) -> list[str]:
    design, _ = selectors.design_to_open(survey)
    return [one.name for one in checklist(survey, design, expected) if not one.done]


def test_checklist_of_a_bare_draft_names_everything(alice: User) -> None:
    bare = payloads.definition(introduction={"en": ""}, consent={"en": ""})
    survey = services.write_survey(bare, team=home_team(alice))
    assert lacking(survey, expected=20) == EVERY
    assert lacking(survey) == EVERY[:-1]
    Survey.objects.filter(pk=survey.pk).update(purge_after=None)
    survey.refresh_from_db()
    assert lacking(survey)[-1] == "retention"


def test_checklist_of_a_written_draft_lacks_the_simulation_alone(alice: User) -> None:
    survey = services.write_survey(helped(), team=home_team(alice))
    assert lacking(survey) == ["simulation"]
    assert survey.purge_after == 365


@pytest.mark.django_db(transaction=True)
def test_simulation_counts_while_the_questions_stay(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsals, "wake", lambda rehearsal_id: None)
    survey = services.write_survey(helped(), team=home_team(alice))
    asked = rehearsals.request_rehearsal(survey, {"respondents": 60, "shares": {}}, repetitions=1, seed=1)
    assert lacking(survey) == ["simulation"], "it waits"
    rehearsals.execute(asked.pk)
    assert lacking(survey) == []
    services.write_survey(helped(consent={"en": "Another text."}), team=home_team(alice))
    assert lacking(Survey.objects.get()) == []
    changed = helped()
    changed["items"][0]["channel"]["truth"] = "1/3"
    services.write_survey(changed, team=home_team(alice))
    assert lacking(Survey.objects.get()) == ["simulation"]


def test_opening_page_links_what_is_missing_and_still_opens(alice: User) -> None:
    survey = services.write_survey(payloads.definition(), team=home_team(alice))
    client = Client()
    client.force_login(alice)
    page = client.get("/panel/survey/campus/open/").content.decode()
    checks = dict(re.findall(r'data-check="(\w+)" data-done="(yes|no)"', page))
    assert list(checks) == [*EVERY, "retention"]
    assert (checks["introduction"], checks["contact"]) == ("yes", "no")
    assert 'aria-label="Contact: complete"' in page
    assert open_survey(survey).number == 1
    assert "data-check" not in client.get("/panel/survey/campus/open/").content.decode()


def test_missing_texts_are_told_to_programs(alice: User) -> None:
    survey = services.write_survey(payloads.definition(about={"contact": ABOUT["contact"]}), team=home_team(alice))
    design, _ = selectors.design_to_open(survey)
    told = missing_from(checklist(survey, design, 100_000))
    assert told[0] == "Sender: Nobody has written yet who asks, or for which institution."
    assert not any(one.startswith("Contact") for one in told)
