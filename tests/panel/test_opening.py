"""The page of opening: what it shows, what it confirms, the terms; and the schedule afterwards."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.accounts.teams import home_team
from surveys.lifecycle import selectors, services
from surveys.models import Appointment, AuditEntry, Survey, Version
from surveys.opening import schedules
from surveys.opening.schedules import OpeningPlan
from tests.factories import background, payloads, translations
from tests.panel.pages import digest_shown, html_of, marks, outcome, press
from tests.tools.html import words

pytestmark = pytest.mark.django_db


def opening_page(client: Client, slug: str = "campus") -> str:
    response = client.get(reverse("panel:opening", args=[slug]))
    assert response.status_code == 200
    return words(response.content.decode())


def ahead(hours: int) -> str:
    """As a browser writes it into the form."""
    return f"{timezone.now() + timedelta(hours=hours):%Y-%m-%dT%H:%M}"


def test_opening_page_shows_design_to_confirm(survey: Survey, her: Client) -> None:
    answer = her.get(reverse("panel:opening", args=["campus"]))
    html, shown = answer.content.decode(), answer.context["shown"]
    said, design_digest = words(html), selectors.design_to_open(survey)[0].digest
    for text in (design_digest, shown.epsilon_text, shown.odds_text, "1. Have you cheated?", "First year"):
        assert text in said
    assert 'id="field-fixed"' in html
    assert digest_shown(her) == design_digest
    press(her, "opening", "campus", digest=design_digest, opens="now")
    assert survey.versions.get().design_id == design_digest


def test_opening_page_shows_versions_of_the_page_and_what_each_asks(alice: User, her: Client) -> None:
    services.write_survey(background.weaker(), team=home_team(alice))
    said = opening_page(her)
    for text in (
        "Versions of the page Half of the tickets (50 %), A quarter of the tickets (50 %)",
        "2. Have you cheated? A quarter of the tickets · epsilon 1.95",
        "Consent statement of version 2 I know that fewer tickets decide in my version.",
        "Name of version 2 A quarter of the tickets",
        "Of each response also what is sent openly.",
    ):
        assert text in said.replace("\xa0", " "), said
    assert "Introduction of version" not in said, "an empty text is none"


def test_opening_page_shows_every_language(alice: User, her: Client) -> None:
    services.write_survey(translations.definition("en", "de", "ar"), team=home_team(alice))
    said = opening_page(her)
    for text in ("Haben Sie getäuscht?", "هل سبق أن غششتم في امتحان؟", "Erstes Jahr", "Deutsch"):
        assert text in said


def test_opening_double_press_answers_like_one(survey: Survey, her: Client) -> None:
    form = {"digest": digest_shown(her), "opens": "now"}
    for _ in range(2):
        assert outcome(her, "opening", "campus", **form) == "success"
    assert survey.versions.count() == 1
    assert outcome(her, "opening", "campus", digest="0" * 64, opens="now") == "error"
    services.close_survey(survey)
    assert outcome(her, "opening", "campus", **form) == "error"


def test_opening_changed_draft_is_refused(survey: Survey, her: Client) -> None:
    digest = digest_shown(her)
    survey.items.filter(key="mood").update(truth="1/5")
    assert outcome(her, "opening", "campus", digest=digest, opens="now") == "error"
    survey.refresh_from_db()
    assert (survey.state, survey.versions.count()) == ("draft", 0)
    assert digest_shown(her) != digest


@pytest.mark.parametrize("digest", ["", "abc", "Ω" * 64])
def test_opening_without_digest_answers_422(survey: Survey, her: Client, digest: str) -> None:
    answer = her.post(reverse("panel:opening", args=["campus"]), {"digest": digest, "opens": "now"})
    assert (answer.status_code, list(answer.context["form"].errors)) == (422, ["digest"])
    assert not survey.versions.exists()


def test_opening_scheduled_and_cancelled(survey: Survey, her: Client) -> None:
    terms = {"opens": "later", "opens_at": ahead(5), "closes_at": ahead(50), "cap": "500"}
    assert "500 responses" in press(her, "opening", "campus", digest=digest_shown(her), **terms)
    assert 'id="agreed"' in html_of(her, "opening", "campus")
    assert sorted(marks(html_of(her, "opening", "campus"), "due")) == ["close", "close", "open"]
    assert marks(html_of(her, "survey", "campus"), "due") == ["open"]
    survey.items.filter(key="mood").update(truth="1/5")
    assert [len(marks(html_of(her, page, "campus"), "trouble")) for page in ("opening", "survey")] == [1, 1]
    assert outcome(her, "call-off", "campus") == "success"
    after = html_of(her, "opening", "campus")
    assert (marks(after, "trouble"), "off" in marks(after, "state")) == ([], True)


@pytest.mark.parametrize(
    ("terms", "fault"),
    [
        ({"opens": "later"}, "Enter when the survey opens."),
        ({"opens": "later", "opens_at": "soon"}, "Enter a valid date/time."),
        ({"opens": "later", "opens_at": "2020-01-01T10:00"}, "must be in the future"),
        ({"opens": "now", "closes_at": "2020-01-01T10:00"}, "must close after it opens"),
        ({"opens": "now", "cap": "3"}, "10 to 100,000,000 responses; got 3."),
    ],
)
def test_opening_impossible_terms_stand_beside_field(
    survey: Survey, her: Client, terms: dict[str, str], fault: str
) -> None:
    answer = her.post(reverse("panel:opening", args=["campus"]), {"digest": digest_shown(her), **terms})
    assert (answer.status_code, fault in words(answer.content.decode())) == (422, True)
    assert not survey.versions.exists()
    assert not survey.appointments.exists()


def test_opening_page_shows_failed_scheduled_opening(survey: Survey, her: Client) -> None:
    schedules.open_on(
        survey,
        OpeningPlan(opens_at=timezone.now() + timedelta(hours=1)),
        confirmed=selectors.design_to_open(survey)[0].digest,
    )
    survey.items.filter(key="mood").update(truth="1/5")
    Appointment.objects.update(due_at=timezone.now())
    schedules.run_due()
    html = html_of(her, "opening", "campus")
    assert ([len(marks(html, "trouble"))], marks(html, "state")) == ([1], ["failed"])
    assert len(marks(html_of(her, "survey", "campus"), "trouble")) == 1
    press(her, "opening", "campus", digest=digest_shown(her), opens="now")
    services.close_survey(Survey.objects.get())
    services.revise_survey(Survey.objects.get())
    assert marks(html_of(her, "survey", "campus"), "trouble") == [], "that was another version"


def test_closing_date_can_only_be_extended(survey: Survey, her: Client) -> None:
    press(her, "opening", "campus", digest=digest_shown(her), opens="now", closes_at=ahead(5))
    assert "Closes automatically on" in opening_page(her)
    for closes_at, level in ((ahead(2), "error"), (ahead(9), "success"), ("soon", "error")):
        before = Appointment.objects.get().due_at
        assert outcome(her, "extend", "campus", closes_at=closes_at) == level
        assert (Appointment.objects.get().due_at > before) == (level == "success")


def test_lifecycle_acts_are_in_audit_log_with_name(survey: Survey, her: Client) -> None:
    press(her, "opening", "campus", digest=digest_shown(her), opens="later", opens_at=ahead(5))
    press(her, "call-off", "campus")
    press(her, "opening", "campus", digest=digest_shown(her), opens="now", closes_at=ahead(5))
    press(her, "extend", "campus", closes_at=ahead(9))
    press(her, "embed", "campus", origins="https://www.example.org")
    press(her, "show-results", "campus", shown="yes")
    Appointment.objects.filter(state=Appointment.State.WAITING).update(due_at=timezone.now())
    schedules.run_due()
    press(her, "finish-closing", "campus")
    Survey.objects.get().versions.get().design.runs.update(state="failed")
    press(her, "archive", "campus")
    written = list(AuditEntry.objects.order_by("pk").values_list("name", "act"))
    assert written[-10:] == [
        ("alice", "scheduled to open"),
        ("alice", "cancelled the opening"),
        ("alice", "scheduled to close"),
        ("alice", "opened"),
        ("alice", "extended the closing date"),
        ("alice", "changed embedding"),
        ("alice", "enabled the results page"),
        ("", "closed"),
        ("alice", "made the closing final"),
        ("alice", "archived"),
    ]


def test_closed_survey_is_archived_and_restored(version: Version, her: Client) -> None:
    services.close_survey(version.survey)
    archiving = f'action="{reverse("panel:archive", args=["campus"])}"'
    assert archiving not in html_of(her, "opening", "campus")
    assert outcome(her, "archive", "campus") == "error"
    version.design.runs.update(state="failed")
    assert archiving in html_of(her, "opening", "campus")
    assert outcome(her, "archive", "campus") == "success"
    changelist = reverse("admin:surveys_survey_changelist")
    assert "Campus" not in words(her.get(changelist).content.decode())
    assert "Campus" in words(her.get(changelist, {"archived": "yes"}).content.decode())
    assert outcome(her, "restore", "campus") == "success"
    assert "Campus" in words(her.get(changelist).content.decode())


def test_opening_rehearsal_has_no_terms(alice: User, her: Client) -> None:
    services.write_survey(payloads.definition(rehearsal=True), team=home_team(alice))
    html = her.get(reverse("panel:opening", args=["campus"])).content.decode()
    assert 'name="cap"' not in html
    assert "Version 1 is open." in press(her, "opening", "campus", digest=digest_shown(her), opens="now")
