"""Numbers as people write them: 30 %, 0,3, 0.3 and 3/10 are one number; in definitions it stands in plain digits."""

import re
import unicodedata
from decimal import Decimal

from collector.designs.checks import DECIMAL

WRITTEN = re.compile(r"(-?)(\d{0,20})(?:\.(\d{1,20}))?(?: ?%)?")
FRACTION = re.compile(r"(\d{1,20}) ?/ ?(\d{1,20})")
DIGITS = re.compile(r"-?\d+(\.\d+)?")
GROUPED = re.compile(r"[1-9]\d{0,2}(,\d{3})+")
SIGNS = str.maketrans({"٪": "%", "٫": ".", "−": "-", "⁄": "/", "\u00a0": " ", "\u202f": " "})
LONGEST = 60


def plain_number(written: str) -> str:
    """The number in plain digits, like 0.3 or 3/10; a text that is none, or could be two, as it stands.

    A comma is a decimal sign, but not in 1,000, which some read as a thousand: that is for the author to say.
    """
    if len(written) > LONGEST:
        return written
    text = "".join(map(_digit, written.strip().translate(SIGNS)))
    if fraction := FRACTION.fullmatch(text):
        return f"{fraction[1]}/{fraction[2]}"
    if GROUPED.fullmatch(text):
        return written
    found = WRITTEN.fullmatch(text.replace(",", ".", 1))
    if found is None or not (found[2] or found[3]):
        return written
    sign, whole, behind = found[1], found[2] or "0", found[3]
    if text.endswith("%"):
        return f"{Decimal(f'{sign}{whole}.{behind or 0}').scaleb(-2).normalize():f}"
    return f"{sign}{whole}" + (f".{behind}" if behind else "")


def plain_decimal(written: str) -> str:
    """As `plain_number`, where only a decimal number is valid: 1/2 is 0.5, and 1/3 stays as it stands."""
    plain = plain_number(written)
    above, slash, below = plain.partition("/")
    if not slash or not int(below):
        return plain
    value = f"{Decimal(above) / int(below):f}"
    exact = DECIMAL.fullmatch(value) and Decimal(value) * int(below) == int(above)
    return value if exact else plain


def plain_percent(written: str) -> str:
    """What is asked for in per cent: 30 %, 30 and 3/10 are 30."""
    plain = plain_number(written)
    if "/" in plain or written.strip().translate(SIGNS).endswith("%"):
        whole, _, parts = plain.partition("/")
        if DIGITS.fullmatch(whole) and int(parts or 1):
            return f"{Decimal(whole) / int(parts or 1) * 100:f}"
    return plain


def _digit(character: str) -> str:
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)
