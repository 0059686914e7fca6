"""Languages of the respondents' pages, and the URLs of a survey's pages in each of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.urls.converters import StringConverter
from django.utils.translation import gettext

from collector.designs import Design
from collector.errors import ValidationError
from surveys.definition.parts import Definition

CODE = r"[a-z]{2,3}(?:-[A-Za-z0-9]+)*"


PLURALS = {
    "en": {"one": 1, "other": 2},
    "de": {"one": 1, "other": 2},
    "es": {"one": 1, "many": 1_000_000, "other": 2},
    "fr": {"one": 1, "many": 1_000_000, "other": 2},
    "ar": {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 11, "other": 100},
}
"""The browser's names for a language's plural forms, with an example number each; gettext only numbers them."""


class LanguageConverter(StringConverter):
    """URL converter for language codes. No other part of a URL is as short, so `coin` is never one."""

    regex = CODE


@dataclass(frozen=True)
class LanguageLink:
    """A link in the language switch: language code, native name, text direction, URL of the page."""

    code: str
    name: str
    direction: str
    address: str


def plurals_of(language: str) -> list[tuple[str, int]]:
    """The plural forms of a language by the browser's names, each with an example number."""
    # A page in a language that is spoken no more, of an old survey, has no translation and falls back to English.
    return list(PLURALS.get(language, PLURALS["en"]).items())


def require_every_language(definition: Definition) -> None:
    """Raise ValidationError where the survey cannot have a page in each of its languages."""
    spoken = [code for code, _name in settings.LANGUAGES]
    for code in definition["languages"]:
        if code not in spoken:
            message = gettext(": respondents' pages are not available in {code!r}, only in {spoken}").format(
                code=code, spoken=", ".join(spoken)
            )
            raise ValidationError(("languages",), message)
    for place in ("introduction", "consent"):
        written = [code for code, text in definition[place].items() if text.strip()]
        for code in definition["languages"] if written else ():
            if code not in written:
                message = gettext("must not be empty: the text exists in {written}").format(written=", ".join(written))
                raise ValidationError((place, code), message)


def address_of(page: str, design: Design, language: str) -> str:
    """The URL of a survey's page in one of its languages; the default, the first, is not in the URL."""
    own = language == design.language
    return reverse(f"surveys:{page}", args=[design.slug] if own else [design.slug, language])


def language_links(page: str, design: Design, codes: Sequence[str] = ()) -> list[LanguageLink]:
    """Links to the page in each of the survey's languages, or of these, in order; empty if there is only one."""
    codes = codes or design.languages
    return [_door(page, design, code) for code in codes] if len(codes) > 1 else []


def _door(page: str, design: Design, code: str) -> LanguageLink:
    # An old survey may have been opened in a language that is spoken no more; its closed page still stands.
    name = dict(settings.LANGUAGES).get(code, code)
    direction = "rtl" if code in settings.LANGUAGES_BIDI else "ltr"
    return LanguageLink(code, str(name), direction, address_of(page, design, code))
