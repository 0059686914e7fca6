"""Mailings to a list: validation, requests, progress, resending and deletion."""

import random
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from collector.designs.texts import refused_character
from collector.errors import InputError
from estimator.base import jobs
from estimator.base.languages import filled
from surveys.accounts.audit_log import record_event
from surveys.models import Mailing, Recipient, Survey
from surveys.outreach.invitations import FEWEST, inviting_version, link_without_code, require_group

PLACE = "{link}"
"""Placeholder for the individual link in a mail's text."""
LONGEST_SUBJECT, LONGEST_TEXT = 200, 10_000
KEPT = timedelta(days=14)
"""Retention of a mailing after its end, with the addresses that did not get it."""

Kind, State = Mailing.Kind, Mailing.State
ENDED = State.DONE, State.FAILED
EXAMPLE = "0" * 28

NO_SERVER = gettext_lazy(
    "No mail server is set up, so Candor cannot send mail: the operator of this "
    "installation sets EMAIL_HOST and EMAIL_FROM. Mails are never written to a folder "
    "instead, which would keep each address beside its code. Download the codes as a CSV "
    "file for your own mail program."
)


@dataclass(frozen=True)
class Wording:
    """A mail as its author writes it."""

    kind: str
    subject: str
    text: str
    group: str = ""


def server_is_set() -> bool:
    """True if a mail server and a sender are configured."""
    return bool(settings.EMAIL_HOST and settings.DEFAULT_FROM_EMAIL)


def check(survey: Survey, wording: Wording, addresses: list[str]) -> None:
    """Raises InputError, naming the field, where such a mail cannot be sent to this list."""
    version = inviting_version(survey)
    if not server_is_set():
        raise InputError("survey", str(NO_SERVER))
    if wording.kind not in Kind.values:
        raise InputError(
            "kind",
            gettext("kind must be {values}; got {kind!r}.").format(
                values=" or ".join(Kind.values), kind=wording.kind[:32]
            ),
        )
    if wording.kind == Kind.INVITATION:
        require_group(version, wording.group)
    _check_words(wording)
    if wording.kind == Kind.INVITATION and len(addresses) < FEWEST:
        few = gettext("Invitations need at least {fewest} addresses; the list has {count}.").format(
            fewest=FEWEST, count=len(addresses)
        )
        raise InputError("addresses", few)


def preview(survey: Survey, wording: Wording) -> str:
    """The text as a recipient will get it, but with zeros for the code."""
    return wording.text.replace(PLACE, link_without_code(inviting_version(survey), wording.group) + EXAMPLE)


@transaction.atomic
def request(
    survey: Survey, wording: Wording, addresses: list[str], *, by: User | None, chance: random.Random | None = None
) -> Mailing:
    """Queue a mail to everybody on a list. Raises as `check` does.

    The addresses are kept in an order of `chance`, by default the system's: not even that of the list is written.
    """
    check(survey, wording, addresses)
    group = wording.group if wording.kind == Kind.INVITATION else ""
    words = {"kind": wording.kind, "subject": wording.subject.strip(), "text": wording.text, "group": group}
    mailing = Mailing.objects.create(version=inviting_version(survey), total=len(addresses), asked_by=by, **words)
    shuffled = (chance or random.SystemRandom()).sample(addresses, len(addresses))
    Recipient.objects.bulk_create((Recipient(mailing=mailing, address=one) for one in shuffled), batch_size=1000)
    record_event(
        by, "sent a mailing", survey=survey, detail=f"{mailing.get_kind_display()}: {len(addresses)} addresses"
    )
    transaction.on_commit(lambda: wake(mailing.pk))
    return mailing


def resume(mailing: Mailing, *, by: User | None) -> None:
    """Send to those whose mail certainly did not go out. Raises InputError while it is on its way, or none is left."""
    with transaction.atomic():
        anew = {"state": State.QUEUED, "tries": 0, "finished_at": None, "fault": ""}
        if not Mailing.objects.filter(pk=mailing.pk, state__in=ENDED).update(**anew):
            raise InputError("state", gettext("This mailing is being sent."))
        left = mailing.recipients.exclude(state=Recipient.State.UNCERTAIN)
        count = left.update(state=Recipient.State.WAITING, status=None)
        if not count:
            raise InputError("state", gettext("There is nobody left who certainly did not get it."))
        record_event(by, "sent a mailing", survey=mailing.version.survey, detail=f"{count} addresses again")
    wake(mailing.pk)


@transaction.atomic
def delete(mailing: Mailing, *, by: User | None) -> None:
    """Delete a mailing with its remaining addresses; a worker that is sending it stops before the next one."""
    record_event(by, "deleted a mailing", survey=mailing.version.survey, detail=f"of {mailing.total} addresses")
    mailing.delete()


def delete_old() -> None:
    """Delete the mailings that ended long enough ago, with the addresses that did not get them."""
    Mailing.objects.filter(state__in=ENDED, finished_at__lte=timezone.now() - KEPT).delete()


def wake(mailing_id: int) -> None:
    jobs.wake("surveys.execute_mailing", mailing_id)


def resume_waiting() -> list[int]:
    """Wake the mailings that no worker sends."""
    return jobs.resume(Mailing, wake)


@dataclass(frozen=True)
class MailingStatus:
    """The progress of a mailing."""

    sent: int
    waiting: int
    uncertain: list[str]
    refused: list[tuple[str, int | None]]

    @property
    def again(self) -> int:
        """The number of addresses to resend to, since it certainly did not reach them."""
        return self.waiting + len(self.refused)


def mailing_status(mailing: Mailing) -> MailingStatus:
    """The progress. An address counts as sent once its row is deleted."""
    left = mailing.recipients.all()
    waits = left.filter(Q(state=Recipient.State.WAITING) | Q(state=Recipient.State.SENDING)).count()
    left_by_state = {
        state: list(left.filter(state=state).values_list("address", "status"))
        for state in (Recipient.State.UNCERTAIN, Recipient.State.REFUSED)
    }
    uncertain = [address for address, _status in left_by_state[Recipient.State.UNCERTAIN]]
    refused = left_by_state[Recipient.State.REFUSED]
    return MailingStatus(mailing.total - waits - len(uncertain) - len(refused), waits, uncertain, refused)


def _check_words(wording: Wording) -> None:
    subject = wording.subject.strip()
    if not 1 <= len(subject) <= LONGEST_SUBJECT or len(subject.splitlines()) > 1:
        bound = gettext("1 to {longest_subject} characters on one line").format(longest_subject=LONGEST_SUBJECT)
        raise InputError(
            "subject", gettext("The subject must have {bound}; it has {count}.").format(bound=bound, count=len(subject))
        )
    if not 1 <= len(wording.text.strip()) <= LONGEST_TEXT:
        raise InputError(
            "text",
            filled(
                gettext("The text must have 1 to {longest_text:,} characters; it has {count:,}."),
                longest_text=LONGEST_TEXT,
                count=len(wording.text),
            ),
        )
    for name, words, lines in (("subject", subject, False), ("text", wording.text, True)):
        if unseen := refused_character(words, lines=lines):
            raise InputError(name, gettext("The {name} {problem}.").format(name=name, problem=unseen.in_words))
    has = PLACE in wording.text
    if wording.kind == Kind.INVITATION and not has:
        raise InputError(
            "text",
            gettext(
                "The text must contain {place}, the placeholder for the link: without it nobody can answer."
            ).format(place=PLACE),
        )
    if wording.kind == Kind.REMINDER and has:
        fault = gettext(
            "A reminder has no link of its own, so it must not contain {place}: nobody knows which "
            "code belongs to whom."
        ).format(place=PLACE)
        raise InputError("text", fault)
    if PLACE in wording.subject:
        raise InputError(
            "subject",
            gettext("The link belongs in the text; {place} must not be in the subject, which others can see.").format(
                place=PLACE
            ),
        )
