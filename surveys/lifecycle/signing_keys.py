"""The keys of blind invitations: one for each version, made as its design is first asked for, and gone as it closes."""

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.db import transaction

from collector.invitations.tokens import EXPONENT
from collector.reports.steps import foldable
from surveys.models import FetchCode, SigningKey, SigningSecret, Survey, Version

BITS = 3072


def modulus_for(survey: Survey, number: int) -> str:
    """The modulus of the key for this version, 768 hex digits.

    A key is made where there is none with its secret: the digest that somebody confirms before opening holds it, so it
    has to be there when the draft is first looked at, and stays the same from then on.
    """
    key = SigningKey.objects.filter(survey=survey, number=number, secret__isnull=False).first()
    return (key or _made(survey, number)).modulus


def key_of(version: Version) -> SigningKey | None:
    """The key of a version that was opened; None where it asks for no tokens."""
    return SigningKey.objects.filter(survey=version.survey_id, number=version.number).first()


def issued(version: Version) -> int:
    """How many tokens of a version were signed, while it is open in whole steps and one behind: most are used soon.

    How many of them were used is a matter of its reports alone.
    """
    key = key_of(version)
    signed = 0 if key is None else key.issued
    return signed if version.closed_at else foldable(signed)


def secret_of(key: SigningKey) -> rsa.RSAPrivateNumbers | None:
    """The private numbers of a key; None once no more tokens are given out."""
    kept = SigningSecret.objects.filter(key=key).values_list("private", flat=True).first()
    if kept is None:
        return None
    # It was checked when it was made, and what it signs is checked each time.
    loaded = serialization.load_der_private_key(bytes(kept), password=None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(loaded, rsa.RSAPrivateKey)
    return loaded.private_numbers()


def forget(survey: Survey, number: int) -> None:
    """Delete the private half, and the codes with it: nobody can fetch any more, or sign what nobody fetched."""
    FetchCode.objects.filter(key__survey=survey, key__number=number).delete()
    SigningSecret.objects.filter(key__survey=survey, key__number=number).delete()


def _made(survey: Survey, number: int) -> SigningKey:
    private = rsa.generate_private_key(public_exponent=EXPONENT, key_size=BITS)
    written = private.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with transaction.atomic():
        key, _ = SigningKey.objects.select_for_update().get_or_create(survey=survey, number=number)
        _, new = SigningSecret.objects.get_or_create(key=key, defaults={"private": written})
        if new:
            key.modulus = f"{private.public_key().public_numbers().n:0768x}"
            key.save(update_fields=["modulus"])
    # Where somebody else was first, hers is the key.
    key.refresh_from_db()
    return key
