"""The header of a survey's pages: one primary action by state and role, and the step of seven."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from estimator.models import Run
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import Membership, Survey, Version
from tests.factories import payloads
from tests.panel.access import EDITOR, VIEWER
from tests.panel.conftest import SignIn
from tests.panel.pages import html_of
from tests.tools.html import words

pytestmark = pytest.mark.django_db


def action_of(html: str) -> tuple[str, str] | None:
    """Address and label of the button in the header."""
    header = html[html.index('<header class="candor-head">') : html.index("</header>", html.index("candor-head"))]
    found = re.findall(r'<a class="candor-button" href="([^"]+)">([^<]+)</a>', header)
    assert len(found) <= 1
    return found[0] if found else None


def step_of(html: str) -> str:
    summary = re.search(r"<summary>\s*(Step.+?)</summary>", html, re.DOTALL)
    assert summary is not None
    return words(summary[1])


def page(name: str, slug: str = "campus") -> str:
    return reverse(f"panel:{name}", args=[slug])


def test_header_of_a_ready_draft_leads_to_opening(survey: Survey, her: Client) -> None:
    html = html_of(her, "survey", "campus")
    assert (action_of(html), step_of(html)) == ((page("opening"), "Review and open …"), "Step 4 of 7: Open")
    assert action_of(html_of(her, "survey-plan", "campus")) == (page("opening"), "Review and open …")
    assert action_of(html_of(her, "opening", "campus")) is None


def test_header_of_an_incomplete_draft_leads_to_the_editor(survey: Survey, her: Client) -> None:
    write_survey(payloads.definition(slug="short", items=[]), team=survey.team, unfinished=True)
    html = html_of(her, "survey", "short")
    assert (action_of(html), step_of(html)) == ((page("edit", "short"), "Edit the draft"), "Step 1 of 7: Write")


def test_header_of_an_open_survey_leads_to_its_link(version: Version, her: Client) -> None:
    html = html_of(her, "survey", "campus")
    assert (action_of(html), step_of(html)) == ((page("share"), "Share"), "Step 5 of 7: Watch")
    shared = html_of(her, "share", "campus")
    assert (action_of(shared), step_of(shared)) == (None, "Step 4 of 7: Open")


def test_header_of_a_closed_survey_leads_to_its_report(run: Run, survey: Survey, her: Client) -> None:
    close_survey(survey)
    html = html_of(her, "survey", "campus")
    assert (action_of(html), step_of(html)) == (
        (reverse("panel:report", args=[run.key]), "Read the report"), "Step 7 of 7: Report",
    )  # fmt: skip


@pytest.mark.parametrize(("role", "label"), [(VIEWER, "Preview"), (EDITOR, "Review and open …")])
def test_header_offers_what_the_role_may_do(survey: Survey, bob: User, sign_in: SignIn, role: int, label: str) -> None:
    Membership.objects.create(team=survey.team, user=bob, role=role)
    found = action_of(html_of(sign_in(bob), "survey", "campus"))
    assert found is not None
    assert found[1] == label


def test_every_page_of_a_survey_has_one_bar_of_steps(version: Version, her: Client) -> None:
    for name in ("survey", "survey-plan", "rehearse", "opening", "share", "survey-watch", "survey-analyse", "waves",
                 "export", "invitations", "mail", "people", "webhooks", "disclose"):  # fmt: skip
        html = html_of(her, name, "campus")
        assert html.count('<nav class="candor-way"') == 1, name
        assert len(re.findall(r'<li class="candor-step-(?:done|now|later)">', html)) == 7, name
