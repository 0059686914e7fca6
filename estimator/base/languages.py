"""The languages of a report, and their number formats.

The words go through gettext (`estimator/locale/`), with the language active. How numbers are written is kept apart from
that: the respondents' pages have languages and numbers of their own, which must not change with a report's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.utils import translation

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""The languages of reports, by native name; the first is the default."""

DEFAULT = "en"

_MARKS = {"de": str.maketrans(",.", ".,")}
"""By language that differs from English: the replacements for its comma and point."""

_numbers: ContextVar[str] = ContextVar("numbers", default=DEFAULT)


@contextmanager
def activated(language: str) -> Iterator[str]:
    """Activate this language for texts and numbers, or the default if reports lack it; yield the language used."""
    spoken = language if language in LANGUAGES else DEFAULT
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


def figures(text: str) -> str:
    """A number as Python formats it, with the separators of the report's language."""
    return text.translate(_MARKS.get(_numbers.get(), {}))
