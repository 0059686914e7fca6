"""Parsing of a list of addresses that was pasted or uploaded."""

import re
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext

from collector.errors import InputError
from estimator.base.languages import filled

MOST = 20_000
"""Maximum addresses of one list."""
LARGEST = 2_000_000
"""Maximum bytes of an uploaded list."""
NAMED = 10
"""Maximum number of wrong addresses named in an error."""


@dataclass(frozen=True)
class AddressList:
    """The distinct addresses of a list, in its order, and those that occur more than once."""

    addresses: list[str]
    repeated: list[str]


def read(text: str) -> AddressList:
    """Parse addresses from text: one per line, or separated by commas, semicolons or spaces.

    Raises InputError, naming what is no address, or how many there are and may be.
    """
    written = [part for part in re.split(r"[\s,;]+", text) if part]
    if wrong := [part for part in written if not _is_address(part)]:
        more = gettext(" and {count} more").format(count=len(wrong) - NAMED) if len(wrong) > NAMED else ""
        named = ", ".join(repr(part[:80]) for part in wrong[:NAMED])
        raise InputError(
            "addresses",
            gettext("Each must be an address such as name@example.org, without a name: {named}{more}.").format(
                named=named, more=more
            ),
        )
    found: dict[str, str] = {}
    repeated: dict[str, str] = {}
    for part in written:
        known = found.setdefault(part.casefold(), part)
        if known is not part:
            repeated.setdefault(part.casefold(), known)
    if not 1 <= len(found) <= MOST:
        raise InputError(
            "addresses",
            filled(
                gettext("A list must have 1 to {most:,} addresses; this one has {count:,}."),
                most=MOST,
                count=len(found),
            ),
        )
    return AddressList(list(found.values()), list(repeated.values()))


def read_file(content: bytes) -> str:
    """The text of an uploaded list. Raises InputError where it is none."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("addresses", gettext("The file is not text in UTF-8.")) from None


def _is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= 254
