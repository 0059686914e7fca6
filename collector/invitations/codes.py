"""Invitation codes: their format, and the hash, which is all that is stored of a code.

A code is 27 random symbols and one that checks them, 135 bits: nobody finds one by trying, so a plain hash of it may be
kept. Symbols are Crockford's base 32 in small letters (no i, l, o, u), so that a code can be typed from a printed card.
"""

import hashlib
import re
import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
RANDOM_SYMBOLS = 27
VALUES = {symbol: value for value, symbol in enumerate(ALPHABET)}
DOUBLED = {symbol: sum(divmod(2 * value, len(ALPHABET))) for symbol, value in VALUES.items()}
MISREAD = str.maketrans("ilo", "110")
CODE = re.compile(rf"[{ALPHABET}]{{{RANDOM_SYMBOLS + 1}}}")


def new_code() -> str:
    """Generate a new random code; it is not stored."""
    number = secrets.randbits(5 * RANDOM_SYMBOLS)
    drawn = "".join([ALPHABET[number >> shift & 31] for shift in range(0, 5 * RANDOM_SYMBOLS, 5)])
    return drawn + check_symbol(drawn)


def check_symbol(symbols: str) -> str:
    """The check symbol: Luhn's sum in base 32, which detects any one wrong symbol (Luhn 1960, US 2950048)."""
    plain, doubled = symbols[-2::-2], symbols[::-2]
    total = sum([VALUES[symbol] for symbol in plain]) + sum([DOUBLED[symbol] for symbol in doubled])
    return ALPHABET[-total % len(ALPHABET)]


def normalise_code(text: str) -> str:
    """Normalise a typed code: capitals, spaces and dashes are accepted, l and i for 1, o for 0."""
    return re.sub(r"[\s\-\u2010-\u2015]+", "", text).lower().translate(MISREAD)


def is_code(text: str) -> bool:
    """Return True if the text has the format of a code; whether it was issued is not checked."""
    return CODE.fullmatch(text) is not None and check_symbol(text[:-1]) == text[-1]


def hash_of(code: str) -> bytes:
    """The SHA-256 of a code, 32 bytes: its stored form."""
    return hashlib.sha256(code.encode("ascii")).digest()
