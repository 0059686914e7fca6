"""The languages of a report, and how each of them writes numbers.

The words go through gettext (`estimator/locale/`), with the language active. How numbers are written is kept apart from
that: the respondents' pages have languages and numbers of their own, which must not change with a report's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.utils import translation

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""What reports speak, each by its own name; the first where nobody chooses."""

DEFAULT = "en"

_MARKS = {"de": str.maketrans(",.", ".,")}
"""For each language that differs from English, what stands for its comma and its point."""

_numbers: ContextVar[str] = ContextVar("numbers", default=DEFAULT)


@contextmanager
def activated(language: str) -> Iterator[str]:
    """Have texts and numbers in this language, or in the first one where reports do not speak it; says which it is."""
    spoken = language if language in LANGUAGES else DEFAULT
    token = _numbers.set(spoken)
    try:
        with translation.override(spoken):
            yield spoken
    finally:
        _numbers.reset(token)


def active() -> str:
    """The language that was chosen with Django's `translation`, where reports speak it; else the first."""
    chosen = (translation.get_language() or DEFAULT).partition("-")[0]
    return chosen if chosen in LANGUAGES else DEFAULT


def formatted() -> str:
    """The language of the report that is being made."""
    return _numbers.get()


def figures(text: str) -> str:
    """A number as Python formats it, with the marks of the report's language."""
    return text.translate(_MARKS.get(_numbers.get(), {}))
