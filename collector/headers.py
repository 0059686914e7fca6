"""What the doors for respondents refuse by the headers alone, before a byte of the body is read."""

import re
from collections.abc import Container, Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from collector.errors import ForeignHost, ForeignOrigin, NoLength, Refusal, TooLarge
from collector.parsing import LARGEST_BODY

LENGTH = re.compile(r"[0-9]{1,20}")


def check_headers(environ: Mapping[str, Any], *, types: Container[str], otherwise: Refusal) -> int:
    """Take a request of the site's own pages only, of one of these content types, and not too large; its length.

    `environ` is the request as the server gives it (PEP 3333).
    """
    same_site = environ.get("HTTP_SEC_FETCH_SITE", "same-origin") == "same-origin"
    if not same_site or _netloc(environ.get("HTTP_ORIGIN", "")) != _host(environ):
        raise ForeignOrigin("Origin", "A report is taken from the survey's own page only.")
    if environ.get("CONTENT_TYPE", "").replace(" ", "").lower() not in types:
        raise otherwise
    length = environ.get("CONTENT_LENGTH", "")
    if not LENGTH.fullmatch(length):
        raise NoLength("Content-Length", f"The body must come with its length, at most {LARGEST_BODY} bytes.")
    if int(length) > LARGEST_BODY:
        raise TooLarge("Content-Length", f"The body must be at most {LARGEST_BODY} bytes; got {length}.")
    return int(length)


def _host(environ: Mapping[str, Any]) -> str:
    """The host that the request names, where it is one of ours."""
    host = str(environ.get("HTTP_HOST", ""))
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        raise ForeignHost("Host", "This is not the address of this site.")
    return host


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
