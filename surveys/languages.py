"""The languages of the respondents' pages: which there are, where a survey's page is in each of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.urls.converters import StringConverter

CODE = r"[a-z]{2,3}(?:-[A-Za-z0-9]+)*"


class LanguageConverter(StringConverter):
    """A language code in an address. No other part of one is as short, so `coin` is never taken for a language."""

    regex = CODE


@dataclass(frozen=True)
class Door:
    """A language in the switch: its code, its own name, its direction, the page's address in it."""

    code: str
    name: str
    direction: str
    address: str


def address_of(page: str, document: Mapping[str, Any], language: str) -> str:
    """Where a page of the survey is in one of its languages; its own language, the first, is not in the address."""
    own = language == document["languages"][0]
    return reverse(f"surveys:{page}", args=[document["slug"]] if own else [document["slug"], language])


def switch(page: str, document: Mapping[str, Any]) -> list[Door]:
    """The page in each of the survey's languages, in their order; nothing where there is only one."""
    codes = document["languages"]
    return [_door(page, document, code) for code in codes] if len(codes) > 1 else []


def _door(page: str, document: Mapping[str, Any], code: str) -> Door:
    # An old survey may have been opened in a language that is spoken no more; its closed page still stands.
    name = dict(settings.LANGUAGES).get(code, code)
    direction = "rtl" if code in settings.LANGUAGES_BIDI else "ltr"
    return Door(code, str(name), direction, address_of(page, document, code))
