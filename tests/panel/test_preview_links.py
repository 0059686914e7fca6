"""Secret links to the preview of a draft: who has one sees the draft, sends nothing, and is told nothing else."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from collector.errors import Conflict, InputError
from surveys.accounts.teams import home_team
from surveys.lifecycle import preview_links, services
from surveys.models import AuditEntry, PreviewLink, Survey
from surveys.opening.services import open_survey
from tests.factories import payloads

pytestmark = pytest.mark.django_db

TWO = {"languages": ["en", "de"]}


@pytest.fixture
def draft(alice: User) -> Survey:
    return services.write_survey(payloads.definition(), team=home_team(alice))


@pytest.fixture
def alices(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def look(secret: str, language: str = "") -> Any:
    return Client().get(f"/preview/{secret}/" + (f"{language}/" if language else ""))


def test_link_shows_the_draft_without_account_and_sends_nothing(draft: Survey) -> None:
    response = look(preview_links.make(draft, 14))
    page = response.content.decode()
    assert response.status_code == 200
    assert "Have you cheated?" in page
    assert "<strong>Preview.</strong>" in page
    assert 'data-part="send-button" disabled' in page
    assert 'data-survey=""' in page
    assert response["X-Robots-Tag"].startswith("noindex")
    assert "connect-src 'none'" in response["Content-Security-Policy"]
    assert "form-action 'none'" in response["Content-Security-Policy"]
    assert response["Cache-Control"] == "no-store"
    assert response["Referrer-Policy"] == "no-referrer"
    assert not response.cookies


def test_link_shows_an_unfinished_draft_in_each_language(draft: Survey) -> None:
    unfinished = payloads.definition(languages=["en", "de"], title={"en": "Campus", "de": "Uni"})
    for part in ("introduction", "consent"):
        unfinished[part]["de"] = ""
    services.write_survey(_in_two(unfinished), team=draft.team, unfinished=True)
    secret = preview_links.make(draft, 14)
    assert f'href="/preview/{secret}/de/"' in look(secret).content.decode()
    german = look(secret, "de").content.decode()
    assert '<html lang="de"' in german
    assert "<h1>Uni</h1>" in german
    assert look(secret, "fr").content == look(secret).content


def _in_two(definition: Any) -> Any:
    definition["strata"]["wording"]["de"] = ""
    for text in (group["label"] for group in definition["strata"]["groups"]):
        text["de"] = ""
    for item in definition["items"]:
        item["wording"]["de"] = ""
        for choice in item["choices"]:
            choice["de"] = ""
    return definition


def test_ended_links_look_like_unknown_ones(draft: Survey) -> None:
    unknown = look("x" * 32)
    assert unknown.status_code == 404
    expired = preview_links.make(draft, 1)
    PreviewLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    revoked = preview_links.make(draft, 1)
    preview_links.revoke(draft, str(PreviewLink.objects.get(digest=PreviewLink.objects.last().digest).pk))
    opened = preview_links.make(draft, 1)
    open_survey(draft)
    for secret in (expired, revoked, opened):
        assert look(secret).status_code == 404
        assert look(secret).content == unknown.content


def test_link_of_a_draft_does_not_lead_to_its_next_version(draft: Survey) -> None:
    secret = preview_links.make(draft, 1)
    open_survey(draft)
    services.close_survey(draft)
    services.revise_survey(draft)
    assert look(secret).status_code == 404
    assert look(preview_links.make(Survey.objects.get(), 1)).status_code == 200


def test_link_is_bounded_logged_and_kept_as_a_hash(draft: Survey, alice: User) -> None:
    for written in ("0", "91", "-1", "two", "", "1.5"):
        with pytest.raises(InputError):
            preview_links.days_of(written)
    secrets = [preview_links.make(draft, 14, by=alice) for _ in range(preview_links.MOST)]
    with pytest.raises(Conflict):
        preview_links.make(draft, 14, by=alice)
    preview_links.revoke(draft, str(PreviewLink.objects.first().pk), by=alice)
    preview_links.revoke(draft, "7000000000", by=alice)
    acts = list(AuditEntry.objects.filter(act__contains="preview link").values_list("act", "name"))
    assert acts == [("revoked a preview link", "alice"), *[("made a preview link", "alice")] * preview_links.MOST]
    assert not set(secrets) & set(PreviewLink.objects.values_list("digest", flat=True))
    open_survey(draft)
    with pytest.raises(Conflict):
        preview_links.make(Survey.objects.get(), 14)


def test_panel_shows_a_new_link_once_and_revokes_it(draft: Survey, alices: Client) -> None:
    made = alices.post("/panel/survey/campus/preview/links", {"days": "3"}).content.decode()
    secret = made.partition("/preview/")[2]
    assert "it is shown only once" in made
    again = alices.get("/panel/survey/campus/preview/").content.decode()
    assert "it is shown only once" not in again
    link = PreviewLink.objects.get()
    assert f'data-link="{link.pk}"' in again
    assert secret
    assert alices.post("/panel/survey/campus/preview/links", {"days": "300"}).status_code == 422
    alices.post("/panel/survey/campus/preview/links/revoke", {"link": link.pk})
    assert not PreviewLink.objects.exists()
