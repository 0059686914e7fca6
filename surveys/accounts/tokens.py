"""Access tokens, sent by a researcher's program instead of a password. Shown once; only a hash is stored.

A token is looked up by its SHA-256. Who tries tokens cannot steer that, so how long a look-up takes tells nothing of
the tokens that there are.
"""

import hmac
import re
import secrets
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from collector.errors import Conflict
from surveys.accounts.audit_log import record_event
from surveys.models import AccessToken

PREFIX = "candor_"
"""Prefix by which people, and scanners for leaked secrets, recognise a token."""
SHAPE = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")
MOST = 20
"""Maximum number of tokens per user."""
LONGEST = 3_650
"""Maximum lifetime in days."""


@transaction.atomic
def make(user: User, name: str, *, scope: str, days: int | None = None) -> tuple[AccessToken, str]:
    """Create a token; returns it and its secret, shown once. `days`: lifetime, 1 to LONGEST; None: no expiry.

    Raises Conflict where the person has as many as there may be.
    """
    if tokens_of(user).count() >= MOST:
        raise Conflict(
            gettext("You have {most} tokens, the maximum. Revoke one that is no longer used.").format(most=MOST)
        )
    secret, day = PREFIX + secrets.token_urlsafe(32), today()
    made = AccessToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        digest=digest_of(secret),
        made_on=day,
        expires_on=None if days is None else day + timedelta(days=days),
    )
    until = f", until {made.expires_on:%-d %B %Y}" if made.expires_on else ""
    record_event(user, "created a token", detail=f"{name}: {made.get_scope_display()}{until}")
    return made, secret


@transaction.atomic
def revoke(token: AccessToken, *, by: User) -> None:
    token.delete()
    record_event(by, "revoked a token", detail=token.name)


@transaction.atomic
def end_all(user: User, why: str) -> None:
    """Revoke every token of a user; `why` is recorded in the audit log."""
    if AccessToken.objects.filter(user=user.pk).delete()[0]:
        record_event(user, "revoked every token", detail=why)


def tokens_of(user: User) -> QuerySet[AccessToken]:
    """The unexpired tokens of a user, the newest first."""
    return AccessToken.objects.filter(_lasting(), user=user.pk)


def authenticates(request: HttpRequest) -> bool:
    """Return True if the request has a bearer token, valid or not."""
    return request.headers.get("Authorization", "").lower().startswith("bearer")


def token_of(request: HttpRequest) -> AccessToken | None:
    """The token of a request with its user; None if there is no valid one. Looked up once per request."""
    if not hasattr(request, "access_token"):
        secret = request.headers.get("Authorization", "")[len("bearer") :].strip() if authenticates(request) else ""
        request.access_token = _find(secret)  # type: ignore[attr-defined]
    found: AccessToken | None = request.access_token  # type: ignore[attr-defined]
    return found


def note_use(token: AccessToken) -> None:
    """Record that the token is used today, at most once a day."""
    if token.used_on != (day := today()):
        AccessToken.objects.filter(pk=token.pk).update(used_on=day)


def digest_of(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def today() -> date:
    return timezone.now().date()


class EndedByNewPassword:
    """Password validator (settings.AUTH_PASSWORD_VALIDATORS) that revokes tokens at each password change."""

    def validate(self, password: str, user: Any = None) -> None:
        """Accept any password."""

    def password_changed(self, password: str, user: Any = None) -> None:
        if user is not None and user.pk:
            end_all(user, "a new password")

    def get_help_text(self) -> str:
        return gettext("A new password also ends your access tokens.")


def _find(secret: str) -> AccessToken | None:
    if not SHAPE.fullmatch(secret):
        return None
    digest = digest_of(secret)
    found = AccessToken.objects.filter(_lasting(), digest=digest, user__is_active=True).select_related("user").first()
    return found if found is not None and hmac.compare_digest(found.digest, digest) else None


def _lasting() -> Q:
    return Q(expires_on=None) | Q(expires_on__gte=today())
