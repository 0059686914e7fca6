"""Ed25519 signature of a backup: proof of the installation that wrote it, and that nobody has changed it.

The key is made from a secret of the installation that is in no backup. Whoever has a backup can verify it, and nobody
can write another in its installation's name.
"""

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING

from django.conf import settings

from surveys.errors import BackupError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PURPOSE = b"candor backup\n"
"""Prefix of signed content and of key derivation: the results are of no use for anything else."""

FINGERPRINT = re.compile(r"[0-9a-f]{4}(-[0-9a-f]{4}){7}")
"""The first 128 bits of the public key's SHA-256: short enough to be compared by eye."""


def own_fingerprint() -> str:
    """The fingerprint of this installation."""
    return _fingerprint(_key().public_key().public_bytes_raw())


def sign(content: bytes) -> bytes:
    """This installation's signature of a backup's content, in the form of the archive's member."""
    key = _key()
    member = {"public_key": key.public_key().public_bytes_raw().hex(), "signature": key.sign(PURPOSE + content).hex()}
    return json.dumps(member, indent=1).encode()


def signer(content: bytes, signature: bytes) -> str:
    """The fingerprint of the installation that signed the content. Raises BackupError where none did."""
    from cryptography.exceptions import InvalidSignature  # only here: few processes verify a backup
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        member = json.loads(signature)
        public, signed = bytes.fromhex(member["public_key"]), bytes.fromhex(member["signature"])
        Ed25519PublicKey.from_public_bytes(public).verify(signed, PURPOSE + content)
    except InvalidSignature:
        raise BackupError("its signature is of something else, so it was changed after it was signed") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BackupError("its signature cannot be read") from None
    return _fingerprint(public)


def read_fingerprint(written: str) -> str:
    """A fingerprint as somebody has written it. Raises BackupError."""
    found = written.strip().lower()
    if not FINGERPRINT.fullmatch(found):
        raise BackupError(f"A fingerprint is like {'-'.join(['1a2b'] * 8)}; got {written!r}")
    return found


def _key() -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(sha256(PURPOSE + settings.CANDOR_BACKUP_KEY.encode()).digest())


def _fingerprint(public: bytes) -> str:
    digits = sha256(public).hexdigest()
    return "-".join(digits[start : start + 4] for start in range(0, 32, 4))
