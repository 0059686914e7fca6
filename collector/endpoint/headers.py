"""Header checks of the respondents' endpoints, done before any byte of the body is read."""

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from collector.endpoint.parsing import LARGEST_BODY
from collector.errors import RequestRefused

LOOPBACK = ("localhost", "127.0.0.1")
USUAL_PORTS = {"http": 80, "https": 443}
LENGTH = re.compile(r"[0-9]{1,20}")


def check_headers(environ: Mapping[str, Any], *, types: Container[str], otherwise: RequestRefused) -> int:
    """Check that a request is same-origin, of an allowed content type and not too large; return its length.

    `environ` is the request as the server gives it (PEP 3333). Of a header that stands twice the server makes one with
    a comma, which is none of the values that are taken here.
    """
    same_site = environ.get("HTTP_SEC_FETCH_SITE", "same-origin") == "same-origin"
    if not same_site or environ.get("HTTP_ORIGIN", "") != _origin(environ):
        raise RequestRefused(403, "Origin", "Responses are accepted from the survey's own page only.")
    if environ.get("CONTENT_TYPE", "").replace(" ", "").lower() not in types:
        raise otherwise
    length = environ.get("CONTENT_LENGTH", "")
    if not LENGTH.fullmatch(length):
        words = f"Content-Length is required, at most {LARGEST_BODY} bytes."
        raise RequestRefused(411, "Content-Length", words)
    if int(length) > LARGEST_BODY:
        raise RequestRefused(413, "Content-Length", f"The body must be at most {LARGEST_BODY} bytes; got {length}.")
    return int(length)


def _origin(environ: Mapping[str, Any]) -> str:
    """The Origin header that a browser sends from the site's pages, for the request's Host header.

    At the site's own address it is that address, whatever a proxy in front of us takes off: its https, its port. At
    another one of this machine it is the connection's. Where respondents have an address of their own it is that alone.
    """
    host, scheme = str(environ.get("HTTP_HOST", "")), str(environ.get("wsgi.url_scheme", "http"))
    if theirs := settings.CANDOR_RESPONDENT_URL:
        return _origin_at(host, scheme, theirs, (str(urlsplit(theirs).hostname),))
    return _origin_at(host, scheme, settings.CANDOR_URL, tuple(settings.ALLOWED_HOSTS))


@lru_cache(maxsize=64)
def _origin_at(host: str, scheme: str, url: str, allowed: tuple[str, ...]) -> str:
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, allowed):
        raise RequestRefused(400, "Host", "This is not the address of this site.")
    site = urlsplit(url)
    if domain != site.hostname:
        return f"{scheme}://{host.lower()}"
    if domain in LOOPBACK:
        return f"{site.scheme}://{host.lower()}"  # the port may be forwarded, as into a container
    port = "" if site.port in (None, USUAL_PORTS.get(site.scheme)) else f":{site.port}"
    return f"{site.scheme}://{domain}{port}"
