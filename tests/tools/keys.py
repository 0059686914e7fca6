"""Keys of age, as age-keygen makes them."""

from dataclasses import dataclass
from pathlib import Path

import pyrage


@dataclass(frozen=True)
class KeyPair:
    """A public key, and the file with its private one."""

    recipient: str
    identity: Path


def new_key(path: Path) -> KeyPair:
    made = pyrage.x25519.Identity.generate()
    path.write_text(f"# created: 2026-11-23\n# public key: {made.to_public()}\n{made}\n")
    return KeyPair(str(made.to_public()), path)
