"""Stored pages and HTTP responses with stored bytes: the same for everybody, compressed where accepted."""

import gzip
import re
from collections.abc import Mapping
from functools import lru_cache

from django.http import HttpRequest, HttpResponse

from surveys.accounts.access import one_or_404
from surveys.lifecycle import selectors
from surveys.lifecycle.selectors import PublishedVersion
from surveys.models import Page
from surveys.rendering.pages import style_hash

TAKES_GZIP = re.compile(r"(?:^|,)\s*gzip\s*(?:$|,|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))", re.IGNORECASE)


def page_or_404(slug: str, language: str, kind: Page.Kind) -> tuple[PublishedVersion, bytes]:
    """The latest opened version and its stored page of this kind in that language; raises Http404 if none."""
    shown = one_or_404(selectors.published_version(slug, language), "page")
    return shown, one_or_404(shown.page(kind), "page")


def answer_with(request: HttpRequest, content: bytes, content_type: str = "text/html; charset=utf-8") -> HttpResponse:
    """Reply with these bytes. Decompressed they equal `content`, whose SHA-256 people compare.

    Nothing of the request is in them and they hold no secret, so their compressed length tells nothing either.
    """
    takes = TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")) is not None
    headers = {"Vary": "Accept-Encoding"} | ({"Content-Encoding": "gzip"} if takes else {})
    response = HttpResponse(packed(content) if takes else content, content_type=content_type, headers=headers)
    return styled(response, content)


def styled(response: HttpResponse, content: bytes) -> HttpResponse:
    """Let the policy of a page admit the style sheet that was rendered into it, and no other."""
    response.own_style = style_hash(content)  # type: ignore[attr-defined]
    return response


def page_response(content: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Reply with a page that was rendered for this request."""
    return styled(HttpResponse(content, status=status, headers=headers), content)


def attachment(content: bytes, content_type: str, name: str) -> HttpResponse:
    """Reply with a file that the browser saves under this name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)


@lru_cache(maxsize=64)
def packed(content: bytes) -> bytes:
    """The bytes compressed, always with the same result."""
    # Without a time in it, so that everybody gets the same bytes here too.
    return gzip.compress(content, mtime=0)
