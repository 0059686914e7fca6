"""Static files by the names and with the digests that a stored page can rely on.

A respondent's page is rendered once and served for as long as its survey is open, so it names each file by the hash of
its content and says what the browser must find there (`integrity`): a changed script is not run.
"""

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha384
from pathlib import Path

from django import template
from django.conf import STATICFILES_STORAGE_ALIAS
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.storage import storages

register = template.Library()

CLIENT = "surveys/client"
ENTRY = f"{CLIENT}/page.js"

STYLES = ("base", "languages", "explaining", "questions", "stages")
"""The style sheets of a respondent's page, in the order in which they apply."""


@dataclass(frozen=True)
class Asset:
    """One static file: its address and the `integrity` that a browser compares it with."""

    url: str
    integrity: str


@register.simple_tag
def asset(name: str) -> Asset:
    """The static file `name`, as it was collected into STATIC_ROOT."""
    storage = storages[STATICFILES_STORAGE_ALIAS]
    if isinstance(storage, ManifestStaticFilesStorage):
        # Also under DEBUG, where Django would name the file without its hash: the page outlives the setting.
        url = storage.url(name, force=True)
        content = storage.open(storage.stored_name(name)).read()
    else:
        url = storage.url(name)
        content = _source(name)
    return Asset(url, "sha384-" + b64encode(sha384(content).digest()).decode())


@register.simple_tag
def style_sheets() -> list[Asset]:
    """The style sheets of a respondent's page, for `<link rel="stylesheet">`."""
    return [asset(f"surveys/style/{name}.css") for name in STYLES]


@register.simple_tag
def imported_modules() -> list[Asset]:
    """Every module of the client but the first one, in order of name, for `<link rel="modulepreload">`.

    An import statement cannot say what it expects to find; a preload with `integrity` of the same address can.
    """
    entry = finders.find(ENTRY)
    if not isinstance(entry, str):
        raise FileNotFoundError(f"the client's first module {ENTRY} is not among the static files")
    names = sorted(path.name for path in Path(entry).parent.glob("*.js"))
    return [asset(f"{CLIENT}/{name}") for name in names if f"{CLIENT}/{name}" != ENTRY]


def _source(name: str) -> bytes:
    found = finders.find(name)
    if not isinstance(found, str):
        raise FileNotFoundError(f"there is no static file {name}")
    return Path(found).read_bytes()
