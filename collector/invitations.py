"""The codes of a survey by invitation: how they look, and the hash that is all that is kept of one.

A code is 27 random symbols and one that checks them, 135 bits: nobody finds one by trying, so a plain hash of it may be
kept. Symbols are Crockford's base 32 in small letters (no i, l, o, u), so that a code can be typed from a printed card.
"""

import hashlib
import re
import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
RANDOM_SYMBOLS = 27
CODE = re.compile(rf"[{ALPHABET}]{{{RANDOM_SYMBOLS + 1}}}")


def new_code() -> str:
    """A code that nobody has; it is known to whoever is told of it, and kept nowhere."""
    drawn = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_SYMBOLS))
    return drawn + check_symbol(drawn)


def check_symbol(symbols: str) -> str:
    """The symbol behind these: Luhn's sum in base 32, which one wrong symbol always changes (Luhn 1960, US 2950048)."""
    total = 0
    for place, symbol in enumerate(reversed(symbols)):
        doubled = ALPHABET.index(symbol) * (2 - place % 2)
        total += doubled // len(ALPHABET) + doubled % len(ALPHABET)
    return ALPHABET[-total % len(ALPHABET)]


def is_code(text: str) -> bool:
    """Whether it is a code as `new_code` makes them; nothing says whether there is such an invitation."""
    return CODE.fullmatch(text) is not None and check_symbol(text[:-1]) == text[-1]


def hash_of(code: str) -> bytes:
    """SHA-256 of a code, 32 bytes: what is kept."""
    return hashlib.sha256(code.encode("ascii")).digest()
