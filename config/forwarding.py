"""Requests for which this process lacks a package are answered by a web process that has all of them.

The image `web` carries what a respondent needs and what most pages of researchers need. The planner computes with
scipy, posters and sheets are set by typst, a workbook is read by openpyxl: such a request ends here in
ModuleNotFoundError, its transaction is rolled back, and the same request goes to `CANDOR_PANEL`.
"""

from collections.abc import Callable, Mapping

import urllib3
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from urllib3.exceptions import HTTPError

from collector.errors import RETRY, RequestRefused
from config.rate_limits import refused

Respond = Callable[[HttpRequest], HttpResponse]

ELSEWHERE = "candor.elsewhere"
"""The key that such a request has in its WSGI environment."""

FORWARDED = "Candor-Forwarded"
"""The header that a request has from here: whoever gets it lets it fail rather than forward it once more."""

TIMEOUT = urllib3.Timeout(connect=3, read=60)
"""Seconds; the slowest page, 5,000 cards to print, takes a third of it."""

OWN = {"connection", "content-length", "date", "keep-alive", "set-cookie", "transfer-encoding", "upgrade"}
"""Headers that each connection has of its own, and the cookies, of which a mapping has one alone."""


class ForwardingMiddleware:
    """The outermost middleware: what the other process answers passes on as it is."""

    def __init__(self, get_response: Respond) -> None:
        self._get_response = get_response
        self._pool = urllib3.PoolManager(maxsize=16, timeout=TIMEOUT, retries=False)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if not request.META.get(ELSEWHERE):
            return response
        try:
            return self._forward(request)
        except HTTPError:
            words = "This page is temporarily unavailable. Please try again."
            return refused(request, RequestRefused(503, "", words, retry=RETRY))

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, ModuleNotFoundError) or not settings.CANDOR_PANEL or FORWARDED in request.headers:
            return None
        request.META[ELSEWHERE] = True
        return HttpResponse(status=503)

    def _forward(self, request: HttpRequest) -> HttpResponse:
        body = request.META["wsgi.input"]
        body.seek(0)  # the gateway has read it whole
        found = self._pool.request(
            request.method or "GET",
            settings.CANDOR_PANEL + request.get_full_path(),
            body=body.read(),
            headers={**_passed_on(request.headers), FORWARDED: "1"},
            redirect=False,
            decode_content=False,
        )
        response = HttpResponse(found.data, status=found.status, headers=_passed_on(found.headers))
        for cookie in found.headers.getlist("Set-Cookie"):
            response.cookies.load(cookie)
        return response


def _passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in OWN}
