"""The help pages at /panel/help/: the files of build/help, which `bin/build-help` or the image's build made of docs/.

They are public text: nobody has to sign in. They need no other host, and nothing of the panel's policy is loosened.
"""

import re
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import condition, require_safe

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
AS_TEXT = "text/plain; charset=utf-8"
"""For examples such as scripts and configuration files: a browser shows them."""

HASHED = re.compile(r"\.[0-9a-f]{8}\.min\.(js|css)$")


def file_at(name: str) -> Path | None:
    """The file of a page or of what a page loads, or None; never one outside the folder of the site."""
    folder: Path = settings.HELP_SITE.resolve()
    try:
        path = (folder / (name or "index.html")).resolve()
        return path if path.is_relative_to(folder) and path.is_file() else None
    except (OSError, ValueError):  # longer than a name may be, or with a null character
        return None


def _etag(request: HttpRequest, name: str = "") -> str | None:
    if (path := file_at(name)) is None:
        return None
    status = path.stat()
    return f'"{status.st_mtime_ns:x}-{status.st_size:x}"'


@require_safe
@gzip_page
@condition(etag_func=_etag)
def page(request: HttpRequest, name: str = "") -> HttpResponse:
    """The view of one file of the site. 404 with a sentence where there is none, or no site at all."""
    path = file_at(name)
    if path is None:
        return render(request, "help/missing.html", {"built": file_at("") is not None}, status=404)
    response = HttpResponse(path.read_bytes(), content_type=CONTENT_TYPES.get(path.suffix, AS_TEXT))
    if HASHED.search(path.name):
        patch_cache_control(response, public=True, max_age=31_536_000, immutable=True)
    else:
        patch_cache_control(response, no_cache=True)
    return response
