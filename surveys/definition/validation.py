"""Validation of a definition's parts: each function returns the complete form, or raises with a sentence."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext

from collector.errors import Path, ValidationError
from surveys.definition.numerals import plain_number
from surveys.definition.unsupported import unsupported_key


def known_keys(value: object, keys: set[str], path: Path) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValidationError(
            path,
            gettext("must be an object with the keys {names}; got {value!r}").format(
                names=", ".join(sorted(keys)), value=value
            ),
        )
    for key in value:
        if key not in keys and (reason := unsupported_key(key)):
            raise ValidationError((*path, str(key)), gettext("is not possible: {reason}.").format(reason=reason))
    unknown = sorted(str(key) for key in value if key not in keys)
    if unknown:
        message = gettext("has unknown keys: {unknown}; known are {names}").format(
            unknown=", ".join(unknown), names=", ".join(sorted(keys))
        )
        raise ValidationError(path, message, keys=unknown)
    return value


def exact(value: object, plain: Callable[[str], str] = plain_number) -> Any:
    """A number as text in plain digits: of an unquoted 0.25 in YAML, and of 25 %, 0,25 or 1 / 4 as text.

    `plain` is `plain_decimal` where a fraction is not valid.
    """
    if isinstance(value, str):
        return plain(value)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def text(value: object, languages: list[str]) -> Any:
    """A text by language; a plain string is for the survey's only language, an empty one for all of them."""
    if value == "":
        return dict.fromkeys(languages, "")
    return {languages[0]: value} if isinstance(value, str) and len(languages) == 1 else value
