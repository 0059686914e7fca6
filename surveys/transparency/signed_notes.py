"""Signed notes and the checkpoints of a transparency log (C2SP signed-note and tlog-checkpoint), with Ed25519.

A checkpoint is a text of three lines: the log's origin, its size, its root in base64. A note is a text, an empty line,
and a line for each signature: a dash, the key's name, and its hash with the signature in base64.
"""

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ED25519 = b"\x01"
DASH = "\N{EM DASH}"
VERIFIER = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)")


@dataclass(frozen=True)
class Checkpoint:
    """What a log has: its origin, its number of entries, the root of the tree of them."""

    origin: str
    size: int
    root: bytes

    def __str__(self) -> str:
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


@dataclass(frozen=True)
class Verifier:
    """A public key with its name, as written: name+hash+key."""

    name: str
    public: bytes

    @property
    def hash(self) -> bytes:
        return sha256(self.name.encode() + b"\n" + ED25519 + self.public).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.hash.hex()}+{b64encode(ED25519 + self.public).decode()}"


def read_verifier(written: str) -> Verifier:
    """The key that a text names. Raises ValueError where it is none."""
    found = VERIFIER.fullmatch(written.strip())
    key = _decoded(found[3]) if found else b""
    if found is None or len(key) != 33 or key[:1] != ED25519:
        raise ValueError(f"a key must be written as name+hash+key; got {written.strip()[:100]!r}")
    verifier = Verifier(found[1], key[1:])
    if verifier.hash.hex() != found[2]:
        raise ValueError(f"the key's hash must be {verifier.hash.hex()}; got {found[2]}")
    return verifier


def sign(text: str, verifier: Verifier, key: "Ed25519PrivateKey") -> str:
    """The text as a note, signed with a key that the verifier names."""
    signature = b64encode(verifier.hash + key.sign(text.encode())).decode()
    return f"{text}\n{DASH} {verifier.name} {signature}\n"


def opened(note: str, verifier: Verifier) -> str:
    """The text of a note that has this key's signature. Raises ValueError where it has none."""
    text, gap, signatures = note.rpartition("\n\n")
    for line in signatures.splitlines() if gap else ():
        dash, _, rest = line.partition(" ")
        name, _, written = rest.partition(" ")
        signed = _decoded(written)
        if (dash, name, signed[:4]) != (DASH, verifier.name, verifier.hash):
            continue
        try:
            Ed25519PublicKey.from_public_bytes(verifier.public).verify(signed[4:], f"{text}\n".encode())
        except InvalidSignature:
            break
        return f"{text}\n"
    raise ValueError(f"the note has no signature of {verifier.name}")


def read_checkpoint(text: str) -> Checkpoint:
    """The checkpoint that a text is. Raises ValueError where it is none."""
    lines = text.splitlines()
    root = _decoded(lines[2]) if len(lines) >= 3 else b""
    if len(root) != 32 or not re.fullmatch(r"0|[1-9][0-9]{0,17}", lines[1]):
        raise ValueError("a checkpoint must have three lines: origin, size, root")
    return Checkpoint(lines[0], int(lines[1]), root)


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (Base64Error, ValueError):
        return b""
