"""Mail to a list through a real mail server: everybody once, in an order of chance, and no code but in the mails."""

import random
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from scipy.stats import spearmanr

from collector.designs.selectors import get_design
from collector.errors import InputError
from collector.invitations import batches
from collector.invitations.codes import hash_of
from collector.models import Invitation
from collector.reports import selectors as reports
from surveys.lifecycle.services import close_survey
from surveys.models import AuditEntry, Mailing, Recipient, Survey
from surveys.outreach import addresses, mail_delivery, mailing
from surveys.outreach.mailing import Wording
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.tools.mailbox import FROM, Mailbox
from tests.tools.refusals import refuses

pytestmark = pytest.mark.django_db

INVITED = Wording("invitation", "You are invited", "Dear student,\n\nanswer here: {link}\n\nThank you.")
REMINDED = Wording("reminder", "A reminder", "Please use the invitation that you were sent.")
CODE = re.compile(r"&invitation=([0-9a-z]{28})\s")


def people(count: int) -> list[str]:
    return [f"person{number:04}@example.org" for number in range(count)]


def send(survey: Survey, listed: list[str], said: Wording = INVITED, *, by: User | None = None) -> Mailing:
    asked = mailing.request(survey, said, listed, by=by, chance=random.Random(7))
    mail_delivery.execute(asked.pk, random.Random(8))
    asked.refresh_from_db()
    return asked


def codes_of(box: Mailbox) -> list[str]:
    return [code for text in box.texts() for code in CODE.findall(text)]


def test_mailing_one_link_each_in_random_order(invited: Survey, box: Mailbox) -> None:
    """Spearman's rank correlation with the list's order stays within 4 standard errors; one order of 15,000 would not,
    and this one is seeded."""
    listed = people(200)
    asked = send(invited, listed)
    assert (asked.state, asked.fault, asked.recipients.count()) == ("done", "", 0)
    assert sorted(box.addresses) == listed
    order = [listed.index(address) for address in box.addresses]
    assert abs(spearmanr(order, range(200)).statistic) < 4 / 199**0.5
    codes = codes_of(box)
    assert len(set(codes)) == 200
    assert {bytes(one.hash) for one in Invitation.objects.all()} == {hash_of(code) for code in codes}
    design = get_design(asked.version.design_id)
    for code in codes:
        store_report(payloads.body(design, invitation=code), slug=design.slug)
    assert reports.received_count(design.digest) == 200
    with refuses(403):
        store_report(payloads.body(design, invitation=codes[0]), slug=design.slug)


def test_mail_has_site_sender_and_written_text(invited: Survey, box: Mailbox) -> None:
    send(invited, people(10), Wording("invitation", "Grüße", "Hier:\n{link}\n", group="y1"))
    address, mail = box.mails[0]
    assert (mail["From"], mail["To"], mail["Subject"]) == (FROM, address, "Grüße")
    digest = mailing.inviting_version(invited).design_id
    link = rf"http://127\.0\.0\.1:8000/s/campus/#{digest}&group=y1&invitation=[0-9a-z]{{28}}"
    assert re.fullmatch(rf"Hier:\s+{link}\s+", mail.get_content())
    assert [(one.stratum, one.kind, one.count) for one in batches.batches(digest)] == [("y1", "mail", 10)]


def test_reminder_goes_to_all_and_makes_no_code(invited: Survey, box: Mailbox) -> None:
    send(invited, people(3), REMINDED)
    assert sorted(box.addresses) == people(3)
    assert "invitation=" not in "".join(box.texts())
    assert batches.batches(mailing.inviting_version(invited).design_id) == []


def test_mailing_refused_addresses_can_be_retried(invited: Survey, box: Mailbox, alice: User) -> None:
    box.answers = {"person0003@example.org": "550 no such person", "person0005@example.org": "451 later"}
    asked = send(invited, people(12))
    stands = mailing.mailing_status(asked)
    assert (stands.sent, stands.waiting, stands.uncertain) == (10, 0, [])
    assert stands.refused == [("person0003@example.org", 550), ("person0005@example.org", 451)]
    box.answers = {}
    mailing.resume(asked, by=alice)
    mail_delivery.execute(asked.pk)
    assert sorted(box.addresses) == people(12)
    assert len(set(codes_of(box))) == 12
    # Two were left: their batch was filled up, for one of two would tell whose a report is.
    assert [one.count for one in batches.batches(asked.version.design_id)] == [12, 10]
    with pytest.raises(InputError, match="There is nobody left"):
        mailing.resume(asked, by=alice)


def test_mailing_worker_dies_sends_no_second_mail(
    invited: Survey, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies as the server has taken the seventh mail, before it could say so in the database."""

    class Killed(BaseException):
        """Nothing of the program runs after it, as after kill -9."""

    sent: list[object] = []
    original = mail_delivery.EmailBackend.send_messages

    def dying(server: Any, messages: Any) -> Any:
        sent.append(original(server, messages))
        if len(sent) == 7:
            raise Killed
        return sent[-1]

    monkeypatch.setattr(mail_delivery.EmailBackend, "send_messages", dying)
    asked = mailing.request(invited, INVITED, people(30), by=None)
    with pytest.raises(Killed):
        mail_delivery.execute(asked.pk, random.Random(8))
    assert [one.address for one in Recipient.objects.filter(state="sending")] == box.addresses[-1:]
    assert mailing.resume_waiting() == [], "it holds the lease for a while"
    Mailing.objects.update(lease_until=asked.requested_at)
    assert mailing.resume_waiting() == [asked.pk]
    mail_delivery.execute(asked.pk, random.Random(9))
    asked.refresh_from_db()
    assert asked.state == "done"
    assert sorted(box.addresses) == people(30), "everybody has one mail"
    assert len(set(codes_of(box))) == 30
    assert mailing.mailing_status(asked).uncertain == [box.addresses[6]]


def test_mailing_broken_connection_marks_one_uncertain(
    invited: Survey, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, sent = mail_delivery.EmailBackend.send_messages, []

    def breaking(server: Any, messages: Any) -> Any:
        sent.append(messages[0].to[0])
        if len(sent) == 4:
            raise ConnectionResetError("quoting person@example.org")
        return original(server, messages)

    monkeypatch.setattr(mail_delivery.EmailBackend, "send_messages", breaking)
    asked = send(invited, people(12))
    assert (asked.state, asked.fault) == ("done", "")
    assert mailing.mailing_status(asked).uncertain == sent[3:4]
    assert sorted(box.addresses) == sorted({*people(12)} - {*sent[3:4]})


def test_mailing_server_away_keeps_all_waiting(invited: Survey, box: Mailbox, settings: Any) -> None:
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 1
    asked = send(invited, people(10))
    assert (asked.state, asked.fault) == ("failed", "The mail server could not be reached (ConnectionRefusedError).")
    assert batches.batches(asked.version.design_id) == [], "no codes are made before there is a connection"
    settings.EMAIL_PORT = port
    mailing.resume(asked, by=None)
    mail_delivery.execute(asked.pk)
    assert sorted(box.addresses) == people(10)


def test_mailing_closed_or_deleted_sends_nothing(invited: Survey, box: Mailbox) -> None:
    asked = mailing.request(invited, INVITED, people(10), by=None)
    gone = mailing.request(invited, REMINDED, people(2), by=None)
    mailing.delete(gone, by=None)
    close_survey(invited)
    mail_delivery.execute(gone.pk)
    mail_delivery.execute(asked.pk)
    asked.refresh_from_db()
    assert asked.fault == "The survey is closed, so nothing more was sent."
    assert (box.mails, Recipient.objects.count()) == ([], 10)


@pytest.mark.parametrize(
    ("said", "count", "words"),
    [
        (Wording("invitation", "A", "no place"), 10, "must contain {link}, the placeholder for the link"),
        (Wording("reminder", "A", "{link}"), 10, "nobody knows which code belongs to whom"),
        (Wording("invitation", "A\nBcc: x@example.org", "{link}"), 10, "on one line"),
        (Wording("invitation", "{link}", "{link}"), 10, "must not be in the subject"),
        (Wording("invitation", "A", "{link}", group="y9"), 10, "group must be one of y1, y2; got 'y9'"),
        (Wording("invitation", "A", "{link}"), 9, "at least 10 addresses; the list has 9"),
        (Wording("invitation", "", "{link}"), 10, "1 to 200 characters"),
        (Wording("letter", "A", "{link}"), 10, "kind must be invitation or reminder"),
    ],
)
def test_mailing_impossible_request_is_refused(
    invited: Survey, box: Mailbox, said: Wording, count: int, words: str
) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        mailing.request(invited, said, people(count), by=None)
    assert not Mailing.objects.exists()


def test_mailing_without_mail_server_is_refused(invited: Survey) -> None:
    with pytest.raises(InputError, match="which would keep each address beside its code"):
        mailing.request(invited, INVITED, people(10), by=None)


def test_mailing_survey_without_invitations_is_refused(version: Any, box: Mailbox) -> None:
    with pytest.raises(InputError, match="is not by invitation"):
        mailing.request(version.survey, INVITED, people(10), by=None)


def test_address_list_names_duplicates_and_errors() -> None:
    listed = addresses.read("a@example.org, B@example.org;\n\tc@example.org b@EXAMPLE.org\n")
    assert listed == addresses.AddressList(["a@example.org", "B@example.org", "c@example.org"], ["B@example.org"])
    with pytest.raises(InputError, match=r"'nobody', 'x@@example.org'"):
        addresses.read("nobody a@example.org x@@example.org")
    with pytest.raises(InputError, match="1 to 20,000 addresses; this one has 0"):
        addresses.read(" \n")


def test_mailing_audit_log_has_only_counts(invited: Survey, box: Mailbox, alice: User) -> None:
    asked = send(invited, people(10), by=alice)
    mailing.delete(asked, by=alice)
    told = [(one.act, one.detail) for one in AuditEntry.objects.filter(name="alice").order_by("pk")]
    assert told[-3:] == [
        ("sent a mailing", "invitations: 10 addresses"),
        ("created invitations", "batch 1: 10, mail"),
        ("deleted a mailing", "of 10 addresses"),
    ]
    assert not Recipient.objects.exists()


def test_mailing_is_purged_two_weeks_after_end(invited: Survey, box: Mailbox) -> None:
    box.answers = {"person0003@example.org": "550 no such person"}
    asked, waiting = send(invited, people(10)), mailing.request(invited, REMINDED, people(2), by=None)
    mailing.delete_old()
    assert Recipient.objects.filter(mailing=asked).count() == 1
    Mailing.objects.filter(pk=asked.pk).update(finished_at=timezone.now() - mailing.KEPT)
    mailing.delete_old()
    assert list(Mailing.objects.all()) == [waiting]
    assert Recipient.objects.count() == 2
