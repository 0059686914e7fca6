"""Keys of blind invitations: one for each version, whose private half is deleted as it closes.

A key is made before anybody looks at the design that holds it: as the draft is saved, and as a version closes that a
wave or a revision may follow. A draft whose secret a backup left out, or that was saved before keys were made so early,
has none: it is looked at and confirmed with `NO_KEY` in its place, and opening makes it.
"""

from typing import TYPE_CHECKING

from django.db import transaction

from collector.designs.selectors import is_final
from collector.invitations.tokens import EXPONENT
from collector.reports.steps import foldable
from surveys.definition.definitions import NO_KEY
from surveys.models import FetchCode, SigningKey, SigningSecret, Survey, Version

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import rsa

BITS = 3072


def modulus_for(survey: Survey, number: int) -> str:
    """The modulus of this version's key, 768 hex digits; `NO_KEY` if there is no key with its secret."""
    if not _has_key(survey):
        return NO_KEY
    found = SigningKey.objects.filter(survey=survey, number=number, secret__isnull=False)
    return found.values_list("modulus", flat=True).first() or NO_KEY


def generate(survey: Survey, number: int) -> "rsa.RSAPrivateKey | None":
    """A key for this version if the survey is by blind invitation and has none; it is not stored.

    It may take a second, in which no transaction should hold others up.
    """
    if not _has_key(survey) or modulus_for(survey, number) != NO_KEY:
        return None
    from cryptography.hazmat.primitives.asymmetric import rsa  # only here: few surveys are by blind invitation

    return rsa.generate_private_key(public_exponent=EXPONENT, key_size=BITS)


def prepare(survey: Survey, number: int, generated: "rsa.RSAPrivateKey | None" = None) -> bool:
    """Store this version's key, `generated` before or now, if it takes one and has none; True if it was stored."""
    key = generated or generate(survey, number)
    if key is None or modulus_for(survey, number) != NO_KEY:
        return False
    _store(survey, number, key)
    return True


def key_of(version: Version) -> SigningKey | None:
    """The key of an opened version; None if it uses no tokens."""
    return SigningKey.objects.filter(survey=version.survey_id, number=version.number).first()


def issued(version: Version) -> int:
    """The number of tokens signed for a version; until its closing is final, in whole steps and one behind.

    Most are used soon. How many of them were used is a matter of its reports alone.
    """
    key = key_of(version)
    signed = 0 if key is None else key.issued
    return signed if is_final(version.design_id) else foldable(signed)


def secret_of(key: SigningKey) -> "rsa.RSAPrivateNumbers | None":
    """The private numbers of a key; None once tokens are no longer issued."""
    from cryptography.hazmat.primitives import serialization  # only here: few surveys are by blind invitation
    from cryptography.hazmat.primitives.asymmetric import rsa

    stored = SigningSecret.objects.filter(key=key).values_list("private", flat=True).first()
    if stored is None:
        return None
    # It was checked when it was made, and what it signs is checked each time.
    loaded = serialization.load_der_private_key(bytes(stored), password=None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(loaded, rsa.RSAPrivateKey)
    return loaded.private_numbers()


def delete(survey: Survey, number: int) -> None:
    """Delete the private key, and the codes with it: no token can be fetched or signed any more."""
    FetchCode.objects.filter(key__survey=survey, key__number=number).delete()
    SigningSecret.objects.filter(key__survey=survey, key__number=number).delete()


def _has_key(survey: Survey) -> bool:
    return survey.invitations == Survey.Invited.BLIND and not survey.rehearsal


def _store(survey: Survey, number: int, private: "rsa.RSAPrivateKey") -> None:
    """Store the key; if another process was first, its key is used."""
    from cryptography.hazmat.primitives import serialization

    written = private.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with transaction.atomic():
        key, _ = SigningKey.objects.select_for_update().get_or_create(survey=survey, number=number)
        _, new = SigningSecret.objects.get_or_create(key=key, defaults={"private": written})
        if new:
            key.modulus = f"{private.public_key().public_numbers().n:0768x}"
            key.save(update_fields=["modulus"])
