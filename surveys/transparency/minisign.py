"""Signatures of files as minisign makes them (Denis 2015): Ed25519 over the file's BLAKE2b, with a trusted comment.

A public key is base64 of "Ed", eight bytes that name it, and the key. A signature file has four lines: a comment;
base64 of "ED", the name and the signature; the trusted comment; base64 of a signature over the first and that comment.
"""

from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass
from hashlib import blake2b

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

KEY, HASHED = b"Ed", b"ED"
TRUSTED = "trusted comment: "


@dataclass(frozen=True)
class PublicKey:
    """A public key and the eight bytes that name it."""

    name: bytes
    public: bytes


def read_key(text: str) -> PublicKey:
    """The key of a .pub file, or of its second line alone. Raises ValueError where there is none."""
    lines = text.strip().splitlines()
    found = _decoded(lines[-1]) if lines else b""
    if len(found) != 42 or found[:2] != KEY:
        raise ValueError("the public key is none of minisign's")
    return PublicKey(found[2:10], found[10:])


def verify(content: bytes, signature: str, key: PublicKey) -> str:
    """Verify a file's signature; returns its trusted comment. Raises ValueError where it is not this key's."""
    lines = signature.strip().splitlines()
    if len(lines) != 4 or not lines[2].startswith(TRUSTED):
        raise ValueError("the signature is none of minisign's")
    made, comment, above = _decoded(lines[1]), lines[2].removeprefix(TRUSTED), _decoded(lines[3])
    if len(made) != 74 or made[:2] != HASHED:
        raise ValueError("the signature is none of minisign's, of a hash")
    if made[2:10] != key.name:
        raise ValueError("the signature is of another key")
    public = Ed25519PublicKey.from_public_bytes(key.public)
    try:
        public.verify(made[10:], blake2b(content).digest())
        public.verify(above, made[10:] + comment.encode())
    except InvalidSignature:
        raise ValueError("the signature is not of this file") from None
    return comment


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (Base64Error, ValueError):
        return b""
