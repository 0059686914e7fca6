"""Passkeys: keys of a person's own device, which asks for a finger, a face or a code before it signs (WebAuthn 2).

What a passkey signs names this site, so no other site gets anything of use from it. The library verifies; here a
challenge is good once and for ten minutes, and a counter that does not go on betrays a copy. Nothing is kept of whoever
has not signed in: what must come back travels signed in the form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

from collector.errors import Conflict
from surveys.accounts import second_factor, single_sign_on, tokens
from surveys.accounts.audit_log import record_event
from surveys.models import Passkey

if TYPE_CHECKING:  # memory that a page without passkeys need not take
    from fido2.server import Fido2Server
    from fido2.webauthn import AttestedCredentialData

VALID = 10 * 60
"""Seconds in which a challenge must be answered."""

MOST = 20
"""Maximum number of passkeys per account."""

SALT = "candor.passkey"
LONGEST = 100_000
"""Characters of what a browser sends."""


@dataclass(frozen=True)
class Challenge:
    """What a browser's WebAuthn functions are given, and what must come back beside their answer."""

    options: str
    """JSON with bytes in base64url."""

    state: str


def creation(user: User) -> Challenge:
    """For a new passkey of this account, on a device that has none of it yet."""
    from fido2.webauthn import (
        PublicKeyCredentialUserEntity,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    name = user.get_username()
    entity = PublicKeyCredentialUserEntity(id=_handle(user), name=name, display_name=user.get_full_name() or name)
    options, state = _server().register_begin(
        entity,
        _credentials(user),
        resident_key_requirement=ResidentKeyRequirement.REQUIRED,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return _challenge(dict(options), state, purpose=f"create {user.pk}")


@transaction.atomic
def create(request: HttpRequest, user: User, name: str, state: str, answer: str) -> list[str]:
    """Add the passkey that a browser made; returns recovery codes, if the account had none.

    Raises Conflict where the answer is not one to the challenge, or there are as many as there may be.
    """
    User.objects.select_for_update().get(pk=user.pk)
    if Passkey.objects.filter(user=user).count() >= MOST:
        raise Conflict(gettext("You have {most} passkeys, the maximum.").format(most=MOST))
    try:
        found = _server().register_complete(_opened(state, f"create {user.pk}"), _read(answer))
    except (ValueError, KeyError, TypeError) as fault:
        raise Conflict(gettext("The passkey could not be verified. Please try again.")) from fault
    assert found.credential_data is not None
    credential = found.credential_data.credential_id.hex()
    if Passkey.objects.filter(credential=credential).exists():
        raise Conflict(gettext("This passkey belongs to an account already."))
    passkey = Passkey.objects.create(
        user=user,
        name=name,
        credential=credential,
        public_key=bytes(found.credential_data),
        sign_count=found.counter,
        made_on=tokens.today(),
    )
    record_event(user, "added a passkey", detail=name)
    return second_factor.enable(request, user, passkey)


def question(user: User | None) -> Challenge:
    """For signing in: with any passkey of this site, or with one of an account that has given its password."""
    from fido2.webauthn import UserVerificationRequirement

    options, state = _server().authenticate_begin(
        _credentials(user) if user else None, user_verification=UserVerificationRequirement.REQUIRED
    )
    return _challenge(dict(options), state, purpose=f"use {user.pk if user else 0}")


@transaction.atomic
def check(user: User | None, state: str, answer: str) -> Passkey:
    """The passkey that signed a challenge.

    Raises PermissionDenied where it did not, is not one of the account's, or may not sign in alone.
    """
    refusal = PermissionDenied(gettext("The passkey was not accepted. Please try again."))
    try:
        given = _read(answer)
        known = _opened(state, f"use {user.pk if user else 0}")
        found: Passkey | None = Passkey.objects.select_for_update().filter(credential=_credential_of(given)).first()
        if found is None or (user is not None and found.user != user):
            raise refusal
        _server().authenticate_complete(known, [_public_key(found)], given)
        count = _count_of(given)
    except (ValueError, KeyError, TypeError) as fault:
        raise refusal from fault
    if count <= found.sign_count and (count or found.sign_count):
        raise PermissionDenied(gettext("This passkey seems to be a copy: it was used elsewhere. Remove it."))
    if user is None and not _may_sign_in(found.user):
        raise PermissionDenied(gettext("This account signs in through its institution."))
    found.sign_count, found.used_on = count, tokens.today()
    found.save(update_fields=["sign_count", "used_on"])
    return found


@transaction.atomic
def remove(user: User, passkey: Passkey) -> None:
    """Raises Conflict where the installation requires a second factor, and this is the last one."""
    others = second_factor.has_app(user) or Passkey.objects.filter(user=user).exclude(pk=passkey.pk).exists()
    if second_factor.required() and not others:
        raise Conflict(gettext("This installation requires a second factor."))
    passkey.delete()
    record_event(user, "removed a passkey", detail=passkey.name)
    if not others:
        second_factor.reset(user, by=user)


def _may_sign_in(user: User) -> bool:
    return bool(settings.CANDOR_LOCAL_SIGN_IN and user.is_active and not single_sign_on.is_bound(user))


def _challenge(options: Mapping[str, object], state: object, *, purpose: str) -> Challenge:
    return Challenge(json.dumps(options["publicKey"]), signing.dumps([purpose, state], salt=SALT))


def _opened(state: str, purpose: str) -> object:
    """What the library has to know again. Raises ValueError for one that is forged, old, used or for something else."""
    try:
        meant, known = signing.loads(state, salt=SALT, max_age=VALID)
    except signing.BadSignature as fault:
        raise ValueError("state") from fault
    used = salted_hmac(SALT, state, algorithm="sha256").hexdigest()
    if meant != purpose or not cache.add(f"passkey:{used}", 1, VALID):
        raise ValueError("state")
    return known


def _server() -> Fido2Server:
    from fido2.server import Fido2Server
    from fido2.webauthn import PublicKeyCredentialRpEntity

    site = settings.CANDOR_URL
    entity = PublicKeyCredentialRpEntity(id=urlsplit(site).hostname, name="Candor")
    # The library would take subdomains, at which other people's programs may be.
    return Fido2Server(entity, verify_origin=lambda origin: bool(origin == site))


def _credentials(user: User) -> list[AttestedCredentialData]:
    return [_public_key(passkey) for passkey in Passkey.objects.filter(user=user)]


def _public_key(passkey: Passkey) -> AttestedCredentialData:
    from fido2.webauthn import AttestedCredentialData

    return AttestedCredentialData(bytes(passkey.public_key))


def _read(answer: str) -> Mapping[str, object]:
    found = json.loads(answer) if len(answer) <= LONGEST else None
    if not isinstance(found, dict):
        raise TypeError("answer")
    return found


def _credential_of(given: Mapping[str, object]) -> str:
    from fido2.utils import websafe_decode

    return websafe_decode(str(given["id"])).hex()


def _count_of(given: Mapping[str, object]) -> int:
    from fido2.webauthn import AuthenticationResponse

    return int(AuthenticationResponse.from_dict(given).response.authenticator_data.counter)


def _handle(user: User) -> bytes:
    """What a device files a passkey under: it tells nobody a name, and is the same for all passkeys of an account."""
    return salted_hmac("candor.passkey.user", str(user.pk), algorithm="sha256").digest()
