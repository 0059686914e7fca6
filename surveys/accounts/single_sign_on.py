"""Accounts of people who sign in through their institution: made, given their roles by groups, and asked about again.

A person is who the provider or the directory says by its own lasting name (issuer and subject). A mail address or a
user name proves nothing here: whoever could set one there would take the account of somebody else.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import Mapping, Set
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

from collector.errors import Conflict, RequestRefused
from surveys.accounts import institution
from surveys.accounts.audit_log import record_event
from surveys.accounts.institution import Confirmed
from surveys.models import DirectoryGroup, Identity, Membership, Role

if TYPE_CHECKING:  # it takes memory that an installation without an institution need not have
    from cryptography.fernet import Fernet

LONGEST_UNCONFIRMED = timedelta(minutes=5)
"""For how long an account is used without the provider's word."""

ASKED_AFTER = timedelta(minutes=2)
"""The age of that word from which a request has it renewed, so that a provider may be away for some minutes."""

ASKED_AGAIN_AFTER = timedelta(seconds=30)
"""For how long one request that asks keeps others from asking: longer than a provider that is away takes."""

BACKEND = "surveys.accounts.single_sign_on.Backend"
SESSION_KEY = "identity"
"""Key of the session's copy of `Identity.generation`."""


class Backend(ModelBackend):
    """Keeps sessions that the provider's word began; it authenticates nobody by itself."""

    def authenticate(self, request: object, username: object = None, password: object = None, **_more: object) -> None:
        return None


def is_offered() -> bool:
    return bool(institution.issuer())


def identity_of(user: User) -> Identity | None:
    """Who the account's owner is at the provider of now; None where it is not connected."""
    found = Identity.objects.filter(user=user, issuer=institution.issuer()).first()
    if found is not None:
        found.user = user  # so that what changes of the account counts for the request that had it asked about
    return found


def is_bound(user: User) -> bool:
    """Whether an account lasts only while the provider confirms it: it has no other way in."""
    has_password = settings.CANDOR_LOCAL_SIGN_IN and user.has_usable_password()
    return not has_password and Identity.objects.filter(user=user).exists()


@transaction.atomic
def account_of(confirmed: Confirmed) -> User:
    """The account of somebody whom the provider has just confirmed, made at the first time, with the roles of now.

    Raises PermissionDenied where the person is in none of the admitted groups, or the account is switched off.
    """
    _require_admitted(confirmed)
    found = Identity.objects.select_related("user").filter(issuer=institution.issuer(), subject=confirmed.subject)
    identity = found.first() or _new_identity(_new_user(confirmed), confirmed)
    if not identity.user.is_active:
        raise PermissionDenied(gettext("This account is switched off. An owner of the installation can switch it on."))
    _note(identity, confirmed)
    return identity.user


@transaction.atomic
def connect(user: User, confirmed: Confirmed) -> None:
    """Let an account that exists sign in through the provider. Raises Conflict where either belongs to another."""
    _require_admitted(confirmed)
    if Identity.objects.filter(user=user).exists():
        raise Conflict(gettext("Your account is connected already."))
    if Identity.objects.filter(issuer=institution.issuer(), subject=confirmed.subject).exists():
        raise Conflict(gettext("Another account signs in with this identity."))
    _note(_new_identity(user, confirmed), confirmed)
    record_event(user, "connected the institution")


@transaction.atomic
def disconnect(user: User) -> None:
    """Let an account sign in by its password alone. Raises Conflict where it has none."""
    if is_bound(user):
        raise Conflict(gettext("Your account has no password: without the institution you could not sign in."))
    identity = identity_of(user)
    if identity is not None:
        _withdraw(identity)
        identity.delete()
        record_event(user, "disconnected the institution")


def renew_roles(user: User) -> None:
    """Of an account that was entered another way: what groups gave it lasts only while the provider confirms it."""
    identity = identity_of(user) if is_offered() else None
    if identity is None:
        return
    try:
        require_confirmed(user)
    except PermissionDenied:
        _withdraw(identity)
    except RequestRefused:
        if timezone.now() - identity.asked_at > ASKED_AGAIN_AFTER:  # else another request is asking, and decides
            _withdraw(identity)


def require_confirmed(user: User, generation: str | None = None) -> None:
    """Have the provider confirm an account whose last confirmation is old.

    Parameters
    ----------
    user
        An account that has signed in through the provider, or can do so alone.
    generation
        That of the session; None for a program's token, which waits while the person is signed out.

    Raises
    ------
    PermissionDenied
        Where the provider no longer confirms the person, or the session is of before it last did so.
    RequestRefused
        Where the provider is away, or just being asked, and the last confirmation is older than five minutes.
    """
    identity = identity_of(user)
    if identity is None or not identity.credentials or generation not in (None, identity.generation):
        raise PermissionDenied(gettext("You are signed out at your institution. Please sign in again."))
    age = timezone.now() - identity.confirmed_at
    if age <= ASKED_AFTER:
        return
    try:
        _ask_again(identity)
    except RequestRefused:
        if age > LONGEST_UNCONFIRMED:
            raise


def _ask_again(identity: Identity) -> None:
    now = timezone.now()
    free = Identity.objects.filter(pk=identity.pk, asked_at__lt=now - ASKED_AGAIN_AFTER)
    if not free.update(asked_at=now):  # a refresh token works once: of several requests one asks
        raise RequestRefused(503, "", gettext("Your institution is being asked whether you are signed in."), retry=2)
    try:
        confirmed = _confirm_again(identity.subject, _opened(identity.credentials))
        _require_admitted(confirmed)
    except PermissionDenied:
        end(identity)
        raise
    with transaction.atomic():
        _note(identity, confirmed)


def _confirm_again(subject: str, credentials: Mapping[str, str]) -> Confirmed:
    """Ask the provider or the directory. The packages of the other one need not be there."""
    if settings.CANDOR_LDAP:
        from surveys.accounts import directory

        return directory.confirm_again(subject, credentials)
    from surveys.accounts import openid

    return openid.confirm_again(subject, credentials)


def end(identity: Identity) -> None:
    """End the sessions that the provider's word began; tokens of programs wait until the person signs in again."""
    Identity.objects.filter(pk=identity.pk).update(credentials="", generation=_new_generation())


def _require_admitted(confirmed: Confirmed) -> None:
    admitted = set(settings.CANDOR_INSTITUTION_ADMIT)
    if admitted and not admitted & confirmed.groups:
        raise PermissionDenied(
            gettext("Your institution knows you, but only members of these groups may sign in here: {groups}.").format(
                groups=", ".join(sorted(admitted))
            )
        )


def _new_user(confirmed: Confirmed) -> User:
    """An account without a password. A name that is taken gets a number: it says nothing of who somebody is."""
    wanted = str(confirmed.claims.get("preferred_username") or confirmed.claims.get("name") or "researcher")
    wanted = re.sub(r"[^\w.@+-]+", "-", wanted).strip("-")[:140] or "researcher"
    taken = set(User.objects.filter(username__istartswith=wanted).values_list("username", flat=True))
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 3)))
    lower = {name.lower() for name in taken}
    user = User.objects.create_user(
        next(name for name in names if name.lower() not in lower),
        email=str(confirmed.claims.get("email") or "")[:254],
        is_staff=True,
        first_name=str(confirmed.claims.get("given_name") or "")[:150],
        last_name=str(confirmed.claims.get("family_name") or "")[:150],
    )
    record_event(user, "created an account", detail="by signing in through the institution")
    return user


def _new_identity(user: User, confirmed: Confirmed) -> Identity:
    now = timezone.now()
    return Identity.objects.create(
        user=user,
        issuer=institution.issuer(),
        subject=confirmed.subject,
        generation=_new_generation(),
        confirmed_at=now,
        asked_at=now,
    )


def _new_generation() -> str:
    return secrets.token_urlsafe(24)


def _note(identity: Identity, confirmed: Confirmed) -> None:
    """Keep when the person was confirmed and what to ask with, and give the roles of the groups."""
    identity.confirmed_at = identity.asked_at = timezone.now()
    identity.credentials = _sealed(confirmed.credentials)
    _set_owner(identity, confirmed.groups)
    identity.save(update_fields=["confirmed_at", "asked_at", "credentials", "owner_by_group"])
    _set_roles(identity.user, confirmed.groups)


@transaction.atomic
def _withdraw(identity: Identity) -> None:
    """Take away what groups gave, until the person signs in at the institution again."""
    _set_owner(identity, set())
    identity.save(update_fields=["owner_by_group"])
    _set_roles(identity.user, set())


def _set_owner(identity: Identity, groups: Set[str]) -> None:
    """Make an owner of the installation of whoever is in a group of owners; take away only what a group gave."""
    user, by_group = identity.user, bool(groups & set(settings.CANDOR_INSTITUTION_OWNERS))
    if by_group == user.is_superuser or (user.is_superuser and not identity.owner_by_group):
        return
    user.is_superuser = identity.owner_by_group = by_group
    user.save(update_fields=["is_superuser"])
    act = "became an owner of everything" if by_group else "is no longer an owner of everything"
    record_event(user, act, detail="by a group of the institution")


def _set_roles(user: User, groups: Set[str]) -> None:
    """The roles in teams that groups give; what a person gave stays as it is."""
    wanted: dict[int, DirectoryGroup] = {}
    for group in DirectoryGroup.objects.filter(name__in=groups).select_related("team").order_by("role"):
        wanted[group.team_id] = group
    held = {member.team_id: member for member in Membership.objects.filter(user=user).select_related("team")}
    for member in held.values():
        if member.granted_by and member.team_id not in wanted:
            record_event(user, "left a team", team=member.team, detail=f"{user}: no longer in {member.granted_by}")
            member.delete()
    for team, group in wanted.items():
        member = held.get(team) or Membership(team=group.team, user=user)
        if member.pk and (not member.granted_by or (member.role, member.granted_by) == (group.role, group.name)):
            continue
        member.role, member.granted_by = Role(group.role), group.name
        member.save()
        record_event(user, "joined a team", team=group.team, detail=f"as {group.get_role_display()}, by {group.name}")


def _sealed(credentials: Mapping[str, str]) -> str:
    return _cipher().encrypt(json.dumps(dict(credentials)).encode()).decode()


def _opened(sealed: str) -> dict[str, str]:
    """Raises PermissionDenied where another secret key sealed them, as in a backup of elsewhere."""
    from cryptography.fernet import InvalidToken

    try:
        found: dict[str, str] = json.loads(_cipher().decrypt(sealed.encode()))
    except InvalidToken:
        raise PermissionDenied(gettext("Please sign in at your institution again.")) from None
    return found


def _cipher() -> Fernet:
    from cryptography.fernet import Fernet

    key = salted_hmac("candor.single-sign-on.credentials", "", algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(key))
