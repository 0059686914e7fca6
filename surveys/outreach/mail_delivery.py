"""The worker that sends mailings: codes exist only in its memory and in the mails.

It makes the hashes of all that is to be sent first, in one batch, and pairs codes with addresses by chance; then it
sends, one address after the other in an order of chance. An address is marked before its mail goes out and deleted
after, so a worker that dies leaves one of whom nobody knows whether she has got it: she is sent no other, and named to
whoever asked.
"""

import random
import smtplib
from dataclasses import dataclass

from django.core import mail
from django.core.mail.backends.smtp import EmailBackend
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from collector.errors import InputError
from estimator.base import jobs
from estimator.base.lease import LeaseRenewal
from surveys.accounts.audit_log import record_event
from surveys.errors import DeliveryError
from surveys.models import Mailing, Recipient
from surveys.outreach import invitations
from surveys.outreach.mailing import PLACE, Kind, State

MOST_BREAKS = 3
"""Maximum consecutive connections lost in the middle of a mail before the rest is postponed."""

Waits, Sending = Recipient.State.WAITING, Recipient.State.SENDING
Refused, Uncertain = Recipient.State.REFUSED, Recipient.State.UNCERTAIN


@dataclass
class MailSession:
    """A mail that is being sent by this worker."""

    mailing: Mailing
    lease: str
    server: EmailBackend
    breaks: int = 0

    def send(self, recipient: int, link: str) -> None:
        """Send to one address and forget it, or keep it with why it has not got it. Raises DeliveryError, LeaseLost."""
        address = self._claim(recipient)
        try:
            if self.server.connection is None or self.server.connection.sock is None:
                self.server.close()
                self.server.open()
        except (smtplib.SMTPException, OSError) as error:
            self._keep(recipient, Waits)
            raise _unreachable(error) from None
        body = self.mailing.text.replace(PLACE, link)
        try:
            self.server.send_messages([mail.EmailMessage(self.mailing.subject, body, to=[address])])
        except (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError) as error:
            self._keep(recipient, Refused, _status_of(error))
        except (smtplib.SMTPResponseException, smtplib.SMTPNotSupportedError) as error:
            self._keep(recipient, Waits)
            raise DeliveryError(
                gettext("The mail server rejected mail from this site (it answered {error}).").format(
                    error=_status_of(error)
                )
            ) from None
        except (smtplib.SMTPException, OSError) as error:
            self._keep(recipient, Uncertain)
            self._break(error)
        else:
            self.breaks = 0
            Recipient.objects.filter(pk=recipient).delete()

    def _claim(self, recipient: int) -> str:
        """Mark an address as being sent, under this worker's lease; returns the address."""
        with transaction.atomic():
            jobs.renew(Mailing, self.mailing.pk, self.lease)
            row = Recipient.objects.get(pk=recipient, state=Waits)
            self._keep(recipient, Sending)
        return row.address

    def _keep(self, recipient: int, state: str, status: int | None = None) -> None:
        Recipient.objects.filter(pk=recipient).update(state=state, status=status)

    def _break(self, error: Exception) -> None:
        """Count a lost connection; the next address tries a new one."""
        self.breaks += 1
        self.server.connection = None
        if self.breaks == MOST_BREAKS:
            raise _unreachable(error) from None


def execute(mailing_id: int, chance: random.Random | None = None) -> None:
    """Send a mailing, unless another worker does or it is done. `chance`: its order, by default the system's."""
    drawn = chance or random.SystemRandom()
    jobs.perform(Mailing, mailing_id, lambda pk, lease: _send_all(pk, lease, drawn))


def _send_all(mailing_id: int, lease: str, chance: random.Random) -> None:
    mailing = Mailing.objects.select_related("version__survey", "asked_by").get(pk=mailing_id)
    _leave_uncertain(mailing, lease)
    server = EmailBackend(fail_silently=False)
    try:
        with LeaseRenewal(Mailing, mailing_id, lease) as heart:
            _deliver(MailSession(mailing, lease, server), heart, chance)
    except DeliveryError as why:
        _end(mailing, lease, State.FAILED, str(why))
    else:
        _end(mailing, lease, State.DONE, "")
    finally:
        server.close()


def _deliver(post: MailSession, heart: LeaseRenewal, chance: random.Random) -> None:
    waiting = list(post.mailing.recipients.filter(state=Waits).order_by("pk").values_list("pk", flat=True))
    if not waiting:
        return
    chance.shuffle(waiting)
    _require_open(post.mailing)
    try:
        post.server.open()
    except (smtplib.SMTPException, OSError) as error:
        raise _unreachable(error) from None
    links = _links(post, len(waiting))
    for number, (recipient, link) in enumerate(zip(waiting, links, strict=True)):
        heart.watch(number / len(waiting))
        post.send(recipient, link)


def _links(post: MailSession, count: int) -> list[str]:
    """A link for each address, whose hashes are on disk before the first is sent; empty for a reminder.

    Where few are left, the batch is filled up with codes that nobody gets: one of a few would be a name tag.
    """
    mailing = post.mailing
    if mailing.kind == Kind.REMINDER:
        return [""] * count
    codes = invitations.new_codes(max(count, invitations.FEWEST))
    with transaction.atomic():
        jobs.renew(Mailing, mailing.pk, post.lease)
        batch = invitations.add(mailing.version, codes, group=mailing.group, kind="mail")
        where = gettext(" for group {group}").format(group=mailing.group) if mailing.group else ""
        detail = f"batch {batch}: {len(codes)}{where}, mail"
        record_event(mailing.asked_by, "created invitations", survey=mailing.version.survey, detail=detail)
    start = invitations.link_without_code(mailing.version, mailing.group)
    return [start + code for code in codes[:count]]


def _leave_uncertain(mailing: Mailing, lease: str) -> None:
    """Mark as uncertain the addresses that a lost worker was sending to."""
    with transaction.atomic():
        jobs.renew(Mailing, mailing.pk, lease)
        mailing.recipients.filter(state=Sending).update(state=Uncertain)


def _require_open(mailing: Mailing) -> None:
    try:
        if invitations.inviting_version(mailing.version.survey) == mailing.version:
            return
    except InputError:
        pass
    raise DeliveryError(gettext("The survey is closed, so nothing more was sent."))


def _end(mailing: Mailing, lease: str, state: str, fault: str) -> None:
    ended = {"state": state, "progress": 100, "finished_at": timezone.now(), "fault": fault}
    jobs.acquire_lease(Mailing, mailing.pk, lease, **ended)


def _unreachable(error: Exception) -> DeliveryError:
    """Stopped with only the type of the error, whose text may quote an address."""
    return DeliveryError(gettext("The mail server could not be reached ({name}).").format(name=type(error).__name__))


def _status_of(error: Exception) -> int | None:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return next((int(code) for code, _words in error.recipients.values()), None)
    return int(error.smtp_code) if isinstance(error, smtplib.SMTPResponseException) else None
