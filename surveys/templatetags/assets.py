"""Static files with the names and digests that a stored page can rely on.

A respondent's page is rendered once and served for as long as its survey is open, so it names each file by the hash of
its content and says what the browser must find there (`integrity`): a changed script is not run.
"""

import posixpath
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha384
from pathlib import Path

from django import template
from django.conf import STATICFILES_STORAGE_ALIAS
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages

register = template.Library()

CLIENT = "surveys/client"
FETCHING = "surveys/token"
SPENT = "surveys/spent"

NEIGHBOUR = re.compile(r'^(?:import .*|\} )from "(\./[a-z]+|\.\./client/[a-z]+)\.js";$', re.MULTILINE)
"""The import statements of a module, each recognisable by one line of source (tests/client/test_source.py)."""

STYLES = (
    "estimator/tokens.css",
    *(f"surveys/style/{name}.css" for name in ("base", "languages", "explaining", "questions", "stages")),
)
"""The style sheets of a respondent's page, in the order in which they apply."""


@dataclass(frozen=True)
class Asset:
    """A static file: its URL and the `integrity` hash that a browser verifies."""

    url: str
    integrity: str


@register.simple_tag
def asset(name: str) -> Asset:
    """The static file `name`, as it was collected into STATIC_ROOT. Raises ImproperlyConfigured where it was not."""
    storage = storages[STATICFILES_STORAGE_ALIAS]
    if isinstance(storage, ManifestStaticFilesStorage):
        try:
            # Also under DEBUG, where Django would name the file without its hash: the page outlives the setting.
            url = storage.url(name, force=True)
            content = storage.open(storage.stored_name(name)).read()
        except (ValueError, FileNotFoundError):
            raise ImproperlyConfigured(
                f"The static files are not collected: {name} is missing. Run 'manage.py collectstatic --noinput', "
                "start what is running again, and repeat this."
            ) from None
    else:
        url = storage.url(name)
        content = _source(name)
    return Asset(url, "sha384-" + b64encode(sha384(content).digest()).decode())


@register.simple_tag
def style_sheets() -> list[Asset]:
    """The style sheets of a respondent's page, for `<link rel="stylesheet">`."""
    return [asset(name) for name in STYLES]


@register.simple_tag
def imported_modules(extras: Sequence[str]) -> list[Asset]:
    """Every module that `page.js` or one of the extras imports, in order of name, for `<link rel="modulepreload">`.

    An import statement cannot say what it expects to find; a preload with `integrity` of the same address can.
    """
    return _imported_by([f"{CLIENT}/{name}" for name in ("page", *extras)])


@register.simple_tag
def token_modules() -> list[Asset]:
    """The modules that the page for fetching an invitation imports, with the client's, likewise."""
    return _imported_by([f"{FETCHING}/page"])


@register.simple_tag
def spent_modules() -> list[Asset]:
    """The modules that the page of a respondent's privacy budget imports, likewise."""
    return _imported_by([f"{SPENT}/spent"])


def _imported_by(entries: Sequence[str]) -> list[Asset]:
    found, left = set[str](), list(entries)
    while left:
        module = left.pop()
        named = NEIGHBOUR.findall(_source(f"{module}.js").decode())
        names = {posixpath.normpath(f"{posixpath.dirname(module)}/{name}") for name in named}
        left += names - found
        found |= names
    return [asset(f"{name}.js") for name in sorted(found.difference(entries))]


@register.simple_tag
def entry_scripts(extras: Sequence[str]) -> list[Asset]:
    """The scripts that run by themselves: extras that only some designs need, then `page.js`, which uses them."""
    return [asset(f"{CLIENT}/{name}.js") for name in (*extras, "page")]


def _source(name: str) -> bytes:
    found = finders.find(name)
    if not isinstance(found, str):
        raise FileNotFoundError(f"there is no static file {name}")
    return Path(found).read_bytes()
