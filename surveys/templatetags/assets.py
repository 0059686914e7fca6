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
def client_modules(extras: Sequence[str]) -> list[Asset]:
    """The modules of a respondent's page, each to be run by a `<script>` of its own with `integrity`.

    An import statement cannot say what it expects to find, and under `Integrity-Policy` a browser refuses an import
    whose address no script has named before (WebKit 26 does not take a `modulepreload` for such a name). So each module
    stands after all that it imports: extras that only some designs need, then `page.js`, which uses them.
    """
    return _in_order([f"{CLIENT}/{name}" for name in (*extras, "page")])


@register.simple_tag
def token_modules() -> list[Asset]:
    """The modules of the page for fetching an invitation, with the client's, likewise."""
    return _in_order([f"{FETCHING}/page"])


@register.simple_tag
def spent_modules() -> list[Asset]:
    """The modules of the page of a respondent's privacy budget, likewise."""
    return _in_order([f"{SPENT}/spent"])


def _in_order(entries: Sequence[str]) -> list[Asset]:
    """The modules that these import, directly or not, and these; each after all that it imports."""
    found = dict[str, None]()

    def add(module: str) -> None:
        if module in found:
            return
        for name in sorted(NEIGHBOUR.findall(_source(f"{module}.js").decode())):
            add(posixpath.normpath(f"{posixpath.dirname(module)}/{name}"))
        found[module] = None

    for entry in entries:
        add(entry)
    return [asset(f"{name}.js") for name in found]


def _source(name: str) -> bytes:
    found = finders.find(name)
    if not isinstance(found, str):
        raise FileNotFoundError(f"there is no static file {name}")
    return Path(found).read_bytes()
