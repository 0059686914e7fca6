"""Validators for parts of a design document; each raises ValidationError with path, bound and value."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from django.utils.translation import gettext

from collector.designs.texts import refused_character
from collector.errors import Path, ValidationError

KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
DECIMAL = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,6})?")
FRACTION = re.compile(r"[0-9]{1,20}(/[0-9]{1,20}|\.[0-9]{1,20})?")
"""Without exponents: 1e-99999999 would fill the memory."""


Name = TypeVar("Name", bound=str)


def require(condition: object, path: Path, message: str, *, code: str = "invalid", keys: Sequence[str] = ()) -> None:
    if not condition:
        raise ValidationError(path, message, code=code, keys=keys)


def exact_keys(
    value: object, keys: Collection[str], path: Path, *, optional: Collection[str] = ()
) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValidationError(path, gettext("must be an object; got {name}").format(name=type(value).__name__))
    fits = set(keys) <= set(value) <= set(keys) | set(optional)
    may = gettext(" and may have {optional}").format(optional=sorted(optional)) if optional else ""
    require(
        fits,
        path,
        gettext("must have exactly the keys {keys}{may}; got {names}").format(
            keys=sorted(keys), may=may, names=sorted(map(str, value))
        ),
    )
    return value


def one_of(value: object, names: Iterable[Name], path: Path, message: str) -> Name:
    for name in names:
        if value == name:
            return name
    raise ValidationError(path, gettext("must be {message}; got {value!r}").format(message=message, value=value))


def listed(value: object, path: Path) -> list[object]:
    if not isinstance(value, list):
        raise ValidationError(path, gettext("must be a list; got {name}").format(name=type(value).__name__))
    return value


def key(value: object, path: Path) -> None:
    valid = isinstance(value, str) and KEY.fullmatch(value)
    require(
        valid,
        path,
        gettext("must be 1 to 64 of the characters a-z, 0-9, - and _, and not start with - or _; got {value!r}").format(
            value=value
        ),
    )


def text(value: object, path: Path, languages: Collection[str], *, empty: bool = False) -> None:
    """Validate a text given in every language; with `empty` it may be blank."""
    for language, words in exact_keys(value, set(languages), path).items():
        if not isinstance(words, str):
            raise ValidationError((*path, language), gettext("must be text; got {words!r}").format(words=words))
        require(empty or words.strip() != "", (*path, language), gettext("must not be empty"))
        plain(words, (*path, language))


def plain(value: str, path: Path) -> None:
    """Reject invisible characters in a text (collector/designs/texts.py)."""
    if found := refused_character(value):
        raise ValidationError(path, found.in_words)


def whole(value: object, path: Path, *, low: int, high: int | None = None) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and low <= value and (high is None or value <= high):
        return value
    bounds = (
        gettext("of at least {low}").format(low=low)
        if high is None
        else gettext("from {low} to {high}").format(low=low, high=high)
    )
    raise ValidationError(
        path, gettext("must be an integer {bounds}; got {value!r}").format(bounds=bounds, value=value)
    )


def fraction(value: object, path: Path) -> Fraction:
    """Parse an exact probability from text."""
    try:
        read = Fraction(value) if isinstance(value, str) and FRACTION.fullmatch(value) else None
    except ZeroDivisionError:
        read = None
    if read is None or not 0 <= read <= 1:
        raise ValidationError(
            path, gettext("must be a fraction from 0 to 1 as text, such as '1/2'; got {value!r}").format(value=value)
        )
    return read


def decimal(value: object, path: Path) -> Fraction:
    """Parse an exact decimal number from text."""
    if not isinstance(value, str) or not DECIMAL.fullmatch(value):
        raise ValidationError(
            path, gettext("must be a decimal number as text, such as '0.5'; got {value!r}").format(value=value)
        )
    return Fraction(value)


def distinct(keys: list[str], path: Path) -> None:
    twice = sorted({key for key in keys if keys.count(key) > 1})
    message = gettext("must have different keys; {twice} is used more than once").format(twice=", ".join(twice))
    require(not twice, path, message, code="duplicate", keys=twice)
