"""Audit log of sign-ins and sign-outs. Failed ones are not logged: people type passwords as the user name."""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from surveys.accounts import sessions
from surveys.accounts.audit_log import record_event


@receiver(user_logged_in)
def _signed_in(user: User, request: HttpRequest | None = None, **_more: Any) -> None:
    if request is not None:
        sessions.begin(request.session)
    by_link = getattr(user, "backend", "").startswith("sesame")
    record_event(user, "signed in", detail="by a one-time link" if by_link else "")


@receiver(user_logged_out)
def _signed_out(user: User | None, **_more: Any) -> None:
    if user is not None:
        record_event(user, "signed out")
