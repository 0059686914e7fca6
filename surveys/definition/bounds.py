"""Bounds on a definition's size: of its text, checked before parsing, and of its parts, before use.

Every bound is far above what a survey needs: 256 questions in five languages are about 300 kB, seven levels deep.
"""

import math
import re
from typing import Any

from django.utils.translation import gettext

from collector.designs.texts import refused_character
from collector.errors import Path, ValidationError
from estimator.base.languages import filled
from surveys.definition.unsupported import unsupported_text

LARGEST = 512 * 1024
"""Maximum bytes of a YAML text, without its pictures."""

LARGEST_FILE = LARGEST + 3 * 1024 * 1024
"""Maximum bytes of a YAML text with its pictures."""

PICTURE = re.compile(r"^[ \t]*(?:[\w-]{1,100}:[ \t]+)?[A-Za-z0-9+/=]{1000,}[ \t]*$", re.MULTILINE)
"""A line that holds a picture as base64, which costs next to nothing to parse."""

DEEPEST = 12
"""Maximum nesting of lists and mappings."""

MOST_PARTS = 100_000
"""Maximum number of values, keys, lists and mappings together."""

MOST_ENTRIES = 256
"""Maximum entries of a list or mapping: also of questions in a survey and answers of one."""

LONGEST_TEXT = 20_000
"""Maximum characters of one text."""

LONGEST_KEY = 100

SURVEY: Path = ("survey",)
"""The path of a definition as a whole."""

MOST_DIGITS = 20
"""Maximum digits of a number; in YAML a longer one is a text, in JSON, already a number, it is rejected."""


def require_size(source: str) -> None:
    """Reject a text that is too large to be parsed, or not valid text. Raises ValidationError."""
    try:
        size = len(source.encode())
    except UnicodeEncodeError as error:
        raise ValidationError(
            (),
            gettext("this is not text: character {position} is half of a surrogate pair").format(
                position=error.start + 1
            ),
        ) from None
    if size > LARGEST_FILE:
        raise too_large(size)
    if size > LARGEST and (rest := size - sum(len(line[0]) for line in PICTURE.finditer(source))) > LARGEST:
        raise too_large(rest)


def too_large(size: int) -> ValidationError:
    """The error for a definition with this many bytes, raised before reading where possible."""
    return ValidationError(
        (),
        filled(
            gettext("a definition must have at most {largest:,} bytes besides its pictures; this one has {size:,}"),
            largest=LARGEST,
            size=size,
        ),
    )


def require_plain(value: Any, path: Path = (), depth: int = 1) -> int:
    """Require texts, numbers, lists and mappings within bounds, without HTML or invisible characters.

    Returns how many parts there are. Raises ValidationError, which names the place, the bound and the value.
    """
    if depth > DEEPEST:
        raise ValidationError(
            path, gettext("is nested too deeply: at most {deepest} levels are allowed").format(deepest=DEEPEST)
        )
    if isinstance(value, dict | list):
        return _require_plain_entries(value, path, depth)
    if isinstance(value, str):
        _require_plain_text(value, path)
    elif isinstance(value, int | float):
        _require_plain_number(value, path)
    return 1


def _require_plain_entries(value: dict[Any, Any] | list[Any], path: Path, depth: int) -> int:
    if len(value) > MOST_ENTRIES:
        raise ValidationError(
            path or SURVEY,
            gettext("must have at most {most_entries} entries; got {count}").format(
                most_entries=MOST_ENTRIES, count=len(value)
            ),
        )
    parts = 1
    if isinstance(value, list):
        parts += sum(require_plain(part, (*path, number), depth + 1) for number, part in enumerate(value))
    else:
        for name, part in value.items():
            _require_plain_key(name, path or SURVEY)
            parts += 1 + require_plain(part, (*path, str(name)), depth + 1)
    if parts > MOST_PARTS:
        raise ValidationError(
            path or SURVEY, filled(gettext("must have at most {most_parts:,} parts; got more"), most_parts=MOST_PARTS)
        )
    return parts


def _require_plain_key(name: Any, path: Path) -> None:
    if len(str(name)) > LONGEST_KEY:
        raise ValidationError(
            path,
            filled(
                gettext("must have keys of at most {longest_key} characters; got {count:,}"),
                longest_key=LONGEST_KEY,
                count=len(str(name)),
            ),
        )
    if unseen := refused_character(str(name), lines=False):
        raise ValidationError(path, gettext("has a key that {problem}.").format(problem=unseen.in_words))


def _require_plain_text(words: str, path: Path) -> None:
    if len(words) > LONGEST_TEXT:
        raise ValidationError(
            path,
            filled(
                gettext("must have at most {longest_text:,} characters; got {count:,}"),
                longest_text=LONGEST_TEXT,
                count=len(words),
            ),
        )
    if reason := unsupported_text(words):
        raise ValidationError(path, f"{reason}.")


def _require_plain_number(number: int | float, path: Path) -> None:
    if isinstance(number, float) and not math.isfinite(number):
        raise ValidationError(path, gettext("must be a finite number; got {number}").format(number=number))
    if abs(number) >= 10**MOST_DIGITS:
        raise ValidationError(
            path, gettext("must be a number of at most {most_digits} digits").format(most_digits=MOST_DIGITS)
        )
