"""The languages of a report, and their number formats.

The words go through gettext (`estimator/locale/`), with the language active. How numbers are written is kept apart from
that: the respondents' pages have numbers of their own, which must not change with a report's.
"""

import re
import string
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.utils import translation

LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ar": "العربية"}
"""The languages of reports and dossiers, by native name; the first is the default."""

RIGHT_TO_LEFT = ("ar",)

DEFAULT = "en"

_MARKS = {
    "de": str.maketrans(",.", ".,"),
    "es": str.maketrans(",.", ".,"),
    "fr": str.maketrans(",.", "\u202f,"),
}
"""By language that differs from English: the replacements for its comma and point."""

_FOUR_DIGITS = re.compile(r"(?<![\d,])(\d),(\d{3})(?![\d,])")
"""Spanish does not separate these."""

_numbers: ContextVar[str] = ContextVar("numbers", default=DEFAULT)


@contextmanager
def activated(language: str, known: Collection[str] = LANGUAGES) -> Iterator[str]:
    """Activate this language for texts and numbers, or the default if it is not known; yield the language used.

    `known` are those of reports, if nothing else is given.
    """
    spoken = language if language in known else DEFAULT
    token = _numbers.set(spoken)
    try:
        with translation.override(spoken):
            yield spoken
    finally:
        _numbers.reset(token)


def active() -> str:
    """The language chosen with Django's `translation` if reports support it; otherwise the default."""
    chosen = (translation.get_language() or DEFAULT).partition("-")[0]
    return chosen if chosen in LANGUAGES else DEFAULT


def formatted() -> str:
    """The language of the report being generated."""
    return _numbers.get()


def direction() -> str:
    """The direction of the report being generated, as HTML names it."""
    return "rtl" if formatted() in RIGHT_TO_LEFT else "ltr"


def figures(text: str) -> str:
    """A number as Python formats it, with the separators of the report's language.

    From right to left a mark keeps the sign of a negative number before it.
    """
    if _numbers.get() == "es":
        text = _FOUR_DIGITS.sub(r"\1\2", text)
    if text.startswith("-") and direction() == "rtl":
        text = f"\u200e{text}"
    return text.translate(_MARKS.get(_numbers.get(), {}))


class _Filler(string.Formatter):
    def format_field(self, value: object, format_spec: str) -> str:
        text = str(super().format_field(value, format_spec))
        return figures(text) if isinstance(value, int | float) else text


def filled(text: str, **values: object) -> str:
    """The text with its `{placeholders}` filled as `str.format` does, its numbers with the language's separators."""
    return _Filler().vformat(str(text), (), values)
