"""Rate limits besides reports: sign-ins, requests of the panel's pages and the API, and downloads."""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from collector.database.replication import may_pass
from collector.endpoint import rate_limits
from collector.endpoint.headers import LENGTH
from collector.errors import RETRY, RequestRefused
from surveys.accounts import tokens
from surveys.api import problems
from surveys.definition import bounds

Respond = Callable[[HttpRequest], HttpResponse]

LIMITED = (
    ("sign-ins by address", {"POST"}, re.compile(r"/panel/(login|code|passkey|sign-in|institution)/")),
    ("sign-ins by address", {"POST"}, re.compile(r"/panel/account/institution/connect")),
    ("sign-ins by address", {"GET"}, re.compile(r"/panel/institution/back/")),
    ("requests by researcher", {"GET"}, re.compile(r"/panel/(account/)?institution/(connect)?")),
    ("requests by researcher", {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, re.compile(r"/api/v1/.*")),
    ("files by reader", {"GET"}, re.compile(r"/(panel|reports)/(?!help/).*\.(csv|html|json|pdf|yaml)")),
    ("files by reader", {"GET"}, re.compile(r"/(panel/export/[^/]+/file|api/v1/exports/[^/]+/file/)")),
)
"""The name of a limit, and the methods and paths that it counts."""

LARGEST_BODY = 5_000_000
"""Maximum bytes of a request: the largest page sends a list of 2,000,000 bytes and as much pasted text."""

SMALLER = (
    (re.compile(r"/panel/(login|code|sign-in|institution|account/institution/connect)/?"), 10_000),
    (re.compile(r"/panel/upload/"), 2 * bounds.LARGEST),
)
"""Paths with lower maxima: sign-in pages, and uploads of a definition as a file and as text."""


def limited(get_response: Respond) -> Respond:
    """Count limited requests: respond 429 with a message above the limit, 413 if a body is too large."""

    def middleware(request: HttpRequest) -> HttpResponse:
        try:
            _require_small(request)
            for name, methods, path in LIMITED:
                if request.method in methods and path.fullmatch(request.path):
                    rate_limits.take(name, _whom(request, name))
        except RequestRefused as refusal:
            return refused(request, refusal)
        return get_response(request)

    return middleware


class DatabaseUnavailableMiddleware:
    """Respond 503 if the database is unavailable, full or read-only, or Redis away: a retry may succeed, no program
    error."""

    def __init__(self, get_response: Respond) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        away = "The database" if may_pass(exception) else "Redis" if isinstance(exception, _faults_of_redis()) else ""
        if away:
            return refused(request, RequestRefused(503, "", f"{away} is away. Please try again.", retry=RETRY))
        return None


def _faults_of_redis() -> tuple[type[Exception], ...]:
    """What is raised where wrong passwords cannot be counted, as while a replica becomes the master."""
    if not settings.REDIS_URL:
        return ()
    from redis import RedisError  # only here: its 20 MB are for installations that have one

    return (RedisError,)


def _whom(request: HttpRequest, name: str) -> str:
    """The counted client: a researcher who is signed in or has a token, otherwise the address."""
    if name != "sign-ins by address" and request.path.startswith(problems.PREFIX) and tokens.authenticates(request):
        token = tokens.token_of(request)
        return f"researcher {token.user_id}" if token else rate_limits.address_of(request.META)
    if name != "sign-ins by address" and request.user.is_authenticated:
        return f"researcher {request.user.pk}"
    return rate_limits.address_of(request.META)


def _require_small(request: HttpRequest) -> None:
    """A request without a length has no body: the server and Django read no more than declared."""
    most = next((size for path, size in SMALLER if path.fullmatch(request.path)), LARGEST_BODY)
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    if not LENGTH.fullmatch(length) or int(length) > most:
        words = f"A request may have {most:,} bytes here; this one has {length[:20]}."
        raise RequestRefused(413, "Content-Length", words)


def refused(request: HttpRequest, refusal: RequestRefused) -> HttpResponse:
    """The response to a refused request: a problem document for programs, a sentence for others."""
    headers = {} if refusal.retry is None else {"Retry-After": str(refusal.retry)}
    if request.path.startswith(problems.PREFIX):
        return problems.response(refusal.status, refusal.message, headers)
    return HttpResponse(refusal.message, status=refusal.status, content_type="text/plain", headers=headers)
