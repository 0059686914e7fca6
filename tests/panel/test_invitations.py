"""The pages that invite people: files that come once, batches that are withdrawn, mails that are looked at and sent."""

import csv
import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from collector.invitations import batches as inviting
from collector.invitations.codes import hash_of, is_code
from collector.models import Invitation
from surveys.accounts.teams import home_team
from surveys.lifecycle.selectors import latest_version
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import AuditEntry, Mailing, Recipient, Survey
from surveys.opening.services import open_survey
from surveys.outreach import mail_delivery, mailing
from tests.factories import payloads
from tests.panel.pages import outcome
from tests.tools.mailbox import Mailbox

pytestmark = pytest.mark.django_db


def address(name: str, *more: Any) -> str:
    return reverse(f"panel:{name}", args=["campus", *more])


def batches(survey: Survey) -> list[inviting.BatchSummary]:
    version = latest_version(survey)
    assert version is not None
    return inviting.batches(version.design_id)


def test_invitation_file_is_given_once(invited: Survey, her: Client) -> None:
    response = her.post(address("invitations-make"), {"count": "25", "group": "y2", "form": "csv"})
    assert response.status_code == 200
    assert response["Content-Disposition"] == 'attachment; filename="campus-invitations-1.csv"'
    assert "no-store" in response["Cache-Control"]
    rows = list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))
    codes = [row["code"].replace(" ", "") for row in rows]
    assert all(is_code(code) for code in codes)
    assert {hash_of(code) for code in codes} == {bytes(one.hash) for one in Invitation.objects.all()}
    (batch,) = batches(invited)
    digest = rows[0]["link"].partition("#")[2][:64]
    link = f"http://127.0.0.1:8000/s/campus/#{digest}&group=y2&invitation="
    assert [row["link"] for row in rows] == [link + code for code in codes]
    assert {row["group"] for row in rows} == {"y2"}
    assert (batch.stratum, batch.kind, batch.count) == ("y2", "csv", 25)
    page = her.get(address("invitations")).content.decode()
    assert not any(code in page or hash_of(code).hex() in page for code in codes)
    assert AuditEntry.objects.latest("pk").detail == "batch 1: 25 for group y2, csv"


def test_invitation_cards_pdf_has_ten_a_page(invited: Survey, her: Client) -> None:
    response = her.post(address("invitations-make"), {"count": "21", "form": "cards"})
    assert response["Content-Type"] == "application/pdf"
    assert re.search(rb"/Count 3\b", response.content)
    assert [one.kind for one in batches(invited)] == ["cards"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"count": "9"}, "count must be from 10 to 100,000 at a time; got 9."),
        ({"count": "100001"}, "got 100,001."),
        ({"count": "many"}, "count must be a whole number; got &#x27;many&#x27;."),
        ({"form": "cards", "count": "5001"}, "from 10 to 5,000 at a time; got 5,001."),
        ({"form": "letters"}, "form must be csv or cards"),
        ({"group": "y3"}, "group must be one of y1, y2"),
    ],
)
def test_invitations_invalid_request_answers_422(
    invited: Survey, her: Client, said: dict[str, str], words: str
) -> None:
    response = her.post(address("invitations-make"), {"count": "10", "form": "csv"} | said)
    assert response.status_code == 422
    assert words in response.content.decode()
    assert batches(invited) == []


def test_invitation_batch_revoked_hides_remaining_count(invited: Survey, her: Client) -> None:
    her.post(address("invitations-make"), {"count": "10", "form": "csv"})
    assert outcome(her, "invitations-withdraw", "campus", 1) == "success"
    assert address("invitations-withdraw", 1) not in her.get(address("invitations")).content.decode()
    assert not Invitation.objects.exists()
    assert AuditEntry.objects.latest("pk").detail == "batch 1"
    assert outcome(her, "invitations-withdraw", "campus", 7) == "error"


def test_invitations_closed_or_open_link_survey_has_none(invited: Survey, her: Client, alice: User) -> None:
    close_survey(invited)
    invited.refresh_from_db()
    assert "data-ended" in her.get(address("invitations")).content.decode()
    response = her.post(address("invitations-make"), {"count": "10", "form": "csv"})
    assert (response.status_code, "campus is closed" in response.content.decode()) == (422, True)
    open_survey(write_survey(payloads.definition(slug="everybody"), team=home_team(alice)))
    page = her.get(reverse("panel:invitations", args=["everybody"])).content.decode()
    assert "data-uncoded" in page


def mail_of(**changes: Any) -> dict[str, Any]:
    listed = "\n".join(f"p{number}@example.org" for number in range(12))
    said = {"kind": "invitation", "addresses": listed, "subject": "Hello", "text": "Here: {link}", "group": ""}
    return said | changes


def test_mail_is_previewed_changed_and_sent(invited: Survey, her: Client, box: Mailbox) -> None:
    assert "{link}" in her.get(address("mail")).content.decode()
    file = SimpleUploadedFile("list.txt", b"\xef\xbb\xbfP3@example.org, last@example.org\n")
    preview = her.post(address("mail"), mail_of(file=file)).content.decode()
    assert "13 addresses" in preview
    assert "1 address occurs more than once and gets one e-mail: p3@example.org" in preview
    assert f"&amp;invitation={'0' * 28}" in preview
    assert not Mailing.objects.exists()
    assert not Recipient.objects.exists()
    again = her.post(address("mail"), mail_of(step="change"))
    assert "p11@example.org</textarea>" in again.content.decode()
    sent = her.post(address("mail"), mail_of(step="send"))
    asked = Mailing.objects.get()
    assert sent["Location"] == address("mailing", asked.key)
    waiting = her.get(sent["Location"]).content.decode()
    assert ("data-mailing data-waits" in waiting, "0 of 12" in waiting) == (True, True)
    mail_delivery.execute(asked.pk)
    after = her.get(sent["Location"]).content.decode()
    assert ("data-waits" in after, "12 of 12" in after) == (False, True)
    assert "Invitations to 12" in her.get(address("invitations")).content.decode()
    assert len(box.mails) == 12


def test_mail_refused_address_is_named_and_retried(invited: Survey, her: Client, box: Mailbox) -> None:
    box.answers = {"p4@example.org": "550 never heard of"}
    her.post(address("mail"), mail_of(step="send"))
    asked = Mailing.objects.get()
    mail_delivery.execute(asked.pk)
    page = her.get(address("mailing", asked.key)).content.decode()
    assert "p4@example.org" in page
    assert f'action="{address("mailing-rest", asked.key)}"' in page
    assert "never heard of" not in page
    box.answers = {}
    her.post(address("mailing-rest", asked.key))
    mail_delivery.execute(asked.pk)
    assert box.addresses[-1] == "p4@example.org"
    her.post(address("mailing-delete", asked.key))
    assert not Mailing.objects.exists()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"text": "no place"}, "must contain {link}, the placeholder for the link"),
        ({"addresses": "nobody"}, "Each must be an address such as name@example.org"),
        ({"kind": "reminder"}, "A reminder has no link of its own"),
    ],
)
def test_mail_invalid_keeps_what_was_written(
    invited: Survey, her: Client, box: Mailbox, said: dict[str, str], words: str
) -> None:
    response = her.post(address("mail"), mail_of(step="send", **said))
    assert response.status_code == 422
    page = response.content.decode()
    assert words in page
    assert 'value="Hello"' in page
    assert not Mailing.objects.exists()


def test_mail_without_mail_server_says_why(invited: Survey, her: Client, settings: Any) -> None:
    assert settings.EMAIL_HOST == ""
    page = her.get(address("mail")).content.decode()
    assert str(mailing.NO_SERVER) in page
    assert "<textarea" not in page


def test_mail_of_other_survey_answers_404(invited: Survey, bob: User, sign_in: Callable[[User], Client]) -> None:
    open_survey(write_survey(payloads.definition(slug="bobs", invitations="secret"), team=home_team(bob)))
    theirs = Mailing.objects.create(version=latest_version(invited), kind="reminder", subject="A", text="B", total=1)
    response = sign_in(bob).get(reverse("panel:mailing", args=["bobs", theirs.key]))
    assert response.status_code == 404
