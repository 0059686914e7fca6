"""The panel's times are shown and typed in the zone of the researcher's browser."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from surveys.lifecycle.selectors import moment
from surveys.models import Appointment, Survey
from tests.panel.pages import digest_shown, html_of, press

pytestmark = pytest.mark.django_db
JULY = datetime(2099, 7, 1, 10, 0, tzinfo=UTC)


def test_opening_time_is_typed_and_shown_in_browser_zone(survey: Survey, her: Client) -> None:
    her.cookies["candor_zone"] = "Europe/Berlin"
    page = html_of(her, "opening", "campus")
    assert "Scheduled for (Europe/Berlin)" in page
    press(her, "opening", "campus", digest=digest_shown(her), opens="later", opens_at="2099-07-01T12:00")
    assert Appointment.objects.get(move="open").due_at == JULY
    assert "1 July 2099, 12:00 CEST" in html_of(her, "opening", "campus")
    assert "1 Jul 2099, 12:00 CEST" in her.get(reverse("admin:surveys_survey_changelist")).content.decode()


@pytest.mark.parametrize("zone", [None, "", "Mars/Olympus", "../../etc/passwd", "x" * 3000])
def test_unknown_zone_is_utc(survey: Survey, her: Client, zone: str | None) -> None:
    if zone is not None:
        her.cookies["candor_zone"] = zone
    assert "Scheduled for (UTC)" in html_of(her, "opening", "campus")


def test_zone_ends_with_the_request(survey: Survey, her: Client) -> None:
    her.cookies["candor_zone"] = "America/Lima"
    html_of(her, "opening", "campus")
    assert moment(JULY) == "1 July 2099, 10:00 UTC"
