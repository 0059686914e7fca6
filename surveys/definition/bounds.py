"""How large a definition may be: what is checked of its text before it is parsed, and of its parts before their use.

Every bound is far above what a survey needs: 256 questions in five languages are about 300 kB, seven levels deep.
"""

import math
from typing import Any

from collector.designs.texts import refused_character
from collector.errors import Path, ValidationError
from surveys.definition.unsupported import unsupported_text

LARGEST = 512 * 1024
"""Bytes of a text in YAML."""

DEEPEST = 12
"""Lists and mappings within each other."""

MOST_PARTS = 100_000
"""Values, keys, lists and mappings together."""

MOST_ENTRIES = 256
"""Of one list or mapping; no survey has more questions, and no question more answers."""

LONGEST_TEXT = 20_000
"""Characters of one text."""

LONGEST_KEY = 100

SURVEY: Path = ("survey",)
"""The place of a definition as a whole."""

MOST_DIGITS = 20
"""Of a number; one with more is a text in YAML, and refused where it was a number already, as in JSON."""


def require_size(source: str) -> None:
    """Refuse a text that is too large to be parsed, or is none. Raises ValidationError."""
    try:
        size = len(source.encode())
    except UnicodeEncodeError as error:
        raise ValidationError((), f"this is not text: character {error.start + 1} is half of one") from None
    if size > LARGEST:
        raise too_large(size)


def too_large(size: int) -> ValidationError:
    """What to raise where a file is known to have so many bytes, at best before it is read."""
    return ValidationError((), f"a definition must have at most {LARGEST:,} bytes; this one has {size:,}")


def require_plain(value: Any, path: Path = (), depth: int = 1) -> int:
    """Take texts, numbers, lists and mappings within the bounds, without HTML or what cannot be seen.

    Returns how many parts there are. Raises ValidationError, which names the place, the bound and the value.
    """
    if depth > DEEPEST:
        raise ValidationError(path, f"is nested too deeply: at most {DEEPEST} levels are taken")
    if isinstance(value, dict | list):
        return _require_plain_entries(value, path, depth)
    if isinstance(value, str):
        _require_plain_text(value, path)
    elif isinstance(value, int | float):
        _require_plain_number(value, path)
    return 1


def _require_plain_entries(value: dict[Any, Any] | list[Any], path: Path, depth: int) -> int:
    if len(value) > MOST_ENTRIES:
        raise ValidationError(path or SURVEY, f"must have at most {MOST_ENTRIES} entries; got {len(value)}")
    parts = 1
    if isinstance(value, list):
        parts += sum(require_plain(part, (*path, number), depth + 1) for number, part in enumerate(value))
    else:
        for name, part in value.items():
            _require_plain_key(name, path or SURVEY)
            parts += 1 + require_plain(part, (*path, str(name)), depth + 1)
    if parts > MOST_PARTS:
        raise ValidationError(path or SURVEY, f"must have at most {MOST_PARTS:,} parts; got more")
    return parts


def _require_plain_key(name: Any, path: Path) -> None:
    if len(str(name)) > LONGEST_KEY:
        raise ValidationError(path, f"must have keys of at most {LONGEST_KEY} characters; got {len(str(name)):,}")
    if unseen := refused_character(str(name), lines=False):
        raise ValidationError(path, f"has a key that {unseen.in_words}.")


def _require_plain_text(words: str, path: Path) -> None:
    if len(words) > LONGEST_TEXT:
        raise ValidationError(path, f"must have at most {LONGEST_TEXT:,} characters; got {len(words):,}")
    if reason := unsupported_text(words):
        raise ValidationError(path, f"{reason}.")


def _require_plain_number(number: int | float, path: Path) -> None:
    if isinstance(number, float) and not math.isfinite(number):
        raise ValidationError(path, f"must be a finite number; got {number}")
    if abs(number) >= 10**MOST_DIGITS:
        raise ValidationError(path, f"must be a number of at most {MOST_DIGITS} digits")
