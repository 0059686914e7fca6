"""The page Webhooks: adding one, its secret shown once, and what became of its messages."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from estimator.base import jobs as leases
from surveys.models import Delivery, Survey, Webhook
from surveys.outreach.webhooks import services, signing
from tests.panel.pages import outcome

pytestmark = pytest.mark.django_db
ADDRESS = "/panel/survey/campus/webhooks/"


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, survey: Survey) -> None:
    monkeypatch.setattr(leases, "wake", lambda task, job_id: None)


def text(client: Client) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(ADDRESS).content.decode()))


def test_webhook_secret_is_shown_once(her: Client) -> None:
    said = {"url": " https://example.org/hook ", "event": ["closed", "reached"], "thresholds": "1000, 500"}
    page = her.post(ADDRESS, said).content.decode()
    hook = Webhook.objects.get()
    assert (hook.url, hook.events, hook.thresholds) == ("https://example.org/hook", ["closed", "reached"], [500, 1000])
    assert signing.secret_of(hook) in page
    assert "candor_" not in her.get(ADDRESS).content.decode()
    assert "500, 1,000" in text(her)
    again = her.post(reverse("panel:webhook-secret", args=["campus", hook.key])).content.decode()
    assert signing.secret_of(Webhook.objects.get()) in again
    assert signing.secret_of(hook) not in again


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"url": "https://10.0.0.1/", "event": "closed"}, "inside a private network"),
        ({"url": "https://example.org/"}, "Choose at least one of"),
        ({"url": "https://example.org/", "event": "reached", "thresholds": "150"}, "got 150."),
        ({"url": "https://example.org/", "event": "reached", "thresholds": "many"}, "got &#x27;many&#x27;."),
        ({"url": "https://example.org/", "event": "reached"}, "Enter 1 to 10 numbers of responses; got 0."),
    ],
)
def test_webhook_form_errors_stand_beside_fields(her: Client, said: dict[str, str], words: str) -> None:
    answer = her.post(ADDRESS, said)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert f'value="{said["url"]}"' in answer.content.decode()
    assert not Webhook.objects.exists()


def test_webhook_page_shows_delivery_state(her: Client, survey: Survey) -> None:
    hook, _ = services.add(survey, "https://example.org/", ["closed"], [])
    her.post(reverse("panel:webhook-test", args=["campus", hook.key]))
    assert "being sent" in text(her)
    again = reverse("panel:webhook-again", args=["campus", hook.key, Delivery.objects.get().key])
    assert outcome(her, "webhook-again", "campus", hook.key, Delivery.objects.get().key) == "error"
    Delivery.objects.update(attempts=2, status=500, fault="The receiver answered 500.")
    assert re.search(r"attempt 3 of 14 on .{1,30}\. The receiver answered 500\.", text(her))
    Delivery.objects.update(state="failed", attempts=14)
    page = her.get(ADDRESS).content.decode()
    assert ('data-state="failed"' in page, "The receiver answered 500." in page) == (True, True)
    her.post(again)
    assert Delivery.objects.get().state == "queued"
    Delivery.objects.update(state="done", status=204)
    assert "delivered: 204" in text(her)
    her.post(reverse("panel:webhook-delete", args=["campus", hook.key]))
    assert "None yet." in text(her)


def test_webhook_of_other_survey_answers_404(her: Client, survey: Survey) -> None:
    hook, _ = services.add(survey, "https://example.org/", ["closed"], [])
    other = Survey.objects.create(slug="other", team=survey.team, languages=["en"], title={"en": "Other"})
    assert her.post(reverse("panel:webhook-delete", args=[other.slug, hook.key])).status_code == 404
    assert Webhook.objects.count() == 1
