"""Validation of blindly signed invitations: the signature, and the hash that makes them single-use.

RSABSSA-SHA384-PSS-Randomized of RFC 9474. Who redeems a token shows message, randomizer and signature, of which the
signer saw none; checking one needs the public key alone, which is in the design.
"""

import base64
import binascii
import hashlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from collector.errors import not_invited

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import rsa

EXPONENT = 65537
MESSAGE = RANDOMIZER = 32
"""Length of each in bytes; RFC 9474 calls the randomizer the prefix of a message."""

SIGNATURE = 384
TOKEN = re.compile(r"[A-Za-z0-9_-]{598}")


def read(token: str, modulus: str) -> bytes:
    """Verify a token signed with the key of this modulus, and return its hash.

    Parameters
    ----------
    token : str
        598 symbols of base64url without padding: 32 bytes of message, 32 of randomizer, 384 of signature.
    modulus : str
        Of the design's key, as 768 hex digits.

    Returns
    -------
    bytes
        SHA-256 of message and randomizer, 32 bytes: the same for every signature of one message.

    Raises
    ------
    RequestRefused
        Where it is no token, or none that this key signed.
    """
    data = _bytes_of(token)
    message, randomizer, signature = data[:MESSAGE], data[MESSAGE : MESSAGE + RANDOMIZER], data[-SIGNATURE:]
    _verify(signature, randomizer + message, modulus)
    return hashlib.sha256(message + randomizer).digest()


def _bytes_of(token: str) -> bytes:
    """Decode a token; only one text is valid per token, so that spare bits must be 0."""
    if not TOKEN.fullmatch(token):
        raise not_invited()
    try:
        data = base64.urlsafe_b64decode(token + "==")
    except binascii.Error:
        raise not_invited() from None
    if base64.urlsafe_b64encode(data).rstrip(b"=") != token.encode():
        raise not_invited()
    return data


def _verify(signature: bytes, message: bytes, modulus: str) -> None:
    from cryptography.exceptions import InvalidSignature  # only here: few surveys are by blind invitation
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    scheme = padding.PSS(mgf=padding.MGF1(hashes.SHA384()), salt_length=48)
    try:
        _key(modulus).verify(signature, message, scheme, hashes.SHA384())
    except InvalidSignature:
        raise not_invited() from None


@lru_cache(maxsize=64)
def _key(modulus: str) -> "rsa.RSAPublicKey":
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa.RSAPublicNumbers(EXPONENT, int(modulus, 16)).public_key()
