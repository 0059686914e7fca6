"""What the doors for respondents refuse by the headers alone, before a byte of the body is read."""

from collections.abc import Container
from urllib.parse import urlsplit

from django.http import HttpRequest

from collector.errors import ForeignOrigin, Refusal, TooLarge
from collector.parsing import LARGEST_BODY


def check_headers(request: HttpRequest, *, types: Container[str], otherwise: Refusal) -> None:
    """Take a request of the site's own pages only, of one of these content types, and not too large."""
    origin = urlsplit(request.headers.get("Origin", ""))
    same_site = request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    if not same_site or origin.netloc != request.get_host():
        raise ForeignOrigin("Origin", "A report is taken from the survey's own page only.")
    if request.headers.get("Content-Type", "").replace(" ", "").lower() not in types:
        raise otherwise
    length = request.headers.get("Content-Length", "")
    if not length.isdigit() or int(length) > LARGEST_BODY:
        raise TooLarge("Content-Length", f"The body must be at most {LARGEST_BODY} bytes; got {length or 'no length'}.")
