"""Issuing tokens: parsing a request, verifying its code, and never issuing two for one code.

A request holds a one-time code and a blinded message. The signature is of what the browser made; who is asked to sign
it never sees it, and never sees it again in a shape that could be told from another.
"""

import hashlib
import hmac
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from collector.endpoint.parsing import read_fields
from collector.errors import RequestRefused, not_invited
from collector.invitations.codes import ALPHABET, RANDOM_SYMBOLS, check_symbol, hash_of, is_code
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import selectors, signing_keys
from surveys.models import FetchCode, SigningKey, Survey, Version
from surveys.respondent import blind_signature

LARGEST_BODY = 1024
"""Maximum bytes of a request; a well-formed one has about 900."""

BYTES = 384
"""Bytes of a number below the modulus."""

FIELDS = {"design": r"[0-9a-f]{64}", "code": r"[0-9a-z]{28}", "blinded": r"[0-9a-f]{768}"}
SHAPES = {"design": "64 hex digits", "code": "the 28 symbols of a one-time code", "blinded": "768 hex digits"}


@dataclass(frozen=True)
class TokenRequest:
    """A browser's request to sign `blinded`, authorised by `code`."""

    design: str
    code: str
    blinded: str


def parse(body: bytes) -> TokenRequest:
    """Parse a request: one JSON object with exactly these fields, each once and valid. Nothing of it is echoed.

    Raises RequestRefused with 413, 422.
    """
    return TokenRequest(**read_fields(body, FIELDS, SHAPES, largest=LARGEST_BODY))


def issue(body: bytes, *, slug: str) -> str:
    """The requested blind signature, 768 hex digits: one for each code, and the same one for a repeated request.

    Raises RequestRefused with 403, 404, 410, 413, 422.
    """
    request = parse(body)
    version = selectors.version_on_the_web(slug)
    key = signing_keys.key_of(version) if version is not None and version.design_id == request.design else None
    if version is None or key is None:
        raise RequestRefused(404, "design", "No open design of this survey that gives out tokens has that digest.")
    private = signing_keys.secret_of(key)
    if version.closed_at is not None or private is None:
        raise RequestRefused(410, "design", "The survey gives out no more tokens.")
    blinded = int(request.blinded, 16)
    if blinded >= private.public_numbers.n:
        raise RequestRefused(422, "blinded", "blinded must be below the modulus of the key.")
    _use(key, request)
    return f"{blind_signature.sign(blinded, private):0768x}"


def code_for(account: User, version: Version) -> str:
    """The code of a signed-in user: the same each time, so that a lost reply can be requested again.

    It is made of the key's secret, so it is nowhere, and after closing nobody can make it any more.

    Raises RequestRefused where this version gives no tokens to accounts.
    """
    key = signing_keys.key_of(version)
    private = signing_keys.secret_of(key) if key is not None and version.survey.fetched_by_account else None
    if key is None or private is None:
        raise not_invited("code")
    secret = private.d.to_bytes(BYTES, "big")
    number = int.from_bytes(hmac.digest(secret, f"candor code {account.pk}".encode(), "sha256"), "big")
    drawn = "".join(ALPHABET[number >> 5 * place & 31] for place in range(RANDOM_SYMBOLS))
    code = drawn + check_symbol(drawn)
    FetchCode.objects.get_or_create(key=key, account=account, defaults={"hash": hash_of(code)})
    return code


@transaction.atomic
def let_accounts_fetch(survey: Survey, *, allowed: bool, by: User | None = None) -> None:
    """Set whether users of this site may fetch a token by signing in."""
    Survey.objects.filter(pk=survey.pk).update(fetched_by_account=allowed)
    act = "let accounts fetch invitations" if allowed else "let no account fetch an invitation"
    record_event(by, act, survey=survey)


def _use(key: SigningKey, request: TokenRequest) -> None:
    """Mark the code as used for this blinded message, on disk before signing, or reject it."""
    if not is_code(request.code):
        raise not_invited("code")
    mine = FetchCode.objects.filter(key=key, hash=hash_of(request.code))
    digest = hashlib.sha256(bytes.fromhex(request.blinded)).digest()
    with transaction.atomic():
        # In one statement: of two at once, one finds the row marked.
        if mine.filter(blinded=None).update(blinded=digest):
            SigningKey.objects.filter(pk=key.pk).update(issued=F("issued") + 1)
        elif not mine.filter(blinded=digest).exists():
            raise not_invited("code")
