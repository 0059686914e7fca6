"""Secret links to the preview of a draft: for an ethics board or a colleague without an account."""

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from collector.errors import Conflict, InputError
from surveys.accounts.audit_log import record_event
from surveys.accounts.tokens import digest_of
from surveys.lifecycle import selectors, transitions
from surveys.models import PreviewLink, Survey

USUAL_DAYS, MOST_DAYS = 14, 90
MOST = 10
"""Maximum links of a draft."""


def days_of(written: str) -> int:
    """The days that somebody wrote, for which a link is good. Raises InputError."""
    days = int(written) if written.isascii() and written.isdigit() and len(written) <= 3 else 0
    if not 1 <= days <= MOST_DAYS:
        raise InputError(
            "days",
            gettext("The number of days must be a whole number from 1 to {most_days}; got {written!r}.").format(
                most_days=MOST_DAYS, written=written[:20]
            ),
        )
    return days


@transaction.atomic
def make(survey: Survey, days: int, *, by: User | None = None) -> str:
    """Make a link that is good for so many days, and return its secret, which is shown once.

    Raises Conflict where the survey is no draft, or has MOST links.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    transitions.require_draft(survey)
    survey.preview_links.exclude(pk__in=good(survey).values("pk")).delete()
    if survey.preview_links.count() >= MOST:
        raise Conflict(gettext("A draft has at most {most} preview links. Revoke one first.").format(most=MOST))
    secret, expires = secrets.token_urlsafe(24), timezone.now() + timedelta(days=days)
    PreviewLink.objects.create(
        survey=survey,
        version=selectors.next_number(survey),
        digest=digest_of(secret),
        made_by=by,
        expires_at=expires,
    )
    record_event(by, "made a preview link", survey=survey, detail=f"until {expires:%-d %B %Y}")
    return secret


def good(survey: Survey) -> QuerySet[PreviewLink]:
    """The links of a draft that lead to it."""
    found = survey.preview_links.filter(expires_at__gt=timezone.now(), version=selectors.next_number(survey))
    return found.select_related("made_by") if survey.state == Survey.State.DRAFT else found.none()


def find(secret: str) -> Survey | None:
    """The draft that a link leads to; None if it was never made, is revoked, expired, or the draft was opened."""
    link = PreviewLink.objects.select_related("survey").filter(digest=digest_of(secret)).first()
    return link.survey if link is not None and good(link.survey).filter(pk=link.pk).exists() else None


@transaction.atomic
def revoke(survey: Survey, key: str, *, by: User | None = None) -> None:
    """Revoke the link of this key; one that is gone already stays gone."""
    known = key.isascii() and key.isdecimal() and len(key) < 19
    deleted, _rows = survey.preview_links.filter(pk=int(key) if known else 0).delete()
    if deleted:
        record_event(by, "revoked a preview link", survey=survey)
